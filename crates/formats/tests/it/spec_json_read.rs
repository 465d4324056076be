use kumite_core::facts::{Findings, Permitted, RoundProgress, Verdict};
use kumite_core::names::{Document, Phase};
use kumite_formats::SpecJson;
use kumite_formats::spec_json::{RecordedInspection, RecordedRound};

use crate::shapes;

fn read(text: &str) -> SpecJson {
    SpecJson::parse(text.as_bytes()).unwrap()
}

fn permitted(auto_execution: &str) -> Permitted {
    read(&format!(r#"{{"autoExecution":{auto_execution}}}"#)).permitted()
}

fn findings(round: &str) -> Option<Findings> {
    let text = format!(r#"{{"documentReview":{{"roundDetails":[{round}]}}}}"#);
    read(&text).review().rounds[0].findings
}

fn found(fix_required: u32, needs_discussion: u32) -> Option<Findings> {
    Some(Findings {
        fix_required,
        needs_discussion,
    })
}

fn inspections(text: &str) -> Vec<(u32, Option<Verdict>, bool)> {
    let all = read(text).inspections();
    all.into_iter()
        .map(
            |RecordedInspection {
                 number,
                 verdict,
                 fixed,
                 ..
             }| (number, verdict, fixed),
        )
        .collect()
}

#[test]
fn the_plain_words_are_read() {
    let spec = read(shapes::CURRENT);
    assert_eq!(spec.feature_name(), Some("login"));
    assert_eq!(spec.language(), Some("ja"));
    assert_eq!(spec.phase_text(), Some("tasks-generated"));
    assert_eq!(spec.worktree_path(), Some(".kiro/worktrees/specs/login"));
    assert_eq!(spec.impl_mode(), Some("parallel"));
    let odd = read(r#"{"language":5,"worktree":{"path":""},"impl":"parallel"}"#);
    assert_eq!(
        (odd.language(), odd.worktree_path(), odd.impl_mode()),
        (None, None, None)
    );
}

#[test]
fn escaped_keys_and_values_are_understood_and_the_last_of_equal_keys_counts() {
    let text = r#"{"\u0070hase":"x","phase":"\u0069mpl\ud83d\ude00\ud800","language":"a","language":"ja"}"#;
    assert_eq!(read(text).phase_text(), Some("impl😀\u{fffd}"));
    assert_eq!(read(text).language(), Some("ja"));
}

#[test]
fn only_the_last_three_phases_are_complete() {
    let completed = |phase: &str| read(&format!(r#"{{"phase":"{phase}"}}"#)).completed();
    assert_eq!(completed("implementation-complete"), Some(Phase::Impl));
    assert_eq!(completed("inspection-complete"), Some(Phase::Inspection));
    assert_eq!(completed("deploy-complete"), Some(Phase::Deploy));
    assert_eq!(completed("tasks-generated"), None);
    assert_eq!(completed("implementation-in-progress"), None);
}

#[test]
fn without_permissions_everything_but_deploy_is_permitted() {
    assert_eq!(read("{}").permitted(), Permitted::by_default());
    assert_eq!(permitted("{}"), Permitted::by_default());
    assert_eq!(
        permitted(r#"{"permissions":null}"#),
        Permitted::by_default()
    );
}

#[test]
fn old_flags_change_the_defaults() {
    let paused = permitted(r#"{"documentReviewFlag":"pause","inspectionFlag":"skip"}"#);
    assert!(!paused.allows(Phase::Review) && !paused.allows(Phase::Inspection));
    assert!(paused.allows(Phase::Impl));
    assert!(permitted(r#"{"documentReviewFlag":"run"}"#).allows(Phase::Review));
}

#[test]
fn with_permissions_what_is_not_named_is_not_permitted() {
    let some = permitted(r#"{"permissions":{"design":true,"tasks":false}}"#);
    assert_eq!(some, [Phase::Design].into_iter().collect());
    assert_eq!(permitted(r#"{"permissions":[]}"#), Permitted::NONE);
}

#[test]
fn an_old_flag_fills_a_missing_permission_and_never_overrides_one() {
    let filled =
        permitted(r#"{"permissions":{},"documentReviewFlag":"run","inspectionFlag":"pause"}"#);
    assert_eq!(filled, [Phase::Review].into_iter().collect());
    let own = permitted(r#"{"permissions":{"document-review":false},"documentReviewFlag":"run"}"#);
    assert_eq!(own, Permitted::NONE);
}

#[test]
fn a_permission_in_words_is_one_only_if_it_says_run() {
    let words = r#"{"permissions":{"impl":"run","inspection":"skip","tasks":1,"design":null}}"#;
    assert_eq!(permitted(words), [Phase::Impl].into_iter().collect());
}

#[test]
fn partial_and_absent_approvals_are_not_approved() {
    let spec = read(r#"{"approvals":{"requirements":{"generated":true},"design":"yes"}}"#);
    assert_eq!(spec.approval(Document::Requirements), (true, false));
    assert_eq!(spec.approval(Document::Design), (false, false));
    assert_eq!(spec.approval(Document::Tasks), (false, false));
}

#[test]
fn a_spec_manager_file_is_read_by_its_status() {
    let spec = read(shapes::SPEC_MANAGER);
    assert_eq!(spec.feature_name(), Some("login"));
    assert_eq!(spec.approval(Document::Requirements), (true, true));
    assert_eq!(spec.approval(Document::Design), (true, false));
    assert_eq!(spec.approval(Document::Tasks), (false, false));
    assert_eq!(spec.phase_text(), Some("design-generated"));
}

#[test]
fn a_later_phase_in_a_spec_manager_file_means_the_documents_are_approved() {
    let spec = read(r#"{"feature":"x","status":{"phase":"implementation","tasks":"pending"}}"#);
    assert_eq!(spec.approval(Document::Tasks), (true, true));
    assert_eq!(spec.phase_text(), Some("tasks-generated"));
    assert_eq!(spec.completed(), None);
}

#[test]
fn only_the_word_approved_approves_a_review() {
    let approved = |status: &str| {
        read(&format!(r#"{{"documentReview":{{"status":{status}}}}}"#))
            .review()
            .approved
    };
    assert!(approved(r#""approved""#));
    for other in [
        "\"complete\"",
        "\"resolved\"",
        "\"Approved\"",
        "true",
        "null",
        "\"\"",
    ] {
        assert!(!approved(other), "{other}");
    }
}

#[test]
fn a_round_of_the_current_shape_is_read() {
    let rounds = read(shapes::CURRENT).review().rounds;
    let first = RecordedRound {
        number: 1,
        progress: Some(RoundProgress::ReplyComplete),
        findings: found(2, 0),
        unclear: false,
    };
    assert_eq!(rounds, [first]);
}

#[test]
fn rounds_are_sorted_and_numbered_by_either_name_or_by_their_place() {
    let rounds = read(shapes::LEGACY_ROUNDS).review().rounds;
    let numbers: Vec<u32> = rounds.iter().map(|round| round.number).collect();
    assert_eq!(numbers, [1, 2]);
    assert_eq!(rounds[0].progress, Some(RoundProgress::ReviewComplete));
    // The second entry has no number, so it counts as round 2 too, with only half of the counts.
    assert_eq!(rounds[1].findings, None);
}

#[test]
fn rounds_that_are_only_counted_are_known_without_progress() {
    let review = read(shapes::COUNTED_ROUNDS).review();
    assert!(!review.approved);
    assert_eq!(review.rounds.len(), 2);
    assert!(review.rounds.iter().all(|round| round.progress.is_none()));
    let absurd = read(r#"{"documentReview":{"rounds":4000000000}}"#);
    assert_eq!(absurd.review().rounds.len(), 100);
}

#[test]
fn counts_are_read_under_both_names() {
    assert_eq!(
        findings(r#"{"fixRequired":1,"needsDiscussion":2}"#),
        found(1, 2)
    );
    assert_eq!(
        findings(r#"{"fixRequiredCount":0,"needsDiscussionCount":0.0}"#),
        found(0, 0)
    );
    assert_eq!(
        findings(r#"{"fixRequiredCount":3,"needsDiscussion":2}"#),
        found(3, 2)
    );
}

#[test]
fn a_count_alone_and_counts_that_contradict_are_no_findings() {
    for round in [
        r#"{"fixRequired":0}"#,
        r#"{"needsDiscussionCount":0}"#,
        r#"{"fixRequired":0,"needsDiscussion":null}"#,
        r#"{"fixRequired":1,"fixRequiredCount":0,"needsDiscussion":0}"#,
        r#"{"fixRequired":"0","needsDiscussion":0}"#,
        r#"{"fixRequired":-1,"needsDiscussion":0}"#,
        r#"{"fixRequired":0.5,"needsDiscussion":0}"#,
        r#"{"fixRequired":1e0,"needsDiscussion":0}"#,
        r#"{"fixRequired":99999999999,"needsDiscussion":0}"#,
        "{}",
    ] {
        assert_eq!(findings(round), None, "{round}");
    }
}

#[test]
fn two_entries_of_one_round_that_disagree_are_no_findings() {
    let same = r#"{"roundNumber":1,"fixRequired":0,"needsDiscussion":0}"#;
    let other = r#"{"roundNumber":1,"fixRequired":1,"needsDiscussion":0}"#;
    assert_eq!(findings(&format!("{same},{other}")), None);
    assert_eq!(findings(&format!("{same},{same}")), found(0, 0));
    assert_eq!(
        findings(&format!(r#"{{"roundNumber":1}},{same}"#)),
        found(0, 0)
    );
}

#[test]
fn inspections_of_all_four_shapes_are_read() {
    let (go, nogo) = (Some(Verdict::Go), Some(Verdict::Nogo));
    assert_eq!(
        inspections(shapes::CURRENT),
        [(1, nogo, true), (2, go, false)]
    );
    assert_eq!(
        inspections(shapes::INSPECTION_A),
        [(1, nogo, true), (2, go, false)]
    );
    assert_eq!(inspections(shapes::INSPECTION_B), [(3, go, false)]);
    assert_eq!(inspections(shapes::INSPECTION_C), [(2, nogo, false)]);
}

#[test]
fn an_inspection_that_says_nothing_clear_has_no_verdict() {
    let one = |round: &str| inspections(&format!(r#"{{"inspection":{{"rounds":[{round}]}}}}"#))[0];
    assert_eq!(one(r#"{"number":1,"result":"maybe"}"#), (1, None, false));
    assert_eq!(
        one(r#"{"result":"NOGO","fixedAt":""}"#),
        (1, Some(Verdict::Nogo), false)
    );
    assert_eq!(
        one(r#"{"number":1,"result":"go"},{"number":1,"result":"nogo"}"#),
        (1, None, false)
    );
    let three =
        r#"{"number":1,"result":"go"},{"number":1,"result":"nogo"},{"number":1,"result":"go"}"#;
    assert_eq!(one(three), (1, None, false));
}

#[test]
fn an_old_inspection_that_was_not_held_is_none_and_one_that_did_not_pass_is_nogo() {
    assert_eq!(inspections(r#"{"inspection":{"status":"pending"}}"#), []);
    assert_eq!(inspections(r#"{"inspection":{}}"#), []);
    assert_eq!(inspections(r#"{"inspection":null}"#), []);
    let failed = inspections(r#"{"inspection":{"status":"failed"}}"#);
    assert_eq!(failed, [(1, Some(Verdict::Nogo), false)]);
}

#[test]
fn counts_that_are_incomplete_or_contradict_each_other_are_unclear() {
    for counts in [
        r#""fixRequired":1"#,
        r#""needsDiscussion":2"#,
        r#""fixRequired":1,"needsDiscussion":0,"fixRequiredCount":0,"needsDiscussionCount":0"#,
        r#""fixRequired":"2","needsDiscussion":"0""#,
    ] {
        let text =
            format!(r#"{{"documentReview":{{"roundDetails":[{{"roundNumber":1,{counts}}}]}}}}"#);
        let round = read(&text).review().rounds[0];
        assert!(round.unclear && round.findings.is_none(), "{counts}");
    }
}

#[test]
fn a_verdict_said_both_ways_or_in_an_unknown_word_is_unclear() {
    for rounds in [
        r#"{"number":1,"result":"go"},{"number":1,"result":"nogo"}"#,
        r#"{"number":1,"result":"nogo"},{"number":1,"result":"go"}"#,
        r#"{"number":1,"result":"fail"}"#,
        r#"{"number":1,"result":true}"#,
    ] {
        let text = format!(r#"{{"inspection":{{"rounds":[{rounds}]}}}}"#);
        let inspection = read(&text).inspections()[0];
        assert!(
            inspection.unclear && inspection.verdict.is_none(),
            "{rounds}"
        );
    }
}
