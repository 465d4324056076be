//! kill -9 of kumite in the middle of a step (scenario 37).

use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::world::{Running, World, is_alive, kill, until};

/// A run that was killed while the agent of `design` worked.
fn killed_in_design(design: Value) -> World {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"design": design}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("in-design");
    murder(running);
    world
}

fn murder(running: Running) {
    let pid = running.pid();
    running.signal("KILL");
    assert_eq!(running.wait().code, 137);
    assert!(!is_alive(pid));
}

const WALK: [&str; 7] = [
    "requirements 1",
    "design 1",
    "tasks 1",
    "review 1",
    "reply 1",
    "impl 1",
    "inspect 1",
];

fn design_agent(world: &World) -> u32 {
    let launches = world.launches();
    let design = launches.iter().find(|it| it["step"] == "design").unwrap();
    u32::try_from(design["pid"].as_u64().unwrap()).unwrap()
}

/// Kills the agent of `design` and its supervisor, as a reboot would.
fn kill_with_supervisor(world: &World) {
    let launches = world.launches();
    let design = launches.iter().find(|it| it["step"] == "design").unwrap();
    for key in ["ppid", "pid"] {
        let pid = u32::try_from(design[key].as_u64().unwrap()).unwrap();
        kill(pid, "KILL");
        until("it to be dead", || !is_alive(pid));
    }
}

#[test]
fn s37_an_agent_that_lives_is_adopted_and_not_launched_again() {
    let world = killed_in_design(json!({"touch": ["in-design"], "wait_for": "go"}));
    let agent = design_agent(&world);
    assert!(is_alive(agent), "the agent outlives its kumite");
    let status = world.assert_status("login", "stopped", "interrupted");
    assert_eq!(status["agents"][0]["pid"], agent);

    let running = world.start(&["run", "login", "--json"]);
    until("kumite to work again", || {
        world.status("login")["state"] == "working"
    });
    assert!(is_alive(agent));
    world.write("go", "");
    running.wait().assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), WALK);
    world.assert_nothing_left();
}

/// The raw log of the only agent of `design`, line by line.
fn design_log(world: &World) -> Vec<Value> {
    let launches = world.launches();
    let design = launches.iter().find(|it| it["step"] == "design").unwrap();
    let agent = design["agent"].as_str().unwrap();
    let log = world.path(&format!(".kiro/specs/login/logs/{agent}.log"));
    let log = fs::read_to_string(log).unwrap();
    let whole = &log[..log.rfind('\n').map_or(0, |end| end + 1)];
    crate::world::lines(whole)
}

#[test]
fn s37_an_agent_of_an_hour_works_on_through_a_kill_and_its_words_are_all_there() {
    let world = killed_in_design(
        json!({"touch": ["in-design"], "wait_for": "an-hour-later", "heartbeat_ms": 20, "children": ["setsid"]}),
    );
    // It is recorded while no kumite runs: its supervisor keeps writing.
    let before = design_log(&world).len();
    until("words that no kumite hears", || {
        design_log(&world).len() > before + 3
    });
    let running = world.start(&["run", "login", "--json"]);
    until("kumite to work again", || {
        world.status("login")["state"] == "working"
    });
    let adopted = design_log(&world).len();
    until("words after the adoption", || {
        design_log(&world).len() > adopted + 3
    });
    world.write("an-hour-later", "");
    running.wait().assert_ended(0, "done", "all_phases_done");

    // As without a crash: every step once, and of this one every line, from the first to the last.
    assert_eq!(world.steps("login"), WALK);
    let log = design_log(&world);
    assert_eq!(log[0]["subtype"], "init");
    assert_eq!(log.last().unwrap()["type"], "result");
    let results = log.iter().filter(|line| line["type"] == "result");
    assert_eq!(results.count(), 1);
    let beats = log.iter().filter(|line| line["type"] == "tool_progress");
    assert!(beats.count() > 6);
    let times: Vec<u64> = log
        .iter()
        .filter_map(|line| line["elapsed_time_seconds"].as_u64())
        .collect();
    assert!(times.is_sorted(), "{times:?}");
    let ended = world.events("login").into_iter();
    let ended: Vec<Value> = ended
        .filter(|it| it["type"] == "agent:complete" && it["step"] == "design")
        .collect();
    assert_eq!(ended.len(), 1);
    world.assert_nothing_left();
}

#[test]
fn s37_an_agent_that_ended_meanwhile_is_judged_and_its_step_not_repeated() {
    let world = killed_in_design(json!({"touch": ["in-design"], "wait_for": "go"}));
    world.write("go", "");
    world.assert_nothing_left();
    assert!(world.path(".kiro/specs/login/design.md").exists());
    assert_eq!(
        world.spec_json("login")["approvals"]["design"]["generated"],
        false
    );

    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), WALK);
    assert_eq!(
        world.spec_json("login")["approvals"]["design"]["generated"],
        true
    );
}

#[test]
fn s37_an_agent_that_was_killed_too_has_its_step_run_again() {
    let world = killed_in_design(json!([{"touch": ["in-design"], "wait_for": "go"}, {}]));
    kill_with_supervisor(&world);
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    let mut expected = WALK.to_vec();
    expected.insert(2, "design 1");
    assert_eq!(world.steps("login"), expected);
    world.assert_nothing_left();
}

#[test]
fn s37_an_agent_that_alone_was_killed_while_nobody_watched_has_its_step_run_again() {
    let world = killed_in_design(json!([{"touch": ["in-design"], "wait_for": "go"}, {}]));
    kill(design_agent(&world), "KILL");
    world.assert_nothing_left();
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    let mut expected = WALK.to_vec();
    expected.insert(2, "design 1");
    assert_eq!(world.steps("login"), expected);
}

#[test]
fn s37_an_agent_that_failed_meanwhile_is_a_failure() {
    let world = killed_in_design(
        json!({"touch": ["in-design"], "wait_for": "go", "write": "nothing", "result": "error"}),
    );
    world.write("go", "");
    world.assert_nothing_left();
    world.run("login").assert_ended(1, "failed", "agent_failed");
    assert_eq!(world.steps("login"), WALK[..2]);
}

#[test]
fn s37_a_stop_ends_an_agent_that_a_killed_kumite_left() {
    let world = killed_in_design(
        json!({"touch": ["in-design"], "wait_for": "go", "children": ["child", "setsid", "double_fork"]}),
    );
    assert!(is_alive(design_agent(&world)));
    world.kumite(&["stop", "login"]).assert_code(0);
    world.assert_nothing_left();
    world.assert_status("login", "stopped", "stopped_by_user");
    assert_eq!(world.steps("login"), WALK[..2]);
}

#[test]
fn s37_a_review_that_ended_well_is_not_done_again_and_its_round_goes_on() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(
        json!({"steps": {"reply": [{"fix": 1, "touch": ["in-reply"], "wait_for": "go"}, {}]}}),
    );
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("in-reply");
    murder(running);
    world.write("go", "");
    world.assert_nothing_left();
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    let expected = [
        "review 1",
        "reply 1",
        "review 2",
        "reply 2",
        "impl 1",
        "inspect 1",
    ];
    assert_eq!(world.steps("login"), expected);
}

#[test]
fn s37_events_are_neither_lost_nor_doubled_over_a_restart() {
    let world = killed_in_design(json!({"touch": ["in-design"], "wait_for": "go"}));
    world.write("go", "");
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    let events = world.events("login");
    let count = |kind: &str, step: &str| {
        events
            .iter()
            .filter(|it| it["type"] == kind && it["step"] == step)
            .count()
    };
    for step in [
        "requirements",
        "design",
        "tasks",
        "review",
        "reply",
        "impl",
        "inspect",
    ] {
        assert_eq!(count("agent:start", step), 1, "{step}");
        assert_eq!(count("agent:complete", step), 1, "{step}");
    }
}

#[test]
fn s37_a_detached_engine_that_was_killed_is_followed_by_the_next_run() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"design": {"touch": ["in-design"], "wait_for": "go"}}}));
    world.kumite(&["run", "login", "--detach"]).assert_code(0);
    world.wait_for("in-design");
    let engine = world.detached_engine().unwrap();
    kill(engine, "KILL");
    until("the engine to be dead", || !is_alive(engine));
    // Its first thread may be gone before the last one, which still holds the lock.
    world.wait_for_state("login", "stopped");
    world.assert_status("login", "stopped", "interrupted");
    world.write("go", "");
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), WALK);
}

#[test]
fn a_kumite_whose_file_is_replaced_during_a_run_goes_on() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"design": {"touch": ["in-design"], "wait_for": "go"}}}));
    let binary = world.path("kumite");
    // `cp` writes the file, not this process: a test beside this one could start a program
    // meanwhile, which would inherit the open file for a moment and make it "text file busy".
    let copied = Command::new("cp")
        .args([env!("CARGO_BIN_EXE_kumite")])
        .arg(&binary)
        .status();
    assert!(copied.unwrap().success());
    let run = Command::new(&binary)
        .args(["run", "login", "--json"])
        .current_dir(world.root())
        .env("XDG_CONFIG_HOME", world.path("no-config"))
        .env("XDG_STATE_HOME", world.path("state"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    world.wait_for("in-design");
    fs::remove_file(&binary).unwrap();
    world.write("go", "");
    let out = run.wait_with_output().unwrap();
    assert!(out.status.success(), "{out:?}");
    assert_eq!(world.steps("login"), WALK);
}

#[test]
fn s37_two_specs_go_on_each_as_its_agent_fared() {
    let world = World::new();
    world.spec("first");
    world.spec("second");
    world.play(json!({"steps": {
        "first/design": {"touch": ["one"], "wait_for": "go-first"},
        "second/tasks": {"touch": ["two"], "wait_for": "go-second"}}}));
    let running = world.start(&["run", "first", "second", "--json"]);
    world.wait_for("one");
    world.wait_for("two");
    murder(running);
    world.write("go-first", "");
    until("the first agent to end", || {
        world.agent_processes().len() == 1
    });

    let running = world.start(&["run", "first", "second", "--json"]);
    until("the first to go on", || world.steps("first").len() > 2);
    world.write("go-second", "");
    running.wait().assert_code(0);
    for spec in ["first", "second"] {
        assert_eq!(world.steps(spec), WALK, "{spec}");
        world.assert_status(spec, "done", "all_phases_done");
    }
    world.assert_nothing_left();
}
