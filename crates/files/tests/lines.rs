//! Torn ends of files of lines.

#![cfg(test)]

use std::fs;

use kumite_files::{Access, Lines};
use tempfile::TempDir;

/// The file after `change`, if this is in it before.
fn after(before: &str, change: impl FnOnce(&mut Lines)) -> String {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("some.jsonl");
    fs::write(&path, before).unwrap();
    change(&mut Lines::open(&path, Access::Private).unwrap());
    fs::read_to_string(&path).unwrap()
}

#[test]
fn a_torn_line_of_another_process_stays_separate() {
    for (before, all) in [
        ("", "new\n"),
        ("one\n", "one\nnew\n"),
        ("one\ntw", "one\ntw\nnew\n"),
    ] {
        assert_eq!(after(before, |it| it.append("new\n").unwrap()), all);
    }
}

#[test]
fn a_repair_cuts_off_a_torn_line_and_ends_a_whole_one() {
    let long = "x".repeat(100_000);
    let repaired = |before: &str| after(before, |it| it.repair(|line| line == b"two").unwrap());
    assert_eq!(repaired(""), "");
    assert_eq!(repaired("one\n"), "one\n");
    assert_eq!(repaired("one\ntw"), "one\n");
    assert_eq!(repaired("tw"), "");
    assert_eq!(repaired("one\ntwo"), "one\ntwo\n");
    // No line of ours is so long: it belongs to somebody else.
    assert_eq!(repaired(&long), format!("{long}\n"));
}

#[test]
fn lines_near_the_end_are_found_by_their_marks() {
    after("a 1\na 2\nb 1\na 1\n", |it| {
        assert_eq!(it.count(&["a", "1"]).unwrap(), 2);
        assert_eq!(it.count(&["c"]).unwrap(), 0);
        assert_eq!(it.tail(4).unwrap(), b"a 1\n");
    });
}
