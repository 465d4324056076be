//! A spec.json that cannot be read or written during a run, and what the event log says (A8, A9).

use std::fs;

use serde_json::{Value, json};

use crate::world::{World, text};

const SPEC: &str = ".kiro/specs/login/spec.json";

#[test]
fn a8_a_spec_json_that_becomes_unreadable_pauses_and_goes_on_when_repaired() {
    let world = World::new();
    world.spec("login");
    let good = world.read(SPEC);
    world.play(json!({"steps": {"design": [{"garble_spec_json": "{\"phase\": "}, {}]}}));
    let out = world.run("login");
    out.assert_ended(3, "paused", "spec_unreadable");
    assert_eq!(
        world.read(SPEC),
        "{\"phase\": ",
        "a broken file is left as it is"
    );
    let status = world.assert_status("login", "paused", "spec_unreadable");
    assert!(text(&status["message"]).contains("spec.json"), "{status}");
    let stop = world.events("login").pop().unwrap();
    assert_eq!(stop["reason"], "spec_unreadable");

    // Still broken: still a pause, or a refusal before anything starts.
    world.resume("login").assert_code(5);

    world.write(SPEC, &good);
    world.patch(
        "login",
        json!({"approvals": {"requirements": {"generated": true, "approved": true}}}),
    );
    world
        .resume("login")
        .assert_ended(0, "done", "all_phases_done");
    // The design was written: its agent is judged now, not run again.
    let steps = world.steps("login");
    let expected = [
        "requirements 1",
        "design 1",
        "tasks 1",
        "review 1",
        "reply 1",
        "impl 1",
        "inspect 1",
    ];
    assert_eq!(steps, expected);
}

#[test]
fn a8_an_unreadable_spec_json_after_a_reply_is_a_pause_and_never_an_approval() {
    let world = World::new();
    world.spec_with_documents("login");
    let good = world.read(SPEC);
    world.play(json!({"steps": {"reply": {"garble_spec_json": "[]"}}}));
    world
        .run("login")
        .assert_ended(3, "paused", "spec_unreadable");
    world.write(SPEC, &good);
    world
        .resume("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(
        world.steps("login"),
        ["review 1", "reply 1", "impl 1", "inspect 1"]
    );
}

/// A spec.json that can be read but never replaced: the name of its link target leaves no room for
/// a temporary file beside it.
fn make_unwritable(world: &World) {
    let long = world.path(&format!("{}.json", "x".repeat(250)));
    fs::rename(world.path(SPEC), &long).unwrap();
    std::os::unix::fs::symlink(&long, world.path(SPEC)).unwrap();
}

fn make_writable(world: &World) {
    let text = world.read(SPEC);
    fs::remove_file(world.path(SPEC)).unwrap();
    world.write(SPEC, &text);
}

#[test]
fn a8_a_spec_json_that_cannot_be_written_pauses_and_the_write_is_made_up_for() {
    let world = World::new();
    world.spec("login");
    make_unwritable(&world);
    world.play(json!({}));
    let before = world.read(SPEC);
    let out = world.run("login");
    out.assert_ended(3, "paused", "spec_unwritable");
    assert_eq!(world.steps("login"), ["requirements 1"]);
    assert_eq!(world.read(SPEC), before);
    assert_eq!(out.notices("save_failed").len(), 1);
    let failed: Vec<_> = world
        .messages("login")
        .into_iter()
        .filter(|it| it.starts_with("Failed to persist"))
        .collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    world.assert_status("login", "paused", "spec_unwritable");

    // Nothing was lost: the pending changes are written first.
    make_writable(&world);
    world
        .resume("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login")[..2], ["requirements 1", "design 1"]);
    assert_eq!(
        world.spec_json("login")["approvals"]["requirements"]["generated"],
        true
    );
}

#[test]
fn a8_a_round_that_could_not_be_recorded_is_not_run_again() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"reply": [{"fix": 1, "counts": "table", "touch": ["in-reply"], "wait_for": "go"}, {}]}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("in-reply");
    make_unwritable(&world);
    world.write("go", "");
    running.wait().assert_ended(3, "paused", "spec_unwritable");
    make_writable(&world);
    world
        .resume("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(
        world.steps("login")[..4],
        ["review 1", "reply 1", "review 2", "reply 2"]
    );
    assert_eq!(world.rounds("login")[0]["fixRequired"], 1);
}

#[test]
fn a8_a_run_whose_last_word_cannot_be_written_is_not_done_yet() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.play(
        json!({"steps": {"inspect": {"verdict_in": "report", "touch": ["up"], "wait_for": "go"}}}),
    );
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("up");
    make_unwritable(&world);
    world.write("go", "");
    running.wait().assert_ended(3, "paused", "spec_unwritable");
    make_writable(&world);
    world
        .resume("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.spec_json("login")["phase"], "inspection-complete");
    assert_eq!(world.steps("login"), ["impl 1", "inspect 1"]);
}

/// The event with this message, and its level.
#[track_caller]
fn find(events: &[Value], level: &str, message: &str) -> Value {
    let found = events
        .iter()
        .find(|event| text(&event["message"]).contains(message));
    let found = found.unwrap_or_else(|| panic!("no {message:?} in {events:#?}"));
    assert_eq!(found["level"], level, "{found}");
    assert!(found["timestamp"].is_string(), "{found}");
    found.clone()
}

#[test]
fn a9_the_event_log_tells_rounds_with_counts_continue_and_approved() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"reply": [{"fix": 2, "discuss": 1}, {}]}}));
    world.run("login").assert_code(0);
    let events = world.events("login");
    find(&events, "info", "Document review round 1 starting");
    let ended = find(&events, "info", "Document review round 1 completed");
    assert_eq!(ended["type"], "review:complete");
    assert_eq!(
        (&ended["fixRequired"], &ended["needsDiscussion"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(ended["nextAction"], "continue");
    find(&events, "info", "Document review continuing to round 2");
    find(&events, "info", "Document review round 2 starting");
    let ended = find(&events, "info", "Document review round 2 completed");
    assert_eq!(ended["nextAction"], "approved");
    find(&events, "info", "Document review approved after 2 rounds");
}

#[test]
fn a9_the_event_log_tells_why_a_review_paused() {
    for (reply, rounds_max, reason) in [
        (json!({"discuss": 1}), 7, "needs_discussion"),
        (json!({"fix": 1}), 2, "rounds_exhausted"),
    ] {
        let world = World::new();
        world.spec_with_documents("login");
        world.settings(&format!("[review]\nrounds_max = {rounds_max}"));
        world.play(json!({"steps": {"reply": reply}}));
        world.run("login").assert_ended(3, "paused", reason);
        let events = world.events("login");
        let last = events.last().unwrap();
        assert_eq!(last["type"], "auto-execution:stop");
        assert_eq!(
            (&last["reason"], &last["level"]),
            (&json!(reason), &json!("warn"))
        );
        let completed = events
            .iter()
            .rfind(|it| it["type"] == "review:complete")
            .unwrap();
        assert_eq!(completed["nextAction"], "paused");
    }
}

#[test]
fn a9_the_event_log_tells_errors_and_failures_to_persist_as_errors() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"review": {"exit": 3, "result": "none"}}}));
    world.run("login").assert_ended(1, "failed", "agent_failed");
    let last = world.events("login").pop().unwrap();
    assert_eq!(
        (text(&last["type"]), text(&last["level"])),
        ("auto-execution:fail".into(), "error".into())
    );

    world.play(json!({}));
    make_unwritable(&world);
    world
        .run("login")
        .assert_ended(3, "paused", "spec_unwritable");
    find(
        &world.events("login"),
        "error",
        "Failed to persist state to spec.json",
    );
}
