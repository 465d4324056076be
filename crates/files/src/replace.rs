//! Files that are never half written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use crate::crash;
use crate::open::{Access, open_locked, open_plain};

/// What a write must survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durable {
    /// A crash of kumite.
    Process,
    /// A crash of the machine too: the content is on the disk before the name points to it.
    Machine,
}

/// Replaces `path` by `bytes`: a reader sees the old content or the new one, never a part. The
/// permissions of an existing file are kept, unless it is a secret.
pub fn replace(path: &Path, bytes: &[u8], durable: Durable, access: Access) -> io::Result<()> {
    write_beside(path, bytes, durable, access, |temporary| {
        crash::point(format_args!("not renamed {}", path.display()));
        fs::rename(temporary, path)
    })
}

/// Creates `path` with its content in one step. False: there is such a file already, and it was not
/// changed.
pub fn create(path: &Path, bytes: &[u8], durable: Durable, access: Access) -> io::Result<bool> {
    write_beside(path, bytes, durable, access, |temporary| {
        let linked = match fs::hard_link(temporary, path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
            linked => linked.map(|()| true)?,
        };
        fs::remove_file(temporary)?;
        Ok(linked)
    })
}

/// Writes a file in the same directory, and passes it to `finish`. Two writers take turns.
fn write_beside<T>(
    path: &Path,
    bytes: &[u8],
    durable: Durable,
    access: Access,
    finish: impl FnOnce(&Path) -> io::Result<T>,
) -> io::Result<T> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::other("not a file name"))?;
    // Always the same name: the next write reuses what a crash leaves.
    let temporary = path.with_file_name(format!(".{}.tmp", name.to_string_lossy()));
    let file = open_locked(&temporary, || open_temporary(&temporary, path, access))?;
    let written = write(&file, path, bytes, durable, access).and_then(|()| finish(&temporary));
    if written.is_err() {
        // Leave nothing half-written.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn open_temporary(temporary: &Path, path: &Path, access: Access) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    options.mode(access.mode(path));
    if access == Access::Owner && others_reach(temporary) {
        fs::remove_file(temporary)?;
    }
    open_plain(temporary, &mut options)
}

/// A secret is not written into something that others have put there.
fn others_reach(temporary: &Path) -> bool {
    let found = fs::symlink_metadata(temporary);
    found.is_ok_and(|found| {
        let is_ours = found.uid() == rustix::process::geteuid().as_raw();
        !found.is_file() || !is_ours || found.mode() & 0o077 != 0
    })
}

fn write(
    mut file: &File,
    path: &Path,
    bytes: &[u8],
    durable: Durable,
    access: Access,
) -> io::Result<()> {
    file.set_len(0)?;
    if access != Access::Owner
        && let Ok(old) = fs::metadata(path)
    {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(bytes)?;
    match durable {
        Durable::Process => Ok(()),
        Durable::Machine => file.sync_data(),
    }
}

/// Makes the creation of `path` itself durable.
pub fn sync_dir_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) => File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}
