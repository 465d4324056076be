//! What a killed kumite leaves, and `kumite doctor`.

use serde_json::json;

use crate::watch::held;
use crate::world::{World, is_alive, kill, text};

/// A spec whose first agent goes on after a kill -9 of its kumite; and that agent.
fn left_by_a_kill() -> (World, u32) {
    let world = World::new();
    world.spec("login");
    let busy = json!({"wait_for": "go", "children": ["setsid"], "touch": ["ready"]});
    world.play(json!({"steps": {"requirements": [busy, {}]}}));
    let running = world.start(&["run", "login"]);
    world.wait_for("ready");
    running.signal("KILL");
    running.wait().assert_code(137);
    let agent = world.launches()[0]["pid"].as_u64().unwrap();
    (world, u32::try_from(agent).unwrap())
}

#[test]
fn a_killed_kumite_does_not_take_its_agent_along_and_status_is_not_working() {
    let (world, agent) = left_by_a_kill();
    assert!(is_alive(agent));
    let status = world.status("login");
    assert_eq!(
        (&status["state"], &status["reason"]),
        (&json!("stopped"), &json!("interrupted"))
    );
    assert_eq!(status["agents"][0]["pid"], agent);
    // The next kumite takes it over: no step is repeated.
    world.go();
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.steps("login").len(), 7);
    world.assert_nothing_left();
}

#[test]
fn doctor_dry_run_reports_and_changes_nothing() {
    let (world, agent) = left_by_a_kill();
    for _ in 0..2 {
        let out = world.kumite(&["doctor", "--dry-run"]);
        out.assert_code(0);
        assert!(out.stdout.contains(&format!("pid {agent}")), "{out:?}");
        assert!(out.stdout.contains("would end it"), "{out:?}");
    }
    assert!(is_alive(agent));
    assert!(world.path(".kiro/runtime/kumite/control.sock").exists());
}

#[test]
fn doctor_ends_what_is_left_and_the_run_goes_on_afterwards() {
    let (world, agent) = left_by_a_kill();
    let out = world.kumite(&["doctor", "--json"]);
    out.assert_code(0);
    let found = out.json().pop().unwrap();
    let first = &found["findings"][0];
    assert!(text(&first["what"]).contains("login"), "{found}");
    assert!(text(&first["done"]).starts_with("ended"), "{found}");
    assert!(!is_alive(agent));
    assert!(world.agent_processes().is_empty());
    assert_eq!(world.stands("login"), "stopped interrupted");
    assert!(world.kumite(&["doctor"]).is_well());
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(
        world.steps("login")[..3],
        ["requirements 1", "requirements 1", "design 1"]
    );
    assert_eq!(world.steps("login").len(), 8);
}

#[test]
fn doctor_leaves_a_living_engine_and_its_agents_alone() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let running = world.start(&["run", "login"]);
    world.wait_for_step("login", "requirements 1");
    let out = world.kumite(&["doctor"]);
    out.assert_code(0);
    assert!(out.is_well(), "{out:?}");
    world.go();
    running.wait().assert_code(0);
}

#[test]
fn doctor_finds_the_children_of_an_agent_whose_supervisor_was_killed_too() {
    let (world, agent) = left_by_a_kill();
    let child: u32 = world.read("children.txt").trim().parse().unwrap();
    let supervisor = world.launches()[0]["ppid"].as_u64().unwrap();
    kill(u32::try_from(supervisor).unwrap(), "KILL");
    kill(agent, "KILL");
    crate::world::until("the agent to be gone", || !is_alive(agent));
    assert!(is_alive(child));
    let out = world.kumite(&["doctor"]);
    out.assert_code(0);
    let line = out
        .stdout
        .lines()
        .find(|line| line.starts_with("left behind by agent-"));
    let line = line.unwrap_or_else(|| panic!("{out:?}"));
    let named = line.contains(&format!("process {child} ")) && line.contains("--sleep-as-child");
    assert!(named, "{out:?}");
    assert!(line.contains("(by its "), "{out:?}");
    assert!(!is_alive(child));
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.stands("login"), "done all_phases_done");
}

#[test]
fn a_stop_reaches_an_agent_that_no_engine_knows() {
    let (world, agent) = left_by_a_kill();
    world.kumite(&["stop", "login"]).assert_code(0);
    assert!(!is_alive(agent));
    assert_eq!(world.stands("login"), "stopped stopped_by_user");
    world.assert_nothing_left();
}

#[test]
fn doctor_names_what_only_a_person_can_repair() {
    let world = World::new();
    world.spec("good");
    world.write(".kiro/specs/broken/spec.json", "[]");
    world.write(".kiro/specs/good/.spec.json.tmp", "{\"half");
    let out = world.kumite(&["doctor"]);
    out.assert_code(3);
    assert!(out.stdout.contains("broken/spec.json"), "{out:?}");
    assert_eq!(world.read(".kiro/specs/broken/spec.json"), "[]");
}

#[test]
fn an_agent_that_finished_while_nobody_looked_is_not_asked_again() {
    let (world, agent) = left_by_a_kill();
    world.go();
    crate::world::until("the agent to finish", || !is_alive(agent));
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.steps("login").len(), 7);
}

#[test]
fn a_spec_that_was_queued_when_kumite_was_killed_can_be_run() {
    let world = World::new();
    world.spec("a");
    world.spec("b");
    world.play(json!({"steps": {"a/requirements": held()}}));
    let running = world.start(&["run", "a", "b", "--jobs", "1"]);
    world.wait_for_step("a", "requirements 1");
    world.wait_for_message("b", "queued: number 1 of 1; 1 works at once");
    running.signal("KILL");
    running.wait().assert_code(137);
    // No process is there that could give it a slot.
    assert_eq!(world.stands("b"), "stopped interrupted");
    assert!(world.status("b")["queue_place"].is_null());
    world.go();
    world.kumite(&["run", "b"]).assert_code(0);
    assert_eq!(world.stands("b"), "done all_phases_done");
}

#[test]
fn a_follower_takes_over_when_the_engine_is_killed() {
    let world = World::new();
    world.spec("a");
    world.spec("b");
    world.play(json!({"steps": {"requirements": held()}}));
    let first = world.start(&["run", "a"]);
    world.wait_for_step("a", "requirements 1");
    let second = world.start(&["run", "b", "--json"]);
    world.wait_for_step("b", "requirements 1");
    first.signal("KILL");
    first.wait().assert_code(137);
    world.go();
    let out = second.wait();
    out.assert_code(0);
    assert_eq!(out.json().pop().unwrap()["reason"], "all_phases_done");
    for spec in ["a", "b"] {
        assert_eq!(world.stands(spec), "done all_phases_done");
        assert_eq!(world.steps(spec).len(), 7, "{spec}");
    }
    world.assert_nothing_left();
}
