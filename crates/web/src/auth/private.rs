//! Files that only their owner reads: they have that mode from their first moment, are whole at
//! every moment, and are never reached through a link that somebody put there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

const MODE: u32 = 0o600;

pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = plain(OpenOptions::new().read(true), path)?;
    // Somebody may have copied the project about, and lost the mode.
    if file.metadata()?.mode() & 0o077 != 0 {
        file.set_permissions(fs::Permissions::from_mode(MODE))?;
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Creates a file with its content in one step. False: there is one already.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let temporary = write_beside(path, bytes)?;
    let linked = fs::hard_link(&temporary, path);
    fs::remove_file(&temporary)?;
    match linked {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// A reader sees the old content or the new one.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = write_beside(path, bytes)?;
    fs::rename(&temporary, path)
}

/// A file to append to.
pub fn append(path: &Path) -> io::Result<File> {
    plain(OpenOptions::new().create(true).append(true), path)
}

/// A file that stands for the right to change another one. The system gives it back when we end.
pub fn lock(path: &Path) -> io::Result<File> {
    let file = plain(OpenOptions::new().create(true).append(true), path)?;
    file.lock()?;
    Ok(file)
}

fn plain(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // Opening a pipe would wait for ever.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let options = options.mode(MODE).custom_flags(flags.bits().cast_signed());
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a plain file")),
    }
}

fn write_beside(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = dir.join(format!(".{name}.{}.tmp", std::process::id()));
    // What an earlier process with our id may have left.
    let _ = fs::remove_file(&temporary);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(MODE)
        .open(&temporary)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_data());
    if let Err(error) = written {
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    Ok(temporary)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn only_the_owner_reads_it_and_the_first_one_wins() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/token");
        assert!(create(&path, b"first").unwrap());
        assert!(!create(&path, b"second").unwrap());
        assert_eq!(read(&path).unwrap(), b"first");
        assert_eq!(mode(&path), MODE);
        replace(&path, b"third").unwrap();
        assert_eq!(read(&path).unwrap(), b"third");
        assert_eq!(mode(&path), MODE);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_mode_that_was_lost_is_set_right() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        fs::write(&path, "text").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        read(&path).unwrap();
        assert_eq!(mode(&path), MODE);
    }

    #[test]
    fn a_link_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (target, path) = (dir.path().join("target"), dir.path().join("token"));
        fs::write(&target, "text").unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        assert!(read(&path).is_err());
        assert!(append(&path).is_err());
        assert!(lock(&path).is_err());
        assert!(!create(&path, b"new").unwrap());
        assert_eq!(fs::read(&target).unwrap(), b"text");
    }
}
