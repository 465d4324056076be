//! The flags of `kumite run`: --until, --from, --agent, --detach.

use serde_json::json;

use crate::watch::held;
use crate::world::{World, is_alive, text, until};

#[test]
fn until_ends_after_that_phase_and_a_later_run_goes_on() {
    let world = World::new();
    world.spec("login");
    let out = world.kumite(&["run", "login", "--until", "design", "--json"]);
    out.assert_code(0);
    let end = out.json().pop().unwrap();
    assert_eq!(
        (&end["state"], &end["reason"]),
        (&json!("done"), &json!("until_reached"))
    );
    assert_eq!(world.steps("login"), ["requirements 1", "design 1"]);
    assert_eq!(world.stands("login"), "done until_reached");
    // Already reached: nothing is repeated.
    world
        .kumite(&["run", "login", "--until", "requirements"])
        .assert_code(0);
    assert_eq!(world.steps("login").len(), 2);
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.steps("login").len(), 7);
}

#[test]
fn until_the_review_ends_before_impl() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"reply": [{"fix": 1}, {}]}}));
    world
        .kumite(&["run", "login", "--until", "document-review"])
        .assert_code(0);
    assert_eq!(
        world.steps("login"),
        ["review 1", "reply 1", "review 2", "reply 2"]
    );
    assert_eq!(
        world.spec_json("login")["documentReview"]["status"],
        "approved"
    );
}

#[test]
fn from_begins_anew_with_that_phase_and_goes_on_from_there() {
    let world = World::new();
    world.spec("login");
    world.kumite(&["run", "login"]).assert_code(0);
    let out = world.kumite(&["run", "login", "--from", "impl", "--json"]);
    out.assert_code(0);
    assert_eq!(world.steps("login")[7..], ["impl 1", "inspect 2"]);
    assert_eq!(out.notices("run_started")[0]["phase"], "impl");
    assert_eq!(world.stands("login"), "done all_phases_done");
}

#[test]
fn from_a_document_writes_it_anew_and_reviews_it_under_the_next_number() {
    let world = World::new();
    world.spec("login");
    world.kumite(&["run", "login"]).assert_code(0);
    let first = world.read(".kiro/specs/login/document-review-1.md");
    world
        .kumite(&["run", "login", "--from", "tasks"])
        .assert_code(0);
    assert_eq!(
        world.steps("login")[7..],
        ["tasks 1", "review 2", "reply 2", "impl 1", "inspect 2"]
    );
    assert_eq!(world.read(".kiro/specs/login/document-review-1.md"), first);
}

#[test]
fn from_and_until_frame_one_phase() {
    let world = World::new();
    world.spec("login");
    world.kumite(&["run", "login"]).assert_code(0);
    world
        .kumite(&["run", "login", "--from", "design", "--until", "design"])
        .assert_code(0);
    assert_eq!(world.steps("login")[7..], ["design 1"]);
}

#[test]
fn from_a_phase_whose_documents_are_missing_asks_a_person() {
    let world = World::new();
    world.spec("login");
    world
        .kumite(&["run", "login", "--from", "tasks"])
        .assert_code(3);
    assert!(world.launches().is_empty());
    assert_eq!(world.stands("login"), "paused no_evidence");
    world.kumite(&["run", "login"]).assert_code(0);
}

#[test]
fn wrong_phases_are_refused_before_anything_starts() {
    let world = World::new();
    world.spec("login");
    world
        .kumite(&["run", "login", "--until", "lunch"])
        .assert_code(2);
    world
        .kumite(&["run", "login", "--from", "lunch"])
        .assert_code(2);
    world
        .kumite(&["run", "login", "--from", "impl", "--until", "design"])
        .assert_code(2);
    let out = world.kumite(&["run", "login", "--agent", "nobody"]);
    out.assert_code(5);
    assert!(
        out.stderr.contains("nobody") && out.stderr.contains("claude"),
        "{out:?}"
    );
    assert!(world.launches().is_empty());
}

#[test]
fn the_agent_flag_takes_the_place_of_all_settings() {
    let world = World::new();
    world.spec("login");
    world.settings("[agent]\ndefault = \"broken\"\n[agent.phase]\ndesign = \"broken\"\n[agents.broken]\nkind = \"command\"\ncommand = [\"false\"]");
    world.kumite(&["run", "login"]).assert_code(1);
    world
        .kumite(&["run", "login", "--agent", "claude"])
        .assert_code(0);
    assert_eq!(world.steps("login").len(), 7);
}

fn engine_pid(world: &World) -> u32 {
    let text = world.read(".kiro/runtime/kumite/lock");
    text.trim().parse().unwrap()
}

#[test]
fn detach_returns_at_once_and_the_engine_ends_by_itself() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"design": held()}}));
    // The agent is held, so this can only return if it does not follow.
    let out = world.kumite(&["run", "login", "--detach"]);
    out.assert_code(0);
    world.wait_for_step("login", "design 1");
    let status = world.status("login");
    assert_eq!(status["state"], "working");
    assert_eq!(status["agents"][0]["step"], "design");
    let engine = engine_pid(&world);
    assert!(is_alive(engine));
    world.go();
    world.wait_for_state("login", "done");
    assert!(is_alive(engine), "it stays for a moment");
    until("the engine to end", || !is_alive(engine));
    assert_eq!(world.stands("login"), "done all_phases_done");
    world.assert_nothing_left();
    assert!(world.kumite(&["doctor"]).is_well());
}

#[test]
fn a_detached_run_can_be_followed_and_stopped() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"design": held()}}));
    world.kumite(&["run", "login", "--detach"]).assert_code(0);
    world.wait_for_step("login", "design 1");
    let before = world.entries("login").len();
    let follower = world.start(&["run", "login", "--json"]);
    until("the follower to be heard", || {
        world.entries("login").len() > before
    });
    world.kumite(&["stop", "login"]).assert_code(0);
    let out = follower.wait();
    out.assert_code(3);
    assert_eq!(out.json().pop().unwrap()["reason"], "stopped_by_user");
    world.assert_nothing_left();
    until("the engine to end", || !is_alive(engine_pid(&world)));
}

#[test]
fn detach_honours_jobs() {
    let world = World::new();
    world.spec("a");
    world.spec("b");
    world.play(json!({"steps": {"requirements": held()}}));
    world
        .kumite(&["run", "a", "b", "--jobs", "1", "--detach"])
        .assert_code(0);
    world.wait_for_step("a", "requirements 1");
    world.wait_for_message("b", "queued: number 1");
    assert!(world.steps("b").is_empty());
    world.go();
    world.wait_for_state("b", "done");
    assert_eq!(world.at_once_max(), 1);
}

#[test]
fn a_detached_engine_that_is_terminated_ends_its_agents() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    world.kumite(&["run", "login", "--detach"]).assert_code(0);
    world.wait_for_step("login", "requirements 1");
    let engine = engine_pid(&world);
    crate::world::kill(engine, "TERM");
    until("the engine to end", || !is_alive(engine));
    world.assert_nothing_left();
    assert_eq!(world.stands("login"), "stopped interrupted");
}

#[test]
fn detach_checks_its_input_before_it_returns() {
    let world = World::new();
    let out = world.kumite(&["run", "missing", "--detach"]);
    out.assert_code(5);
    world.spec("login");
    world
        .kumite(&["run", "login", "--detach", "--agent", "nobody"])
        .assert_code(5);
    assert!(world.launches().is_empty());
    assert_eq!(text(&world.status("login")["state"]), "idle");
}
