//! D9: a database that refuses to write.

use super::build::*;
use crate::contest::{Effect, Ending, Event, Fate, Reason, Stage};

#[test]
fn d9_a_write_is_tried_again_after_1_2_and_4_seconds_and_then_disqualifies() {
    let mut play = Play::start(2, rounds(1, 3));
    play.hands_in(0).is_measured(0, 50).judge_says(0, true);
    play.does(&[save(0, 1, 1, 0)]);
    for (attempt, wait_ms) in [(2, 1_000), (3, 2_000), (4, 4_000)] {
        play.save_fails(0).does(&[save(0, 1, attempt, wait_ms)]);
    }
    play.save_fails(0)
        .does(&[])
        .is_out(0, Reason::DatabaseFailure);
    assert_eq!(play.team(0).fate(), Some(Fate::Disqualified));
    let message = play.team(0).exit().unwrap().message.clone();
    assert_eq!(message.as_deref(), Some("the disk is full"));
    assert_eq!(
        (play.team(0).saved, play.team(0).best().unwrap().number),
        (0, 1)
    );
    // The other team goes on.
    play.scores(1, 20).is_in_round(1, 2);
}

#[test]
fn d9_the_retries_of_a_write_do_not_depend_on_the_settings() {
    let mut rules = rounds(1, 3);
    rules.submission_retries = 0;
    rules.judge_retries = 0;
    rules.metrics[0].retries = 0;
    let mut play = Play::start(1, rules);
    play.hands_in_rubbish(0);
    (0..3).for_each(|_| _ = play.save_fails(0));
    play.is_saved(0).is_in_round(0, 2);
}

#[test]
fn d9_a_write_that_comes_right_at_last_is_no_failure() {
    let mut play = Play::start(1, rounds(1, 1));
    play.hands_in(0).is_measured(0, 50).judge_says(0, false);
    (0..3).for_each(|_| _ = play.save_fails(0));
    play.is_saved(0).is_out(0, Reason::MaxRoundsReached);
    assert_eq!(play.team(0).saved, 1);
}

#[test]
fn d9_each_round_has_its_own_tries_to_be_saved() {
    let mut play = Play::start(1, rounds(1, 3));
    for _ in 1..=2 {
        play.hands_in(0).is_measured(0, 50).judge_says(0, true);
        (0..3).for_each(|_| _ = play.save_fails(0));
        play.is_saved(0);
    }
    play.is_in_round(0, 3);
}

#[test]
fn d9_a_team_that_leaves_and_cannot_be_saved_is_disqualified() {
    let mut play = Play::start(1, rounds(1, 1));
    play.hands_in(0).is_measured(0, 50).judge_says(0, false);
    (0..4).for_each(|_| _ = play.save_fails(0));
    play.is_out(0, Reason::DatabaseFailure);
    play.does(&[summary(1, 0)]);
}

#[test]
fn d9_the_summary_is_tried_again_and_then_only_the_journal_knows() {
    let mut play = Play::start(1, rounds(1, 1));
    play.scores(0, 50).does(&[summary(1, 0)]);
    for (attempt, wait_ms) in [(1, 1_000), (2, 2_000), (3, 4_000)] {
        play.tell(summary_failed(attempt))
            .does(&[summary(attempt + 1, wait_ms)]);
    }
    play.tell(summary_failed(4)).does(&[Effect::End]);
    let why = "the disk is full".to_owned();
    assert_eq!(play.contest.stage, Stage::Ended(Ending::Unsaved { why }));
}

#[test]
fn d9_what_was_not_saved_is_saved_with_a_later_summary() {
    let mut play = Play::start(1, rounds(1, 1));
    play.hands_in(0).is_measured(0, 50).judge_says(0, false);
    (0..4).for_each(|_| _ = play.save_fails(0));
    (1..=4).for_each(|attempt| _ = play.tell(summary_failed(attempt)));
    assert!(play.contest.is_ended());
    assert_eq!(play.team(0).saved, 0);

    play.tell(Event::Resumed).does(&[summary(1, 0)]);
    assert!(!play.contest.is_ended());
    play.tell(Event::SummarySaved).does(&[Effect::End]);
    assert_eq!(play.contest.stage, Stage::Ended(Ending::Saved));
    assert_eq!(play.team(0).saved, 1);
    play.is_out(0, Reason::DatabaseFailure);
}

#[test]
fn a_summary_that_failed_in_another_try_is_late() {
    let mut play = Play::start(1, rounds(1, 1));
    play.scores(0, 50).tell(summary_failed(1));
    let before = play.contest.stage.clone();
    play.tell(summary_failed(1)).does(&[]);
    assert_eq!(play.contest.stage, before);
}
