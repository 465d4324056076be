//! Which checkout counts for a spec.

use std::fs;

use crate::world::{DOCS, PLACE, World};

#[test]
fn e2_14_the_usual_place_wins_if_its_own_spec_json_names_it() {
    let world = World::new();
    let there = format!("{PLACE}/{DOCS}/spec.json");
    world.write(&there, "{}");
    assert_eq!(world.spec().workplace(), world.root());
    world.write(&there, r#"{"worktree": {"path": "elsewhere"}}"#);
    assert_eq!(world.spec().workplace(), world.root());
    world.write(&there, &format!(r#"{{"worktree": {{"path": "{PLACE}"}}}}"#));
    assert_eq!(world.spec().workplace(), world.path(PLACE));
    // The main checkout still has its committed version.
    assert!(world.path(&format!("{DOCS}/spec.json")).exists());
}

#[test]
fn e2_14_without_a_spec_json_in_the_main_checkout_the_usual_place_counts_as_before() {
    let world = World::new();
    world.write(&format!("{PLACE}/{DOCS}/spec.json"), "{}");
    fs::remove_file(world.path(&format!("{DOCS}/spec.json"))).unwrap();
    assert_eq!(world.spec().workplace(), world.path(PLACE));
}

#[test]
fn e2_14_after_a_merge_that_removed_the_worktree_the_main_checkout_counts() {
    let world = World::new();
    world.ready();
    fs::remove_dir_all(world.path(PLACE)).unwrap();
    assert!(world.spec().read().1.is_err());
    world.write(
        &format!("{DOCS}/spec.json"),
        r#"{"phase": "deploy-complete"}"#,
    );
    let (place, json) = world.spec().read();
    assert_eq!(place, world.root());
    assert!(json.is_ok());
}
