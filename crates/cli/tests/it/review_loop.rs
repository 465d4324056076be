//! The review loop: rounds, how they end, and their limit (A1, A2, A3, A10).

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde_json::json;

use crate::world::{World, permissions, text};

/// A spec whose review is next, and a play for its replies.
fn reviewed(replies: serde_json::Value) -> World {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"reply": replies}}));
    world
}

fn rounds(numbers: impl IntoIterator<Item = u32>) -> Vec<String> {
    let each = numbers.into_iter();
    each.flat_map(|number| [format!("review {number}"), format!("reply {number}")])
        .collect()
}

#[test]
fn s20_a_review_approved_in_round_1_leads_to_impl() {
    let world = reviewed(json!({}));
    let out = world.run("login");
    out.assert_ended(0, "done", "all_phases_done");
    let expected = ["review 1", "reply 1", "impl 1", "inspect 1"];
    assert_eq!(world.steps("login"), expected);
    let ended = out.notices("round_ended");
    assert_eq!(ended.len(), 1);
    assert_eq!(ended[0]["next"], "approved");
    let review = &world.spec_json("login")["documentReview"];
    assert_eq!(review["status"], "approved");
    assert_eq!(review["roundDetails"][0]["status"], "reply_complete");
    world.assert_nothing_left();
}

#[test]
fn s21_a1_1_fixes_left_open_start_the_next_round_until_round_3_approves() {
    let world = reviewed(json!([{"fix": 2}, {"fix": 1}, {}]));
    let out = world.run("login");
    out.assert_ended(0, "done", "all_phases_done");
    let mut expected = rounds(1..=3);
    expected.extend(["impl 1".to_owned(), "inspect 1".to_owned()]);
    assert_eq!(world.steps("login"), expected);
    let ended = out.notices("round_ended").into_iter();
    let said: Vec<_> = ended
        .map(|it| (text(&it["fix_required"]), text(&it["next"])))
        .collect();
    let expected = [("2", "continue"), ("1", "continue"), ("0", "approved")];
    assert_eq!(said, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    assert_eq!(
        world.spec_json("login")["documentReview"]["status"],
        "approved"
    );
}

#[test]
fn s22_a2_1_a2_2_after_seven_rounds_the_run_pauses_and_never_fails_or_passes() {
    let world = reviewed(json!({"fix": 1}));
    let out = world.run("login");
    out.assert_ended(3, "paused", "rounds_exhausted");
    assert_eq!(world.steps("login"), rounds(1..=7));
    let status = world.assert_status("login", "paused", "rounds_exhausted");
    assert_eq!(status["phase"], "document-review");
    assert_eq!(status["round"], 7);
    assert_eq!(status["rounds_max"], 7);
    assert_ne!(
        world.spec_json("login")["documentReview"]["status"],
        "approved"
    );
    assert_eq!(world.rounds("login").len(), 7);
}

#[test]
fn a2_3_a_resume_after_the_limit_grants_seven_rounds_and_overwrites_no_file() {
    let world = reviewed(json!({"fix": 1}));
    world
        .run("login")
        .assert_ended(3, "paused", "rounds_exhausted");
    let before = review_files(&world);
    assert_eq!(before.len(), 14);

    let out = world.resume("login");
    out.assert_ended(3, "paused", "rounds_exhausted");
    assert_eq!(world.steps("login"), rounds(1..=14));
    let after = review_files(&world);
    assert_eq!(after.len(), 28);
    for (name, file) in before {
        assert_eq!(after[&name], file, "{name}");
    }
    let numbers: Vec<_> = world
        .rounds("login")
        .iter()
        .map(|it| it["roundNumber"].clone())
        .collect();
    assert_eq!(json!(numbers), json!((1..=14).collect::<Vec<u32>>()));

    world.play(json!({}));
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login")[28..30], rounds([15]));
}

/// The review files of the spec with their content and time.
fn review_files(world: &World) -> BTreeMap<String, (String, SystemTime)> {
    let dir = std::fs::read_dir(world.path(".kiro/specs/login")).unwrap();
    dir.flatten()
        .map(|entry| (entry.file_name().into_string().unwrap(), entry))
        .filter(|(name, _)| name.starts_with("document-review-"))
        .map(|(name, entry)| {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            (name, (text, entry.metadata().unwrap().modified().unwrap()))
        })
        .collect()
}

#[test]
fn the_limit_of_rounds_is_a_setting() {
    let world = reviewed(json!({"fix": 1}));
    world.settings("[review]\nrounds_max = 2");
    world
        .run("login")
        .assert_ended(3, "paused", "rounds_exhausted");
    assert_eq!(world.steps("login"), rounds(1..=2));
}

#[test]
fn s23_a3_2_discussion_left_and_no_fixes_pauses() {
    let world = reviewed(json!({"discuss": 1}));
    world
        .run("login")
        .assert_ended(3, "paused", "needs_discussion");
    assert_eq!(world.steps("login"), rounds([1]));
    let status = world.assert_status("login", "paused", "needs_discussion");
    assert_eq!(status["round"], 1);
    assert_ne!(
        world.spec_json("login")["documentReview"]["status"],
        "approved"
    );

    // A person has decided; the next round shows it.
    world.play(json!({}));
    world
        .resume("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login")[2..4], rounds([2]));
}

#[test]
fn a3_3_discussion_beside_fixes_goes_on_and_pauses_once_the_fixes_are_in() {
    let world = reviewed(json!([{"fix": 2, "discuss": 1}, {"discuss": 1}]));
    let out = world.run("login");
    out.assert_ended(3, "paused", "needs_discussion");
    assert_eq!(world.steps("login"), rounds(1..=2));
    let nexts: Vec<_> = out
        .notices("round_ended")
        .iter()
        .map(|it| text(&it["next"]))
        .collect();
    assert_eq!(nexts, ["continue", "paused"]);
}

#[test]
fn a3_1_both_counts_zero_approve_and_the_next_phase_starts() {
    let world = reviewed(json!([{"fix": 1}, {"fix": 0, "discuss": 0}]));
    let out = world.run("login");
    out.assert_code(0);
    assert_eq!(
        world.spec_json("login")["documentReview"]["status"],
        "approved"
    );
    let started: Vec<_> = out
        .notices("phase_started")
        .iter()
        .map(|it| text(&it["phase"]))
        .collect();
    assert_eq!(started, ["document-review", "impl", "inspection"]);
}

#[test]
fn s26_a3_4_a_review_agent_that_fails_is_a_failure_not_a_pause() {
    for step in ["review", "reply"] {
        let world = World::new();
        world.spec_with_documents("login");
        world.play(json!({"steps": {step: {"write": "nothing", "exit": 1}}}));
        world.run("login").assert_ended(1, "failed", "agent_failed");
        assert!(
            !world.steps("login").contains(&"impl 1".to_owned()),
            "{step}"
        );
        let status = world.assert_status("login", "failed", "agent_failed");
        assert_eq!(status["step"], step);

        world.play(json!({}));
        world
            .resume("login")
            .assert_ended(0, "done", "all_phases_done");
        let reviews = world
            .steps("login")
            .iter()
            .filter(|it| *it == "review 1")
            .count();
        assert_eq!(reviews, if step == "review" { 2 } else { 1 }, "{step}");
    }
}

#[test]
fn s27_impl_not_permitted_after_the_review_ends_done_with_that_reason() {
    let world = reviewed(json!({}));
    world.patch(
        "login",
        json!({"autoExecution": {"permissions": {"impl": false}}}),
    );
    let out = world.run("login");
    out.assert_ended(0, "done", "not_permitted");
    assert!(text(&out.json().pop().unwrap()["message"]).contains("impl"));
    assert_eq!(world.steps("login"), rounds([1]));
    let status = world.assert_status("login", "done", "not_permitted");
    assert_eq!(status["phase"], "impl");
    assert_eq!(
        world.spec_json("login")["documentReview"]["status"],
        "approved"
    );

    world.patch(
        "login",
        json!({"autoExecution": {"permissions": permissions("impl inspection document-review")}}),
    );
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login")[2..], ["impl 1", "inspect 1"]);
}

#[test]
fn a1_3_a10_the_running_round_is_state_and_the_finished_one_is_in_spec_json() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {
        "reply/1": {"fix": 1},
        "reply/2": {"touch": ["in-reply-2"], "wait_for": "go"}}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("in-reply-2");

    let status = world.status("login");
    assert_eq!(status["state"], "working");
    assert_eq!(status["phase"], "document-review");
    assert_eq!(status["step"], "reply");
    assert_eq!(status["round"], 2);
    assert_eq!(status["rounds_max"], 7);
    let review = &world.spec_json("login")["documentReview"];
    assert_eq!(review["status"], "in_progress");
    let details = world.rounds("login");
    assert_eq!(details[0]["status"], "reply_complete");
    assert_eq!(details[0]["fixRequiredCount"], 1);
    assert_eq!(details[0]["needsDiscussionCount"], 0);
    assert_eq!(details[1]["roundNumber"], 2);
    assert_eq!(details[1]["status"], "review_complete");

    world.write("go", "");
    running.wait().assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.rounds("login")[1]["status"], "reply_complete");
}

#[test]
fn a1_2_each_reply_is_followed_by_exactly_one_decision() {
    let world = reviewed(json!([{"fix": 2}, {"fix": 1, "discuss": 1}, {}]));
    let out = world.run("login");
    out.assert_code(0);
    let told = out.json();
    let replies: Vec<usize> = told
        .iter()
        .enumerate()
        .filter(|(_, it)| it["type"] == "step_ended" && it["step"] == "reply")
        .map(|(at, _)| at)
        .collect();
    assert_eq!(replies.len(), 3);
    for (round, at) in replies.into_iter().enumerate() {
        assert_eq!(told[at + 1]["type"], "round_ended");
        let (next, kind) = match round {
            0 | 1 => ("continue", "step_started"),
            _ => ("approved", "review_approved"),
        };
        assert_eq!(told[at + 1]["next"], next);
        assert_eq!(told[at + 2]["type"], kind);
    }
    assert_eq!(out.notices("round_ended").len(), 3);
}
