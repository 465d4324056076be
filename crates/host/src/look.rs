//! How the place of a run is looked at. It may take a moment, so the thread that waited for an agent
//! does it, not the loop.

use kumite_core::place::PlaceLook;
use kumite_core::run::Run;
use kumite_project::place;
use kumite_project::project::Spec;

use crate::launch::LaunchSettings;

pub struct LookAtPlace {
    spec: Spec,
    /// The tree whose protected files a person has accepted.
    accepted: Option<String>,
    protect: Vec<String>,
}

impl LookAtPlace {
    pub fn of(spec: &Spec, run: &Run, launch_settings: &LaunchSettings) -> LookAtPlace {
        LookAtPlace {
            spec: spec.clone(),
            accepted: run.memory.trust.accepted.clone(),
            protect: launch_settings.project.verify.protect.clone(),
        }
    }

    pub fn look(&self) -> PlaceLook {
        place::look(&self.spec, self.accepted.as_deref(), &self.protect)
    }
}
