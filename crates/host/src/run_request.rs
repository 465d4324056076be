//! The request to run specs, and its checks: bad names, unknown specs and broken files are reported
//! before anything starts.

use kumite_core::change::Fixing;
use kumite_core::names::Phase;
use kumite_formats::spec_name::{self, SpecName};

use kumite_project::project::{self, Project};
use kumite_project::spec_file;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRequest {
    pub specs: Vec<String>,
    /// All specs are meant, and none was named: a broken one does not keep the others from running.
    #[serde(default)]
    pub all: bool,
    pub until: Option<Phase>,
    pub from: Option<Phase>,
    pub review_once: Option<Fixing>,
    /// An agent for all phases, instead of the settings.
    pub agent: Option<String>,
    /// A usage limit ends the run instead of making it wait.
    #[serde(default)]
    pub no_wait: bool,
    /// Skips the wait for a usage limit: the agent is tried now.
    #[serde(default)]
    pub at_once: bool,
    /// The process whose end also ends these runs; None: they go on without it.
    #[serde(default)]
    pub by: Option<u32>,
    /// Whether all news is sent too.
    pub follow: Follow,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Follow {
    #[default]
    No,
    /// Until all of them have ended.
    UntilEnded,
    /// As long as the engine lives.
    Always,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Name(#[from] spec_name::Error),
    #[error(transparent)]
    Project(#[from] project::Error),
    #[error(transparent)]
    File(#[from] spec_file::Error),
    #[error("there are no specs in {specs}; `kumite new NAME` makes one")]
    NoSpecs { specs: String },
    #[error("from {from} comes after until {until}")]
    Backwards {
        from: &'static str,
        until: &'static str,
    },
}

impl RunRequest {
    /// Goes on after a stop or a pause.
    pub fn resume(spec: &str) -> RunRequest {
        RunRequest {
            specs: vec![spec.to_owned()],
            // A person who asks for this wants to see it go on.
            at_once: true,
            ..RunRequest::default()
        }
    }

    /// One review round by hand.
    pub fn review(spec: &str, fix: bool) -> RunRequest {
        let fixing = match fix {
            true => Fixing::Person,
            false => Fixing::Nobody,
        };
        RunRequest {
            specs: vec![spec.to_owned()],
            review_once: Some(fixing),
            ..RunRequest::default()
        }
    }

    /// The request with each spec once, if an engine can accept all of it.
    pub fn checked(mut self, project: &Project) -> Result<RunRequest, Error> {
        if let (Some(from), Some(until)) = (self.from, self.until)
            && from > until
        {
            return Err(Error::Backwards {
                from: from.name(),
                until: until.name(),
            });
        }
        let mut specs: Vec<String> = Vec::new();
        for name in self.specs {
            if !specs.contains(&name) {
                specs.push(name);
            }
        }
        for name in &specs {
            let name: SpecName = name.parse()?;
            let spec = project.spec(&name)?;
            if !self.all {
                spec.read().1?;
            }
        }
        self.specs = specs;
        Ok(self)
    }
}

/// The names of all specs; a project without specs is an error.
pub fn all_specs(project: &Project) -> Result<Vec<String>, Error> {
    let specs = project.all_specs()?;
    match specs.is_empty() {
        true => Err(Error::NoSpecs {
            specs: project.specs().display().to_string(),
        }),
        false => Ok(specs.into_iter().map(|spec| spec.name).collect()),
    }
}
