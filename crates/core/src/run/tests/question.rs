//! An agent's last words: a person gets them, and the same question is not asked for ever.

use super::build::*;
use super::files::*;
use crate::facts::Facts;
use crate::journal::{Event, RETRIES_MAX};
use crate::names::Document;
use crate::notice::Notice;
use crate::outcome::{Ended, Outcome, Usage};
use crate::run::{Failure, Pause, Run, State, Step, run_ended};

fn said(run: &Run, outcome: Outcome, words: &str, facts: Facts) -> Event {
    Event::AgentEnded {
        agent: run.work().unwrap().agent,
        ended: Ended {
            outcome,
            session: Some("session".to_owned()),
            usage: Usage::default(),
            last_words: words.to_owned(),
        },
        look: look(facts),
    }
}

fn message(run: &Run) -> String {
    match run_ended(run) {
        Notice::RunEnded { message, .. } => message,
        other => panic!("{other:?}"),
    }
}

/// The run after its impl agent left these boxes open with these last words.
fn asks(run: Run, words: &str, done: u32) -> Run {
    let event = said(&run, Outcome::Finished, words, tasks(done, 3));
    decided(run, event).run
}

#[test]
fn the_same_question_twice_without_progress_asks_a_person() {
    let run = asks(working(implement(0)).into(), "Which database?", 0);
    assert_eq!(run.work().map(|work| work.step), Some(implement(1)));
    let event = said(&run, Outcome::Finished, "Which database?", tasks(0, 3));
    let run = check(run, event, paused(Pause::NoEvidence, implement(2))).run;
    let message = message(&run);
    assert!(message.contains("asks the same again"), "{message}");
    assert!(message.contains("Which database?"), "{message}");
    // A person answered; an agent that asks the same again waits at once.
    let run = decided(run, start(tasks(0, 3))).run;
    let event = said(&run, Outcome::Finished, "Which database?", tasks(0, 3));
    check(run, event, paused(Pause::NoEvidence, implement(3)));
}

#[test]
fn another_question_or_progress_is_a_retry_as_before() {
    let first = || asks(working(implement(0)).into(), "Which database?", 0);
    for (words, done) in [
        ("Which port?", 0),
        ("Which database?", 1),
        ("I did nothing.", 0),
    ] {
        let run = asks(first(), words, done);
        assert_eq!(
            run.work().map(|work| work.step),
            Some(implement(2)),
            "{words}"
        );
    }
    // Words that are not a question are tried as often as the guard allows.
    let mut run: Run = working(implement(0)).into();
    for _ in 0..=RETRIES_MAX {
        run = asks(run, "I did nothing.", 0);
    }
    assert!(run.is_exhausted());
    assert!(message(&run).contains("I did nothing."));
}

#[test]
fn without_a_retry_left_a_question_ends_as_every_other_attempt() {
    let first = asks(
        working(implement(RETRIES_MAX - 1)).into(),
        "Which database?",
        0,
    );
    assert!(asks(first, "Which database?", 0).is_exhausted());
}

#[test]
fn a_person_is_told_the_last_words_of_an_agent_that_did_not_do_its_step() {
    let design = Step::Write(Document::Design);
    let rows = [
        (Outcome::Finished, Pause::NoEvidence.into()),
        (Outcome::Hung, Failure::AgentHung.into()),
        (Outcome::TimedOut, Failure::Timeout.into()),
        (
            Outcome::Failed("exit status 1".to_owned()),
            Failure::AgentFailed.into(),
        ),
    ];
    for (outcome, why) in rows {
        let before: Run = State::Working(crate::run::Work {
            revived: true,
            ..work(design)
        })
        .into();
        let event = said(&before, outcome, "Which colour?", written(1));
        let run = decided(before, event).run;
        let State::Halted(halted) = &run.state else {
            panic!("{run:?}");
        };
        assert_eq!(halted.why, why);
        let message = message(&run);
        assert!(
            message.ends_with("the agent's last words: \"Which colour?\""),
            "{message}"
        );
    }
    // An agent that was stopped has nothing to explain.
    let before: Run = stopping(design).into();
    let event = said(&before, Outcome::Killed, "Which colour?", written(1));
    assert!(!message(&decided(before, event).run).contains("colour"));
}

impl From<Pause> for crate::run::Halt {
    fn from(why: Pause) -> Self {
        Self::Paused(why)
    }
}

impl From<Failure> for crate::run::Halt {
    fn from(why: Failure) -> Self {
        Self::Failed(why)
    }
}
