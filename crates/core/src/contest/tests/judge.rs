//! D9: a judge that fails means "go on".

use super::build::*;
use crate::contest::{Confidence, Failure, Reason, Rules};

/// A team whose second round is about to be judged.
fn judging(rules: Rules) -> Play {
    let mut play = Play::start(1, rules);
    play.scores(0, 50).hands_in(0).is_measured(0, 50);
    play
}

#[test]
fn d9_the_judge_gets_three_retries_and_then_it_goes_on() {
    let mut play = judging(rounds(2, 3));
    for (attempt, wait_ms) in [(2, 1_000), (3, 2_000), (4, 4_000)] {
        play.judge_fails(0, passing())
            .does(&[judge(0, 2, attempt, wait_ms)]);
    }
    play.judge_fails(0, passing()).does(&[save(0, 2, 1, 0)]);
    let judgment = play.team(0).rounds[1].judgment.clone().unwrap();
    assert!(judgment.should_continue && judgment.confidence == Confidence::NONE);
    assert!(judgment.reasoning.contains("no luck"));
    play.is_saved(0).is_in_round(0, 3);
}

#[test]
fn d9_every_kind_of_failure_of_the_judge_is_tried_again() {
    for failure in [Failure::TimedOut, Failure::Unusable, Failure::Lasting] {
        let mut play = judging(rounds(2, 3));
        (0..3).for_each(|_| _ = play.judge_fails(0, failed(failure)));
        assert_eq!(play.attempt(0), 4);
        play.judge_says(0, false)
            .leaves(0, Reason::NoImprovementExpected);
    }
}

#[test]
fn d9_at_the_maximum_it_ends_though_the_judge_failed() {
    let mut play = judging(rounds(1, 2));
    (0..4).for_each(|_| _ = play.judge_fails(0, passing()));
    play.leaves(0, Reason::MaxRoundsReached);
    assert!(
        !play.team(0).rounds[1]
            .judgment
            .clone()
            .unwrap()
            .should_continue
    );
}

#[test]
fn d9_time_that_runs_out_while_the_judge_thinks_ends_the_team_as_late() {
    let rules = Rules {
        team_timeout_ms: Some(20_000),
        ..rounds(1, 3)
    };
    let mut play = judging(rules);
    play.after(20_000).judge_fails(0, timed_out());
    play.does(&[save(0, 2, 1, 0)])
        .leaves(0, Reason::PartialFailureTimeout);
}

#[test]
fn d9_a_team_that_has_had_all_its_rounds_is_not_late_because_of_the_judge() {
    let bounds = [
        Rules {
            team_timeout_ms: Some(20_000),
            ..rounds(1, 2)
        },
        Rules {
            contest_timeout_ms: Some(20_000),
            ..rounds(1, 2)
        },
    ];
    for rules in bounds {
        // The judge is asked and is too slow.
        let mut play = judging(rules.clone());
        play.after(20_000).judge_fails(0, timed_out());
        play.leaves(0, Reason::MaxRoundsReached);
        // The judge is no longer asked.
        let mut play = Play::start(1, rules);
        play.scores(0, 50)
            .hands_in(0)
            .after(20_000)
            .is_measured(0, 50);
        play.does(&[save(0, 2, 1, 0)])
            .leaves(0, Reason::MaxRoundsReached);
        let judgment = play.team(0).rounds[1].judgment.clone().unwrap();
        assert!(judgment.reasoning.contains("no time was left"));
    }
}
