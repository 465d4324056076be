//! `KUMITE_LOG`, `--log-format` and `engine.log`: which run, which entry, which agent, and why.

use serde_json::{Value, json};

use crate::world::{World, lines, until};

fn world() -> World {
    let world = World::new();
    world.spec("login");
    world.play(json!({}));
    world
}

#[test]
fn without_a_wish_nothing_is_logged() {
    let out = world().kumite(&["run", "login", "--until", "requirements"]);
    out.assert_code(0);
    assert!(!out.stderr.contains("seq="), "{}", out.stderr);
}

#[test]
fn a_wish_shows_every_entry_with_its_run_and_every_agent() {
    let world = world();
    let mut command = world.command(&["run", "login", "--until", "requirements"]);
    let out = command.env("KUMITE_LOG", "kumite=debug").output().unwrap();
    let log = String::from_utf8_lossy(&out.stderr).into_owned();
    let has = |words: &[&str]| {
        let mut lines = log.lines();
        let found = lines.any(|line| words.iter().all(|word| line.contains(word)));
        assert!(found, "{words:?} in {log}");
    };
    has(&[
        "spec=\"login\"",
        "run=",
        "recorded",
        "seq=1",
        "StartRequested",
    ]);
    has(&[
        "project{root=",
        "agent started",
        "agent=",
        "step=\"requirements\"",
    ]);
    has(&["agent ended", "outcome=Finished"]);
    has(&["INFO", "requirements starts"]);
}

#[test]
fn a_log_in_json_is_one_object_per_line_with_the_spans_around_it() {
    let world = world();
    let args = ["run", "login", "--until", "requirements", "--log-format"];
    let out = world.kumite(&[&args[..], &["json"]].concat());
    out.assert_code(0);
    let log: Vec<Value> = out.stderr.lines().flat_map(serde_json::from_str).collect();
    let is_started = |line: &&Value| line["message"] == "agent started";
    let started = log.iter().find(is_started);
    let started = started.unwrap_or_else(|| panic!("{}", out.stderr));
    assert_eq!(started["spans"][0]["name"], "project");
    assert_eq!(started["span"]["spec"], "login");
    assert_eq!(started["step"], "requirements");
}

#[test]
fn the_log_of_an_engine_without_a_terminal_tells_which_run_and_why() {
    let world = world();
    world.play(json!({ "impl": { "exit": 7 } }));
    let run = ["run", "login", "--detach", "--log-format", "json"];
    world.kumite(&run).assert_code(0);
    until("the run to end", || {
        world.status("login")["state"] == "failed"
    });
    let log = || lines(&world.read(".kiro/runtime/kumite/engine.log"));
    until("its end to be logged", || {
        log().iter().any(|line| {
            let why = line["message"].as_str().unwrap_or_default();
            line["span"]["spec"] == "login" && why.starts_with("failed")
        })
    });
    world.kumite(&["stop", "login"]).assert_code(0);
}

#[test]
fn a_wrong_filter_is_named_and_keeps_nobody_from_stopping() {
    let world = world();
    let mut stop = world.command(&["stop", "login"]);
    let out = stop.env("KUMITE_LOG", "kumite=loud").output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{said}");
    assert!(
        said.contains("KUMITE_LOG=\"kumite=loud\" is ignored"),
        "{said}"
    );
}
