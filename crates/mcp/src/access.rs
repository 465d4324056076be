//! What the tools work on.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use kumite_formats::spec_name::SpecName;
use kumite_project::project::{Project, Spec};
use kumite_project::settings::{Flags, Loader};

use crate::refusal::{Refusal, Result};

/// Project and settings are read at every call: they may be created or corrected while the server
/// runs.
pub struct ProjectAccess {
    /// The project, or a directory in it.
    pub place: PathBuf,
    /// The kumite binary.
    pub kumite: PathBuf,
}

impl ProjectAccess {
    pub fn project(&self) -> Result<Project> {
        Ok(Project::find(&self.place)?)
    }

    /// An existing spec.
    pub fn spec(&self, name: &str) -> Result<(Project, Spec)> {
        let project = self.project()?;
        let name: SpecName = name.parse()?;
        let spec = project.spec(&name)?;
        Ok((project, spec))
    }

    pub fn loader(&self, project: &Project) -> Result<Loader> {
        Ok(Loader::load(project, Flags::default())?)
    }

    /// Runs kumite as a separate process; `names` are never taken for flags. The process knows the
    /// project, but does not read our stdin, which belongs to the protocol.
    pub fn command(&self, words: &[&str], names: &[&str]) -> Command {
        let mut command = Command::new(&self.kumite);
        command
            .arg("--project")
            .arg(&self.place)
            .args(words)
            .arg("--")
            .args(names)
            .stdin(Stdio::null());
        command
    }

    pub fn cannot_run(&self, error: &std::io::Error) -> Refusal {
        Refusal(format!("cannot run {}: {error}", self.kumite.display()))
    }
}
