//! The journal of a run, and its snapshot.

use std::fs;

use kumite_core::journal::{By, Event, Order};
use kumite_core::machine::Machine;
use kumite_core::run::{Run, State, decide};
use kumite_project::journal::{Error, Journal, Opened, history, peek};
use tempfile::TempDir;

/// Starts without a slot and stops: a run that alternates between two states for ever.
fn event(number: usize) -> Event {
    match number % 2 {
        0 => Event::StartRequested {
            order: Order::default(),
            look: None,
            place: None,
        },
        _ => Event::StopRequested { by: By::User },
    }
}

fn open(dir: &TempDir) -> Opened {
    Journal::open(dir.path()).ok().unwrap()
}

/// A journal with this many entries, and the run after them.
fn written(count: usize) -> (TempDir, Run) {
    let dir = TempDir::new().unwrap();
    let mut opened = open(&dir);
    let mut run = opened.state;
    for number in 0..count {
        let entry = opened
            .journal
            .append(event(number), number as u64 + 1, &run)
            .unwrap();
        run = decide(run, &entry).0;
    }
    opened.journal.note_snapshot(true);
    (dir, run)
}

fn text(dir: &TempDir) -> String {
    fs::read_to_string(dir.path().join("journal.jsonl")).unwrap()
}

fn put(dir: &TempDir, name: &str, text: impl AsRef<[u8]>) {
    fs::write(dir.path().join(name), text).unwrap();
}

#[test]
fn what_was_appended_is_replayed_with_the_effects_of_the_last_entry() {
    let (dir, run) = written(3);
    let opened = open(&dir);
    assert_eq!(opened.state, run);
    assert!(matches!(opened.state.state, State::Queued { .. }));
    let (last, effects) = opened.last.unwrap();
    assert_eq!((last.seq, effects.len()), (3, 1));
    assert_eq!(opened.repaired, None);
    assert_eq!(peek(dir.path()).unwrap(), Some(run));
}

#[test]
fn a_new_journal_is_empty_and_numbers_go_on_over_every_opening() {
    let dir = TempDir::new().unwrap();
    assert_eq!(peek(dir.path()).unwrap(), None);
    for seq in 1..=3 {
        let mut opened = open(&dir);
        assert_eq!(opened.last.map_or(0, |(entry, _)| entry.seq), seq - 1);
        let entry = opened.journal.append(event(0), seq, &opened.state).unwrap();
        assert_eq!(entry.seq, seq);
    }
    assert_eq!(history(dir.path()).unwrap().len(), 3);
}

#[test]
fn a_last_line_that_is_cut_off_anywhere_is_removed_and_its_number_used_again() {
    let (dir, _) = written(3);
    let whole = text(&dir);
    let snapshot = fs::read(dir.path().join("snapshot.json")).unwrap();
    let third = whole.lines().take(2).map(|line| line.len() + 1).sum();
    for cut in third + 1..whole.len() {
        put(&dir, "journal.jsonl", &whole[..cut]);
        put(&dir, "snapshot.json", &snapshot);
        assert_eq!(history(dir.path()).unwrap().len(), 2, "cut at {cut}");
        let mut opened = open(&dir);
        assert_eq!(opened.repaired, Some((cut - third) as u64));
        assert_eq!(opened.last.unwrap().0.seq, 2);
        assert_eq!(text(&dir), whole[..third]);
        let entry = opened.journal.append(event(2), 9, &opened.state).unwrap();
        assert_eq!(entry.seq, 3);
        assert_eq!(open(&dir).repaired, None);
    }
}

#[test]
fn a_line_that_is_no_entry_is_an_error_that_names_it_and_changes_nothing() {
    let (dir, _) = written(3);
    let broken = text(&dir).replacen("\"seq\":2", "\"seq\" 2", 1);
    put(&dir, "journal.jsonl", &broken);
    fs::remove_file(dir.path().join("snapshot.json")).unwrap();
    let error = Journal::<Run>::open(dir.path()).err().unwrap();
    assert!(matches!(error, Error::Broken { line: 2, .. }), "{error:?}");
    assert!(matches!(peek(dir.path()), Err(Error::Broken { .. })));
    assert!(matches!(history(dir.path()), Err(Error::Broken { .. })));
    assert_eq!(text(&dir), broken);
}

#[test]
fn a_missing_entry_is_an_error() {
    let (dir, _) = written(3);
    let whole = text(&dir);
    let lines: Vec<&str> = whole.lines().collect();
    put(
        &dir,
        "journal.jsonl",
        format!("{}\n{}\n", lines[0], lines[2]),
    );
    let error = Journal::<Run>::open(dir.path()).err().unwrap();
    let gap = matches!(
        error,
        Error::Gap {
            line: 2,
            found: 3,
            wanted: 2,
            ..
        }
    );
    assert!(gap, "{error:?}");
}

#[test]
fn a_journal_of_a_newer_kumite_is_not_touched() {
    let (dir, _) = written(2);
    let newer = text(&dir).replace("{\"v\":3,", "{\"v\":4,");
    put(&dir, "journal.jsonl", &newer);
    for error in [
        Journal::<Run>::open(dir.path()).err().unwrap(),
        peek(dir.path()).unwrap_err(),
    ] {
        assert!(
            matches!(error, Error::Newer { version: 4, .. }),
            "{error:?}"
        );
        assert!(!error.is_of_the_machine());
    }
    assert_eq!(text(&dir), newer);
}

/// This kumite need not understand what a newer one writes.
#[test]
fn m1_a_newer_journal_is_told_from_a_broken_one_by_its_version_alone() {
    let (dir, _) = written(2);
    let unknown = r#"{"v":4,"seq":3,"at_ms":3,"event":"danced","with":["nobody"]}"#;
    put(&dir, "journal.jsonl", text(&dir) + unknown + "\n");
    for error in [
        Journal::<Run>::open(dir.path()).err().unwrap(),
        peek(dir.path()).unwrap_err(),
        history(dir.path()).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Newer { version: 4, .. }));
        let advice = "update kumite (this is 0.1.0); nothing was changed";
        assert!(error.to_string().ends_with(advice), "{error}");
    }
}

#[test]
fn m2_an_empty_line_says_nothing() {
    let (dir, run) = written(3);
    let whole = text(&dir);
    fs::remove_file(dir.path().join("snapshot.json")).unwrap();
    for empty in ["\n", "\r\n", "  \n\n"] {
        let middle = whole.replacen('\n', &format!("\n{empty}"), 1);
        for lines in [middle, format!("{whole}{empty}"), format!("{empty}{whole}")] {
            put(&dir, "journal.jsonl", &lines);
            assert_eq!(history(dir.path()).unwrap().len(), 3, "{lines:?}");
            assert_eq!(peek(dir.path()).unwrap().as_ref(), Some(&run));
            let mut opened = open(&dir);
            assert_eq!((opened.state, opened.repaired), (run.clone(), None));
            let entry = opened.journal.append(event(3), 4, &run).unwrap();
            assert_eq!(entry.seq, 4);
            assert_eq!(history(dir.path()).unwrap().len(), 4);
        }
    }
}

#[test]
fn m2_a_broken_line_is_named_once() {
    let (dir, _) = written(3);
    let broken = text(&dir).replacen("\"seq\":2", "\"seq\" 2", 1);
    put(&dir, "journal.jsonl", format!("\n{broken}"));
    let error = history(dir.path()).unwrap_err().to_string();
    let expected = "journal.jsonl:3: not a journal entry (expected `:`); \
        `kumite doctor` says what to do";
    assert!(error.ends_with(expected), "{error}");
}

#[test]
fn a_snapshot_is_only_a_short_cut() {
    let (dir, run) = written(5);
    let newest = fs::read_to_string(dir.path().join("snapshot.json")).unwrap();
    let old = {
        let (dir, _) = written(2);
        fs::read_to_string(dir.path().join("snapshot.json")).unwrap()
    };
    let offset = newest.split("\"offset\":").nth(1).unwrap();
    let offset = &offset[..offset.find(',').unwrap()];
    let middle = newest.replace(&format!("\"offset\":{offset}"), "\"offset\":7");
    let beyond = newest.replace(&format!("\"offset\":{offset}"), "\"offset\":999999");
    let [now, next] = [Run::SNAPSHOT, Run::SNAPSHOT + 1].map(|version| format!("\"v\":{version}"));
    let future = newest.replace(&now, &next);
    assert!(
        [&middle, &beyond, &future]
            .into_iter()
            .all(|it| *it != newest)
    );
    for snapshot in [&newest, &old, &middle, &beyond, &future, "", "{", "[]"] {
        put(&dir, "snapshot.json", snapshot);
        assert_eq!(peek(dir.path()).unwrap(), Some(run.clone()), "{snapshot}");
        let opened = open(&dir);
        assert_eq!((opened.state, opened.repaired), (run.clone(), None));
        assert_eq!(opened.last.unwrap().0.seq, 5, "{snapshot}");
    }
}

#[test]
fn a_snapshot_of_a_journal_that_was_removed_is_not_believed() {
    let (dir, _) = written(3);
    open(&dir).journal.note_acted();
    fs::remove_file(dir.path().join("journal.jsonl")).unwrap();
    let mut opened = open(&dir);
    assert_eq!((&opened.state, opened.acted), (&Run::default(), false));
    assert!(!dir.path().join("snapshot.json").exists());
    let entry = opened.journal.append(event(0), 9, &opened.state).unwrap();
    assert_eq!(entry.seq, 1);
    assert!(!open(&dir).acted);
}

#[test]
fn a_snapshot_of_an_entry_that_was_torn_is_not_believed() {
    let (dir, _) = written(3);
    let whole = text(&dir);
    put(&dir, "journal.jsonl", &whole[..whole.len() - 1]);
    let opened = open(&dir);
    assert!(opened.repaired.is_some());
    assert_eq!(opened.last.unwrap().0.seq, 2);
    assert!(matches!(opened.state.state, State::Halted(_)));
}

/// Not even its first line is read: with a snapshot, a long journal opens as fast as a short one.
#[test]
fn a_journal_with_a_snapshot_is_read_from_there_on() {
    let (dir, run) = written(100);
    let whole = text(&dir);
    let first = whole.lines().next().unwrap().len();
    put(&dir, "journal.jsonl", "x".repeat(first) + &whole[first..]);
    assert_eq!(open(&dir).state, run);
    assert_eq!(peek(dir.path()).unwrap(), Some(run));
    fs::remove_file(dir.path().join("snapshot.json")).unwrap();
    let error = Journal::<Run>::open(dir.path()).err().unwrap();
    assert!(matches!(error, Error::Broken { line: 1, .. }), "{error:?}");
}

#[test]
fn what_was_carried_out_is_noted_until_the_next_entry() {
    let (dir, _) = written(2);
    let mut opened = open(&dir);
    assert!(!opened.acted);
    opened.journal.note_acted();
    assert!(open(&dir).acted);
    opened.journal.append(event(0), 9, &opened.state).unwrap();
    assert!(!open(&dir).acted);
}

#[test]
fn a_journal_that_cannot_be_opened_is_the_machines_fault() {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("journal.jsonl")).unwrap();
    let error = Journal::<Run>::open(dir.path()).err().unwrap();
    assert!(error.is_of_the_machine(), "{error:?}");
    assert!(error.to_string().contains("journal.jsonl"));
}
