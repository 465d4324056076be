//! A worktree is made.

use std::fs;

use kumite_core::place::Prepared;

use crate::world::{DOCS, PLACE, World};

#[test]
fn e2_1_a_spec_gets_a_worktree_on_a_branch_of_its_own_and_a_record() {
    let world = World::new();
    let before = world.persons();
    let place = world.ready();
    assert_eq!(place.path, PLACE);
    assert_eq!((&*place.branch, &*place.base), ("feature/login", "main"));
    assert!(place.made);
    assert_eq!(fs::read_to_string(world.there("src/a.txt")).unwrap(), "a\n");
    // Nothing was uncommitted, so the branch has no commit of its own.
    assert_eq!(world.commits_since("main"), "0");
    assert_eq!(world.persons(), before);
    assert!(world.git(&["status", "--porcelain"]).is_empty());
    let record = world.record();
    assert_eq!(record.agent.as_deref(), Some("impl-1"));
    assert_eq!(record.prepared, Some(Prepared::Ready(place)));
    assert_eq!(record.making, None);
    world.fsck();
}

#[test]
fn e2_1_the_result_is_a_file_that_the_engine_can_read() {
    let world = World::new();
    let place = world.ready();
    let text = world.read(".kiro/runtime/kumite/runs/login/place.json");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["agent"], "impl-1");
    let prepared: Prepared = serde_json::from_value(json["prepared"].clone()).unwrap();
    assert_eq!(prepared, Prepared::Ready(place));
}

#[test]
fn e2_2_it_begins_with_the_branch_that_is_checked_out_or_the_commit_or_the_one_asked_for() {
    let world = World::new();
    world.git(&["switch", "--quiet", "-c", "topic"]);
    world.write("src/b.txt", "b\n");
    world.commit("on topic");
    assert_eq!(world.ready().base, "topic");
    assert!(world.there("src/b.txt").exists());

    let world = World::new();
    world.git(&["checkout", "--quiet", "--detach"]);
    let head = world.git(&["rev-parse", "HEAD"]);
    assert_eq!(world.ready().base, head.trim());

    let world = World::new();
    world.git(&["branch", "old"]);
    world.write("src/b.txt", "b\n");
    world.commit("newer");
    let (Prepared::Ready(place), _) = world.prepare_from("old") else {
        panic!("no worktree");
    };
    assert_eq!(place.base, "old");
    assert!(!world.there("src/b.txt").exists());
}

#[test]
fn e2_2_a_base_that_does_not_exist_is_said() {
    let world = World::new();
    let (Prepared::Conflict(why), _) = world.prepare_from("nowhere") else {
        panic!("no conflict");
    };
    assert_eq!(
        why,
        "there is no branch nowhere, which `base` in [worktree] names"
    );
    assert!(!world.path(PLACE).exists());
}

#[test]
fn e2_2_documents_that_the_base_does_not_have_are_on_the_branch_too() {
    let world = World::untracked();
    world.git(&["branch", "base"]);
    world.commit("documents");
    world.write(&format!("{DOCS}/tasks.md"), "- [x] 1. One\n");
    let (prepared, _) = world.prepare_from("base");
    assert!(matches!(prepared, Prepared::Ready(_)), "{prepared:?}");
    let shown = world.git(&["show", &format!("feature/login:{DOCS}/tasks.md")]);
    assert_eq!(shown, "- [x] 1. One\n");
    assert!(world.there(&format!("{DOCS}/spec.json")).exists());
    assert_eq!(world.commits_since("base"), "1");
    assert!(world.git(&["status", "--porcelain"]).is_empty());
}

#[test]
fn e2_1_the_spec_json_of_the_worktree_names_it_and_keeps_everything_else() {
    let world = World::new();
    world.ready();
    let path = world.there(&format!("{DOCS}/spec.json"));
    let text = fs::read_to_string(path).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["worktree"]["path"], PLACE);
    assert_eq!(json["worktree"]["branch"], "feature/login");
    assert!(json["worktree"]["created_at"].is_string());
    assert_eq!(json["mine"], serde_json::json!([1]));
    assert!(
        !world
            .read(&format!("{DOCS}/spec.json"))
            .contains("worktree")
    );
}

#[test]
fn e2_1_a_second_spec_gets_its_own() {
    let world = World::new();
    world.write(".kiro/specs/other/spec.json", "{}");
    world.ready();
    let other = world.project().spec_place(&"other".parse().unwrap());
    let mut wanted = world.wanted.clone();
    wanted.branch = "feature/other".to_owned();
    let prepared = kumite_project::place::prepare(&other, &wanted, "", &|_| {});
    assert!(matches!(prepared, Prepared::Ready(_)), "{prepared:?}");
    assert!(
        world
            .path(".kiro/worktrees/specs/other/.kiro/specs/other/spec.json")
            .exists()
    );
    assert!(world.path(PLACE).exists());
}
