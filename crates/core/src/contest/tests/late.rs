//! Messages that nobody waits for any more. They change only the costs.

use super::build::*;
use crate::contest::{Contest, Event};

/// The contest without its clock, which every entry changes.
fn still(contest: &Contest) -> Contest {
    Contest {
        now_ms: 0,
        elapsed_ms: 0,
        ..contest.clone()
    }
}

fn changes_nothing(play: &mut Play, events: &[Event]) {
    for event in events {
        let before = still(&play.contest);
        play.after(1).tell(event.clone()).does(&[]);
        assert_eq!(still(&play.contest), before, "{event:?}");
    }
}

/// One of each, for a round and a try of the first team.
fn all(round: u32, attempt: u32) -> Vec<Event> {
    vec![
        submitted(0, round, attempt, given()),
        submitted(0, round, attempt, malformed()),
        submit_failed(0, round, attempt, timed_out()),
        measured(0, round, 0, attempt, found(99)),
        measure_failed(0, round, 0, attempt, passing()),
        judged(0, round, attempt, false),
        judge_failed(0, round, attempt, passing()),
        save_failed(0, round, attempt),
        Event::Saved { team: 0, round },
        summary_failed(attempt),
        Event::SummarySaved,
    ]
}

fn without(mut events: Vec<Event>, fits: impl Fn(&Event) -> bool) -> Vec<Event> {
    events.retain(|event| !fits(event));
    events
}

fn is_about_submitting(event: &Event) -> bool {
    matches!(event, Event::Submitted { .. } | Event::SubmitFailed { .. })
}

fn is_about_measuring(event: &Event) -> bool {
    matches!(event, Event::Measured { .. } | Event::MeasureFailed { .. })
}

fn is_about_judging(event: &Event) -> bool {
    matches!(event, Event::Judged { .. } | Event::JudgeFailed { .. })
}

fn is_about_saving(event: &Event) -> bool {
    matches!(event, Event::Saved { .. } | Event::SaveFailed { .. })
}

#[test]
fn d9_a_word_of_another_round_or_try_is_late_in_every_phase() {
    let phases: [fn(&mut Play); 4] = [
        |_| {},
        |play| _ = play.hands_in(0),
        |play| _ = play.hands_in(0).is_measured(0, 50),
        |play| _ = play.hands_in(0).is_measured(0, 50).judge_says(0, true),
    ];
    for into in phases {
        let mut play = Play::start(2, rounds(1, 4));
        play.scores(0, 50);
        into(&mut play);
        // Round 2 is running, with its first tries. A save is identified by its round alone.
        changes_nothing(&mut play, &all(1, 1));
        changes_nothing(&mut play, &all(3, 1));
        let saved = |event: &Event| matches!(event, Event::Saved { .. });
        changes_nothing(&mut play, &without(all(2, 2), saved));
        changes_nothing(&mut play, &without(all(2, 0), saved));
    }
}

#[test]
fn d9_a_word_that_does_not_fit_the_phase_is_late() {
    let mut play = Play::start(1, rounds(1, 2));
    changes_nothing(&mut play, &without(all(1, 1), is_about_submitting));
    play.hands_in(0);
    changes_nothing(&mut play, &without(all(1, 1), is_about_measuring));
    play.is_measured(0, 50);
    changes_nothing(&mut play, &without(all(1, 1), is_about_judging));
    play.judge_says(0, true);
    changes_nothing(&mut play, &without(all(1, 1), is_about_saving));
    play.is_saved(0);
    changes_nothing(&mut play, &without(all(2, 1), is_about_submitting));
}

#[test]
fn d9_an_answer_is_taken_once() {
    let mut rules = rounds(1, 2);
    rules.metrics.push(metric("b", 1));
    let mut play = Play::start(1, rules);
    play.hands_in(0).tell(measured(0, 1, 0, 1, found(10)));
    let again = [
        measured(0, 1, 0, 1, found(90)),
        measure_failed(0, 1, 0, 1, passing()),
        submitted(0, 1, 1, malformed()),
    ];
    changes_nothing(&mut play, &again);
    play.tell(measured(0, 1, 1, 1, found(10)));
    assert_eq!(play.team(0).rounds[0].score(), Some(score(1_000)));
}

#[test]
fn d9_the_answer_to_a_try_that_was_given_up_is_late() {
    let mut play = Play::start(1, rounds(1, 2));
    play.submit_fails(0, passing());
    changes_nothing(&mut play, &all(1, 1));
    play.tell(submitted(0, 1, 2, given()))
        .does(&[measure(0, 1, 0, 1, 0)]);
    play.measure_fails(0, timed_out());
    changes_nothing(&mut play, &all(1, 1));
    play.tell(measured(0, 1, 0, 2, found(7)))
        .does(&[judge(0, 1, 1, 0)]);
    play.judge_fails(0, timed_out());
    changes_nothing(&mut play, &all(1, 1));
}

#[test]
fn a_word_about_nobody_changes_nothing() {
    let mut play = Play::start(1, rounds(1, 2));
    let strangers = [
        submitted(7, 1, 1, given()),
        measured(0, 1, 9, 1, found(9)),
        judged(u32::MAX, 1, 1, true),
        Event::Saved { team: 1, round: 1 },
    ];
    changes_nothing(&mut play, &strangers);
    play.hands_in(0);
    changes_nothing(&mut play, &[measured(0, 1, 9, 1, found(9))]);
}

#[test]
fn a_word_after_the_end_changes_nothing() {
    let mut play = Play::start(1, rounds(1, 1));
    play.scores(0, 50);
    changes_nothing(&mut play, &all(1, 1)[..9]);
    play.tell(Event::SummarySaved);
    changes_nothing(&mut play, &all(1, 1));
    let started = Event::Started {
        rules: rules(),
        teams: entrants(2),
    };
    changes_nothing(&mut play, &[started]);
}
