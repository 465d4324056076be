//! An interrupted review goes on where it was (A4).

use serde_json::json;

use crate::world::{World, text};

/// A run whose agent of `key` signals that it works and waits for `go`.
fn interrupted_at(key: &str, file: &str) -> World {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {
        "reply/1": {"fix": 1},
        key: [{"touch": [file], "wait_for": "go"}, {}]}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for(file);
    world.kumite(&["stop", "login"]).assert_code(0);
    running.wait().assert_ended(3, "stopped", "stopped_by_user");
    world.assert_nothing_left();
    world
}

#[test]
fn a4_1_after_a_stop_the_rounds_are_in_spec_json() {
    let world = interrupted_at("reply/2", "in-reply");
    let rounds = world.rounds("login");
    assert_eq!(rounds.len(), 2);
    assert_eq!(rounds[0]["roundNumber"], 1);
    assert_eq!(rounds[0]["status"], "reply_complete");
    assert_eq!(rounds[0]["fixRequired"], 1);
    assert_eq!(rounds[1]["roundNumber"], 2);
    assert_eq!(rounds[1]["status"], "review_complete");
}

#[test]
fn a4_2_a_round_whose_review_is_written_gets_only_its_reply() {
    let world = interrupted_at("reply/2", "in-reply");
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    let expected = [
        "review 1",
        "reply 1",
        "review 2",
        "reply 2",
        "reply 2",
        "impl 1",
        "inspect 1",
    ];
    assert_eq!(world.steps("login"), expected);
}

#[test]
fn a4_2_a_round_whose_review_was_interrupted_begins_with_its_review() {
    let world = interrupted_at("review/2", "in-review");
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    let expected = [
        "review 1",
        "reply 1",
        "review 2",
        "review 2",
        "reply 2",
        "impl 1",
        "inspect 1",
    ];
    assert_eq!(world.steps("login"), expected);
}

#[test]
fn a4_3_finished_rounds_of_another_program_are_kept_and_not_run_again() {
    let world = World::new();
    world.spec_with_documents("login");
    let rounds = json!([
        {"roundNumber": 1, "status": "reply_complete", "fixStatus": "applied", "fixRequired": 3, "needsDiscussion": 0},
        {"round": 2, "fixApplied": true, "fixRequired": 1, "needsDiscussion": 0, "note": "mine"}]);
    world.patch(
        "login",
        json!({"documentReview": {"status": "in_progress", "roundDetails": rounds}}),
    );
    for round in [1, 2] {
        world.write(
            &format!(".kiro/specs/login/document-review-{round}.md"),
            "# Review\n",
        );
        let table = "| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|---|\n";
        let row = format!(
            "| Critical | 9 | {} | 0 | 0 |\n",
            if round == 1 { 3 } else { 1 }
        );
        let reply = format!("# Response\n\n## Response Summary\n\n{table}{row}");
        world.write(
            &format!(".kiro/specs/login/document-review-{round}-reply.md"),
            &reply,
        );
    }
    let files = [1, 2].map(|round| {
        world.read(&format!(
            ".kiro/specs/login/document-review-{round}-reply.md"
        ))
    });

    world.play(json!({}));
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login")[..2], ["review 3", "reply 3"]);
    let now = [1, 2].map(|round| {
        world.read(&format!(
            ".kiro/specs/login/document-review-{round}-reply.md"
        ))
    });
    assert_eq!(now, files);
    let after = world.rounds("login");
    assert_eq!(after[..2], *rounds.as_array().unwrap());
    assert_eq!(after[2]["roundNumber"], 3);
}

#[test]
fn a4_3_an_approved_review_is_not_run_again() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.play(json!({}));
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), ["impl 1", "inspect 1"]);
    // A finished spec stays finished.
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login").len(), 2);
}

#[test]
fn a4_3_a_pause_lets_the_round_finish_and_keeps_it() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(
        json!({"steps": {"reply": [{"fix": 1, "touch": ["in-reply"], "wait_for": "go"}, {}]}}),
    );
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("in-reply");
    world.kumite(&["pause", "login"]).assert_code(0);
    world.write("go", "");
    running.wait().assert_ended(3, "paused", "paused_by_user");
    let rounds = world.rounds("login");
    assert_eq!(text(&rounds[0]["status"]), "reply_complete");
    assert_eq!(world.steps("login"), ["review 1", "reply 1"]);
    world
        .resume("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login")[2..4], ["review 2", "reply 2"]);
}

#[test]
fn a4_2_a_review_file_that_only_the_disk_knows_gets_only_its_reply() {
    let world = World::new();
    world.spec_with_documents("login");
    world.write(
        ".kiro/specs/login/document-review-1.md",
        "# Specification Review Report #1\n",
    );
    world.play(json!({}));
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), ["reply 1", "impl 1", "inspect 1"]);
    let rounds = world.rounds("login");
    assert_eq!((rounds.len(), &rounds[0]["roundNumber"]), (1, &json!(1)));
}

#[test]
fn a4_3_a_finished_round_that_only_the_disk_knows_is_not_run_again() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"reply": {"fix": 1, "counts": "table"}}}));
    world.settings("[review]\nrounds_max = 1");
    world
        .run("login")
        .assert_ended(3, "paused", "rounds_exhausted");
    // Another program, or an older one, has removed it from spec.json.
    world.patch("login", json!({"documentReview": null}));
    std::fs::remove_dir_all(world.path(".kiro/runtime")).unwrap();
    world.play(json!({}));
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login")[2..4], ["review 2", "reply 2"]);
}
