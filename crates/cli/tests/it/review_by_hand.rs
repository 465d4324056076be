//! What the agents of a review are told, and the single round that a person asks for (A5, A6).

use serde_json::json;

use crate::world::World;

fn reviewed(replies: serde_json::Value) -> World {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"reply": replies}}));
    world
}

#[test]
fn a5_1_a_round_is_a_review_and_then_a_reply_with_autofix() {
    let world = reviewed(json!([{"fix": 1}, {}]));
    world.kumite(&["init"]).assert_code(0);
    world.run("login").assert_code(0);
    let expected = [
        "/kiro:document-review login",
        "/kiro:document-review-reply login 1 --autofix",
        "/kiro:document-review login",
        "/kiro:document-review-reply login 2 --autofix",
        "/kiro:spec-impl login",
        "/kiro:spec-inspection login --autofix",
    ];
    assert_eq!(world.prompts("login"), expected);
    for file in [
        "document-review-1.md",
        "document-review-1-reply.md",
        "document-review-2.md",
        "document-review-2-reply.md",
    ] {
        assert!(
            world.path(".kiro/specs/login").join(file).exists(),
            "{file}"
        );
    }
}

#[test]
fn a5_2_auto_execution_never_uses_fix_for_a_reply() {
    let world = reviewed(json!({"fix": 1}));
    world.kumite(&["init"]).assert_code(0);
    world
        .run("login")
        .assert_ended(3, "paused", "rounds_exhausted");
    let prompts = world.prompts("login");
    let replies: Vec<_> = prompts
        .iter()
        .filter(|it| it.contains("review-reply"))
        .collect();
    assert_eq!(replies.len(), 7);
    assert!(
        replies.iter().all(|it| it.ends_with(" --autofix")),
        "{replies:?}"
    );
}

#[test]
fn a5_2_a_review_by_hand_is_one_round_and_never_loops() {
    let world = reviewed(json!({"fix": 2}));
    world.kumite(&["init"]).assert_code(0);
    let out = world.kumite(&["review", "login", "--json"]);
    out.assert_code(3);
    assert_eq!(world.steps("login"), ["review 1", "reply 1"]);
    assert_eq!(
        world.prompts("login")[1],
        "/kiro:document-review-reply login 1"
    );

    // Another review by hand is the next round.
    world.kumite(&["review", "login"]).assert_code(3);
    assert_eq!(world.steps("login")[2..], ["review 2", "reply 2"]);
}

#[test]
fn a5_2_a_review_by_hand_that_finds_nothing_ends_0_and_starts_no_impl() {
    let world = reviewed(json!({}));
    world.kumite(&["review", "login", "--json"]).assert_code(0);
    assert_eq!(world.steps("login"), ["review 1", "reply 1"]);
    assert_eq!(
        world.spec_json("login")["documentReview"]["status"],
        "approved"
    );
}

#[test]
fn a5_2_a_review_by_hand_whose_agent_fails_ends_1() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"reply": {"write": "nothing", "exit": 1}}}));
    world.kumite(&["review", "login", "--json"]).assert_code(1);
    assert_eq!(world.steps("login"), ["review 1", "reply 1"]);
}

#[test]
fn a5_2_a_person_may_have_the_fixes_applied() {
    let world = reviewed(json!({"fix": 1}));
    world.kumite(&["init"]).assert_code(0);
    world
        .kumite(&["review", "login", "--fix", "--json"])
        .assert_code(3);
    assert_eq!(
        world.prompts("login")[1],
        "/kiro:document-review-reply login 1 --fix"
    );
    assert_eq!(world.steps("login"), ["review 1", "reply 1"]);
}

#[test]
fn a5_2_a_review_by_hand_needs_no_permission() {
    let world = reviewed(json!({}));
    world.patch(
        "login",
        json!({"autoExecution": {"permissions": {"document-review": false}}}),
    );
    world.kumite(&["review", "login", "--json"]).assert_code(0);
    assert_eq!(world.steps("login"), ["review 1", "reply 1"]);
}

#[test]
fn a_run_after_a_review_by_hand_loops_again() {
    let world = reviewed(json!([{"fix": 1}, {"fix": 1}, {}]));
    world.kumite(&["review", "login", "--json"]).assert_code(3);
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    let expected = [
        "review 1",
        "reply 1",
        "review 2",
        "reply 2",
        "review 3",
        "reply 3",
        "impl 1",
        "inspect 1",
    ];
    assert_eq!(world.steps("login"), expected);
}

#[test]
fn a6_the_reply_prompt_carries_the_approval_rule_the_counts_and_the_guideline() {
    let world = reviewed(json!({}));
    world.run("login").assert_code(0);
    let prompts = world.prompts("login");
    let reply = &prompts[1];
    assert!(reply.contains("login 1 --autofix"), "{reply}");
    for part in [
        // A6.1, A6.2
        "fixRequiredCount",
        "needsDiscussionCount",
        "roundDetails",
        "approved",
        // A6.3: what people must decide
        "several sound approaches",
        "business meaning",
        "trade-off",
        "breaking change",
        "security or compliance",
        // and what they need not
        "plain technical error",
        "omission",
        "inconsistency with a known pattern",
        "mere information",
    ] {
        assert!(reply.contains(part), "the prompt does not say {part:?}");
    }
    assert!(!reply.contains("$ARGUMENTS"));
}

#[test]
fn a6_a_retry_of_impl_and_a_fix_are_told_what_they_are() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.kumite(&["init"]).assert_code(0);
    world.play(json!({"steps": {"impl": [{"tick": 1}, {}], "inspect": [{"verdict": "nogo"}, {}]}}));
    world.run("login").assert_code(0);
    let expected = [
        "/kiro:spec-impl login",
        "/kiro:spec-impl login",
        "/kiro:spec-inspection login --autofix",
        "/kiro:spec-inspection login --fix",
        "/kiro:spec-inspection login --autofix",
    ];
    assert_eq!(world.prompts("login"), expected);
}

#[test]
fn a5_2_fixes_that_were_only_judged_are_not_called_applied() {
    let judged = json!({"documentReview": {"roundDetails": [
        {"roundNumber": 1, "status": "reply_complete", "fixStatus": "pending", "fixRequiredCount": 2, "needsDiscussionCount": 0}]}});
    let world = reviewed(json!({"fix": 2, "counts": "table", "spec_json": judged}));
    world.kumite(&["review", "login", "--json"]).assert_code(3);
    assert_eq!(world.rounds("login")[0]["fixStatus"], "pending");
}

#[test]
fn a5_2_a_review_by_hand_of_an_approved_review_starts_nothing() {
    let world = reviewed(json!({}));
    world.patch("login", json!({"documentReview": {"status": "approved"}}));
    world.kumite(&["review", "login", "--json"]).assert_code(0);
    assert!(world.steps("login").is_empty());
}

#[test]
fn a5_2_without_documents_there_is_nothing_to_review() {
    let world = World::new();
    world.spec("login");
    world.play(json!({}));
    world
        .kumite(&["review", "login", "--json"])
        .assert_ended(3, "paused", "no_evidence");
    assert!(world.steps("login").is_empty());
}
