//! What the files of a spec say.

use std::fs;
use std::time::{Duration, Instant};

use kumite_core::facts::{Facts, Findings, Look, RoundProgress, Stamp, TaskFacts, Verdict};
use kumite_core::names::{Document, Phase};
use kumite_core::place::PlaceLook;
use kumite_core::run::Run;
use kumite_project::evidence::{look, tasks};

use crate::place::Place;

fn facts(place: &Place) -> Facts {
    match look(&place.spec, &Run::default(), PlaceLook::None) {
        Look::Seen(facts) => *facts,
        Look::Unreadable(why) => panic!("{why}"),
        Look::Nobody => panic!("nobody"),
    }
}

fn found(fix_required: u32, needs_discussion: u32) -> Option<Findings> {
    Some(Findings {
        fix_required,
        needs_discussion,
    })
}

#[test]
fn an_empty_spec_shows_nothing() {
    let facts = facts(&Place::new());
    assert!(
        facts
            .documents
            .iter()
            .all(|document| document.stamp.is_none())
    );
    assert_eq!((facts.review.rounds.len(), facts.inspections.len()), (0, 0));
    assert_eq!(facts.tasks, TaskFacts::Unreadable);
    assert!(facts.permitted.allows(Phase::Impl) && !facts.permitted.allows(Phase::Deploy));
}

#[test]
fn a_spec_json_that_cannot_be_read_is_said_with_its_place() {
    let place = Place::new();
    place.write("spec.json", "{\n\"phase\": }");
    let Look::Unreadable(why) = look(&place.spec, &Run::default(), PlaceLook::None) else {
        panic!("it was read");
    };
    assert!(why.contains("spec.json") && why.contains('2'), "{why}");
}

#[test]
fn a_document_counts_when_its_file_is_there_and_not_blank() {
    let place = Place::new();
    let stamp = |place: &Place| facts(place).document(Document::Design).stamp;
    for blank in ["", " \n\t\n"] {
        place.write("design.md", blank);
        assert_eq!(stamp(&place), None, "{blank:?}");
    }
    place.write("design.md", "# Design\n");
    assert!(stamp(&place).is_some());
    fs::remove_file(place.path("design.md")).unwrap();
    fs::create_dir(place.path("design.md")).unwrap();
    assert_eq!(stamp(&place), None);
}

/// Writes until the file system's clock has moved on.
#[track_caller]
fn changes(what: &str, stamp: impl Fn() -> Option<Stamp>, write: impl Fn()) {
    let before = stamp();
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        write();
        if stamp() != before {
            return;
        }
        assert!(Instant::now() < deadline, "{what}: the same stamp for ever");
    }
}

#[test]
fn a_stamp_changes_on_every_write_also_of_the_same_content_and_on_nothing_else() {
    let place = Place::new();
    let text = "# Design\n\nThe same text every time, longer than a blank file can be.\n";
    place.write("design.md", text);
    let stamp = || facts(&place).document(Document::Design).stamp;
    assert_eq!(stamp(), stamp());
    changes("in place", stamp, || place.write("design.md", text));
    changes("replaced", stamp, || {
        place.write("new.md", text);
        fs::rename(place.path("new.md"), place.path("design.md")).unwrap();
    });
    let before = stamp();
    place.write("tasks.md", "- [ ] 1. Other\n");
    assert_eq!(stamp(), before);
}

#[test]
fn b1_1_the_boxes_are_counted_there_and_then() {
    let place = Place::new();
    place.write(
        "tasks.md",
        "- [x] 1. One\n- [ ] 2. Two\n- [ ]* 3. Optional\n",
    );
    let counted = |done, total| TaskFacts::Counted { done, total };
    assert_eq!(facts(&place).tasks, counted(1, 2));
    place.write("tasks.md", "- [x] 1. One\n- [x] 2. Two\n");
    assert_eq!(tasks(&place.path("")), counted(2, 2));
    place.write("tasks.md", "Nothing to do.\n");
    assert_eq!(facts(&place).tasks, counted(0, 0));
}

const TABLE: &str = "# Response\n\n## Response Summary\n\n\
    | Severity | Issues | No Fix Needed | Fix Required | Needs Discussion |\n\
    |---|---|---|---|---|\n| Critical | 3 | 0 | 2 | 1 |\n";

#[test]
fn a_round_is_known_from_its_files_and_from_spec_json() {
    let place = Place::new();
    place.write("document-review-1.md", "# Review\n");
    place.write("document-review-1-reply.md", TABLE);
    place.write("document-review-2.md", "");
    place.write("document-review-x.md", "# Not a round\n");
    place.write(
        "spec.json",
        r#"{"documentReview": {"status": "in_progress", "roundDetails": [
            {"roundNumber": 1, "status": "reply_complete", "fixRequiredCount": 2, "needsDiscussionCount": 1},
            {"roundNumber": 3, "status": "review_complete"}]}}"#,
    );
    let rounds = facts(&place).review.rounds;
    let numbers: Vec<u32> = rounds.iter().map(|round| round.number).collect();
    assert_eq!(numbers, [1, 3]);
    let [first, third] = [rounds[0], rounds[1]];
    assert!(first.review.is_some() && first.reply.is_some());
    assert_eq!((first.table, first.counts), (found(2, 1), found(2, 1)));
    assert_eq!(first.recorded, Some(RoundProgress::ReplyComplete));
    assert_eq!((third.review, third.reply, third.table), (None, None, None));
    assert_eq!(third.recorded, Some(RoundProgress::ReviewComplete));
}

#[test]
fn the_stamp_of_a_reply_changes_with_its_file_or_with_its_counts() {
    let place = Place::new();
    place.write("document-review-1.md", "# Review\n");
    let stamp = || facts(&place).review.rounds[0].reply;
    assert_eq!(stamp(), None);
    changes("file", stamp, || {
        place.write("document-review-1-reply.md", TABLE)
    });
    let counts = |fix: u32| {
        let text = format!(
            r#"{{"documentReview": {{"roundDetails": [
                {{"roundNumber": 1, "fixRequiredCount": {fix}, "needsDiscussionCount": 0}}]}}}}"#
        );
        place.write("spec.json", &text);
    };
    changes("counts", stamp, || counts(1));
    changes("other counts", stamp, || counts(2));
}

#[test]
fn an_inspection_is_known_from_its_report_and_from_spec_json() {
    let place = Place::new();
    place.write("inspection-1.md", "# Inspection\n\n**Verdict: NOGO**\n");
    place.write(
        "inspection-report-1.md",
        "# Older name\n\n**Verdict: GO**\n",
    );
    place.write(
        "inspection-report-2.md",
        "# Inspection\n\n**Verdict: GO**\n",
    );
    place.write(
        "spec.json",
        r#"{"inspection": {"rounds": [{"number": 1, "result": "nogo", "fixedAt": "2026-01-01T00:00:00Z"}]}}"#,
    );
    let inspections = facts(&place).inspections;
    let [first, second] = inspections[..] else {
        panic!("{inspections:?}");
    };
    assert_eq!(first.report, Some(Verdict::Nogo));
    assert_eq!((first.recorded, first.fixed), (Some(Verdict::Nogo), true));
    assert_eq!((second.number, second.report), (2, Some(Verdict::Go)));
    assert_eq!((second.recorded, second.fixed), (None, false));
    assert!(first.stamp.is_some() && second.stamp.is_some());
}
