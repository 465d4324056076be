//! The winner's changes in the main checkout: all of them, or none.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::fs;

use common::{Project, files, write};
use kumite_contest::apply::{self, apply};

#[test]
fn a_diff_that_does_not_fit_changes_nothing_and_says_where() {
    let project = Project::new();
    let worktree = project.worktree(1);
    worktree.fresh().unwrap();
    write(worktree.root(), "a.txt", "one\n2\nthree\n");
    write(worktree.root(), "dir/b.txt", "new b\n");
    write(worktree.root(), "new.txt", "theirs\n");
    let diff = project.path("changes.o");
    worktree.diff(&diff).unwrap();
    for (path, text) in [("a.txt", "mine\n"), ("new.txt", "mine\n")] {
        let project_file = project.path(path);
        let before = fs::read(&project_file);
        project.write(path, text);
        let all = files(project.root());
        for check_only in [true, false] {
            let why = apply(project.root(), &diff, check_only).unwrap_err();
            assert!(matches!(why, apply::Error::DoesNotFit { .. }), "{why}");
            let why = why.to_string();
            assert!(
                why.contains(path) && why.contains("nothing was changed"),
                "{why}"
            );
            assert_eq!(files(project.root()), all);
        }
        match before {
            Ok(bytes) => fs::write(&project_file, bytes).unwrap(),
            Err(_) => fs::remove_file(&project_file).unwrap(),
        }
    }
    apply(project.root(), &diff, false).unwrap();
}

#[test]
fn an_empty_diff_changes_nothing_and_one_that_is_not_there_is_said() {
    let project = Project::new();
    let worktree = project.worktree(1);
    worktree.fresh().unwrap();
    let diff = project.path("changes.o");
    worktree.diff(&diff).unwrap();
    assert_eq!(fs::read(&diff).unwrap(), b"");
    assert_eq!(apply(project.root(), &diff, false).unwrap(), []);
    let why = apply(project.root(), &project.path("none.diff"), false);
    assert!(why.unwrap_err().to_string().contains("none.diff"));
}
