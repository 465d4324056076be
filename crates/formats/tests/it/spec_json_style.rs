//! New text looks like the existing text.

use kumite_core::change::Change;
use kumite_core::facts::Verdict;
use kumite_core::names::Document;
use kumite_formats::SpecJson;

fn apply(text: &str, changes: &[Change]) -> String {
    let spec = SpecJson::parse(text.as_bytes()).unwrap();
    String::from_utf8(spec.apply(changes, "T").unwrap()).unwrap()
}

#[test]
fn a_replaced_value_leaves_every_other_byte() {
    let before = "\u{feff}{\r\n\t\"x\" : 1.0 ,\r\n\t\"phase\":\t\"tasks-generated\" ,\"updated_at\": \"a\\/b\", \"n\": 1e3 }\r\n\r\n";
    let after = "\u{feff}{\r\n\t\"x\" : 1.0 ,\r\n\t\"phase\":\t\"implementation-complete\" ,\"updated_at\": \"T\", \"n\": 1e3 }\r\n\r\n";
    assert_eq!(apply(before, &[Change::Implemented]), after);
}

#[test]
fn a_compact_file_stays_compact() {
    let after = apply(r#"{"phase":"x","a":{"b":1}}"#, &[Change::ReviewStarted(1)]);
    let expected = r#"{"phase":"x","a":{"b":1},"documentReview":{"status":"in_progress","currentRound":1,"roundDetails":[{"roundNumber":1,"status":"incomplete"}]},"updated_at":"T"}"#;
    assert_eq!(after, expected);
}

#[test]
fn a_file_with_tabs_and_crlf_gets_tabs_and_crlf() {
    let before = "{\r\n\t\"updated_at\": \"\",\r\n\t\"a\": 1\r\n}\r\n";
    let after = "{\r\n\t\"updated_at\": \"T\",\r\n\t\"a\": 1,\r\n\t\"approvals\": {\r\n\t\t\"design\": {\r\n\t\t\t\"generated\": true,\r\n\t\t\t\"approved\": true\r\n\t\t}\r\n\t}\r\n}\r\n";
    assert_eq!(apply(before, &[Change::Approved(Document::Design)]), after);
}

#[test]
fn a_new_item_is_laid_out_like_its_neighbour() {
    let before = r#"{
    "updated_at": "",
    "inspection": {
        "rounds": [
            { "number": 1, "result": "nogo" }
        ]
    }
}"#;
    let after = r#"{
    "updated_at": "T",
    "inspection": {
        "rounds": [
            { "number": 1, "result": "nogo" },
            { "number": 2, "result": "go", "inspectedAt": "T" }
        ]
    }
}"#;
    assert_eq!(apply(before, &[Change::Inspected(2, Verdict::Go)]), after);
}

#[test]
fn empty_brackets_are_filled_in_the_style_of_the_file() {
    let before = "{\n  \"updated_at\": \"\",\n  \"inspection\": { \"rounds\": [] },\n  \"documentReview\": {}\n}\n";
    let after = "{\n  \"updated_at\": \"T\",\n  \"inspection\": { \"rounds\": [ { \"number\": 1, \"fixedAt\": \"T\" } ] },\n  \"documentReview\": {\n    \"status\": \"approved\"\n  }\n}\n";
    assert_eq!(
        apply(before, &[Change::Fixed(1), Change::ReviewApproved]),
        after
    );
    assert_eq!(
        apply("{}\n", &[Change::Deployed]),
        "{\n  \"phase\": \"deploy-complete\",\n  \"updated_at\": \"T\"\n}\n"
    );
}

#[test]
fn of_equal_keys_the_one_that_counts_is_changed() {
    let before = r#"{"phase":"a","updated_at":"1","phase":"b"}"#;
    let after = r#"{"phase":"a","updated_at":"T","phase":"deploy-complete"}"#;
    assert_eq!(apply(before, &[Change::Deployed]), after);
}

#[test]
fn what_has_the_wrong_type_is_replaced() {
    let before = r#"{"approvals":null,"documentReview":[1],"updated_at":5}"#;
    let after = r#"{"approvals":{"tasks":{"generated":true,"approved":true}},"documentReview":{"status":"approved"},"updated_at":"T"}"#;
    assert_eq!(
        apply(
            before,
            &[Change::Approved(Document::Tasks), Change::ReviewApproved]
        ),
        after
    );
}

#[test]
fn a_time_with_odd_characters_is_escaped() {
    let spec = SpecJson::parse(b"{}").unwrap();
    let after = spec.apply(&[Change::Deployed], "a\"\\\n\u{1}").unwrap();
    assert!(
        String::from_utf8(after)
            .unwrap()
            .contains(r#""a\"\\\n\u0001""#)
    );
}
