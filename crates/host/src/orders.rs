//! Checks before an engine is asked to run specs. Bad names, unknown specs and broken files are
//! reported before anything starts.

use kumite_core::change::Fixing;
use kumite_formats::spec_name::{self, SpecName};

use crate::control::RunRequest;
use crate::project::{self, Project};
use crate::spec_file;

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

/// The request with each spec once, if an engine can accept all of it.
pub fn checked(project: &Project, mut request: RunRequest) -> Result<RunRequest, Error> {
    if let (Some(from), Some(until)) = (request.from, request.until)
        && from > until
    {
        return Err(Error::Backwards {
            from: from.name(),
            until: until.name(),
        });
    }
    let mut specs: Vec<String> = Vec::new();
    for name in request.specs {
        if !specs.contains(&name) {
            specs.push(name);
        }
    }
    for name in &specs {
        let name: SpecName = name.parse()?;
        let spec = project.spec(&name)?;
        if !request.all {
            spec.read().1?;
        }
    }
    request.specs = specs;
    Ok(request)
}

/// The names of all specs; a project without specs is an error.
pub fn all(project: &Project) -> Result<Vec<String>, Error> {
    let specs = project.all_specs()?;
    match specs.is_empty() {
        true => Err(Error::NoSpecs {
            specs: project.specs().display().to_string(),
        }),
        false => Ok(specs.into_iter().map(|spec| spec.name).collect()),
    }
}

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
