//! Journals that released versions wrote. They stay readable, whatever changes.

use std::fs;
use std::path::PathBuf;

use kumite_core::contest::{self, Contest, Stage};
use kumite_core::run::{Finish, State};
use kumite_host::journal::{Journal, history, peek};
use tempfile::TempDir;

/// What commit 8530ba0 wrote, with the built-in agent and with shell scripts as agents.
fn fixture(name: &str) -> PathBuf {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/journals-8530ba0");
    PathBuf::from(dir).join(name)
}

/// The directory of a run with this journal.
fn run(name: &str) -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::copy(fixture(name), dir.path().join("journal.jsonl")).unwrap();
    dir
}

#[test]
fn runs_of_8530ba0_are_read_and_replayed() {
    let done = run("run-done.jsonl");
    assert_eq!(history(done.path()).unwrap().len(), 16);
    let found = peek(done.path()).unwrap().unwrap();
    assert_eq!(found.state, State::Done(Finish::AllPhasesDone));
    assert_eq!((found.number, found.spent.usd_micros), (1, 600_000));
    let opened = Journal::open(done.path()).unwrap();
    assert_eq!((&opened.run, opened.repaired), (&found, None));

    let reset = run("run-reset.jsonl");
    let states = history(reset.path()).unwrap();
    assert!(matches!(states[8].1.state, State::Stopping { .. }));
    assert!(matches!(states[12].1.state, State::Finishing(_)));
    assert_eq!(states[15].1.state, State::Idle);
}

fn contest(name: &str) -> Contest {
    let text = fs::read_to_string(fixture(name)).unwrap();
    let entries = text.lines().map(|line| serde_json::from_str(line).unwrap());
    entries.fold(Contest::default(), |contest, entry| {
        contest::decide(contest, &entry).0
    })
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
