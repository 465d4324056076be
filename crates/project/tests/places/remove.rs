//! Worktrees are listed and removed, and what has no owner is named.

use std::fs;

use kumite_project::place::{Refusal, content, keep, list, remove, strays};

use crate::world::{DOCS, PLACE, World, git};

fn work_in(world: &World) {
    fs::write(world.there("src/work.txt"), "work\n").unwrap();
}

fn refused(world: &World) -> String {
    match remove(&world.spec(), false) {
        Err(Refusal::Work(what)) => what,
        other => panic!("{other:?}"),
    }
}

fn assert_gone(world: &World) {
    assert!(!world.path(PLACE).exists());
    assert!(!world.top().join(".git/worktrees/login").exists());
    assert!(world.git(&["branch", "--list", "feature/*"]).is_empty());
    assert!(world.git(&["for-each-ref", "refs/kumite"]).is_empty());
    assert!(!world.spec().run_dir().join("place.json").exists());
    world.fsck();
}

#[test]
fn e2_15_a_worktree_without_work_goes_with_its_branch_and_checkpoints() {
    let world = World::new();
    let begin = world.ready().begin;
    keep(&world.spec(), 1, &begin.commit).unwrap();
    let before = world.persons();
    assert_eq!(list(&world.project()).unwrap()[0].work, None);
    remove(&world.spec(), false).unwrap();
    assert_gone(&world);
    assert_eq!(world.persons(), before);
    assert_eq!(remove(&world.spec(), false), Err(Refusal::None));
    assert_eq!(world.spec().workplace(), world.root());
}

#[test]
fn e2_15_work_that_is_nowhere_else_is_named_whether_it_is_committed_or_not() {
    let world = World::new();
    world.ready();
    work_in(&world);
    let what = refused(&world);
    assert_eq!(what, "1 file is on no other branch: src/work.txt");
    git(&world.path(PLACE), &["add", "."]);
    git(&world.path(PLACE), &["commit", "--quiet", "-m", "work"]);
    assert_eq!(refused(&world), what);
    assert!(world.there("src/work.txt").exists());
    // A merge, also one that squashes, brings it to another branch.
    world.git(&["merge", "--quiet", "--squash", "feature/login"]);
    world.git(&["commit", "--quiet", "-m", "squashed"]);
    remove(&world.spec(), false).unwrap();
    assert_gone(&world);
}

#[test]
fn e2_15_documents_that_are_only_in_the_worktree_are_work() {
    let world = World::untracked();
    world.ready();
    let what = refused(&world);
    assert!(what.contains(&format!("{DOCS}/tasks.md")), "{what}");
}

#[test]
fn e2_15_with_force_everything_goes() {
    let world = World::new();
    world.ready();
    work_in(&world);
    let worked = content(&world.spec()).unwrap();
    keep(&world.spec(), 1, &worked.commit).unwrap();
    remove(&world.spec(), true).unwrap();
    assert_gone(&world);
    // The spec can begin again.
    assert!(world.ready().made);
}

#[test]
fn e2_15_commits_of_a_worktree_that_was_removed_by_hand_are_work_too() {
    let world = World::new();
    world.ready();
    work_in(&world);
    git(&world.path(PLACE), &["add", "."]);
    git(&world.path(PLACE), &["commit", "--quiet", "-m", "work"]);
    fs::remove_dir_all(world.path(PLACE)).unwrap();
    let what = refused(&world);
    assert_eq!(what, "commits of feature/login that no other branch has: 1");
    remove(&world.spec(), true).unwrap();
    assert_gone(&world);
}

#[test]
fn e2_15_the_list_shows_every_worktree_and_what_it_holds() {
    let world = World::new();
    assert!(list(&world.project()).unwrap().is_empty());
    world.ready();
    work_in(&world);
    let rows = list(&world.project()).unwrap();
    let [row] = &rows[..] else {
        panic!("{rows:?}");
    };
    assert_eq!((&*row.spec, &*row.path), ("login", PLACE));
    assert_eq!(row.branch.as_deref(), Some("feature/login"));
    assert_eq!(row.base.as_deref(), Some("main"));
    assert!(row.bytes > 0);
    assert!(row.work.as_ref().unwrap().contains("src/work.txt"));
    assert_eq!(row.trouble, None);
}

#[test]
fn e2_16_what_has_no_owner_is_named_and_nothing_is_removed() {
    let world = World::new();
    world.ready();
    assert!(strays(&world.project()).is_empty());
    world.git(&[
        "worktree",
        "add",
        "--quiet",
        ".kiro/worktrees/specs/old",
        "-b",
        "old",
    ]);
    fs::remove_dir_all(world.path(".kiro/worktrees/specs/old/.kiro")).unwrap();
    world.git(&["update-ref", "refs/kumite/gone/1", "HEAD"]);
    fs::remove_dir_all(world.path(PLACE)).unwrap();
    let found = strays(&world.project());
    let found: Vec<&str> = found.iter().map(|it| &*it.what).collect();
    let [directory, record, reference] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(
        directory.ends_with("specs/old is a worktree without a spec"),
        "{directory}"
    );
    assert_eq!(*record, "login: its worktree is gone");
    assert!(
        reference.starts_with("refs/kumite/gone has checkpoints"),
        "{reference}"
    );
    assert!(world.path(".kiro/worktrees/specs/old/src/a.txt").exists());
    assert!(!world.git(&["for-each-ref", "refs/kumite/gone"]).is_empty());
}
