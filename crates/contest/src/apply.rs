//! Brings the winner's changes into the main checkout: all of them, or none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::git;
use crate::worktree::{self, Repository};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Repository(#[from] worktree::Error),
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error("cannot read {path}", path = .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "{diff} does not fit {top}, and nothing was changed; commit or put aside your own changes \
         to these files, or apply it to the commit that the contest began with: {words}",
        diff = .diff.display(),
        top = .top.display()
    )]
    DoesNotFit {
        diff: PathBuf,
        top: PathBuf,
        words: String,
    },
}

/// A changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Relative to the top of the repository.
    pub path: String,
    /// Lines; `None` for a file without lines.
    pub added: Option<u64>,
    pub removed: Option<u64>,
}

/// Applies a diff to the working tree around `project`; the index stays unchanged. With
/// `check_only` it only checks whether the diff applies. Returns the changes, which are none for an
/// empty diff.
pub fn apply(project: &Path, diff: &Path, check_only: bool) -> Result<Vec<Change>, Error> {
    let read = |source| Error::Read {
        path: diff.to_owned(),
        source,
    };
    // git looks for it from the top.
    let diff = fs::canonicalize(diff).map_err(read)?;
    if fs::metadata(&diff).map_err(read)?.len() == 0 {
        return Ok(Vec::new());
    }
    let repository = Repository::of(project)?;
    let git = repository.git();
    let run = |flags: &[&str]| {
        let flags = ["apply", "--whitespace=nowarn"].iter().chain(flags);
        let mut args: Vec<_> = flags.map(AsRef::as_ref).collect();
        args.push(diff.as_os_str());
        git.run(&args)
    };
    let changes = changes(&run(&["--numstat", "-z"])?);
    let does_not_fit = |error| match error {
        git::Error::Failed { words, .. } => Error::DoesNotFit {
            diff: diff.clone(),
            top: repository.top().to_owned(),
            words,
        },
        other => Error::Git(other),
    };
    run(&["--check"]).map_err(does_not_fit)?;
    if !check_only {
        // git checks everything again before it writes anything.
        run(&[]).map_err(does_not_fit)?;
    }
    Ok(changes)
}

/// `added TAB removed TAB path NUL`, repeated.
fn changes(numstat: &[u8]) -> Vec<Change> {
    let text = String::from_utf8_lossy(numstat);
    let lines = text.split('\0').filter_map(|line| {
        let mut parts = line.splitn(3, '\t');
        let (added, removed) = (parts.next()?, parts.next()?);
        Some(Change {
            path: parts.next()?.to_owned(),
            added: added.parse().ok(),
            removed: removed.parse().ok(),
        })
    });
    lines.collect()
}
