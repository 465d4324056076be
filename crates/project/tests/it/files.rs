//! Files that are never half written.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};

use kumite_project::files::{Durable, open_append, replace};
use tempfile::TempDir;

fn names(dir: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(dir.path()).unwrap().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_replaced_file_has_the_new_content_the_old_permissions_and_no_companion() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("spec.json");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    for durable in [Durable::Process, Durable::Machine] {
        replace(&path, b"new", durable).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert_eq!(names(&dir), ["spec.json"]);
    }
}

#[test]
fn what_a_crash_left_of_a_write_is_taken_up_by_the_next_one() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("spec.json");
    fs::write(dir.path().join(".spec.json.tmp"), "half of a long tex").unwrap();
    replace(&path, b"new", Durable::Machine).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(&dir), ["spec.json"]);
}

#[test]
fn a_write_that_fails_changes_nothing_and_leaves_nothing() {
    let dir = TempDir::new().unwrap();
    // A directory that is not empty cannot be replaced by a file.
    let path = dir.path().join("spec.json");
    fs::create_dir_all(path.join("inside")).unwrap();
    replace(&path, b"new", Durable::Machine).unwrap_err();
    assert!(path.join("inside").is_dir());
    assert_eq!(names(&dir), ["spec.json"]);
    replace(&dir.path().join(".."), b"new", Durable::Process).unwrap_err();
}

#[test]
fn a_reader_sees_the_old_content_or_the_new_one_at_every_moment() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("spec.json");
    let texts = ["a".repeat(100_000), "b".repeat(50_000)];
    fs::write(&path, &texts[0]).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 0..200 {
                replace(&path, texts[turn % 2].as_bytes(), Durable::Process).unwrap();
            }
            done.store(true, Ordering::Release);
        });
        while !done.load(Ordering::Acquire) {
            let seen = fs::read_to_string(&path).unwrap();
            assert!(texts.contains(&seen), "{} bytes", seen.len());
        }
    });
}

#[test]
fn appending_makes_the_directories_that_are_missing() {
    use std::io::Write;
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a/b/events.jsonl");
    for line in ["one\n", "two\n"] {
        let mut file = open_append(&path).unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
}
