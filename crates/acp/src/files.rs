//! Files that we read and write for the agent: only files of the project.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};

use agent_client_protocol_schema::v1::Error;

/// The limit of a read, because the content becomes one line of JSON.
const READ_MAX: usize = 8 * 1024 * 1024;

pub struct Files {
    /// With all links resolved.
    root: PathBuf,
}

impl Files {
    pub fn new(root: PathBuf) -> Files {
        Files { root }
    }

    /// The lines starting at `first`, which counts from 1, and at most `count` of them.
    pub fn read(
        &self,
        path: &Path,
        first: Option<u32>,
        count: Option<u32>,
    ) -> Result<String, Error> {
        let path = self.inside(path)?;
        let file = File::open(&path).map_err(|error| refusal("read", &path, &error))?;
        let mut from = BufReader::new(file).take(u64::MAX);
        let first = first.unwrap_or(1).max(1);
        let mut text = Vec::new();
        let mut number = 0_u32;
        while count.is_none_or(|count| number < (first - 1).saturating_add(count)) {
            let mut line = Vec::new();
            from.set_limit(READ_MAX as u64);
            let bytes = from
                .read_until(b'\n', &mut line)
                .map_err(|error| refusal("read", &path, &error))?;
            if bytes == 0 {
                break;
            }
            number = number.saturating_add(1);
            if number >= first {
                text.extend_from_slice(&line);
            }
            if text.len() >= READ_MAX {
                let sentence = format!("{} is too large; read it in parts", path.display());
                return Err(Error::new(-32602, sentence));
            }
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Returns the path that was written, and the old content.
    pub fn write(&self, path: &Path, content: &str) -> Result<(PathBuf, String), Error> {
        let path = self.inside(path)?;
        let trouble = |error: io::Error| refusal("write", &path, &error);
        let before = fs::read(&path).unwrap_or_default();
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(trouble)?;
        }
        fs::write(&path, content).map_err(trouble)?;
        Ok((path, String::from_utf8_lossy(&before).into_owned()))
    }

    /// The real location of `path`, which must be in the project. Links are resolved first.
    fn inside(&self, path: &Path) -> Result<PathBuf, Error> {
        if !path.is_absolute() {
            return Err(refused(path, "is not absolute"));
        }
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => beginning(path)?,
            Err(error) => return Err(refusal("find", path, &error)),
        };
        match real.starts_with(&self.root) {
            true => Ok(real),
            false => Err(refused(
                path,
                &format!("is outside {}", self.root.display()),
            )),
        }
    }
}

/// The location of a file that does not exist yet.
fn beginning(path: &Path) -> Result<PathBuf, Error> {
    if path.symlink_metadata().is_ok() {
        return Err(refused(path, "is a link to nowhere"));
    }
    for dir in path.ancestors().skip(1) {
        let (Ok(real), Ok(rest)) = (dir.canonicalize(), path.strip_prefix(dir)) else {
            continue;
        };
        let plain = |part| matches!(part, Component::Normal(_));
        return match rest.components().all(plain) {
            true => Ok(real.join(rest)),
            false => Err(refused(
                path,
                "leads through a directory that does not exist",
            )),
        };
    }
    Err(refused(path, "leads nowhere"))
}

fn refused(path: &Path, why: &str) -> Error {
    Error::new(-32602, format!("{} {why}", path.display()))
}

fn refusal(what: &str, path: &Path, error: &io::Error) -> Error {
    let path = path.display();
    match error.kind() {
        // Agents recognise a missing file by this code and these words.
        io::ErrorKind::NotFound => Error::resource_not_found(Some(path.to_string())),
        _ => Error::new(-32603, format!("cannot {what} {path}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn project() -> (tempfile::TempDir, PathBuf, Files) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("project");
        fs::create_dir(&root).unwrap();
        fs::write(root.join("a"), "1\n2\r\n3\n4").unwrap();
        fs::write(root.join("../secret"), "s").unwrap();
        (dir, root.clone(), Files::new(root))
    }

    #[test]
    fn a_file_is_read_as_a_whole_or_by_lines() {
        let (_dir, root, files) = project();
        let read = |first, count| files.read(&root.join("a"), first, count).unwrap();
        assert_eq!(read(None, None), "1\n2\r\n3\n4");
        assert_eq!(read(Some(2), Some(2)), "2\r\n3\n");
        assert_eq!(read(Some(4), Some(9)), "4");
        assert_eq!(read(Some(9), None), "");
        assert_eq!(read(Some(0), Some(1)), "1\n");
        assert_eq!(read(None, Some(0)), "");
    }

    #[test]
    fn a_new_file_gets_its_directories_and_an_old_one_is_replaced() {
        let (_dir, root, files) = project();
        let path = root.join("new/dir/b");
        let before = files.write(&path, "x").unwrap();
        assert_eq!(before, (path.clone(), String::new()));
        assert_eq!(files.write(&path, "y").unwrap().1, "x");
        assert_eq!(fs::read_to_string(path).unwrap(), "y");
    }

    #[test]
    fn nothing_outside_the_project_is_read_or_written() {
        let (_dir, root, files) = project();
        symlink(root.join("../secret"), root.join("link")).unwrap();
        symlink(root.join("../nowhere"), root.join("dangling")).unwrap();
        symlink(root.join(".."), root.join("up")).unwrap();
        let paths = [
            "../secret",
            "../new",
            "link",
            "dangling",
            "up/secret",
            "up/new",
            "no/../../new",
        ];
        for path in paths {
            let path = root.join(path);
            let sentence = path.display();
            assert!(files.read(&path, None, None).is_err(), "{sentence}");
            assert!(files.write(&path, "x").is_err(), "{sentence}");
        }
        assert!(files.read(Path::new("a"), None, None).is_err());
        assert_eq!(fs::read_to_string(root.join("../secret")).unwrap(), "s");
        assert!(!root.join("../new").exists() && !root.join("../nowhere").exists());
    }

    #[test]
    fn a_missing_file_has_its_own_code() {
        let (_dir, root, files) = project();
        let error = files.read(&root.join("none"), None, None).unwrap_err();
        assert_eq!(i32::from(error.code), -32002);
    }

    #[test]
    fn a_huge_file_is_refused_and_a_part_of_it_is_not() {
        let (_dir, root, files) = project();
        let path = root.join("huge");
        fs::write(&path, "line\n".repeat(READ_MAX / 4)).unwrap();
        assert!(files.read(&path, None, None).is_err());
        assert_eq!(files.read(&path, Some(2), Some(1)).unwrap(), "line\n");
    }
}
