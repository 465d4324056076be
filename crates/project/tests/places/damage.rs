//! What an agent does to its worktree is repaired, or told with the remedy.

use std::fs;

use kumite_core::place::PlaceLook;
use kumite_project::place::{content, keep, look};

use crate::world::{PLACE, World, git};

fn trouble(world: &World) -> String {
    match look(&world.spec(), None, &[]) {
        PlaceLook::Unreadable(why) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn e2_12_a_link_that_was_removed_or_replaced_is_repaired() {
    let world = World::new();
    let begin = world.ready().begin;
    let link = world.path(PLACE).join(".git");
    fs::remove_file(&link).unwrap();
    assert_eq!(content(&world.spec()).unwrap(), begin);
    fs::remove_file(&link).unwrap();
    git(&world.path(PLACE), &["init", "--quiet"]);
    assert_eq!(content(&world.spec()).unwrap(), begin);
    assert!(link.is_file());
    let branch = git(&world.path(PLACE), &["branch", "--show-current"]);
    assert_eq!(branch, "feature/login\n");
}

#[test]
fn e2_12_locks_and_a_damaged_index_are_no_obstacle_and_the_persons_lock_stays() {
    let world = World::new();
    let begin = world.ready().begin;
    let admin = world.top().join(".git/worktrees/login");
    for lock in ["index.lock", "HEAD.lock", "kumite-index.lock"] {
        fs::write(admin.join(lock), "").unwrap();
    }
    fs::write(admin.join("kumite-index"), "damaged").unwrap();
    fs::write(world.top().join(".git/index.lock"), "").unwrap();
    assert_eq!(content(&world.spec()).unwrap(), begin);
    assert!(!admin.join("index.lock").exists());
    assert!(world.top().join(".git/index.lock").exists());
}

#[test]
fn e2_12_the_persons_index_lock_is_neither_needed_nor_removed_when_a_worktree_is_made() {
    let world = World::untracked();
    fs::write(world.top().join(".git/index.lock"), "").unwrap();
    world.ready();
    assert!(world.top().join(".git/index.lock").exists());
}

#[test]
fn e2_12_whatever_an_agent_does_with_git_its_content_is_recorded() {
    let world = World::new();
    world.ready();
    let there = world.path(PLACE);
    fs::write(world.there("src/work.txt"), "work\n").unwrap();
    let worked = content(&world.spec()).unwrap();
    git(&there, &["stash", "--quiet", "-u"]);
    assert_ne!(content(&world.spec()).unwrap().tree, worked.tree);
    git(&there, &["stash", "pop", "--quiet"]);
    git(&there, &["checkout", "--quiet", "--detach"]);
    assert_eq!(content(&world.spec()).unwrap().tree, worked.tree);
    // The branch is gone: the files are not.
    git(
        &there,
        &["symbolic-ref", "HEAD", "refs/heads/feature/login"],
    );
    git(
        world.top(),
        &["update-ref", "-d", "refs/heads/feature/login"],
    );
    assert_eq!(content(&world.spec()).unwrap().tree, worked.tree);
}

#[test]
fn e2_12_a_worktree_that_was_removed_by_hand_is_told_with_the_remedy() {
    let world = World::new();
    let begin = world.ready().begin;
    keep(&world.spec(), 1, &begin.commit).unwrap();
    fs::remove_dir_all(world.path(PLACE)).unwrap();
    let why = trouble(&world);
    assert!(why.contains("is gone; `git worktree add"), "{why}");
    let (_, read) = world.spec().read();
    let why = read.unwrap_err().to_string();
    assert!(why.contains("is gone; `git worktree add"), "{why}");
    // The remedy helps.
    world.git(&["worktree", "prune"]);
    world.git(&["worktree", "add", "--quiet", PLACE, "feature/login"]);
    assert!(matches!(look(&world.spec(), None, &[]), PlaceLook::Seen(_)));
}

#[test]
fn e2_12_a_worktree_that_git_has_forgotten_is_told_and_its_files_stay() {
    let world = World::new();
    world.ready();
    fs::write(world.there("src/work.txt"), "work\n").unwrap();
    fs::remove_file(world.path(PLACE).join(".git")).unwrap();
    world.git(&["worktree", "prune"]);
    let why = trouble(&world);
    assert!(why.contains("does not know the worktree"), "{why}");
    assert!(world.conflict().contains("does not know the worktree"));
    assert!(world.there("src/work.txt").exists());
}

#[test]
fn e2_12_a_spec_json_that_an_agent_damages_does_not_send_the_spec_to_the_checkout() {
    let world = World::new();
    world.ready();
    let path = world.there(".kiro/specs/login/spec.json");
    for text in ["{}", "{ broken", ""] {
        fs::write(&path, text).unwrap();
        assert_eq!(world.spec().workplace(), world.there(""));
    }
    fs::remove_file(&path).unwrap();
    let (place, json) = world.spec().read();
    assert_eq!(place, world.there(""));
    assert!(json.is_err());
}

#[test]
fn e2_12_a_damaged_object_is_a_clear_reason() {
    let world = World::untracked();
    let object = world.git(&["rev-parse", "HEAD:src/a.txt"]);
    let (dir, name) = object.trim().split_at(2);
    fs::remove_file(world.top().join(".git/objects").join(dir).join(name)).unwrap();
    let why = world.conflict();
    assert!(why.contains("git"), "{why}");
    assert!(
        world.path(".kiro/specs/login/tasks.md").exists(),
        "a document is lost"
    );
}
