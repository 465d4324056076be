//! events.jsonl: every line once, and complete.

use std::fs;

use kumite_core::engine::EffectKey;
use kumite_core::journal::AgentId;
use kumite_core::notice::Notice;
use kumite_core::run::{Round, Step};
use kumite_project::announce::Announcement;
use kumite_project::events_log::append;
use serde_json::Value;

use crate::place::Place;

/// The start of a review: two lines of events.jsonl.
fn tell(place: &Place, seq: u64, again: bool) {
    let notice = Notice::StepStarted {
        step: Step::Review(Round::fresh(1, 7)),
        agent: AgentId { at_ms: seq, seq },
        resumed: false,
    };
    let announcement = Announcement {
        at_ms: 1_767_225_600_000 + seq,
        spec: "login".to_owned(),
        notice,
    };
    append(
        &place.spec,
        EffectKey { seq, index: 1 },
        &announcement,
        again,
    )
    .unwrap();
}

fn lines(place: &Place) -> Vec<Value> {
    let text = fs::read_to_string(place.path("events.jsonl")).unwrap();
    assert!(text.ends_with('\n'));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn types(place: &Place) -> Vec<String> {
    let types = lines(place).into_iter();
    types
        .map(|line| line["type"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn what_is_told_again_after_a_crash_stands_there_once() {
    let place = Place::new();
    tell(&place, 1, false);
    tell(&place, 2, false);
    tell(&place, 2, true);
    assert_eq!(
        types(&place),
        ["agent:start", "review:start", "agent:start", "review:start"]
    );
    tell(&place, 3, true);
    assert_eq!(lines(&place).len(), 6);
}

/// Its readers are people too, and programs that compare lines.
#[test]
fn the_type_comes_first_and_the_key_last() {
    let place = Place::new();
    tell(&place, 1, false);
    for line in lines(&place) {
        let keys: Vec<&String> = line.as_object().unwrap().keys().collect();
        assert_eq!(keys[..2], ["type", "message"]);
        assert_eq!(keys[keys.len() - 3..], ["timestamp", "level", "key"]);
    }
}

#[test]
fn a_crash_within_the_lines_is_repaired_wherever_it_came() {
    let place = Place::new();
    tell(&place, 1, false);
    let before = fs::read_to_string(place.path("events.jsonl")).unwrap();
    tell(&place, 2, false);
    let whole = fs::read_to_string(place.path("events.jsonl")).unwrap();
    for cut in before.len()..whole.len() {
        place.write("events.jsonl", &whole[..cut]);
        tell(&place, 2, true);
        let now = fs::read_to_string(place.path("events.jsonl")).unwrap();
        assert_eq!(now, whole, "cut at {cut}");
    }
}

#[test]
fn an_entry_of_the_same_number_in_an_older_journal_is_another_one() {
    let place = Place::new();
    let old = r#"{"type":"agent:start","timestamp":"2020-01-01T00:00:00.000Z","key":"1.1"}"#;
    place.write("events.jsonl", &format!("{old}\n"));
    tell(&place, 1, true);
    assert_eq!(
        types(&place),
        ["agent:start", "agent:start", "review:start"]
    );
}

#[test]
fn the_last_line_of_a_person_without_its_end_is_kept() {
    let place = Place::new();
    place.write("events.jsonl", r#"{"type":"note","message":"mine"}"#);
    tell(&place, 1, true);
    assert_eq!(types(&place), ["note", "agent:start", "review:start"]);
}

#[test]
fn a_torn_line_does_not_swallow_the_next_event() {
    let place = Place::new();
    for torn in [r#"{"type":"agent:sta"#, "\u{0}\u{0}"] {
        place.write("events.jsonl", torn);
        tell(&place, 1, false);
        let text = fs::read_to_string(place.path("events.jsonl")).unwrap();
        let told: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!((text.lines().next(), told.len()), (Some(torn), 2));
        let whole = |line: &&str| serde_json::from_str::<Value>(line).is_ok();
        assert!(told.iter().all(whole), "{text}");
    }
}

#[test]
fn a_spec_that_was_moved_away_is_not_begun_anew() {
    let place = Place::new();
    tell(&place, 1, false);
    fs::remove_dir_all(place.spec.main_dir()).unwrap();
    tell(&place, 2, false);
    assert!(!place.spec.main_dir().exists());
}
