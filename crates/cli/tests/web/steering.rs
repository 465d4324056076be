//! Steering specs through the HTTP API: the command line sees every change too.

use serde_json::{Value, json};

use crate::api::{change, message};
use crate::served::Served;
use crate::watch::held;
use crate::world::{World, is_alive, text, until};

/// Waits until the API shows this state.
#[track_caller]
fn wait_for_state(served: &Served, spec: &str, state: &str) {
    until(&format!("{spec} to be {state}"), || {
        served.get(&format!("/api/specs/{spec}")).json()["state"] == state
    });
}

#[test]
fn a_spec_is_made_run_and_seen_by_the_command_line() {
    let world = World::new();
    let served = world.serve();
    let made = served.post(
        "/api/specs",
        &json!({"name": "login", "description": "A login form."}),
    );
    assert_eq!(made.assert_status(201).json()["spec"], "login");
    assert!(
        world
            .read(".kiro/specs/login/requirements.md")
            .contains("A login form.")
    );
    assert_eq!(world.status("login")["state"], "idle");
    let again = served.post("/api/specs", &json!({"name": "login"}));
    assert!(message(again.assert_status(409)).contains("exists already"));
    let bad = served.post("/api/specs", &json!({"name": "../x"}));
    assert!(message(bad.assert_status(400)).contains("is no name for a spec"));
    served.post("/api/specs", &json!({})).assert_status(400);

    change(
        &served,
        "login",
        "run",
        &json!({"until": "requirements"}),
        202,
    );
    world.wait_for_state("login", "done");
    assert_eq!(world.stands("login"), "done until_reached");
    assert_eq!(world.steps("login"), ["requirements 1"]);
    // Again from there, with all options.
    let ask = json!({"from": "requirements", "until": "requirements", "agent": "claude", "no_wait": true});
    change(&served, "login", "run", &ask, 202);
    until("it to be written anew", || world.steps("login").len() == 2);
    wait_for_state(&served, "login", "done");
    let agents = served.get("/api/specs/login/agents").json();
    assert_eq!(agents["agents"].as_array().unwrap().len(), 2);
}

#[test]
fn s1_a_typo_in_the_settings_does_not_keep_a_stop_from_stopping() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let served = world.serve();
    change(&served, "login", "run", &json!({}), 202);
    world.wait_for_step("login", "requirements 1");
    world.write(".kiro/kumite.toml", "[");
    change(&served, "login", "stop", &json!({}), 200);
    assert_eq!(world.stands("login"), "stopped stopped_by_user");
    world.assert_nothing_left();
}

#[test]
fn a_new_spec_does_not_begin_with_a_hyphen() {
    let world = World::new();
    let served = world.serve();
    let bad = served.post("/api/specs", &json!({"name": "-x"}));
    assert!(message(bad.assert_status(400)).contains("hyphen"));
    assert!(!world.path(".kiro/specs/-x").exists());
}

#[test]
fn what_other_terminals_started_goes_on_when_the_server_ends() {
    let world = World::new();
    ["page", "other"].iter().for_each(|spec| world.spec(spec));
    world.play(json!({"steps": {"requirements": [held(), held(), {}]}}));
    let mut served = world.serve();
    change(&served, "page", "run", &json!({}), 202);
    world.wait_for_step("page", "requirements 1");
    let running = world.start(&["run", "other"]);
    world.wait_for_step("other", "requirements 1");
    assert_eq!(served.end("INT"), 130);
    assert_eq!(world.stands("page"), "stopped interrupted");
    world.go();
    running.wait().assert_code(0);
    assert_eq!(world.stands("other"), "done all_phases_done");
}

#[test]
fn a_stop_through_the_api_kills_the_agent() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"design": {"hang": "middle", "children": ["setsid"]}}}));
    let served = world.serve();
    change(&served, "login", "run", &json!({}), 202);
    world.wait_for_step("login", "design 1");
    wait_for_state(&served, "login", "working");
    let status = served.get("/api/specs/login").json();
    let pid = u32::try_from(status["agents"][0]["pid"].as_u64().unwrap()).unwrap();
    assert!(is_alive(pid));
    let living = served.get("/api/specs/login/agents").json();
    assert_eq!(living["agents"][0]["alive"], true);
    assert_eq!(living["agents"][0]["pid"], pid);
    // Without a body, as a button without fields sends it.
    let answer = served.send("POST", "/api/specs/login/stop", &[&served.bearer()], "");
    answer.assert_status(200);
    assert!(!is_alive(pid));
    world.assert_nothing_left();
    assert_eq!(world.stands("login"), "stopped stopped_by_user");
    change(&served, "login", "stop", &json!({}), 200);
}

#[test]
fn pause_resume_and_reset_do_what_the_commands_do() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"design": held()}}));
    let served = world.serve();
    change(&served, "login", "run", &json!({"until": "tasks"}), 202);
    world.wait_for_step("login", "design 1");
    change(&served, "login", "pause", &json!({}), 200);
    assert!(text(&world.status("login")["message"]).contains("pauses when the agent"));
    world.go();
    world.wait_for_state("login", "paused");
    assert_eq!(world.stands("login"), "paused paused_by_user");
    change(&served, "login", "reset", &json!({}), 200);
    assert_eq!(world.status("login")["state"], "idle");
    change(&served, "login", "resume", &json!({}), 202);
    until("the next step", || {
        world.steps("login").iter().any(|step| step == "tasks 1")
    });
    assert_eq!(world.steps("login")[..2], ["requirements 1", "design 1"]);
}

#[test]
fn documents_are_approved_and_rejected_with_a_remark() {
    let world = World::new();
    world.settings("[run]\nauto_approve = false");
    world.spec("login");
    let served = world.serve();
    change(&served, "login", "run", &json!({}), 202);
    world.wait_for_state("login", "waiting");
    let ask = json!({"document": "requirements", "remark": "Say what happens offline."});
    change(&served, "login", "reject", &ask, 200);
    change(&served, "login", "run", &json!({}), 202);
    until("it to be written anew", || world.steps("login").len() == 2);
    assert!(world.prompt(1).contains("Say what happens offline."));
    world.wait_for_state("login", "waiting");
    change(&served, "login", "approve", &json!({}), 200);
    assert_eq!(
        world.spec_json("login")["approvals"]["requirements"]["approved"],
        true
    );
    let refused = change(
        &served,
        "login",
        "approve",
        &json!({"document": "tasks"}),
        409,
    );
    assert!(refused.contains("login"), "{refused}");
    change(
        &served,
        "login",
        "approve",
        &json!({"document": "poem"}),
        400,
    );
}

#[test]
fn one_review_is_made_by_hand() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"reply": {"fix": 2}}}));
    let served = world.serve();
    change(&served, "login", "review", &json!({"fix": false}), 202);
    until("the reply to be judged", || {
        served.get("/api/specs/login").json()["reviews"][0]["fix_required"] == 2
    });
    assert_eq!(world.steps("login"), ["review 1", "reply 1"]);
}

#[test]
fn several_specs_or_all_of_them_are_run() {
    let world = World::new();
    for spec in ["a", "b", "c"] {
        world.spec(spec);
    }
    let served = world.serve();
    let run = |body: Value| served.post("/api/run", &body);
    assert!(message(run(json!({})).assert_status(400)).contains("all"));
    run(json!({"specs": ["a"], "all": true})).assert_status(400);
    run(json!({"specs": ["a", "nobody"]})).assert_status(404);
    assert!(world.launches().is_empty(), "all or nothing");
    let ask = json!({"specs": ["a", "b", "a"], "until": "requirements"});
    run(ask).assert_status(202);
    for spec in ["a", "b"] {
        world.wait_for_state(spec, "done");
    }
    assert_eq!(world.launches().len(), 2);
    run(json!({"all": true, "until": "requirements"})).assert_status(202);
    world.wait_for_state("c", "done");
}

#[test]
fn kumite_run_uses_the_engine_of_the_server() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"design": held()}}));
    let served = world.serve();
    until("the server to have the engine", || {
        world.path(".kiro/runtime/kumite/control.sock").exists()
    });
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for_step("login", "design 1");
    let holder = world.read(".kiro/runtime/kumite/lock");
    assert_eq!(holder.trim(), served.pid().to_string());
    assert_eq!(served.get("/api/specs/login").json()["step"], "design");
    world.go();
    running.wait().assert_code(0);
    wait_for_state(&served, "login", "done");
}

#[test]
fn the_server_uses_the_engine_of_kumite_run_and_takes_over_when_it_ends() {
    let world = World::new();
    world.spec("first");
    world.spec("second");
    world.play(json!({"steps": {"first/design": held()}}));
    let running = world.start(&["run", "first", "--json"]);
    world.wait_for_step("first", "design 1");
    let served = world.serve();
    let holder = world.read(".kiro/runtime/kumite/lock");
    assert_eq!(holder.trim(), running.pid().to_string());
    change(
        &served,
        "second",
        "run",
        &json!({"until": "requirements"}),
        202,
    );
    wait_for_state(&served, "second", "done");
    change(&served, "first", "stop", &json!({}), 200);
    running.wait().assert_code(3);
    // Now there is no engine but the server's own.
    change(&served, "second", "run", &json!({"until": "design"}), 202);
    world.wait_for_step("second", "design 1");
    let holder = world.read(".kiro/runtime/kumite/lock");
    assert_eq!(holder.trim(), served.pid().to_string());
}
