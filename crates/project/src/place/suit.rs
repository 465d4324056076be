//! Whether there can be a worktree for a spec, and why not.

use std::io::ErrorKind;
use std::path::PathBuf;

use kumite_core::names::Document;
use kumite_core::place::Prepared;
use kumite_git::{Error, Repository, RunError};

use crate::project::Spec;
use crate::spec_file::sentence;

/// Older ones lack what checkpoints need.
const GIT_MIN: (u32, u32) = (2, 38);

/// The repository of a project in which specs can have worktrees.
pub fn repository(spec: &Spec) -> Result<Repository, Prepared> {
    match kumite_git::version() {
        Err(Error::Run(RunError::Start(error))) if error.kind() == ErrorKind::NotFound => {
            let why = "git is not installed, and worktrees need it";
            return Err(Prepared::Checkout(why.to_owned()));
        }
        Err(error) => return Err(conflict(&error)),
        Ok(Some(version)) if version < GIT_MIN => {
            return Err(Prepared::Checkout(format!(
                "git is {}.{}, and worktrees need {}.{}; update it",
                version.0, version.1, GIT_MIN.0, GIT_MIN.1
            )));
        }
        Ok(Some(_) | None) => {}
    }
    let repository = Repository::of(spec.project_root());
    let checked = repository.and_then(|it| it.head().map(|_| it));
    let repository = checked.map_err(|error| match error {
        Error::NoRepository { .. } | Error::NoCommit { .. } | Error::NotInCommit { .. } => {
            Prepared::Checkout(sentence(&error))
        }
        error => conflict(&error),
    })?;
    documents(spec, &repository)?;
    Ok(repository)
}

/// What git ignores would not be in a worktree.
fn documents(spec: &Spec, repository: &Repository) -> Result<(), Prepared> {
    let names = Document::ALL.map(Document::file);
    let names = names.iter().copied().chain(["spec.json"]);
    for path in names.map(|name| files_in(spec, repository).join(name)) {
        let ask = ["check-ignore", "--quiet"].map(AsRef::as_ref);
        let args = [&ask[..], &[path.as_os_str()]].concat();
        if repository.top().join(&path).exists() && repository.git().run(&args).is_ok() {
            return Err(Prepared::Checkout(format!(
                "git ignores {}, so a worktree would not have it",
                path.display()
            )));
        }
    }
    Ok(())
}

/// The directory of the spec, relative to the top of a checkout.
pub fn files_in(spec: &Spec, repository: &Repository) -> PathBuf {
    spec.files_in(repository.prefix())
}

pub fn conflict(error: &dyn std::error::Error) -> Prepared {
    Prepared::Conflict(sentence(error))
}
