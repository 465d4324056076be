//! Limits of a try, a team and the contest, and the time that is charged (D14).

use super::build::*;
use crate::contest::{Effect, Event, Fate, Phase, Reason, Rules};

fn team_limit(ms: u64) -> Rules {
    Rules {
        team_timeout_ms: Some(ms),
        ..rounds(1, 3)
    }
}

fn contest_limit(ms: u64) -> Rules {
    Rules {
        contest_timeout_ms: Some(ms),
        ..rounds(1, 3)
    }
}

fn timeout(effect: &Effect) -> u64 {
    match effect {
        Effect::Submit { timeout_ms, .. }
        | Effect::Measure { timeout_ms, .. }
        | Effect::Judge { timeout_ms, .. } => *timeout_ms,
        other => panic!("{other:?} has no limit"),
    }
}

#[test]
fn a_try_gets_the_smallest_of_its_own_the_teams_and_the_contests_time() {
    let rows = [
        (None, None, 300_000),
        (Some(400_000), Some(500_000), 300_000),
        (Some(20_000), Some(30_000), 20_000),
        (Some(20_000), Some(10_000), 10_000),
    ];
    for (team_timeout_ms, contest_timeout_ms, expected) in rows {
        let rules = Rules {
            team_timeout_ms,
            contest_timeout_ms,
            ..rules()
        };
        let play = Play::start(1, rules);
        assert_eq!(timeout(&play.effects[1]), expected);
    }
}

#[test]
fn d14_a_team_gets_less_for_each_try_as_it_uses_its_time() {
    let mut play = Play::start(1, team_limit(50_000));
    play.after(10_000).hands_in(0);
    assert_eq!(timeout(&play.effects[0]), 40_000);
    play.after(5_000).is_measured(0, 50);
    assert_eq!(timeout(&play.effects[0]), 35_000);
    play.after(1_000).judge_says(0, true);
    // Time in the database is charged to nobody.
    play.after(500_000).is_saved(0);
    assert_eq!(timeout(&play.effects[1]), 34_000);
    assert_eq!(play.team(0).used_ms, 16_000);
}

#[test]
fn d9_a_team_that_runs_out_of_its_time_is_told_so_by_its_exit() {
    let mut play = Play::start(1, team_limit(50_000));
    play.after(50_000)
        .submit_fails(0, timed_out())
        .leaves(0, Reason::TeamTimeout);

    let mut play = Play::start(1, team_limit(50_000));
    play.after(10_000).scores(0, 50);
    play.after(40_000).submit_fails(0, timed_out());
    play.leaves(0, Reason::PartialFailureTimeout);
    for reason in [
        Reason::TeamTimeout,
        Reason::PartialFailureTimeout,
        Reason::ContestTimeout,
    ] {
        assert!(reason.name().contains("timeout"));
        assert_eq!(reason.fate(), Fate::Failed);
    }
}

#[test]
fn d9_the_limit_of_the_try_disqualifies_and_that_of_the_team_does_not() {
    let mut play = Play::start(1, team_limit(300_000));
    play.after(300_000)
        .submit_fails(0, timed_out())
        .leaves(0, Reason::SubmissionTimeout);
    let mut play = Play::start(1, team_limit(299_999));
    play.after(299_999)
        .submit_fails(0, timed_out())
        .leaves(0, Reason::TeamTimeout);
}

#[test]
fn an_evaluation_that_the_teams_time_ends_is_no_failure_of_the_evaluator() {
    let mut play = Play::start(1, team_limit(50_000));
    play.hands_in(0).after(50_000).measure_fails(0, timed_out());
    play.does(&[halt(0), save(0, 1, 1, 0)])
        .leaves(0, Reason::TeamTimeout);
    let mut play = Play::start(1, contest_limit(50_000));
    play.hands_in(0).after(50_000).measure_fails(0, timed_out());
    play.does(&[halt(0), save(0, 1, 1, 0)])
        .leaves(0, Reason::ContestTimeout);
}

#[test]
fn no_round_begins_without_time() {
    for mut rules in [team_limit(50_000), contest_limit(50_000)] {
        rules.rounds_min = 2;
        let expected = match rules.team_timeout_ms {
            Some(_) => Reason::PartialFailureTimeout,
            None => Reason::ContestTimeout,
        };
        let mut play = Play::start(1, rules);
        play.hands_in(0).after(50_000).is_measured(0, 50);
        play.is_saved(0)
            .does(&[save(0, 1, 1, 0)])
            .leaves(0, expected);
        play.is_saved(0).is_out(0, expected);
        assert_eq!(play.team(0).rounds.len(), 1);
    }
}

#[test]
fn no_further_try_begins_without_time() {
    let mut play = Play::start(1, team_limit(50_000));
    play.after(50_000).submit_fails(0, passing());
    play.does(&[save(0, 1, 1, 0)])
        .leaves(0, Reason::TeamTimeout);
    let mut play = Play::start(1, team_limit(50_000));
    play.hands_in(0).after(50_000).measure_fails(0, passing());
    play.does(&[halt(0), save(0, 1, 1, 0)])
        .leaves(0, Reason::TeamTimeout);
    let mut play = Play::start(1, team_limit(50_000));
    play.hands_in(0).is_measured(0, 50);
    play.after(50_000).judge_fails(0, passing());
    play.does(&[save(0, 1, 1, 0)])
        .leaves(0, Reason::PartialFailureTimeout);
}

#[test]
fn an_answer_in_the_last_moment_counts() {
    let mut play = Play::start(1, team_limit(50_000));
    play.after(50_000).hands_in(0);
    play.does(&[halt(0), save(0, 1, 1, 0)])
        .leaves(0, Reason::TeamTimeout);
    assert!(play.team(0).rounds[0].has_submission);
    // If everything is measured, the score counts.
    let mut play = Play::start(1, team_limit(50_000));
    play.hands_in(0).after(50_000).is_measured(0, 50);
    play.does(&[save(0, 1, 1, 0)])
        .leaves(0, Reason::PartialFailureTimeout);
    assert_eq!(play.team(0).best().unwrap().number, 1);
}

#[test]
fn nobody_backs_off_beyond_the_contests_end() {
    let mut play = Play::start(1, contest_limit(10_000));
    play.after(9_000).submit_fails(0, passing());
    play.does(&[save(0, 1, 1, 0)])
        .leaves(0, Reason::ContestTimeout);
    let mut play = Play::start(1, contest_limit(10_000));
    play.after(8_000).submit_fails(0, passing());
    assert_eq!(timeout(&play.effects[0]), 1_000);
}

#[test]
fn d14_backing_off_is_not_charged() {
    let mut play = Play::start(1, team_limit(50_000));
    play.after(10_000).submit_fails(0, passing());
    play.after(1_000 + 5_000).hands_in(0);
    assert_eq!(play.team(0).used_ms, 15_000);
    play.after(2_000).measure_fails(0, passing());
    assert_eq!(play.team(0).used_ms, 17_000);
    play.after(1_000 + 3_000).is_measured(0, 50);
    assert_eq!(play.team(0).used_ms, 20_000);
    play.after(100).judge_fails(0, passing());
    play.after(1_000 + 900).judge_says(0, true);
    assert_eq!(play.team(0).used_ms, 21_000);
}

#[test]
fn d14_the_part_of_a_try_in_which_a_usage_limit_held_is_not_charged() {
    let waited = |mut event: Event, ms: u64| {
        if let Event::Submitted { used, .. } | Event::SubmitFailed { used, .. } = &mut event {
            used.waited_ms = ms;
        }
        event
    };
    let mut play = Play::start(1, team_limit(50_000));
    let failed = submit_failed(0, 1, 1, passing());
    play.after(3_600_000).tell(waited(failed, 3_590_000));
    assert_eq!(play.team(0).used_ms, 10_000);
    // More waiting than there was time is not credited.
    let given = submitted(0, 1, 2, given());
    play.after(1_000 + 5_000)
        .tell(waited(given.clone(), 9_000_000));
    assert_eq!(play.team(0).used_ms, 10_000);
    // The waiting time in a late answer does not concern the current try.
    play.after(2_000).tell(waited(given, 1_500));
    play.is_measured(0, 50);
    assert_eq!(
        (play.team(0).used_ms, play.team(0).used.waited_ms),
        (12_000, 12_591_500)
    );
}

#[test]
fn d14_metrics_side_by_side_are_charged_once() {
    let mut rules = team_limit(500_000);
    rules.metrics.push(metric("b", 1));
    let mut play = Play::start(1, rules);
    play.hands_in(0);
    // Both work for 2 s; then one backs off for 1 s while the other goes on for half a second.
    play.after(2_000)
        .tell(measure_failed(0, 1, 0, 1, passing()));
    play.after(500).tell(measured(0, 1, 1, 1, found(50)));
    assert_eq!(play.team(0).used_ms, 2_500);
    // Half a second in which nobody works, then 3 s.
    play.after(3_500).tell(measured(0, 1, 0, 2, found(50)));
    assert_eq!(play.team(0).used_ms, 5_500);
}

#[test]
fn d14_waiting_for_a_place_and_for_the_database_is_not_charged() {
    let rules = Rules {
        teams_max: Some(1),
        ..rounds(1, 1)
    };
    let mut play = Play::start(2, rules);
    play.after(70_000)
        .hands_in(0)
        .is_measured(0, 1)
        .judge_says(0, false);
    play.after(80_000).save_fails(0);
    play.after(1_000).is_saved(0).is_in_round(1, 1);
    assert_eq!((play.team(0).used_ms, play.team(1).used_ms), (70_000, 0));
    play.after(9_000).scores(1, 1);
    assert_eq!(
        (play.team(0).used_ms, play.team(1).used_ms),
        (70_000, 9_000)
    );
}

#[test]
fn the_contests_time_passes_for_those_who_wait_too() {
    let rules = Rules {
        teams_max: Some(1),
        ..contest_limit(50_000)
    };
    let mut play = Play::start(3, rules);
    play.after(50_000).submit_fails(0, timed_out()).is_saved(0);
    play.is_out(0, Reason::ContestTimeout);
    // Waiting teams leave one by one, without a round.
    play.does(&[save(1, 0, 1, 0)])
        .leaves(1, Reason::ContestTimeout);
    play.is_saved(1).does(&[save(2, 0, 1, 0)]);
    play.is_saved(2).does(&[summary(1, 0)]);
    play.is_out(1, Reason::ContestTimeout)
        .is_out(2, Reason::ContestTimeout);
    assert!(play.team(2).rounds.is_empty());
}

#[test]
fn time_without_anybody_is_nobodys() {
    let mut play = Play::start(1, contest_limit(50_000));
    play.after(10_000).hands_in(0);
    play.after(86_400_000).tell(Event::Resumed);
    assert_eq!(timeout(&play.effects[1]), 40_000);
    play.after(1_000).is_measured(0, 50);
    assert_eq!(play.contest.elapsed_ms, 11_000);
    assert_eq!(play.team(0).used_ms, 11_000);
}

#[test]
fn a_clock_that_is_set_back_loses_one_step_and_not_more() {
    let mut play = Play::start(1, contest_limit(50_000));
    play.after(10_000).hands_in(0);
    play.now_ms -= 9_000;
    play.is_measured(0, 50);
    assert_eq!(
        (play.contest.elapsed_ms, play.team(0).used_ms),
        (10_000, 10_000)
    );
    play.after(7_000).judge_says(0, true);
    assert_eq!(
        (play.contest.elapsed_ms, play.team(0).used_ms),
        (17_000, 17_000)
    );
    let round = &play.team(0).rounds[0];
    assert!(round.ended_ms >= Some(round.started_ms));
}

#[test]
fn a_limit_of_nothing_is_the_smallest_there_is() {
    let mut rules = rounds(1, 1);
    rules.submission_timeout_ms = 0;
    rules.judgment_timeout_ms = 0;
    rules.metrics[0].timeout_ms = 0;
    let mut play = Play::start(1, rules);
    assert_eq!(timeout(&play.effects[1]), 1);
    assert_eq!(timeout(&play.hands_in(0).effects[0]), 1);
    assert_eq!(timeout(&play.is_measured(0, 1).effects[0]), 1);
}

#[test]
fn a_team_without_any_time_never_begins() {
    let mut play = Play::start(1, team_limit(0));
    play.does(&[save(0, 0, 1, 0)])
        .leaves(0, Reason::TeamTimeout);
    assert!(play.team(0).rounds.is_empty());
    assert!(matches!(
        play.team(0).phase,
        Phase::Saving { attempt: 1, .. }
    ));
}
