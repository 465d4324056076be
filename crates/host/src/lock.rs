//! One engine per project.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::PathBuf;

use crate::project::Project;

/// Held as long as an engine lives. The system lets go of it when the process ends, however it does.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

#[derive(Debug, thiserror::Error)]
#[error("cannot lock {path}")]
pub struct Error {
    path: PathBuf,
    source: io::Error,
}

/// Takes the lock of a project, or says that somebody has it.
pub fn take(project: &Project) -> Result<Option<Lock>, Error> {
    let path = project.runtime().join("lock");
    let fail = |source| Error {
        path: path.clone(),
        source,
    };
    fs::create_dir_all(project.runtime()).map_err(fail)?;
    let mut file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(fail)?;
    match file.try_lock() {
        Ok(()) => {
            // Only for people who look: the lock itself is what counts.
            let _ = file.set_len(0);
            let _ = writeln!(file, "{}", std::process::id());
            Ok(Some(Lock { _file: file }))
        }
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(source)) => Err(fail(source)),
    }
}

/// Whether an engine lives. Changes nothing, also where nothing can be written.
pub fn is_held(project: &Project) -> bool {
    let Ok(file) = File::open(project.runtime().join("lock")) else {
        return false;
    };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}
