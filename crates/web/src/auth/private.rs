//! Files that only their owner can read. They have that mode from the first moment, are never half
//! written, and are never opened through a symbolic link.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use kumite_files::{Access, Durable, open_append, open_plain};

/// None: there is no such file, or others have access to it. What others can read is no longer
/// secret, and what others can write may not be ours. A repository can contain such a file, but git
/// cannot store this mode.
pub fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut file = match open_plain(path, OpenOptions::new().read(true)) {
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
    make_dir_of(path)?;
    if kumite_files::create(path, bytes, Durable::Machine, Access::Owner)? {
        return Ok(true);
    }
    match read(path)? {
        Some(_) => Ok(false),
        None => replace(path, bytes).map(|()| true),
    }
}

/// A reader sees the old content or the new one.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    make_dir_of(path)?;
    kumite_files::replace(path, bytes, Durable::Machine, Access::Owner)
}

fn make_dir_of(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))
}

/// A lock file: holding it gives the right to change another file. The system releases it when the
/// process ends.
pub fn lock(path: &Path) -> io::Result<File> {
    let file = open_append(path, Access::Owner)?;
    file.lock()?;
    Ok(file)
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
        assert_eq!(mode(&path), 0o600);
        replace(&path, b"third").unwrap();
        assert_eq!(read(&path).unwrap().unwrap(), b"third");
        assert_eq!(mode(&path), 0o600);
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
            assert_eq!(mode(&path), 0o600);
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
        assert!(open_append(&path, Access::Owner).is_err());
        assert!(lock(&path).is_err());
        assert!(create(&path, b"new").is_err());
        assert_eq!(fs::read(&target).unwrap(), b"text");
    }
}
