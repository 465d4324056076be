//! The commands for a fresh worktree, and the room that worktrees may take.

use std::fs;

use kumite_core::place::Prepared;

use crate::world::{PLACE, World};

fn shell(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(str::to_owned).to_vec()
}

#[test]
fn e2_8_the_commands_run_once_in_order_in_the_project_of_the_worktree() {
    let mut world = World::new();
    let log = world.top().join("../").canonicalize().unwrap();
    let log = log.join(format!("set-up-{}", std::process::id()));
    let line = |word: &str| shell(&format!("echo {word} $PWD >> {}", log.display()));
    world.wanted.setup = vec![line("one"), line("two")];
    world.ready();
    world.ready();
    let there = world.there("");
    let there = there.canonicalize().unwrap();
    let text = fs::read_to_string(&log).unwrap();
    fs::remove_file(&log).unwrap();
    assert_eq!(text, format!("one {0}\ntwo {0}\n", there.display()));
}

#[test]
fn e2_8_a_command_that_fails_is_named_and_the_next_try_sets_up_again() {
    let mut world = World::new();
    world.wanted.setup = vec![shell("test -e fixed || exit 7"), shell("touch done")];
    let Prepared::SetupFailed(why) = world.prepare() else {
        panic!("no failure");
    };
    assert!(
        why.contains("test -e fixed") && why.contains("exit status: 7"),
        "{why}"
    );
    assert!(!world.there("done").exists());
    // A person repairs it in the worktree; what they did there stays.
    fs::write(world.there("fixed"), "").unwrap();
    fs::write(world.there("src/a.txt"), "of the person\n").unwrap();
    assert!(world.ready().made);
    assert!(world.there("done").exists());
    let text = fs::read_to_string(world.there("src/a.txt")).unwrap();
    assert_eq!(text, "of the person\n");
}

#[test]
fn e2_8_a_program_that_does_not_exist_is_a_failed_set_up() {
    let mut world = World::new();
    world.wanted.setup = vec![vec!["no-such-program".into()]];
    let Prepared::SetupFailed(why) = world.prepare() else {
        panic!("no failure");
    };
    assert!(why.contains("`no-such-program` cannot be run"), "{why}");
}

#[test]
fn e2_8_too_much_room_is_a_conflict_with_both_sizes_and_the_remedy() {
    let mut world = World::new();
    world.write(".kiro/worktrees/old/big", &"x".repeat(300_000));
    let linked = world.path(".kiro/worktrees/old/linked");
    fs::hard_link(world.path(".kiro/worktrees/old/big"), linked).unwrap();
    world.wanted.bytes_max = 200_000;
    let why = world.conflict();
    assert!(why.contains("`max` in [worktree] is 200.0 kB"), "{why}");
    assert!(
        why.contains("take 30") && why.contains("kumite worktree remove"),
        "{why}"
    );
    assert!(!world.path(PLACE).exists());
    // A file with two names counts once.
    world.wanted.bytes_max = 400_000;
    world.ready();
    // What exists is not refused, however much it takes.
    world.wanted.bytes_max = 1;
    assert!(!world.ready().made);
}
