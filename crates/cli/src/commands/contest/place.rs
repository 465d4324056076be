//! Where contests and their database are, as the command line has it.

use std::path::PathBuf;

use clap::Args;
use kumite_contest::place::Workspace;

use crate::args::Setting;
use crate::trouble::Result;

#[derive(Args, Clone, Default)]
pub struct PlaceArgs {
    /// The directory of the contests and, for mixseek's files, of what they refer to
    /// [default: $MIXSEEK_WORKSPACE, else the project]
    #[arg(long, short, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// The database of the leader board
    #[arg(long, value_name = "FILE")]
    pub db: Option<PathBuf>,
}

impl PlaceArgs {
    pub fn find(&self, setting: &Setting) -> Result<Workspace> {
        let here = setting.place()?;
        // A contest needs no project: without one it uses the current directory.
        let project = setting
            .project()
            .map_or_else(|_| here.clone(), |project| project.root().to_owned());
        let (workspace, db) = (self.workspace.as_deref(), self.db.as_deref());
        Ok(Workspace::find(&here, &project, workspace, db)?)
    }
}
