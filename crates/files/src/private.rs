//! The words of agents are private: directories and files are only for their owner. A team that
//! shares a project through a setgid directory keeps its access.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// The group's members work together in this directory.
const SETGID: u32 = 0o2000;

/// Creates a directory and its parents, and removes the rights of others from an existing one.
pub fn make_private_dir(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    let metadata = fs::metadata(path)?;
    let mode = metadata.mode() & 0o7777;
    let tight = match mode & SETGID {
        0 => mode & !0o077,
        _ => mode & !0o007,
    };
    if mode != tight {
        // Another user's directory stays unchanged: only its owner can change it.
        let _ = fs::set_permissions(path, Permissions::from_mode(tight));
    }
    Ok(())
}

/// The mode for creating the file `path`.
pub fn private_mode(path: &Path) -> u32 {
    let dir = path.parent().and_then(|dir| fs::metadata(dir).ok());
    match dir.is_some_and(|dir| dir.mode() & SETGID != 0) {
        true => 0o660,
        false => 0o600,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    fn dir(mode: u32) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), Permissions::from_mode(mode)).unwrap();
        dir
    }

    #[test]
    fn m5_a_directory_is_for_its_owner_and_for_a_team_that_shares_it() {
        for (before, after) in [
            (0o755, 0o700),
            (0o777, 0o700),
            (0o2775, 0o2770),
            (0o2700, 0o2700),
        ] {
            let dir = dir(before);
            make_private_dir(dir.path()).unwrap();
            assert_eq!(mode(dir.path()), after, "{before:o}");
        }
    }

    #[test]
    fn m5_a_new_directory_is_private_and_those_above_it_are_not_changed() {
        let dir = dir(0o755);
        let path = dir.path().join("runtime/kumite");
        make_private_dir(&path).unwrap();
        assert_eq!((mode(dir.path()), mode(&path)), (0o755, 0o700));
    }

    #[test]
    fn m5_files_of_a_team_can_be_read_by_the_team() {
        assert_eq!(private_mode(&dir(0o755).path().join("x")), 0o600);
        assert_eq!(private_mode(&dir(0o2770).path().join("x")), 0o660);
    }
}
