//! The repository that contains a project.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{self, Path, PathBuf};

use crate::run::{self, Git};
use crate::{Error, Worktree, registry};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// Its main checkout.
    top: PathBuf,
    /// The project's directory in it; usually empty.
    prefix: PathBuf,
    /// Its git directory.
    common: PathBuf,
}

impl Repository {
    /// The repository around `project`. A dry run uses this, with [`Repository::head`].
    pub fn of(project: &Path) -> Result<Repository, Error> {
        let project = path::absolute(project).unwrap_or_else(|_| project.to_owned());
        let ask = [
            "rev-parse",
            "--show-toplevel",
            "--git-common-dir",
            "--show-prefix",
        ];
        let told = Git::at(&project).run(&ask).map_err(|error| match error {
            run::Error::Failed { words, .. } if words.contains("dubious ownership") => {
                Error::Foreign {
                    project: project.clone(),
                }
            }
            run::Error::Failed { words, .. } => Error::NoRepository {
                project: project.clone(),
                words,
            },
            other => Error::Run(other),
        })?;
        let mut lines = told.split(|byte| *byte == b'\n');
        let mut path = || PathBuf::from(OsStr::from_bytes(lines.next().unwrap_or_default()));
        let (top, common, prefix) = (path(), path(), path());
        Ok(Repository {
            common: project.join(common),
            top,
            prefix,
        })
    }

    /// The commit that worktrees begin with.
    pub fn head(&self) -> Result<String, Error> {
        let git = self.git();
        let head = git.run(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
        let head = head.map_err(|_| Error::NoCommit {
            top: self.top.clone(),
        })?;
        let head = String::from_utf8_lossy(head.trim_ascii()).into_owned();
        match self.is_in(&head) {
            true => Ok(head),
            false => Err(Error::NotInCommit {
                place: self.top.join(&self.prefix),
            }),
        }
    }

    /// How many files of the main checkout differ from its last commit: a worktree does not have
    /// them. kumite's own files do not count.
    pub fn uncommitted(&self) -> Result<usize, Error> {
        let git = Git::at(&self.top.join(&self.prefix));
        let told = git.run(&[
            "status",
            "--porcelain",
            "--untracked-files=normal",
            "-z",
            "--no-renames",
            "--",
            ":/",
            ":(exclude).kiro/runtime",
        ])?;
        Ok(told.iter().filter(|byte| **byte == 0).count())
    }

    /// The worktree that contains this path, besides the main checkout.
    pub fn worktree_around(&self, path: &Path) -> Result<Option<Worktree>, Error> {
        let path = registry::resolved(path);
        let known = registry::all(self)?.into_iter().map(|(_, root)| root);
        let around = known.filter(|root| path.starts_with(root));
        let nearest = around.max_by_key(|root| root.as_os_str().len());
        Ok(nearest.map(|root| Worktree::new(self.clone(), root)))
    }

    /// The worktrees of this repository in the directory `place`, whether their directories still
    /// exist or not.
    pub fn worktrees_in(&self, place: &Path) -> Result<Vec<PathBuf>, Error> {
        let place = registry::resolved(place);
        let known = registry::all(self)?.into_iter().map(|(_, root)| root);
        Ok(known.filter(|root| root.starts_with(&place)).collect())
    }

    pub fn top(&self) -> &Path {
        &self.top
    }

    pub fn prefix(&self) -> &Path {
        &self.prefix
    }

    pub fn common(&self) -> &Path {
        &self.common
    }

    pub fn git(&self) -> Git {
        Git::at(&self.top)
    }
}
