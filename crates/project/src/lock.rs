//! One engine per project.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;

use kumite_files::{is_locked, make_private_dir, private_mode};

use crate::project::Project;
use crate::user;

/// Held while an engine lives. The system releases it when the process ends in any way.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Whether it is still the lock that others see: somebody may have removed it (`git clean`),
    /// and then the next kumite would take another one.
    pub fn is_ours(&self) -> bool {
        let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let named = fs::metadata(&self.path).map(id);
        let held = self.file.metadata().map(id);
        matches!((named, held), (Ok(named), Ok(held)) if named == held)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("cannot lock {path}{whose}")]
pub struct Error {
    path: PathBuf,
    whose: String,
    source: io::Error,
}

/// Takes the lock of a project. None: another process has it.
pub fn take(project: &Project) -> Result<Option<Lock>, Error> {
    let path = project.runtime().join("lock");
    let fail = |source| Error {
        path: path.clone(),
        whose: user::whose(&path, &source),
        source,
    };
    make_private_dir(&project.runtime()).map_err(fail)?;
    let mut file = File::options()
        .create(true)
        .mode(private_mode(&path))
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(fail)?;
    match file.try_lock() {
        Ok(()) => {
            // Only for people who look at the file: the lock itself counts.
            let _ = file.set_len(0);
            let _ = writeln!(file, "{}", std::process::id());
            Ok(Some(Lock { file, path }))
        }
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(source)) => Err(fail(source)),
    }
}

/// Whether an engine is running.
pub fn is_held(project: &Project) -> bool {
    is_locked(&project.runtime().join("lock"))
}

/// The process that holds the lock.
pub fn holder(project: &Project) -> Option<u32> {
    let text = fs::read_to_string(project.runtime().join("lock")).ok()?;
    text.trim().parse().ok().filter(|_| is_held(project))
}

/// The engine, if it is running but suspended (for example by Ctrl-Z): it answers nobody then.
pub fn suspended(project: &Project) -> Option<u32> {
    let pid = holder(project)?;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.starts_with('T').then_some(pid)
}

pub fn suspended_words(pid: u32) -> String {
    format!("kumite (pid {pid}) is suspended: `fg`, or `kill -CONT {pid}`")
}
