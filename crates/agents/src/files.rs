//! The files of an agent's directory: their names, and how they are written so that no reader ever
//! sees half of one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use kumite_files::{Access, Durable, replace};
use rustix::fs::{FallocateFlags, FlockOperation, fallocate, flock};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::request::End;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot write {path}")]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read {path}")]
    Read { path: PathBuf, source: io::Error },
    #[error("{path} is not what a supervisor writes")]
    Garbled {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("cannot start the supervisor {binary}")]
    Spawn { binary: PathBuf, source: io::Error },
    #[error("cannot become a supervisor")]
    Setup { source: io::Error },
    #[error("a supervisor is at work in {dir}")]
    Busy { dir: PathBuf },
}

pub const REQUEST: &str = "request.json";
pub const LOCK: &str = "lock";
pub const CLAIM: &str = "claim";
pub const RECORD: &str = "record.json";
/// The descendants of the supervisor, if there is no cgroup.
pub const FAMILY: &str = "family.json";
pub const END: &str = "end.json";
/// Messages of the supervisor itself; empty as long as all goes well.
pub const SUPERVISOR_LOG: &str = "supervisor.log";

/// The file's content; `None` if the file does not exist.
pub fn read<T: DeserializeOwned>(dir: &Path, name: &str) -> Result<Option<T>, Error> {
    let path = dir.join(name);
    match fs::read(&path) {
        Ok(bytes) => match serde_json::from_slice(&bytes) {
            Ok(value) => Ok(Some(value)),
            Err(source) => Err(Error::Garbled { path, source }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Read { path, source }),
    }
}

/// Writes the whole file, readable only by its owner: requests contain keys in their environment.
/// It survives a crash of any process, but not of the machine, which no agent survives either.
pub fn write<T: Serialize>(dir: &Path, name: &str, value: &T) -> Result<(), Error> {
    let path = dir.join(name);
    replace(&path, &json(value), Durable::Process, Access::Owner)
        .map_err(|source| Error::Write { path, source })
}

/// Disk space for `end.json`, reserved while it is available: an agent that filled the disk must
/// not hide its own end in this way.
pub struct Reserved {
    dir: PathBuf,
    temporary: PathBuf,
    file: io::Result<File>,
}

impl Reserved {
    pub fn new(dir: &Path) -> Reserved {
        let temporary = dir.join(format!(".{END}.{}", std::process::id()));
        let file = create(&temporary);
        if let Ok(file) = &file {
            // Some file systems cannot reserve; there we take the risk.
            let _ = fallocate(file, FallocateFlags::KEEP_SIZE, 0, 8192);
        }
        Reserved {
            dir: dir.to_owned(),
            temporary,
            file,
        }
    }

    /// Writes `end.json`. It survives a crash of any process; after [`Filled::sync`] also one of
    /// the machine.
    pub fn fill(self, end: &End) -> Result<Filled, Error> {
        let path = self.dir.join(END);
        let written = self.file.and_then(|mut file| {
            file.write_all(&json(end))?;
            fs::rename(&self.temporary, &path)?;
            Ok(file)
        });
        match written {
            Ok(file) => Ok(Filled {
                dir: self.dir,
                file,
            }),
            Err(source) => Err(Error::Write { path, source }),
        }
    }
}

/// An `end.json` that is visible to all processes.
pub struct Filled {
    dir: PathBuf,
    file: File,
}

impl Filled {
    /// When this returns it is permanently on the disk.
    pub fn sync(self) -> Result<(), Error> {
        let synced = self.file.sync_all();
        synced
            .and_then(|()| File::open(&self.dir)?.sync_all())
            .map_err(|source| Error::Write {
                path: self.dir.join(END),
                source,
            })
    }
}

/// Takes the directory's lock. `None`: a supervisor is running here.
pub fn try_lock(dir: &Path) -> Result<Option<File>, Error> {
    let path = dir.join(LOCK);
    let locked = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(&path);
    let file = locked.map_err(|source| Error::Write { path, source })?;
    Ok(flock(&file, FlockOperation::NonBlockingLockExclusive)
        .is_ok()
        .then_some(file))
}

pub fn unix_ms() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
}

fn json<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).expect("our own types have string keys only");
    bytes.push(b'\n');
    bytes
}
