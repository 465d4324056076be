use kumite_core::change::Change;
use kumite_core::facts::{Findings, RoundProgress, Verdict};
use kumite_core::names::{Document, Phase};
use kumite_formats::SpecJson;
use serde_json::{Value, json};

use crate::shapes;

const AT: &str = "2026-02-03T04:05:06Z";

fn apply(text: &str, changes: &[Change]) -> String {
    let spec = SpecJson::parse(text.as_bytes()).unwrap();
    let once = spec.apply(changes, AT).unwrap();
    let again = SpecJson::parse(&once).unwrap().apply(changes, AT).unwrap();
    assert_eq!(once, again, "a second time changes nothing");
    String::from_utf8(once).unwrap()
}

fn json(text: &str, changes: &[Change]) -> Value {
    serde_json::from_str(&apply(text, changes)).unwrap()
}

fn replied(round: u32, fix_required: u32, needs_discussion: u32) -> Change {
    Change::Replied(
        round,
        Findings {
            fix_required,
            needs_discussion,
        },
    )
}

#[test]
fn a_generated_document_is_not_approved_and_moves_the_phase() {
    let after = json(shapes::FRESH, &[Change::Generated(Document::Requirements)]);
    let approval = json!({"generated": true, "approved": false});
    assert_eq!(after["approvals"]["requirements"], approval);
    assert_eq!(after["phase"], "requirements-generated");
    assert_eq!(after["updated_at"], AT);
    assert_eq!(after["created_at"], "2026-01-01T00:00:00Z");
}

#[test]
fn an_approved_document_leaves_the_phase() {
    let after = json(shapes::CURRENT, &[Change::Approved(Document::Tasks)]);
    let approval = json!({"generated": true, "approved": true});
    assert_eq!(after["approvals"]["tasks"], approval);
    assert_eq!(after["phase"], "tasks-generated");
}

#[test]
fn a_rejected_document_takes_the_later_approvals_with_it() {
    let after = json(shapes::CURRENT, &[Change::Rejected(Document::Design)]);
    let gone = json!({"generated": false, "approved": false});
    assert_eq!(after["approvals"]["design"], gone);
    assert_eq!(
        after["approvals"]["tasks"],
        json!({"generated": true, "approved": false})
    );
    assert_eq!(after["approvals"]["requirements"]["approved"], true);
    assert_eq!(after["phase"], "requirements-generated");
}

#[test]
fn each_rejection_goes_back_to_the_phase_before_it() {
    let phase = |document| json(shapes::CURRENT, &[Change::Rejected(document)])["phase"].clone();
    assert_eq!(phase(Document::Requirements), "initialized");
    assert_eq!(phase(Document::Tasks), "design-generated");
    assert_eq!(
        apply(
            "{\"phase\":\"initialized\"}",
            &[Change::Rejected(Document::Tasks)]
        ),
        "{\"phase\":\"initialized\"}"
    );
}

#[test]
fn a_review_begins_with_an_incomplete_round() {
    let after = json(shapes::FRESH, &[Change::ReviewStarted(1)]);
    let review = json!({"status": "in_progress", "currentRound": 1,
        "roundDetails": [{"roundNumber": 1, "status": "incomplete"}]});
    assert_eq!(after["documentReview"], review);
}

#[test]
fn a_round_that_got_further_is_not_set_back_by_its_start() {
    let after = json(shapes::CURRENT, &[Change::ReviewStarted(1)]);
    let round = &after["documentReview"]["roundDetails"][0];
    assert_eq!(round["status"], "reply_complete");
    assert_eq!(after["documentReview"]["scheme"], "claude-code");
}

#[test]
fn a_written_review_has_its_time() {
    let after = json(
        shapes::FRESH,
        &[Change::ReviewStarted(2), Change::ReviewWritten(2)],
    );
    let round = json!({"roundNumber": 2, "status": "review_complete", "reviewCompletedAt": AT});
    assert_eq!(after["documentReview"]["roundDetails"], json!([round]));
}

#[test]
fn a_reply_is_counted_under_all_names() {
    let after = json(shapes::CURRENT, &[replied(2, 0, 3)]);
    let round = json!({"roundNumber": 2, "status": "reply_complete", "replyCompletedAt": AT,
        "fixRequired": 0, "needsDiscussion": 3, "fixRequiredCount": 0, "needsDiscussionCount": 3,
        "fixStatus": "pending"});
    assert_eq!(after["documentReview"]["roundDetails"][1], round);
    assert_eq!(after["documentReview"]["roundDetails"][0]["fixRequired"], 2);
}

#[test]
fn the_fix_status_follows_the_counts() {
    let status = |fix, discuss| {
        let after = json("{}", &[replied(1, fix, discuss)]);
        after["documentReview"]["roundDetails"][0]["fixStatus"].clone()
    };
    assert_eq!(status(0, 0), "not_required");
    assert_eq!(status(1, 0), "applied");
    assert_eq!(status(1, 1), "applied");
    assert_eq!(status(0, 1), "pending");
}

#[test]
fn fixes_that_were_not_applied_stay_pending_until_they_are_not_required() {
    let text = r#"{"documentReview":{"roundDetails":[{"roundNumber":1,"fixStatus":"pending"}]}}"#;
    let status = |fix, discuss| {
        let after = json(text, &[replied(1, fix, discuss)]);
        after["documentReview"]["roundDetails"][0]["fixStatus"].clone()
    };
    assert_eq!(status(2, 0), "pending");
    assert_eq!(status(0, 0), "not_required");
}

#[test]
fn a_reply_overrules_counts_that_contradict_each_other() {
    let text = r#"{"documentReview":{"roundDetails":[{"round":1,"fixRequired":0,"fixRequiredCount":9,"needsDiscussion":"?"},{"roundNumber":1,"fixRequired":4}]}}"#;
    let after = apply(text, &[replied(1, 2, 0)]);
    let rounds = SpecJson::parse(after.as_bytes()).unwrap().review().rounds;
    assert_eq!(rounds.len(), 1);
    assert_eq!(rounds[0].progress, Some(RoundProgress::ReplyComplete));
    assert_eq!(rounds[0].findings.unwrap().fix_required, 2);
}

#[test]
fn rounds_that_were_only_counted_are_still_known_after_a_write() {
    let after = apply(shapes::COUNTED_ROUNDS, &[Change::ReviewStarted(3)]);
    let rounds = SpecJson::parse(after.as_bytes()).unwrap().review().rounds;
    assert_eq!(
        rounds.iter().map(|round| round.number).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    assert!(after.contains("\"roundsCompleted\":2"));
}

#[test]
fn the_phase_only_goes_forward_when_work_is_done() {
    let phase = |before: &str, change| {
        let text = format!(r#"{{"phase":"{before}"}}"#);
        json(&text, &[change])["phase"].clone()
    };
    assert_eq!(
        phase("tasks-generated", Change::Implemented),
        "implementation-complete"
    );
    assert_eq!(
        phase("implementation-in-progress", Change::Implemented),
        "implementation-complete"
    );
    assert_eq!(
        phase("inspection-complete", Change::Implemented),
        "inspection-complete"
    );
    assert_eq!(
        phase("implementation-complete", Change::InspectionPassed),
        "inspection-complete"
    );
    assert_eq!(
        phase("deploy-complete", Change::InspectionPassed),
        "deploy-complete"
    );
    assert_eq!(
        phase("inspection-complete", Change::Deployed),
        "deploy-complete"
    );
}

#[test]
fn an_inspection_is_added_in_the_current_shape() {
    let after = json(
        shapes::CURRENT,
        &[Change::Inspected(3, Verdict::Nogo), Change::Fixed(3)],
    );
    let round = json!({"number": 3, "result": "nogo", "inspectedAt": AT, "fixedAt": AT});
    assert_eq!(after["inspection"]["rounds"][2], round);
}

#[test]
fn an_inspection_that_the_agent_recorded_changes_nothing() {
    for (text, change) in [
        (shapes::CURRENT, Change::Inspected(2, Verdict::Go)),
        (shapes::CURRENT, Change::Fixed(1)),
        (shapes::INSPECTION_A, Change::Inspected(2, Verdict::Go)),
        (shapes::INSPECTION_B, Change::Inspected(3, Verdict::Go)),
        (shapes::INSPECTION_C, Change::Inspected(2, Verdict::Nogo)),
    ] {
        assert_eq!(apply(text, &[change]), text);
    }
}

#[test]
fn old_inspections_are_kept_in_the_current_shape_beside_their_own() {
    let a = json(shapes::INSPECTION_A, &[Change::Inspected(3, Verdict::Go)]);
    assert_eq!(a["inspection"]["roundDetails"][0]["passed"], false);
    let rounds = json!([
        {"number": 1, "result": "nogo", "inspectedAt": "2026-01-02", "fixedAt": "2026-01-02"},
        {"number": 2, "result": "go", "inspectedAt": "2026-01-03"},
        {"number": 3, "result": "go", "inspectedAt": AT}]);
    assert_eq!(a["inspection"]["rounds"], rounds);
    let c = json(shapes::INSPECTION_C, &[Change::Fixed(2)]);
    let rounds =
        json!([{"number": 2, "result": "nogo", "inspectedAt": "2026-01-02", "fixedAt": AT}]);
    assert_eq!(c["inspection"]["rounds"], rounds);
    assert_eq!(c["inspection"]["passed"], false);
}

#[test]
fn reopening_a_phase_takes_back_what_follows_it() {
    let after = json(
        shapes::CURRENT,
        &[Change::ReviewApproved, Change::Reopened(Phase::Design)],
    );
    let gone = json!({"generated": false, "approved": false});
    assert_eq!(after["approvals"]["requirements"]["approved"], true);
    assert_eq!(after["approvals"]["design"], gone);
    assert_eq!(after["approvals"]["tasks"], gone);
    assert_eq!(after["documentReview"]["status"], "pending");
    assert_eq!(after["phase"], "requirements-generated");
}

#[test]
fn reopening_a_late_phase_keeps_the_review() {
    let done = r#"{"phase":"deploy-complete","documentReview":{"status":"approved"}}"#;
    let phase = |phase| json(done, &[Change::Reopened(phase)])["phase"].clone();
    assert_eq!(phase(Phase::Review), "tasks-generated");
    assert_eq!(phase(Phase::Impl), "tasks-generated");
    assert_eq!(phase(Phase::Inspection), "implementation-complete");
    assert_eq!(phase(Phase::Deploy), "inspection-complete");
    let kept = json(done, &[Change::Reopened(Phase::Impl)]);
    assert_eq!(kept["documentReview"]["status"], "approved");
}

#[test]
fn a_spec_manager_file_gets_the_current_keys_beside_its_own() {
    let after = json(shapes::SPEC_MANAGER, &[Change::Approved(Document::Design)]);
    assert_eq!(after["feature"], "login");
    assert_eq!(after["status"]["design"], "in_progress");
    assert_eq!(after["feature_name"], "login");
    assert_eq!(after["created_at"], "2025-01-01");
    assert_eq!(after["phase"], "design-generated");
    let yes = json!({"generated": true, "approved": true});
    let no = json!({"generated": false, "approved": false});
    assert_eq!(
        after["approvals"],
        json!({"requirements": yes, "design": yes, "tasks": no})
    );
}

#[test]
fn a_change_that_is_already_there_leaves_even_an_old_file_alone() {
    let known = [Change::Approved(Document::Requirements)];
    assert_eq!(apply(shapes::SPEC_MANAGER, &known), shapes::SPEC_MANAGER);
    for text in shapes::ALL {
        assert_eq!(apply(text, &[]), text);
    }
}
