//! The ways to open a file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use crate::private_mode;

/// Who may read a file that is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody, as far as the umask allows.
    Everybody,
    /// Its owner, and a team that shares the directory.
    Private,
    /// Its owner alone, wherever it is: it is a secret.
    Owner,
}

impl Access {
    pub(crate) fn mode(self, path: &Path) -> u32 {
        match self {
            Access::Everybody => 0o666,
            Access::Private => private_mode(path),
            Access::Owner => 0o600,
        }
    }
}

/// Opens a file, but not through a symbolic link, and nothing that is not a plain file: a pipe would
/// block for ever.
pub fn open_plain(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = options
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a plain file",
        )),
    }
}

/// Opens a file for appending and reading, and creates it and its directories.
pub fn open_append(path: &Path, access: Access) -> io::Result<File> {
    let open = || {
        let mut options = OpenOptions::new();
        options.read(true).create(true).append(true);
        options.mode(access.mode(path));
        match access {
            Access::Everybody | Access::Private => options.open(path),
            Access::Owner => open_plain(path, &mut options),
        }
    };
    match (open(), path.parent()) {
        (Err(error), Some(parent)) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(parent)?;
            open()
        }
        (opened, _) => opened,
    }
}

/// Opens a file and waits until nobody else holds it in this way. While we waited, another process
/// may have moved the file away: then the one that has its name now is opened.
pub fn open_locked(path: &Path, open: impl Fn() -> io::Result<File>) -> io::Result<File> {
    loop {
        let file = open()?;
        // On a disk without locks there is no protection from a second writer.
        let _ = file.lock();
        let held = file.metadata()?;
        let named = fs::symlink_metadata(path);
        if named.is_ok_and(|named| (named.dev(), named.ino()) == (held.dev(), held.ino())) {
            return Ok(file);
        }
    }
}

/// Whether a process holds the lock of this file. Changes nothing, and works on a read-only disk.
pub fn is_locked(path: &Path) -> bool {
    let file = File::open(path);
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}
