//! Files that only their owner can read. They have that mode from the first moment, are never half
//! written, and are never opened through a symbolic link.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

const MODE: u32 = 0o600;

/// None: there is no such file, or others have access to it. What others can read is no longer
/// secret, and what others can write may not be ours. A repository can contain such a file, but git
/// cannot store this mode.
pub fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut file = match plain(OpenOptions::new().read(true), path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    if !is_ours_alone(&file.metadata()?) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

fn is_ours_alone(metadata: &fs::Metadata) -> bool {
    metadata.mode() & 0o077 == 0 && metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Creates a file with its content in one step. False: a file that [`read`] accepts is already
/// there.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let temporary = write_beside(path, bytes)?;
    let created = match fs::hard_link(&temporary, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match read(path) {
            Ok(None) => return fs::rename(&temporary, path).map(|()| true),
            read => read.map(|_| false),
        },
        linked => linked.map(|()| true),
    };
    fs::remove_file(&temporary)?;
    created
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

/// A lock file: holding it gives the right to change another file. The system releases it when the
/// process ends.
pub fn lock(path: &Path) -> io::Result<File> {
    let file = plain(OpenOptions::new().create(true).append(true), path)?;
    file.lock()?;
    Ok(file)
}

fn plain(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // Opening a pipe would otherwise wait for ever.
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
    // An earlier process with the same id may have left one.
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
    use std::os::unix::fs::PermissionsExt;

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
        assert_eq!(read(&path).unwrap().unwrap(), b"first");
        assert_eq!(mode(&path), MODE);
        replace(&path, b"third").unwrap();
        assert_eq!(read(&path).unwrap().unwrap(), b"third");
        assert_eq!(mode(&path), MODE);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn what_others_can_read_is_no_secret_and_is_made_anew() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        for lax in [0o644, 0o640, 0o666, 0o602] {
            fs::write(&path, "known to others").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(lax)).unwrap();
            assert_eq!(read(&path).unwrap(), None);
            assert!(create(&path, b"new").unwrap());
            assert_eq!(read(&path).unwrap().unwrap(), b"new");
            assert_eq!(mode(&path), MODE);
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
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
        assert!(create(&path, b"new").is_err());
        assert_eq!(fs::read(&target).unwrap(), b"text");
    }
}
