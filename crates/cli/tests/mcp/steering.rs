//! Approve, reject, stop, pause, resume, review, reset.

use std::fs;

use serde_json::json;

use crate::client::Client;
use crate::watch::held;
use crate::world::{World, is_alive, until};

#[test]
fn a_document_waits_until_it_is_approved_or_written_anew() {
    let world = World::new();
    world.settings("[run]\nauto_approve = false");
    world.spec("login");
    let client = Client::new(&world, &[]);
    let run = || client.ask("run_spec", json!({"spec": "login", "wait_seconds": 60}));
    assert_eq!(run()["status"]["reason"], "approval_needed");
    let rejected = client.ask(
        "reject_document",
        json!({"spec": "login", "remark": "--it says nothing about passwords"}),
    );
    let said = rejected["message"].as_str().unwrap();
    assert!(
        said.starts_with("login: requirements.md will be written anew"),
        "{said}"
    );
    assert_eq!(run()["status"]["phase"], "requirements");
    assert_eq!(world.steps("login"), ["requirements 1", "requirements 1"]);
    assert!(
        world
            .prompt(1)
            .contains("--it says nothing about passwords")
    );
    let approved = client.ask(
        "approve_document",
        json!({"spec": "login", "document": "requirements"}),
    );
    // Whether the engine is still there, so that the run goes on by itself, depends on timing.
    let said = approved["message"].as_str().unwrap();
    assert!(
        said.starts_with("login: requirements.md is approved"),
        "{said}"
    );
    assert_eq!(
        world.spec_json("login")["approvals"]["requirements"]["approved"],
        true
    );
    assert_eq!(run()["status"]["phase"], "design");
}

#[test]
fn s1_a_typo_in_the_settings_does_not_keep_a_stop_from_stopping() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let client = Client::new(&world, &[]);
    client.ask("run_spec", json!({"spec": "login"}));
    world.wait_for_step("login", "requirements 1");
    world.write(".kiro/kumite.toml", "[");
    client.ask("stop_spec", json!({"spec": "login"}));
    assert_eq!(world.stands("login"), "stopped stopped_by_user");
    world.assert_nothing_left();
}

#[test]
fn a_stop_kills_the_agent_and_everything_that_it_started() {
    let world = World::new();
    world.spec("login");
    let busy = json!({"wait_for": "go", "children": ["child", "setsid", "double_fork"], "touch": ["ready"]});
    world.play(json!({"steps": {"requirements": busy}}));
    let client = Client::new(&world, &[]);
    client.ask("run_spec", json!({"spec": "login"}));
    world.wait_for("ready");
    let children = world.read("children.txt");
    let stopped = client.ask("stop_spec", json!({"spec": "login"}));
    assert_eq!(stopped["status"]["agents"], json!([]));
    assert_eq!(world.stands("login"), "stopped stopped_by_user");
    assert!(world.agent_processes().is_empty());
    assert!(!children.lines().any(|pid| is_alive(pid.parse().unwrap())));
    let again = client.ask("stop_spec", json!({"spec": "login"}));
    assert_eq!(again["message"], "login does not run");
}

#[test]
fn a_paused_spec_goes_on_when_it_is_resumed() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let client = Client::new(&world, &[]);
    client.ask("run_spec", json!({"spec": "login"}));
    world.wait_for_step("login", "requirements 1");
    client.ask("pause_spec", json!({"spec": "login"}));
    world.go();
    world.wait_for_state("login", "paused");
    assert_eq!(world.steps("login"), ["requirements 1"]);
    let resumed = client.ask("resume_spec", json!({"spec": "login", "wait_seconds": 60}));
    assert_eq!(resumed["status"]["state"], "done", "{resumed}");
}

#[test]
fn one_round_of_review_is_one_round() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"reply": {"fix": 2}}}));
    let client = Client::new(&world, &[]);
    client.ask("review_spec", json!({"spec": "login", "wait_seconds": 60}));
    assert_eq!(world.steps("login"), ["review 1", "reply 1"]);
    let documents = client.ask("list_documents", json!({"spec": "login"}));
    assert!(
        documents.to_string().contains("document-review-1-reply.md"),
        "{documents}"
    );
}

#[test]
fn a_spec_that_has_given_up_goes_on_after_a_reset() {
    let world = World::new();
    world.settings("[impl]\nretries_max = 0");
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"impl": [{"tick": 0}, {"tick": "all"}]}}));
    let client = Client::new(&world, &[]);
    let run = || client.ask("run_spec", json!({"spec": "login", "wait_seconds": 60}));
    assert_eq!(run()["status"]["reason"], "retries_exhausted");
    client.ask("reset_spec", json!({"spec": "login"}));
    assert_eq!(run()["status"]["state"], "done");
}

/// Children that have ended and were not waited for.
fn zombies_of(parent: u32) -> usize {
    let stats = fs::read_dir("/proc").unwrap().flatten();
    let stats = stats.filter_map(|it| fs::read_to_string(it.path().join("stat")).ok());
    let rests = stats.filter_map(|it| it.rsplit_once(") ").map(|(_, rest)| rest.to_owned()));
    let zombie = format!("Z {parent} ");
    rests.filter(|rest| rest.starts_with(&zombie)).count()
}

#[test]
fn a_server_that_lives_long_buries_the_engines_that_it_started() {
    let world = World::new();
    world.spec("login");
    let client = Client::new(&world, &[]);
    client.ask(
        "run_spec",
        json!({"spec": "login", "until": "requirements", "wait_seconds": 60}),
    );
    until("the engine to go", || {
        client.ask("project_info", json!({}))["engine_runs"] == false
    });
    until("it to be buried", || zombies_of(client.pid) == 0);
}
