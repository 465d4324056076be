//! Whether there can be a worktree for a spec, and why not.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use kumite_core::names::Document;
use kumite_core::place::Prepared;
use kumite_git::{Error, Repository, RunError};

use crate::project::Spec;
use crate::spec_file::sentence;

/// Why a spec has no worktree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// There can be none here.
    Checkout(String),
    /// Something is in the way.
    Conflict(String),
    SetupFailed(String),
}

impl From<Hindrance> for Prepared {
    fn from(hindrance: Hindrance) -> Prepared {
        match hindrance {
            Hindrance::Checkout(why) => Prepared::Checkout(why),
            Hindrance::Conflict(why) => Prepared::Conflict(why),
            Hindrance::SetupFailed(why) => Prepared::SetupFailed(why),
        }
    }
}

/// Older ones lack what checkpoints need.
const GIT_MIN: (u32, u32) = (2, 38);

/// The branch that is checked out where a run begins; empty: none is. The error says why no spec of
/// the project can have a worktree. What else is in the way is found when one is made.
pub fn begin(root: &Path) -> Result<String, String> {
    match suitable(root) {
        Ok(repository) => Ok(repository.branch().unwrap_or_default()),
        Err(Hindrance::Checkout(why)) => Err(why),
        Err(Hindrance::Conflict(_) | Hindrance::SetupFailed(_)) => Ok(String::new()),
    }
}

/// The repository of a project in which this spec can have a worktree.
pub fn repository(spec: &Spec) -> Result<Repository, Hindrance> {
    let repository = suitable(spec.project_root())?;
    documents(spec, &repository)?;
    Ok(repository)
}

fn suitable(root: &Path) -> Result<Repository, Hindrance> {
    match kumite_git::version() {
        Err(Error::Run(RunError::Start(error))) if error.kind() == ErrorKind::NotFound => {
            let why = "git is not installed, and worktrees need it";
            return Err(Hindrance::Checkout(why.to_owned()));
        }
        Err(error) => return Err(conflict(&error)),
        Ok(Some(version)) if version < GIT_MIN => {
            return Err(Hindrance::Checkout(format!(
                "git is {}.{}, and worktrees need {}.{}; update it",
                version.0, version.1, GIT_MIN.0, GIT_MIN.1
            )));
        }
        Ok(Some(_) | None) => {}
    }
    let repository = Repository::of(root);
    let checked = repository.and_then(|it| it.head().map(|_| it));
    checked.map_err(|error| match error {
        Error::NoRepository { .. } => Hindrance::Checkout(
            "the project is not in a git repository; with `git init` and a first commit, each \
             spec gets a worktree of its own"
                .to_owned(),
        ),
        Error::NoCommit { .. } | Error::NotInCommit { .. } => Hindrance::Checkout(sentence(&error)),
        error => conflict(&error),
    })
}

/// What git ignores would not be in a worktree.
fn documents(spec: &Spec, repository: &Repository) -> Result<(), Hindrance> {
    let names = Document::ALL.map(Document::file);
    let names = names.iter().copied().chain(["spec.json"]);
    for path in names.map(|name| files_in(spec, repository).join(name)) {
        let ask = ["check-ignore", "--quiet"].map(AsRef::as_ref);
        let args = [&ask[..], &[path.as_os_str()]].concat();
        if repository.top().join(&path).exists() && repository.git().run(&args).is_ok() {
            return Err(Hindrance::Checkout(format!(
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

pub fn conflict(error: &dyn std::error::Error) -> Hindrance {
    Hindrance::Conflict(sentence(error))
}
