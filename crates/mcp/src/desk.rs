//! Where the tools work.

use std::path::PathBuf;

use kumite_formats::spec_name::SpecName;
use kumite_host::project::{Project, Spec};

use crate::kumite::Kumite;
use crate::refusal::Result;

/// The project is looked for at every call: it may be made, or put right, while the server runs.
pub struct Desk {
    pub place: PathBuf,
    pub kumite: Kumite,
}

impl Desk {
    pub fn project(&self) -> Result<Project> {
        Ok(Project::find(&self.place)?)
    }

    /// A spec that exists.
    pub fn spec(&self, name: &str) -> Result<(Project, Spec)> {
        let project = self.project()?;
        let name: SpecName = name.parse()?;
        let spec = project.spec(&name)?;
        Ok((project, spec))
    }
}
