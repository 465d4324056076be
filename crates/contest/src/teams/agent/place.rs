//! A file that a team should have written, and nothing else on this machine.

use std::fs;
use std::io;
use std::path::{Component, Path};

use kumite_core::contest::SUBMISSION_MAX;

/// The text of `path` in `place`, or why it is not a submission. `path` must not leave `root`.
pub fn read(root: &Path, place: &Path, path: &str) -> Result<String, String> {
    let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !Path::new(path).components().all(is_inside) {
        return Err(format!("{path} is not in the worktree"));
    }
    let trouble = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            format!("the file {path} was not written")
        }
        _ => format!("the file {path} cannot be read: {error}"),
    };
    let found = fs::canonicalize(place.join(path)).map_err(trouble)?;
    if !found.starts_with(fs::canonicalize(root).map_err(trouble)?) {
        return Err(format!("{path} leads out of the worktree"));
    }
    let about = fs::metadata(&found).map_err(trouble)?;
    if !about.is_file() {
        return Err(format!("{path} is not a file"));
    }
    small(path, about.len())?;
    let bytes = fs::read(&found).map_err(trouble)?;
    String::from_utf8(bytes).map_err(|_| format!("{path} is not UTF-8 text"))
}

/// Checks the size before a file is read.
pub fn small(name: &str, bytes: u64) -> Result<(), String> {
    match bytes > SUBMISSION_MAX as u64 {
        true => Err(format!(
            "{name} has {bytes} bytes, more than {SUBMISSION_MAX}"
        )),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_submission_is_a_text_file_in_the_worktree_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("worktree");
        fs::create_dir_all(root.join("docs/deep")).unwrap();
        fs::write(dir.path().join("secret"), "secret").unwrap();
        fs::write(root.join("docs/answer.md"), "yes").unwrap();
        fs::write(root.join("blob"), [0xff, 0xfe]).unwrap();
        fs::write(root.join("large"), vec![b'x'; SUBMISSION_MAX + 1]).unwrap();
        symlink("answer.md", root.join("docs/inside")).unwrap();
        symlink("../secret", root.join("outside")).unwrap();
        symlink("..", root.join("up")).unwrap();
        symlink("outside", root.join("twice")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let secret = dir.path().join("secret").display().to_string();
        let rows = [
            ("docs/answer.md", Ok("yes")),
            ("./docs/answer.md", Ok("yes")),
            ("docs/inside", Ok("yes")),
            ("none.md", Err("was not written")),
            ("docs/answer.md/more", Err("was not written")),
            ("docs", Err("is not a file")),
            ("../secret", Err("is not in the worktree")),
            ("docs/../../secret", Err("is not in the worktree")),
            (secret.as_str(), Err("is not in the worktree")),
            ("outside", Err("leads out of the worktree")),
            ("twice", Err("leads out of the worktree")),
            ("up/secret", Err("leads out of the worktree")),
            ("loop", Err("cannot be read")),
            ("blob", Err("is not UTF-8 text")),
            ("large", Err("1000001 bytes")),
        ];
        for (path, expected) in rows {
            match (read(&root, &root, path), expected) {
                (Ok(found), Ok(text)) => assert_eq!(found, text),
                (Err(why), Err(words)) => assert!(why.contains(words), "{path}: {why}"),
                (found, _) => panic!("{path}: {found:?}"),
            }
        }
    }

    #[test]
    fn a_project_below_the_top_of_its_repository_may_hand_in_from_its_own_place() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("app");
        fs::create_dir(&place).unwrap();
        fs::write(root.path().join("answer.md"), "top").unwrap();
        fs::write(place.join("answer.md"), "app").unwrap();
        let found = read(root.path(), &place, "answer.md");
        assert_eq!(found.as_deref(), Ok("app"));
    }
}
