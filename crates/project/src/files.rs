//! Files that are never half written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use kumite_files::private_mode;

use crate::crash;

/// What a write must survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durable {
    /// A crash of kumite.
    Process,
    /// A crash of the machine too: the content is on the disk before the name points to it.
    Machine,
}

/// Replaces `path` by `bytes`: a reader sees the old content or the new one, never a part. Only the
/// holder of the project's lock may call this: there is one writer at a time. The permissions of an
/// existing file are kept; a new file is private.
pub fn replace(path: &Path, bytes: &[u8], durable: Durable) -> io::Result<()> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::other("not a file name"))?;
    // Always the same name: the next write reuses what a crash leaves.
    let temporary = path.with_file_name(format!(".{}.tmp", name.to_string_lossy()));
    let written = write_new(&temporary, path, bytes, durable).and_then(|()| {
        crash::point(format_args!("not renamed {}", path.display()));
        fs::rename(&temporary, path)
    });
    if written.is_err() {
        // Leave nothing half-written.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_new(temporary: &Path, like: &Path, bytes: &[u8], durable: Durable) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(true)
        .mode(private_mode(like))
        .open(temporary)?;
    if let Ok(old) = fs::metadata(like) {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(bytes)?;
    match durable {
        Durable::Process => Ok(()),
        Durable::Machine => file.sync_data(),
    }
}

/// Opens a file for appending that others may read, and creates its directories.
pub fn open_append(path: &Path) -> io::Result<File> {
    open_append_with(path, 0o666)
}

/// Opens a private file for appending, and creates its directories.
pub fn open_append_private(path: &Path) -> io::Result<File> {
    open_append_with(path, private_mode(path))
}

fn open_append_with(path: &Path, mode: u32) -> io::Result<File> {
    let open = || {
        OpenOptions::new()
            .read(true)
            .create(true)
            .append(true)
            .mode(mode)
            .open(path)
    };
    match (open(), path.parent()) {
        (Err(error), Some(parent)) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(parent)?;
            open()
        }
        (opened, _) => opened,
    }
}

/// Creates a file that only its owner can read.
pub fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
}

/// Makes the creation of `path` itself durable.
pub fn sync_dir_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) => File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}
