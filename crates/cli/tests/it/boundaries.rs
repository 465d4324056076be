//! What is checked between two phases: permissions, and requests of a person (scenario 34, C7).

use serde_json::json;

use crate::world::{World, permissions, text};

/// A run that waits in its requirements step.
fn waiting_in_requirements(allowed: &str) -> (World, crate::world::Running) {
    let world = World::new();
    world.spec_with(
        "login",
        json!({"autoExecution": {"permissions": permissions(allowed)}}),
    );
    world.play(json!({"steps": {"requirements": {"touch": ["up"], "wait_for": "go"}}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("up");
    (world, running)
}

#[test]
fn s34_a_permission_that_is_taken_away_during_the_run_holds_at_the_next_boundary() {
    let (world, running) = waiting_in_requirements("requirements design tasks");
    world.patch(
        "login",
        json!({"autoExecution": {"permissions": {"design": false}}}),
    );
    world.write("go", "");
    running.wait().assert_ended(0, "done", "not_permitted");
    assert_eq!(world.steps("login"), ["requirements 1"]);
    assert_eq!(world.status("login")["phase"], "design");
}

#[test]
fn s34_a_permission_that_is_given_during_the_run_holds_at_the_next_boundary() {
    let (world, running) = waiting_in_requirements("requirements");
    world.patch(
        "login",
        json!({"autoExecution": {"permissions": {"design": true}}}),
    );
    world.write("go", "");
    running.wait().assert_ended(0, "done", "not_permitted");
    assert_eq!(world.steps("login"), ["requirements 1", "design 1"]);
    assert_eq!(world.status("login")["phase"], "tasks");
}

#[test]
fn s34_what_a_person_writes_beside_the_run_is_kept() {
    let (world, running) = waiting_in_requirements("requirements");
    world.patch(
        "login",
        json!({"note": {"by": "a person"}, "language": "ja"}),
    );
    world.write("go", "");
    running.wait().assert_ended(0, "done", "not_permitted");
    let spec = world.spec_json("login");
    assert_eq!(
        (&spec["note"]["by"], &spec["language"]),
        (&json!("a person"), &json!("ja"))
    );
    assert_eq!(spec["approvals"]["requirements"]["generated"], true);
}

#[test]
fn c7_2_a_start_uses_the_settings_in_spec_json() {
    let world = World::new();
    world.spec_with(
        "login",
        json!({"autoExecution": {"permissions": null, "documentReviewFlag": "pause"}}),
    );
    world.play(json!({}));
    let out = world.run("login");
    out.assert_ended(0, "done", "not_permitted");
    assert_eq!(
        world.steps("login"),
        ["requirements 1", "design 1", "tasks 1"]
    );
    assert_eq!(world.status("login")["phase"], "document-review");
}

#[test]
fn c7_1_a_stopped_spec_starts_again_where_it_was() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"impl": [{"touch": ["up"], "wait_for": "never"}, {}]}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("up");
    world.kumite(&["stop", "login"]).assert_code(0);
    running.wait().assert_ended(3, "stopped", "stopped_by_user");
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), ["impl 1", "impl 1", "inspect 1"]);
}

#[test]
fn c7_1_a_retry_from_a_phase_does_it_and_all_after_it_again() {
    let world = World::new();
    world.spec("login");
    world.play(json!({}));
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    let out = world.kumite(&["run", "login", "--from", "tasks", "--json"]);
    out.assert_ended(0, "done", "all_phases_done");
    let expected = ["tasks 1", "review 2", "reply 2", "impl 1", "inspect 2"];
    assert_eq!(world.steps("login")[7..], expected);
}

#[test]
fn c7_1_a_retry_from_a_phase_is_asked_for_once() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"design": [{}, {"write": "nothing", "exit": 1}, {}]}}));
    world
        .kumite(&["run", "login", "--until", "design", "--json"])
        .assert_ended(0, "done", "until_reached");
    world
        .kumite(&["run", "login", "--from", "design", "--json"])
        .assert_ended(1, "failed", "agent_failed");
    world
        .resume("login")
        .assert_ended(0, "done", "all_phases_done");
    let expected = [
        "requirements 1",
        "design 1",
        "design 1",
        "design 1",
        "tasks 1",
    ];
    assert_eq!(world.steps("login")[..5], expected);
}

#[test]
fn c7_1_a_refused_start_changes_nothing_and_says_why() {
    let world = World::new();
    world.spec("login");
    world.play(json!({}));
    let before = world.read(".kiro/specs/login/spec.json");
    let out = world.kumite(&["run", "login", "nobody", "--json"]);
    out.assert_code(5);
    assert!(out.stderr.contains("nobody"), "{}", out.stderr);
    assert!(world.launches().is_empty());
    assert_eq!(world.read(".kiro/specs/login/spec.json"), before);
    assert_eq!(text(&world.status("login")["state"]), "idle");
}

#[test]
fn c7_3_one_engine_serves_all_terminals_of_a_project() {
    let world = World::new();
    world.spec("first");
    world.spec("second");
    world.play(json!({"steps": {"first/design": {"touch": ["up"], "wait_for": "go"}}}));
    let engine = world.start(&["run", "first", "--json"]);
    world.wait_for("up");
    world
        .run("second")
        .assert_ended(0, "done", "all_phases_done");
    // The first kumite started its agents: they go on without the second terminal.
    let launches = world.launches();
    let of = |spec: &str| launches.iter().filter(|it| it["spec"] == spec).count();
    assert_eq!((of("first"), of("second")), (2, 7));
    world.write("go", "");
    engine.wait().assert_ended(0, "done", "all_phases_done");
}

/// What was said about a spec, without the parts that differ from run to run.
fn said(out: &crate::world::Out, spec: &str) -> Vec<String> {
    let own = out.json().into_iter().filter(|it| it["spec"] == spec);
    own.map(|it| {
        ["type", "phase", "step", "round", "state"]
            .map(|key| text(&it[key]))
            .join(" ")
    })
    .collect()
}

#[test]
fn c7_4_c7_5_a_spec_is_told_of_alone_as_in_company() {
    let alone = World::new();
    alone.settings("[worktree]\nmode = \"off\"\n");
    alone.spec("first");
    alone.play(json!({"steps": {"reply": [{"fix": 1}, {}]}}));
    let told_alone = said(&alone.run("first"), "first");

    let company = World::new();
    // Otherwise they would take turns in the checkout, and say so.
    company.settings("[worktree]\nmode = \"off\"\n");
    for spec in ["first", "second", "third"] {
        company.spec(spec);
    }
    company.play(json!({"steps": {"first/reply": [{"fix": 1}, {}], "second/impl": {"exit": 1, "result": "none"}}}));
    let out = company.kumite(&["run", "first", "second", "third", "--json"]);
    assert_eq!(said(&out, "first"), told_alone);
    assert_eq!(company.steps("first"), alone.steps("first"));
    let first = &told_alone[0];
    assert!(first.starts_with("run_started requirements"), "{first}");
    assert_eq!(told_alone.last().unwrap(), "run_ended null null null done");
}
