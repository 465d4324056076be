//! Journals that released versions wrote. They stay readable, whatever changes.

use std::fs;
use std::path::PathBuf;

use kumite_core::contest::{Contest, Stage};
use kumite_core::run::{Finish, Run, State};
use kumite_project::journal::{Journal, history, peek};
use tempfile::TempDir;

/// What commit 8530ba0 wrote, with the built-in agent and with shell scripts as agents.
fn fixture(name: &str) -> PathBuf {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/journals-8530ba0");
    PathBuf::from(dir).join(name)
}

/// A directory with this journal.
fn dir_with(name: &str) -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::copy(fixture(name), dir.path().join("journal.jsonl")).unwrap();
    dir
}

#[test]
fn runs_of_8530ba0_are_read_and_replayed() {
    let done = dir_with("run-done.jsonl");
    assert_eq!(history(done.path()).unwrap().len(), 16);
    let found = peek(done.path()).unwrap().unwrap();
    assert_eq!(found.state, State::Done(Finish::AllPhasesDone));
    assert_eq!((found.number, found.spent.usd_micros), (1, 600_000));
    let opened = Journal::<Run>::open(done.path()).ok().unwrap();
    assert_eq!((&opened.state, opened.repaired), (&found, None));

    let reset = dir_with("run-reset.jsonl");
    let states = history(reset.path()).unwrap();
    assert!(matches!(states[8].1.state, State::Stopping { .. }));
    assert!(matches!(states[12].1.state, State::Finishing(_)));
    assert_eq!(states[15].1.state, State::Idle);
}

fn contest(name: &str) -> Contest {
    let opened = Journal::<Contest>::open(dir_with(name).path())
        .ok()
        .unwrap();
    assert_eq!(opened.repaired, None);
    opened.state
}

#[test]
fn contests_of_8530ba0_are_read_and_replayed() {
    for (name, winner, rounds) in [
        ("contest-demo.jsonl", "daichi", 5),
        ("contest-agents.jsonl", "claude", 2),
    ] {
        let contest = contest(name);
        assert!(contest.is_saved(), "{name}");
        let first = contest.teams.iter().find(|team| team.id == winner).unwrap();
        let best = first.best().unwrap();
        assert_eq!(
            (best.number, best.score().unwrap().hundredths()),
            (rounds, 10_000)
        );
    }
    let interrupted = contest("contest-interrupted.jsonl");
    assert_eq!(interrupted.stage, Stage::Running);
    assert_eq!(interrupted.used().micros, 250_000);
    assert_eq!(interrupted.teams[1].round(), 2);
}
