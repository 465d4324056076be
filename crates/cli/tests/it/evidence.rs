//! Nothing counts as done without evidence: counts, documents, and agents that lie.

use serde_json::{Value, json};

use crate::world::{World, text};

fn replied(reply: Value) -> World {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"reply": reply}}));
    world
}

fn written(steps: Value) -> World {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": steps}));
    world
}

#[track_caller]
fn assert_not_approved(world: &World) {
    assert_ne!(
        world.spec_json("login")["documentReview"]["status"],
        "approved"
    );
    let steps = world.steps("login");
    assert!(
        !steps.iter().any(|step| step.starts_with("impl")),
        "{steps:?}"
    );
}

#[test]
fn s24_f7_a_reply_that_writes_nothing_is_never_approved() {
    let world = replied(json!({"write": "nothing"}));
    let out = world.run("login");
    out.assert_ended(3, "paused", "no_evidence");
    assert!(text(&out.json().pop().unwrap()["message"]).contains("document-review-1-reply.md"));
    assert_eq!(world.steps("login"), ["review 1", "reply 1"]);
    assert_not_approved(&world);

    world.play(json!({}));
    world
        .resume("login")
        .assert_ended(0, "done", "all_phases_done");
    // The review exists: only its reply is missing.
    assert_eq!(
        world.steps("login")[2..],
        ["reply 1", "impl 1", "inspect 1"]
    );
}

#[test]
fn s24_f7_a_reply_that_is_empty_touched_or_cut_off_is_never_approved() {
    for write in ["empty", "touch", "half"] {
        let world = replied(json!({"write": write}));
        world.run("login").assert_ended(3, "paused", "no_evidence");
        assert_not_approved(&world);
    }
}

#[test]
fn f7_a_review_that_writes_nothing_gets_no_reply() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"review": {"write": "nothing"}}}));
    world.run("login").assert_ended(3, "paused", "no_evidence");
    assert_eq!(world.steps("login"), ["review 1"]);
    assert_not_approved(&world);
}

#[test]
fn s25_counts_that_disagree_with_the_table_pause_until_a_person_corrects_one() {
    let world = replied(json!({"fix": 0, "counts": "conflict"}));
    let out = world.run("login");
    out.assert_ended(3, "paused", "evidence_conflict");
    assert_eq!(world.steps("login"), ["review 1", "reply 1"]);
    assert_not_approved(&world);
    world.assert_status("login", "paused", "evidence_conflict");

    // Not corrected: a second run does not pass by itself.
    let spec = world.read(".kiro/specs/login/spec.json");
    assert!(spec.contains("\"fixRequiredCount\": 1"), "{spec}");
    world.repair(
        ".kiro/specs/login/spec.json",
        "\"fixRequiredCount\": 1",
        "\"fixRequiredCount\": 0",
    );
    world
        .resume("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login")[2..], ["impl 1", "inspect 1"]);
}

#[test]
fn s25_a_table_with_fixes_and_counts_without_is_a_conflict_too() {
    let counts = json!({"documentReview": {"status": "approved", "roundDetails": [
        {"roundNumber": 1, "status": "reply_complete", "fixStatus": "not_required", "fixRequired": 0, "needsDiscussion": 0}]}});
    let world = replied(json!({"fix": 1, "counts": "table", "spec_json": counts}));
    world
        .run("login")
        .assert_ended(3, "paused", "evidence_conflict");
    assert_not_approved(&world);
}

#[test]
fn one_clear_source_of_counts_is_enough_by_either_name() {
    for counts in ["table", "json"] {
        for names in ["seed", "shipped"] {
            let world = replied(
                json!([{"fix": 1, "counts": counts, "names": names}, {"counts": counts, "names": names}]),
            );
            let out = world.run("login");
            out.assert_ended(0, "done", "all_phases_done");
            let said: Vec<_> = out
                .notices("round_ended")
                .iter()
                .map(|it| text(&it["fix_required"]))
                .collect();
            assert_eq!(said, ["1", "0"], "{counts} {names}");
            // Every reader finds both names.
            let round = &world.rounds("login")[0];
            for name in ["fixRequired", "fixRequiredCount"] {
                assert_eq!(round[name], 1, "{counts} {names}: {round}");
            }
        }
    }
}

#[test]
fn counts_nowhere_are_no_evidence() {
    let world = replied(json!({"counts": "none"}));
    world.run("login").assert_ended(3, "paused", "no_evidence");
    assert_not_approved(&world);
}

#[test]
fn shipped_names_are_compared_with_the_table() {
    let world = replied(json!({"counts": "conflict", "names": "shipped"}));
    world
        .run("login")
        .assert_ended(3, "paused", "evidence_conflict");
    assert_not_approved(&world);
}

#[test]
fn f7_an_agent_that_writes_approved_without_evidence_is_not_believed() {
    let lie = json!({"documentReview": {"status": "approved"}});
    let world = replied(json!({"write": "nothing", "spec_json": lie}));
    world.run("login").assert_ended(3, "paused", "no_evidence");
    assert_not_approved(&world);
    // A second run does not help either.
    world.run("login").assert_ended(3, "paused", "no_evidence");
    assert_not_approved(&world);
}

#[test]
fn f7_a_review_agent_that_writes_approved_still_gets_its_reply() {
    let lie = json!({"documentReview": {"status": "approved"}});
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"review": {"spec_json": lie}, "reply": [{"fix": 1}, {}]}}));
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
fn f7_open_points_outweigh_an_approved_in_spec_json() {
    let lie = json!({"documentReview": {"status": "approved"}});
    let world = replied(json!({"discuss": 2, "spec_json": lie}));
    world
        .run("login")
        .assert_ended(3, "paused", "needs_discussion");
    assert_not_approved(&world);
    world.assert_status("login", "paused", "needs_discussion");
}

#[test]
fn a_document_that_is_not_written_pauses_the_run() {
    for step in ["requirements", "design", "tasks"] {
        for write in ["nothing", "empty", "touch"] {
            let world = written(json!({step: {"write": write}}));
            let out = world.run("login");
            out.assert_ended(3, "paused", "no_evidence");
            let steps = world.steps("login");
            assert_eq!(steps.last().unwrap(), &format!("{step} 1"), "{write}");
            let approvals = &world.spec_json("login")["approvals"][step];
            assert_eq!(approvals["generated"], false, "{step} {write}");
            let message = text(&out.json().pop().unwrap()["message"]);
            assert!(message.contains(&format!("{step}.md")), "{message}");
        }
    }
}

#[test]
fn a_document_that_was_there_before_is_no_evidence_of_this_step() {
    let world = written(json!({"requirements": {"write": "nothing"}}));
    world.write(
        ".kiro/specs/login/requirements.md",
        "# Requirements\n\nA stub.\n",
    );
    world.run("login").assert_ended(3, "paused", "no_evidence");
    world.write(
        ".kiro/specs/login/requirements.md",
        "# Requirements\n\nWritten by a person.\n",
    );
    world.play(json!({}));
    world
        .resume("login")
        .assert_ended(0, "done", "all_phases_done");
    // What the person wrote meanwhile is accepted unchanged.
    assert_eq!(world.steps("login")[..2], ["requirements 1", "design 1"]);
}

#[test]
fn an_agent_that_calls_its_document_generated_without_a_file_is_not_believed() {
    let lie = json!({"phase": "requirements-generated", "approvals": {"requirements": {"generated": true, "approved": true}}});
    let world = written(json!({"requirements": {"write": "nothing", "spec_json": lie}}));
    world.run("login").assert_ended(3, "paused", "no_evidence");
    assert_eq!(world.steps("login"), ["requirements 1"]);
}
