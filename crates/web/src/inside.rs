//! Opens files that may be shown. Agents can write anywhere, including symbolic links, so a
//! harmless name may lead outside: a path that leaves its root is refused.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use kumite_files::open_plain;

use crate::auth;

/// Opens a plain file below `root`. Pass the narrowest root there is: the directory of the spec
/// rather than the project.
pub fn open(root: &Path, path: &Path) -> io::Result<File> {
    let real = path.canonicalize()?;
    let is_inside = real.starts_with(root.canonicalize()?)
        && real.starts_with(project_of(root).canonicalize()?);
    if !is_inside || auth::is_secret(&real) {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it leads outside, and is not shown",
        ));
    }
    // The last part of the path may have been replaced by a link since the check, and a pipe would
    // block.
    open_plain(&real, OpenOptions::new().read(true))
}

/// The checkout that contains a root; the root may be a link itself.
fn project_of(root: &Path) -> &Path {
    let above = root.ancestors().filter(|dir| dir.ends_with(".kiro"));
    above.last().and_then(Path::parent).unwrap_or(root)
}

/// The content of a plain file below `root`, unless it is larger than `max` bytes.
pub fn read(root: &Path, path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(root, path)?
        .take(max.saturating_add(1))
        .read_to_end(&mut bytes)?;
    match bytes.len() as u64 > max {
        true => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {max} bytes"),
        )),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn kind(root: &Path, path: &str) -> Result<Vec<u8>, io::ErrorKind> {
        read(root, &root.join(path), 10).map_err(|error| error.kind())
    }

    #[test]
    fn what_leaves_the_root_is_refused_however_it_does() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("specs/login");
        fs::create_dir_all(root.join("deep")).unwrap();
        fs::write(root.join("design.md"), "design").unwrap();
        fs::write(root.join("large.md"), "more than ten").unwrap();
        fs::write(dir.path().join("passwd"), "secret").unwrap();
        symlink("../design.md", root.join("deep/link.md")).unwrap();
        symlink("../../passwd", root.join("file.md")).unwrap();
        symlink(dir.path(), root.join("dir")).unwrap();
        symlink("/dev/zero", root.join("zero.md")).unwrap();
        symlink("loop.md", root.join("loop.md")).unwrap();

        let denied = Err(io::ErrorKind::PermissionDenied);
        assert_eq!(kind(&root, "design.md"), Ok(b"design".to_vec()));
        assert_eq!(kind(&root, "deep/link.md"), Ok(b"design".to_vec()));
        assert_eq!(kind(&root, "file.md"), denied);
        assert_eq!(kind(&root, "dir/passwd"), denied);
        assert_eq!(kind(&root, "../../passwd"), denied);
        assert_eq!(kind(&root, "/etc/passwd"), denied);
        assert_eq!(kind(&root, "zero.md"), denied);
        assert_eq!(kind(&root, "deep"), Err(io::ErrorKind::InvalidInput));
        assert_eq!(kind(&root, "large.md"), Err(io::ErrorKind::FileTooLarge));
        assert_eq!(kind(&root, "none.md"), Err(io::ErrorKind::NotFound));
        assert!(kind(&root, "loop.md").is_err());
    }

    #[test]
    fn a_root_that_leads_out_of_its_project_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let specs = dir.path().join("project/.kiro/specs");
        let outside = dir.path().join("outside");
        for place in [&specs.join("login"), &outside] {
            fs::create_dir_all(place).unwrap();
            fs::write(place.join("design.md"), "design").unwrap();
        }
        symlink(&outside, specs.join("linked")).unwrap();
        symlink("login", specs.join("same")).unwrap();
        assert_eq!(
            kind(&specs.join("login"), "design.md"),
            Ok(b"design".to_vec())
        );
        assert_eq!(
            kind(&specs.join("same"), "design.md"),
            Ok(b"design".to_vec())
        );
        let denied = Err(io::ErrorKind::PermissionDenied);
        assert_eq!(kind(&specs.join("linked"), "design.md"), denied);
    }

    #[test]
    fn secrets_are_refused_also_inside_the_root() {
        let dir = tempfile::tempdir().unwrap();
        let runtime = dir.path().join(".kiro/runtime/kumite");
        fs::create_dir_all(runtime.join("tls")).unwrap();
        for secret in ["token", "links.json", "tls/key.pem"] {
            fs::write(runtime.join(secret), "secret").unwrap();
            let link = dir.path().join("link.md");
            let _ = fs::remove_file(&link);
            symlink(runtime.join(secret), &link).unwrap();
            assert!(kind(dir.path(), "link.md").is_err(), "{secret}");
        }
    }
}
