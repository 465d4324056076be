//! Interruptions at awkward moments: what was due stays due, and nothing is done twice.

use serde_json::json;

use crate::world::{World, permissions, text};

const ALL: &str = "requirements design tasks document-review impl inspection deploy";

#[test]
fn a_rejected_design_is_followed_by_new_tasks_and_a_new_review_also_after_a_stop() {
    let world = World::new();
    world.spec("login");
    world.play(json!({}));
    world
        .kumite(&["run", "login", "--until", "document-review", "--json"])
        .assert_ended(0, "done", "until_reached");
    world
        .kumite(&["reject", "login", "design", "-m", "too simple"])
        .assert_code(0);
    world.play(json!({"steps": {"tasks": [{"touch": ["up"], "wait_for": "never"}, {}]}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("up");
    world.kumite(&["stop", "login"]).assert_code(0);
    running.wait().assert_ended(3, "stopped", "stopped_by_user");
    world.play(json!({}));
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    let expected = [
        "design 1",
        "tasks 1",
        "tasks 1",
        "review 2",
        "reply 2",
        "impl 1",
        "inspect 1",
    ];
    assert_eq!(world.steps("login")[5..], expected);
}

#[test]
fn a_review_that_an_earlier_agent_calls_approved_is_still_due() {
    let lie = json!({"documentReview": {"status": "approved"}});
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"tasks": {"spec_json": lie}}}));
    world
        .kumite(&["run", "login", "--until", "tasks", "--json"])
        .assert_ended(0, "done", "until_reached");
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert!(world.steps("login").contains(&"review 1".to_owned()));
}

#[test]
fn a_fix_that_fails_is_a_failure_and_is_done_again() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {
        "inspect": [{"verdict": "nogo"}, {}],
        "fix": [{"write": "nothing", "exit": 1}, {}]}}));
    world.run("login").assert_ended(1, "failed", "agent_failed");
    world
        .resume("login")
        .assert_ended(0, "done", "all_phases_done");
    let expected = ["impl 1", "inspect 1", "fix 1", "fix 1", "inspect 2"];
    assert_eq!(world.steps("login"), expected);
}

#[test]
fn an_inspection_that_was_stopped_is_done_again_and_an_old_go_does_not_answer_it() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.patch(
        "login",
        json!({"autoExecution": {"permissions": permissions(ALL)}}),
    );
    world.write(
        ".kiro/specs/login/inspection-1.md",
        "# Inspection Report\n\n- **Judgment**: GO\n",
    );
    world.play(json!({"steps": {"inspect": [{"touch": ["up"], "wait_for": "never"}, {"verdict": "nogo"}, {}]}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("up");
    world.kumite(&["stop", "login"]).assert_code(0);
    running.wait().assert_code(3);
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    let expected = [
        "impl 1",
        "inspect 2",
        "inspect 2",
        "fix 2",
        "inspect 3",
        "merge 1",
    ];
    assert_eq!(world.steps("login"), expected);
}

#[test]
fn a_merge_that_was_stopped_is_done_again_and_nothing_before_it() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.patch(
        "login",
        json!({"autoExecution": {"permissions": permissions(ALL)}}),
    );
    world.play(json!({"steps": {"merge": [{"touch": ["up"], "wait_for": "never"}, {}]}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("up");
    world.kumite(&["stop", "login"]).assert_code(0);
    running.wait().assert_ended(3, "stopped", "stopped_by_user");
    assert_ne!(world.spec_json("login")["phase"], "deploy-complete");
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(
        world.steps("login"),
        ["impl 1", "inspect 1", "merge 1", "merge 1"]
    );
}

#[test]
fn s37_a_kumite_that_is_killed_while_it_stops_leaves_a_run_that_goes_on() {
    let world = World::new();
    world.spec("login");
    world.settings("[agent]\nterm_grace = \"1s\"");
    world.play(json!({"steps": {"design": [{"ignore_term": true, "touch": ["up"], "wait_for": "never"}, {}]}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("up");
    let stop = world.start(&["stop", "login"]);
    let stopping = || text(&world.status("login")["message"]).contains("being ended");
    crate::world::until("the stop to arrive", stopping);
    running.signal("KILL");
    running.wait();
    stop.wait();
    world.assert_nothing_left();
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(
        world.steps("login")[..3],
        ["requirements 1", "design 1", "design 1"]
    );
}

#[test]
fn a_spec_json_that_disappears_pauses_and_comes_back() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"design": {"touch": ["up"], "wait_for": "go"}}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("up");
    let kept = world.read(".kiro/specs/login/spec.json");
    std::fs::remove_file(world.path(".kiro/specs/login/spec.json")).unwrap();
    world.write("go", "");
    running.wait().assert_ended(3, "paused", "spec_unreadable");
    world.write(".kiro/specs/login/spec.json", &kept);
    world
        .resume("login")
        .assert_ended(0, "done", "all_phases_done");
    let designs = world
        .steps("login")
        .iter()
        .filter(|it| *it == "design 1")
        .count();
    assert_eq!(designs, 1);
}

#[test]
fn s37_a_run_after_a_killed_one_with_an_end_of_its_own_goes_to_the_very_end() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": {"touch": ["up"], "wait_for": "go"}}}));
    let running = world.start(&["run", "login", "--until", "design", "--json"]);
    world.wait_for("up");
    running.signal("KILL");
    running.wait();
    world.write("go", "");
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login").len(), 7);
}

#[test]
fn s37_a_run_after_a_killed_review_by_hand_goes_on_by_itself() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"review/1": {"touch": ["up"], "wait_for": "go"}, "reply": [{"fix": 1}, {}]}}));
    let running = world.start(&["review", "login", "--json"]);
    world.wait_for("up");
    running.signal("KILL");
    running.wait();
    world.write("go", "");
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
fn a5_2_a_review_by_hand_of_a_spec_that_runs_is_refused() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"impl": {"touch": ["up"], "wait_for": "go"}}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("up");
    let out = world.kumite(&["review", "login"]);
    out.assert_code(5);
    assert!(out.stderr.contains("running"), "{}", out.stderr);
    world.write("go", "");
    running.wait().assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), ["impl 1", "inspect 1"]);
}
