//! git as kumite uses it: repositories, worktrees and checkpoints. Nothing else in the product runs
//! git by itself.

mod branch;
mod checkpoint;
mod own_index;
mod registry;
mod repository;
mod run;
mod tree;
mod uncommitted;
mod version;
mod worktree;

use std::io;
use std::path::PathBuf;

pub use checkpoint::{Checkpoint, keep, remove_checkpoints};
pub use registry::remove_below;
pub use repository::Repository;
pub use run::{Error as RunError, Git, file_of};
pub use uncommitted::{How, Uncommitted};
pub use version::version;
pub use worktree::Worktree;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Run(#[from] run::Error),
    #[error(
        "{project} is not in a git repository with files, and worktrees are made from \
         one; run `git init` there and commit: {words}",
        project = .project.display()
    )]
    NoRepository { project: PathBuf, words: String },
    #[error(
        "git refuses the repository of {project}, because another user owns it; \
         `git config --global --add safe.directory {project}` permits it",
        project = .project.display()
    )]
    Foreign { project: PathBuf },
    #[error(
        "the git repository {top} has no commit, and a worktree begins with one; commit the \
         project first",
        top = .top.display()
    )]
    NoCommit { top: PathBuf },
    #[error(
        "{place} is not in the last commit, and a worktree begins with that; commit it first",
        place = .place.display()
    )]
    NotInCommit { place: PathBuf },
    #[error("the worktree {root} is gone", root = .root.display())]
    Gone { root: PathBuf },
    #[error("cannot write {path}", path = .path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read {path}", path = .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot remove {path}", path = .path.display())]
    Remove { path: PathBuf, source: io::Error },
}
