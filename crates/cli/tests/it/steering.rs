//! Steering from a second terminal while kumite works: pause, resume, reset.

use serde_json::{Value, json};

use crate::watch::held;
use crate::world::{Running, World, until};

/// A spec whose design agent is held, and the kumite that works on it.
fn held_at_design(world: &World) -> Running {
    world.spec("login");
    world.play(json!({"steps": {"design": held()}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for_step("login", "design 1");
    running
}

#[test]
fn a_pause_lets_the_agent_finish_and_begins_nothing_new() {
    let world = World::new();
    let running = held_at_design(&world);
    world.kumite(&["pause", "login"]).assert_code(0);
    let status = world.status("login");
    assert_eq!(status["state"], "working");
    assert_eq!(status["agents"].as_array().unwrap().len(), 1);
    world.go();
    let out = running.wait();
    out.assert_code(3);
    let end = out.json().pop().unwrap();
    assert_eq!(
        (&end["state"], &end["reason"]),
        (&json!("paused"), &json!("paused_by_user"))
    );
    assert_eq!(world.steps("login"), ["requirements 1", "design 1"]);
    // The agent's finished work counts.
    assert_eq!(
        world.spec_json("login")["approvals"]["design"]["generated"],
        true
    );
    assert_eq!(world.stands("login"), "paused paused_by_user");
    world.assert_nothing_left();
}

#[test]
fn a_paused_run_is_resumed_and_followed_to_its_end() {
    let world = World::new();
    let running = held_at_design(&world);
    world.kumite(&["pause", "login"]).assert_code(0);
    world.go();
    running.wait().assert_code(3);
    let out = world.kumite(&["resume", "login", "--json"]);
    out.assert_code(0);
    assert_eq!(out.json().pop().unwrap()["reason"], "all_phases_done");
    assert_eq!(world.steps("login").len(), 7);
}

#[test]
fn a_resume_takes_back_a_pause_that_has_not_happened_yet() {
    let world = World::new();
    let running = held_at_design(&world);
    world.kumite(&["pause", "login"]).assert_code(0);
    world
        .kumite(&["resume", "login", "--detach"])
        .assert_code(0);
    world.go();
    running.wait().assert_code(0);
    assert_eq!(world.steps("login").len(), 7);
}

#[test]
fn a_queued_spec_can_be_paused() {
    let world = World::new();
    world.spec("a");
    world.spec("b");
    world.play(json!({"steps": {"requirements": held()}}));
    let running = world.start(&["run", "a", "b", "--jobs", "1"]);
    world.wait_for_step("a", "requirements 1");
    world.wait_for_message("b", "queued: number 1");
    world.kumite(&["pause", "b"]).assert_code(0);
    assert_eq!(world.stands("b"), "paused paused_by_user");
    world.go();
    running.wait().assert_code(3);
    assert!(world.steps("b").is_empty());
}

#[test]
fn a_pause_of_a_spec_that_does_not_run_changes_nothing() {
    let world = World::new();
    world.spec("login");
    world.kumite(&["pause", "login"]).assert_code(0);
    assert_eq!(world.status("login")["state"], "idle");
    assert!(world.launches().is_empty());
}

/// A spec whose impl never finishes its tasks, after all retries.
fn exhausted() -> World {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.settings("[impl]\nretries_max = 1");
    world.play(json!({"steps": {"impl": {"tick": 0}}}));
    world.kumite(&["run", "login"]).assert_code(1);
    assert_eq!(world.stands("login"), "failed retries_exhausted");
    world.play(json!({}));
    world
}

#[test]
fn only_a_reset_leaves_used_up_retries_and_it_starts_nothing() {
    let world = exhausted();
    for command in ["run", "resume"] {
        world.kumite(&[command, "login"]).assert_code(1);
    }
    assert_eq!(world.launches().len(), 2);
    world.kumite(&["reset", "login"]).assert_code(0);
    assert_eq!(world.status("login")["state"], "idle");
    assert_eq!(world.status("login")["reason"], Value::Null);
    assert_eq!(world.launches().len(), 2);
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.steps("login")[2..], ["impl 1", "inspect 1"]);
}

#[test]
fn a_reset_from_a_second_terminal_reaches_the_engine_of_the_first() {
    let world = exhausted();
    world.spec("other");
    world.play(json!({"steps": {"other/requirements": held()}}));
    let running = world.start(&["run", "other", "login", "--json"]);
    world.wait_for_step("other", "requirements 1");
    let refusals = |world: &World| {
        let lines = world.entries("login").into_iter();
        lines
            .filter(|line| line["entry"]["event"] == "start_requested")
            .count()
    };
    until("login to be refused", || refusals(&world) == 2);
    world.kumite(&["reset", "login"]).assert_code(0);
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.stands("login"), "done all_phases_done");
    world.go();
    // The first one follows its specs to their last end.
    running.wait().assert_code(0);
}

#[test]
fn a_running_spec_is_not_reset() {
    let world = World::new();
    let running = held_at_design(&world);
    let out = world.kumite(&["reset", "login"]);
    out.assert_code(5);
    assert!(out.stderr.contains("stop it first"), "{out:?}");
    world.go();
    running.wait().assert_code(0);
}

#[test]
fn every_steering_command_refuses_unknown_specs_and_bad_names() {
    let world = World::new();
    for command in [
        "stop", "pause", "resume", "reset", "approve", "reject", "log", "events", "replay",
        "status", "run", "review",
    ] {
        for name in ["missing", "../escape", "Upper", ""] {
            let out = world.kumite(&[command, name]);
            out.assert_code(5);
            assert!(
                out.stdout.is_empty() && !out.stderr.is_empty(),
                "{command} {name}: {out:?}"
            );
        }
    }
    assert!(!world.path(".kiro/specs/missing").exists());
}

#[test]
fn steering_for_programs_prints_one_object() {
    let world = World::new();
    let running = held_at_design(&world);
    for args in [
        &["pause", "login"][..],
        &["approve", "login", "requirements"],
        &["stop", "login"],
        &["reset", "login"],
        &["reject", "login", "requirements"],
    ] {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let out = world.kumite(&args);
        out.assert_code(0);
        assert_eq!(out.json().len(), 1, "{args:?}");
        assert!(out.json()[0]["message"].is_string(), "{args:?}");
    }
    running.wait().assert_code(3);
}
