//! What is there already is taken over if it is the spec's, and named if it is not.

use std::fs;

use crate::world::{DOCS, PLACE, World, git};

#[test]
fn e2_4_the_worktree_of_an_earlier_run_is_taken_over_as_it_is() {
    let mut world = World::new();
    world.wanted.setup = vec![vec!["touch".into(), "set-up".into()]];
    world.ready();
    fs::remove_file(world.there("set-up")).unwrap();
    fs::write(world.there("src/work.txt"), "work\n").unwrap();
    world.write(&format!("{DOCS}/tasks.md"), "changed in the checkout\n");
    let place = world.ready();
    assert!(!place.made);
    assert_eq!(place.base, "main");
    assert!(world.there("src/work.txt").exists());
    assert!(!world.there("set-up").exists(), "it was set up again");
    // Documents are not carried a second time.
    let tasks = fs::read_to_string(world.there(&format!("{DOCS}/tasks.md"))).unwrap();
    assert_eq!(tasks, "- [ ] 1. One\n");
    assert_eq!(
        world.read(&format!("{DOCS}/tasks.md")),
        "changed in the checkout\n"
    );
}

#[test]
fn e2_4_a_worktree_at_the_usual_place_is_taken_over_although_kumite_has_not_made_it() {
    let world = World::new();
    world.git(&["worktree", "add", "--quiet", PLACE, "-b", "feature/login"]);
    let place = world.ready();
    assert!(!place.made);
    assert_eq!(place.branch, "feature/login");
    assert_eq!(world.spec().workplace(), world.path(PLACE));
}

#[test]
fn e2_4_the_worktree_that_spec_json_names_is_taken_over() {
    let world = World::new();
    let json = r#"{"worktree": {"path": "elsewhere/x", "branch": "b"}}"#;
    world.write(&format!("{DOCS}/spec.json"), json);
    world.commit("named");
    world.git(&["worktree", "add", "--quiet", "elsewhere/x", "-b", "b"]);
    let place = world.ready();
    assert_eq!(
        (&*place.path, &*place.branch, place.made),
        ("elsewhere/x", "b", false)
    );
    assert!(!world.path(PLACE).exists());
}

#[test]
fn e2_5_a_directory_in_the_way_is_named_and_left_alone() {
    let world = World::new();
    world.write(&format!("{PLACE}/mine.txt"), "mine\n");
    let why = world.conflict();
    assert!(why.contains(PLACE) && why.contains("move it away"), "{why}");
    assert_eq!(world.read(&format!("{PLACE}/mine.txt")), "mine\n");
    assert_eq!(world.record().making, None);
}

#[test]
fn e2_5_a_branch_that_kumite_has_not_made_is_named_and_left_alone() {
    let world = World::new();
    world.git(&["branch", "feature/login"]);
    let before = world.git(&["rev-parse", "feature/login"]);
    let why = world.conflict();
    assert!(
        why.contains("branch feature/login that kumite has not made"),
        "{why}"
    );
    assert_eq!(world.git(&["rev-parse", "feature/login"]), before);
    assert!(!world.path(PLACE).exists());
}

#[test]
fn e2_5_a_branch_that_leaves_no_room_for_the_name_is_a_conflict() {
    let world = World::new();
    world.git(&["branch", "feature"]);
    let why = world.conflict();
    assert!(why.contains("feature"), "{why}");
    // When the person has renamed it, the next try succeeds.
    world.git(&["branch", "-m", "feature", "other"]);
    world.ready();
}

#[test]
fn e2_5_a_worktree_on_another_branch_is_a_conflict_with_the_remedy() {
    let world = World::new();
    world.ready();
    git(&world.path(PLACE), &["switch", "--quiet", "-c", "mine"]);
    let why = world.conflict();
    assert!(why.contains("is on mine, not on feature/login"), "{why}");
    assert!(why.contains("switch feature/login"), "{why}");
    git(&world.path(PLACE), &["switch", "--quiet", "feature/login"]);
    assert!(!world.ready().made);
}

#[test]
fn e2_5_where_the_disk_ignores_case_a_branch_that_differs_only_in_it_is_a_conflict() {
    let world = World::new();
    world.git(&["config", "core.ignorecase", "true"]);
    world.git(&["branch", "Feature/Login"]);
    let why = world.conflict();
    assert!(why.contains("Feature/Login"), "{why}");
}

#[test]
fn e2_5_a_name_that_git_does_not_accept_is_a_conflict() {
    let mut world = World::new();
    world.wanted.branch = "a..b".to_owned();
    let why = world.conflict();
    assert!(why.contains("does not accept \"a..b\""), "{why}");
}

#[test]
fn e2_4_a_worktree_that_was_removed_by_hand_is_made_again_on_its_branch() {
    let world = World::new();
    world.ready();
    fs::write(world.there("src/work.txt"), "work\n").unwrap();
    git(&world.path(PLACE), &["add", "."]);
    git(&world.path(PLACE), &["commit", "--quiet", "-m", "work"]);
    fs::remove_dir_all(world.path(PLACE)).unwrap();
    let place = world.ready();
    assert!(place.made);
    assert!(world.there("src/work.txt").exists());
    world.fsck();
}
