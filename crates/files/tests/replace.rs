//! Files that are never half written.

#![cfg(test)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};

use kumite_files::{Access, Durable, Lines, replace};
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
        replace(&path, b"new", durable, Access::Private).unwrap();
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
    replace(&path, b"new", Durable::Machine, Access::Private).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(&dir), ["spec.json"]);
}

#[test]
fn a_write_that_fails_changes_nothing_and_leaves_nothing() {
    let dir = TempDir::new().unwrap();
    // A directory that is not empty cannot be replaced by a file.
    let path = dir.path().join("spec.json");
    fs::create_dir_all(path.join("inside")).unwrap();
    replace(&path, b"new", Durable::Machine, Access::Private).unwrap_err();
    assert!(path.join("inside").is_dir());
    assert_eq!(names(&dir), ["spec.json"]);
    replace(
        &dir.path().join(".."),
        b"new",
        Durable::Process,
        Access::Private,
    )
    .unwrap_err();
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
                replace(
                    &path,
                    texts[turn % 2].as_bytes(),
                    Durable::Process,
                    Access::Private,
                )
                .unwrap();
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
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a/b/events.jsonl");
    for line in ["one\n", "two\n"] {
        let mut file = Lines::open(&path, Access::Everybody).unwrap();
        file.append(line).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
}

#[test]
fn two_writers_of_one_file_take_turns() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("task.md");
    let texts = ["a".repeat(100_000), "b".repeat(50_000)];
    std::thread::scope(|scope| {
        for text in &texts {
            let path = &path;
            scope.spawn(move || {
                for _ in 0..200 {
                    replace(path, text.as_bytes(), Durable::Process, Access::Private).unwrap();
                    let seen = fs::read_to_string(path).unwrap();
                    assert!(seen == "a".repeat(100_000) || seen == "b".repeat(50_000));
                }
            });
        }
    });
    assert_eq!(names(&dir), ["task.md"]);
}

#[test]
fn a_secret_is_not_written_into_what_others_have_put_there() {
    let dir = TempDir::new().unwrap();
    let (path, planted) = (dir.path().join("token"), dir.path().join(".token.tmp"));
    let target = dir.path().join("target");
    fs::write(&target, "text").unwrap();
    std::os::unix::fs::symlink(&target, &planted).unwrap();
    replace(&path, b"secret", Durable::Process, Access::Owner).unwrap();
    fs::write(&planted, "open to all").unwrap();
    replace(&path, b"secret", Durable::Process, Access::Owner).unwrap();
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(fs::read(&target).unwrap(), b"text");
    assert_eq!(names(&dir), ["target", "token"]);
}
