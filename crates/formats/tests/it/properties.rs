//! Promises that hold for any input.

use kumite_core::change::Change;
use kumite_core::facts::{Findings, RoundProgress, Verdict};
use kumite_core::names::{Document, Phase};
use kumite_formats::settings::{Layer, Origin};
use kumite_formats::{
    Settings, SpecJson, inspection_report, review_reply, tasks_md, verification_commands,
};
use proptest::prelude::*;
use serde_json::Value;

use crate::shapes;

const AT: &str = "2026-02-03T04:05:06Z";

fn change() -> impl Strategy<Value = Change> {
    let document = || prop::sample::select(&Document::ALL[..]);
    let verdict = prop::sample::select(&[Verdict::Go, Verdict::Nogo][..]);
    let findings = (0_u32..3, 0_u32..3).prop_map(|(fix_required, needs_discussion)| Findings {
        fix_required,
        needs_discussion,
    });
    prop_oneof![
        document().prop_map(Change::Generated),
        document().prop_map(Change::Approved),
        document().prop_map(Change::Rejected),
        (1_u32..4).prop_map(Change::ReviewStarted),
        (1_u32..4).prop_map(Change::ReviewWritten),
        (1_u32..4, findings.clone()).prop_map(|(round, found)| Change::Replied(round, found)),
        (1_u32..4, findings).prop_map(|(round, found)| Change::Judged(round, found)),
        Just(Change::ReviewApproved),
        Just(Change::Implemented),
        (1_u32..4, verdict).prop_map(|(number, verdict)| Change::Inspected(number, verdict)),
        (1_u32..4).prop_map(Change::Fixed),
        Just(Change::InspectionPassed),
        Just(Change::Deployed),
        prop::sample::select(&Phase::ALL[..]).prop_map(Change::Reopened),
    ]
}

/// Keys and values that the readers know, in random combinations.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(
        &[
            "null",
            "true",
            "false",
            "0",
            "1",
            "2",
            "1.0",
            "1e3",
            "-1",
            "\"go\"",
            "\"nogo\"",
            "\"\"",
            "\"approved\"",
            "\"tasks-generated\"",
            "\"deploy-complete\"",
            "\"reply_complete\"",
            "\"review_complete\"",
            "\"T0\"",
            "\"pending\"",
            "\"caf\\u00e9\"",
            "\"completed\"",
        ][..],
    );
    let key = prop::sample::select(
        &[
            "phase",
            "approvals",
            "requirements",
            "design",
            "tasks",
            "generated",
            "approved",
            "status",
            "documentReview",
            "roundDetails",
            "roundNumber",
            "round",
            "fixRequired",
            "fixRequiredCount",
            "needsDiscussion",
            "needsDiscussionCount",
            "reviewCompletedAt",
            "replyCompletedAt",
            "rounds",
            "inspection",
            "number",
            "result",
            "passed",
            "fixedAt",
            "inspectedAt",
            "updated_at",
            "feature",
            "metadata",
            "unknown",
            "ph\\u0061se",
        ][..],
    );
    let space = || prop::sample::select(&["", "", " ", "\n", "\n  ", "\r\n\t", "\n    "][..]);
    let inner = leaf
        .prop_map(str::to_owned)
        .prop_recursive(5, 60, 5, move |inner| {
            let member = (space(), key.clone(), space(), inner.clone(), space())
                .prop_map(|(a, key, b, value, c)| format!("{a}\"{key}\":{b}{value}{c}"));
            prop_oneof![
                (prop::collection::vec((space(), inner), 0..4), space()).prop_map(
                    |(items, end)| {
                        let items: Vec<String> = items
                            .into_iter()
                            .map(|(space, item)| space.to_owned() + &item)
                            .collect();
                        format!("[{}{end}]", items.join(","))
                    }
                ),
                (prop::collection::vec(member, 0..6), space())
                    .prop_map(|(members, end)| format!("{{{}{end}}}", members.join(","))),
            ]
        });
    let shapes = prop::sample::select(&shapes::ALL[..]).prop_map(str::to_owned);
    let made = inner.prop_filter("an object", |text| text.starts_with('{'));
    prop_oneof![1 => shapes, 3 => made]
}

/// The value without the keys that kumite may change.
fn untouched(text: &str) -> Value {
    let mut value: Value = serde_json::from_str(text).unwrap();
    if let Some(root) = value.as_object_mut() {
        for key in [
            "phase",
            "updated_at",
            "feature_name",
            "created_at",
            "approvals",
            "documentReview",
            "inspection",
        ] {
            root.remove(key);
        }
    }
    value
}

fn apply(spec: &SpecJson, changes: &[Change]) -> Vec<u8> {
    spec.apply(changes, AT).unwrap()
}

fn reads_back(spec: &SpecJson, change: Change) -> bool {
    let round = |number| {
        spec.review()
            .rounds
            .into_iter()
            .find(|round| round.number == number)
    };
    let inspection = |number| {
        spec.inspections()
            .into_iter()
            .find(|it| it.number == number)
    };
    match change {
        Change::Generated(document) => spec.approval(document) == (true, false),
        Change::Approved(document) => spec.approval(document) == (true, true),
        Change::Rejected(document) => spec.approval(document) == (false, false),
        Change::ReviewStarted(number) => round(number).is_some_and(|it| it.progress.is_some()),
        Change::ReviewWritten(number) => {
            round(number).is_some_and(|it| it.progress == Some(RoundProgress::ReviewComplete))
        }
        Change::Replied(number, found) | Change::Judged(number, found) => round(number)
            .is_some_and(|it| {
                it.progress == Some(RoundProgress::ReplyComplete) && it.findings == Some(found)
            }),
        Change::ReviewApproved => spec.review().approved,
        Change::Implemented => spec.completed() >= Some(Phase::Impl),
        Change::Inspected(number, verdict) => {
            inspection(number).is_some_and(|it| it.verdict == Some(verdict))
        }
        Change::Fixed(number) => inspection(number).is_some_and(|it| it.fixed),
        Change::InspectionPassed => spec.completed() >= Some(Phase::Inspection),
        Change::Deployed => spec.completed() == Some(Phase::Deploy),
        Change::Reopened(phase) => {
            let taken_back = |document: Document| spec.approval(document) == (false, false);
            let later = Document::ALL.into_iter().filter(|it| it.phase() >= phase);
            later.into_iter().all(taken_back)
                && spec.completed() < Some(phase)
                && !(phase <= Phase::Review && spec.review().approved)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = SpecJson::parse(&bytes);
        tasks_md::parse(&bytes);
        tasks_md::legacy_count(&bytes);
        review_reply::parse(&bytes);
        inspection_report::parse(&bytes);
        let text = String::from_utf8_lossy(&bytes);
        let _ = verification_commands::parse(&text);
        let origin = Origin::Project("kumite.toml".into());
        let _ = Settings::load(&[Layer { origin, text: &text }], &[], &[]);
    }

    #[test]
    fn no_text_of_likely_marks_makes_a_reader_panic(text in "[-*+ |\\[\\]xX`~#<>!:{}\",=.0-9agonGONJudgment判定\n\r\t_—]{0,200}") {
        let _ = SpecJson::parse(text.as_bytes());
        tasks_md::parse(text.as_bytes());
        review_reply::parse(text.as_bytes());
        inspection_report::parse(text.as_bytes());
        let origin = Origin::Project("kumite.toml".into());
        let _ = Settings::load(&[Layer { origin, text: &text }], &[], &[]);
    }

    #[test]
    fn what_is_accepted_is_json_and_the_other_way_round(text in json(), cut in 0_usize..400, extra in "[\\[\\]{},:\"0-9a-z ]{0,2}") {
        let cut = (0..=cut.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        let broken = format!("{}{extra}{}", &text[..cut], &text[cut..]);
        let theirs = serde_json::from_str::<Value>(&broken).is_ok_and(|value| value.is_object());
        prop_assert_eq!(SpecJson::parse(broken.as_bytes()).is_ok(), theirs, "{}", broken);
    }

    #[test]
    fn changes_keep_everything_else_and_are_written_once(text in json(), changes in prop::collection::vec(change(), 0..5)) {
        let spec = SpecJson::parse(text.as_bytes()).unwrap();
        let once = apply(&spec, &changes);
        let spec = SpecJson::parse(&once).expect("the new text can be read");
        prop_assert_eq!(untouched(&text), untouched(str::from_utf8(&once).unwrap()));
        let twice = apply(&spec, &changes);
        prop_assert_eq!(String::from_utf8(once), String::from_utf8(twice));
    }

    #[test]
    fn a_change_reads_back_as_it_was_written(text in json(), change in change()) {
        let spec = SpecJson::parse(text.as_bytes()).unwrap();
        let after = apply(&spec, &[change]);
        let spec = SpecJson::parse(&after).unwrap();
        prop_assert!(reads_back(&spec, change), "{}", String::from_utf8_lossy(&after));
    }

    #[test]
    fn bytes_outside_the_changed_members_stay(changes in prop::collection::vec(change(), 0..4), before in "[ \n\t]{0,3}", word in "[a-z\\\\/ é]{0,6}") {
        let odd = format!("{before}\"odd\" :{before}[1.0, 1e3,{before}{word:?}, {{\"a\":1,\"a\":2}}]");
        let text = format!("{{{odd},\"phase\":\"initialized\",\"updated_at\":\"\"}}\n");
        if let Ok(spec) = SpecJson::parse(text.as_bytes()) {
            let after = String::from_utf8(apply(&spec, &changes)).unwrap();
            let head = format!("{{{odd},\"phase\":\"");
            prop_assert!(after.starts_with(&head) && after.ends_with("}\n"), "{}", after);
        }
    }
}
