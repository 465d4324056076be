//! spec.json: read again each time, changed, written as a whole.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use kumite_core::change::Change;
use kumite_formats::spec_json::{self, SpecJson};

use crate::clock::rfc3339;
use kumite_files::{Access, Durable, replace};

/// A larger file is not a spec.json, whatever its name.
const SIZE_MAX: u64 = 10 * 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read {path}")]
    Read { path: PathBuf, source: io::Error },
    #[error("{path} has {size} bytes; a spec.json has at most {SIZE_MAX}")]
    TooLarge { path: PathBuf, size: u64 },
    #[error("{path}")]
    Parse {
        path: PathBuf,
        source: spec_json::Error,
    },
    #[error(
        "spec.json names the worktree {path}, which does not hold the spec {spec}; \
         make it again (`git worktree add`), or take `worktree` out of spec.json"
    )]
    NoWorktree { spec: String, path: PathBuf },
    #[error(
        "the worktree {path} of {spec} is gone; `git worktree add {path} {branch}` brings back what \
         was committed there, and `kumite worktree remove {spec} --force` gives it up"
    )]
    LostWorktree {
        spec: String,
        path: PathBuf,
        branch: String,
    },
    #[error("cannot write {path}")]
    Write { path: PathBuf, source: io::Error },
}

/// An error with all its causes, as one sentence.
pub fn sentence(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// Reads the spec.json in `dir`.
pub fn read(dir: &Path) -> Result<SpecJson, Error> {
    let path = dir.join("spec.json");
    let fail = |source| Error::Read {
        path: path.clone(),
        source,
    };
    // Opening a pipe would otherwise wait for ever.
    if fs::metadata(&path).map_err(fail)?.file_type().is_fifo() {
        return Err(fail(io::Error::other("it is not a file")));
    }
    let file = File::open(&path).map_err(fail)?;
    let size = file.metadata().map_err(fail)?.len();
    if size > SIZE_MAX {
        return Err(Error::TooLarge { path, size });
    }
    let mut bytes = Vec::with_capacity(size as usize + 1);
    let mut limited = file.take(SIZE_MAX);
    limited.read_to_end(&mut bytes).map_err(fail)?;
    SpecJson::parse(&bytes).map_err(|source| Error::Parse { path, source })
}

/// Applies changes to the current file. Writes only if they change something, so that doing it
/// twice is the same as once.
pub fn save(dir: &Path, changes: &[Change], at_ms: u64) -> Result<(), Error> {
    let json = read(dir)?;
    // A link is followed: its target is replaced, not the link.
    let path = dir.join("spec.json");
    let path = fs::canonicalize(&path).unwrap_or(path);
    let fail = |source| Error::Parse {
        path: path.clone(),
        source,
    };
    let bytes = json.apply(changes, &rfc3339(at_ms)).map_err(fail)?;
    if bytes == json.text().as_bytes() {
        return Ok(());
    }
    replace(&path, &bytes, Durable::Machine, Access::Private)
        .map_err(|source| Error::Write { path, source })
}
