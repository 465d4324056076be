//! D9: what fails, how often it is tried again, and what that means for the team.

use super::build::*;
use crate::contest::{Contest, Event, Failed, Failure, Fate, Reason, Rules, Verdict};

fn retries(count: u32) -> Rules {
    let mut rules = rounds(1, 3);
    rules.submission_retries = count;
    rules.judge_retries = count;
    rules.metrics[0].retries = count;
    rules
}

#[test]
fn d9_no_submission_in_time_disqualifies() {
    let mut play = Play::start(1, rounds(1, 3));
    play.submit_fails(0, timed_out()).does(&[save(0, 1, 1, 0)]);
    play.leaves(0, Reason::SubmissionTimeout).is_saved(0);
    play.is_out(0, Reason::SubmissionTimeout);
    assert_eq!(play.team(0).fate(), Some(Fate::Disqualified));
    let message = play.team(0).exit().unwrap().message.clone();
    assert_eq!(message.as_deref(), Some("no luck"));
    let verdict = &play.team(0).rounds[0].verdict;
    assert!(matches!(verdict, Verdict::Failed { why } if why == "no luck"));
}

#[test]
fn d9_the_best_good_round_of_a_disqualified_team_stays() {
    let mut play = Play::start(1, rounds(1, 3));
    play.scores(0, 80).submit_fails(0, timed_out()).is_saved(0);
    play.is_out(0, Reason::SubmissionTimeout);
    assert_eq!(play.team(0).best().unwrap().number, 1);
    assert_eq!(play.team(0).rounds.len(), 2);
}

#[test]
fn d9_a_team_that_breaks_is_tried_again_three_times_and_then_has_failed() {
    let mut play = Play::start(1, rounds(1, 3));
    for (attempt, wait_ms) in [(2, 1_000), (3, 2_000), (4, 4_000)] {
        play.submit_fails(0, passing())
            .does(&[submit(0, 1, attempt, wait_ms)]);
    }
    play.submit_fails(0, passing()).does(&[save(0, 1, 1, 0)]);
    play.is_saved(0).is_out(0, Reason::SubmissionFailure);
    assert_eq!(play.team(0).fate(), Some(Fate::Failed));
}

#[test]
fn d9_a_team_may_have_fewer_retries_than_the_rules_give_and_never_more() {
    for (own, all, expected) in [
        (Some(1), 3, 1),
        (Some(9), 3, 3),
        (Some(0), 3, 0),
        (None, 2, 2),
    ] {
        let mut play = Play::start(0, rounds(1, 3));
        play.contest = Contest::default();
        let mut teams = entrants(2);
        teams[0].retries = own;
        let rules = retries(all);
        play.tell(Event::Started { rules, teams });
        (0..expected).for_each(|_| _ = play.submit_fails(0, passing()));
        assert_eq!(play.attempt(0), expected + 1);
        play.submit_fails(0, passing())
            .leaves(0, Reason::SubmissionFailure);
        // The other team has the number of retries in the rules.
        (0..all).for_each(|_| _ = play.submit_fails(1, passing()));
        play.is_in_round(1, 1);
    }
}

#[test]
fn d9_a_team_that_breaks_after_a_good_round_has_failed_in_part() {
    let mut play = Play::start(1, retries(0));
    play.scores(0, 40).submit_fails(0, passing());
    play.leaves(0, Reason::PartialFailure);
}

#[test]
fn d9_a_team_with_a_lasting_failure_is_not_tried_again() {
    let mut play = Play::start(1, rounds(1, 3));
    play.submit_fails(0, failed(Failure::Lasting));
    play.does(&[save(0, 1, 1, 0)])
        .leaves(0, Reason::SubmissionFailure);
}

#[test]
fn d9_an_unusable_answer_is_asked_for_again_at_once() {
    let mut play = Play::start(1, rounds(1, 3));
    play.submit_fails(0, failed(Failure::Unusable));
    play.does(&[submit(0, 1, 2, 0)]);
}

#[test]
fn d9_the_evaluator_gets_three_retries_and_then_the_team_is_disqualified() {
    let kinds = [
        (Failure::Passing, [1_000, 2_000, 4_000]),
        (Failure::TimedOut, [1_000, 2_000, 4_000]),
        (Failure::Unusable, [0, 0, 0]),
        (Failure::Lasting, [0, 0, 0]),
    ];
    for (failure, waits) in kinds {
        let mut play = Play::start(1, rounds(1, 3));
        play.hands_in(0);
        for (attempt, wait_ms) in (2..).zip(waits) {
            play.measure_fails(0, failed(failure));
            play.does(&[measure(0, 1, 0, attempt, wait_ms)]);
        }
        play.measure_fails(0, failed(failure))
            .does(&[halt(0), save(0, 1, 1, 0)]);
        play.is_saved(0).is_out(0, Reason::EvaluatorFailure);
        assert_eq!(play.team(0).fate(), Some(Fate::Disqualified));
        let message = play.team(0).exit().unwrap().message.clone();
        assert_eq!(message.as_deref(), Some("quality: no luck"));
        assert!(play.team(0).rounds[0].has_submission);
    }
}

#[test]
fn d9_an_evaluator_that_recovers_is_as_good_as_ever() {
    let mut play = Play::start(1, rounds(1, 3));
    play.hands_in(0);
    (0..3).for_each(|_| _ = play.measure_fails(0, passing()));
    play.is_measured(0, 50).does(&[judge(0, 1, 1, 0)]);
}

#[test]
fn d9_each_metric_has_tries_of_its_own() {
    let mut rules = rounds(1, 3);
    rules.metrics = vec![metric("a", 1), metric("b", 1)];
    rules.metrics[1].retries = 1;
    let mut play = Play::start(1, rules);
    play.hands_in(0);
    for (attempt, wait_ms) in [(1, 1_000), (2, 2_000)] {
        play.tell(measure_failed(0, 1, 0, attempt, passing()));
        play.does(&[measure(0, 1, 0, attempt + 1, wait_ms)]);
    }
    play.tell(measure_failed(0, 1, 1, 1, passing()))
        .does(&[measure(0, 1, 1, 2, 1_000)]);
    // The running metric is ended.
    play.tell(measure_failed(0, 1, 1, 2, passing()));
    play.does(&[halt(0), save(0, 1, 1, 0)])
        .leaves(0, Reason::EvaluatorFailure);
}

#[test]
fn d9_no_retries_means_one_try() {
    let mut play = Play::start(1, retries(0));
    play.submit_fails(0, passing())
        .leaves(0, Reason::SubmissionFailure);

    let mut play = Play::start(1, retries(0));
    play.hands_in(0)
        .measure_fails(0, passing())
        .leaves(0, Reason::EvaluatorFailure);

    let mut play = Play::start(1, retries(0));
    play.hands_in(0)
        .is_measured(0, 50)
        .judge_fails(0, passing());
    play.does(&[save(0, 1, 1, 0)]).is_saved(0).is_in_round(0, 2);
}

#[test]
fn d9_another_sides_wish_to_wait_is_followed_within_reason() {
    let asked = |failure, ms| Failed {
        retry_after_ms: Some(ms),
        ..failed(failure)
    };
    let rows = [
        (asked(Failure::Passing, 500), 1_000),
        (asked(Failure::Passing, 30_000), 30_000),
        (asked(Failure::Passing, u64::MAX), 900_000),
        (asked(Failure::Unusable, 30_000), 30_000),
    ];
    for (failed, wait_ms) in rows {
        let mut play = Play::start(1, rounds(1, 3));
        play.submit_fails(0, failed)
            .does(&[submit(0, 1, 2, wait_ms)]);
    }
}

#[test]
fn d9_a_pause_grows_to_a_minute() {
    let mut play = Play::start(1, retries(9));
    let pauses = [1, 2, 4, 8, 16, 32, 60, 60, 60];
    for (attempt, seconds) in (2..).zip(pauses) {
        play.submit_fails(0, passing());
        play.does(&[submit(0, 1, attempt, seconds * 1_000)]);
    }
    play.submit_fails(0, passing())
        .leaves(0, Reason::SubmissionFailure);
}

#[test]
fn d9_a_malformed_submission_is_a_failed_round_without_evaluator_and_judge() {
    let mut play = Play::start(1, rounds(1, 3));
    play.hands_in_rubbish(0).does(&[save(0, 1, 1, 0)]);
    let round = &play.team(0).rounds[0];
    assert!(matches!(&round.verdict, Verdict::Failed { why } if why == "it is empty"));
    assert!(!round.has_submission);
    let judgment = round.judgment.clone().unwrap();
    assert!(judgment.should_continue && judgment.reasoning.contains("it is empty"));
    play.is_saved(0).does(&[begin(0, 2), submit(0, 2, 1, 0)]);
    assert_eq!(play.team(0).finished().count(), 1);
}

#[test]
fn d9_a_malformed_submission_in_the_last_round_ends_with_what_was_good_before() {
    let mut play = Play::start(1, rounds(1, 2));
    play.scores(0, 30).hands_in_rubbish(0);
    play.does(&[save(0, 2, 1, 0)])
        .leaves(0, Reason::MaxRoundsReached);
    assert!(
        !play.team(0).rounds[1]
            .judgment
            .clone()
            .unwrap()
            .should_continue
    );
    assert_eq!(Reason::MaxRoundsReached.fate(), Fate::Done);
}

#[test]
fn d9_a_team_that_never_handed_in_anything_good_has_failed() {
    let mut play = Play::start(1, rounds(1, 2));
    play.hands_in_rubbish(0)
        .is_saved(0)
        .hands_in_rubbish(0)
        .is_saved(0);
    play.is_out(0, Reason::NoValidSubmission);
    assert_eq!(play.team(0).fate(), Some(Fate::Failed));
    assert_eq!(play.team(0).best(), None);
}

#[test]
fn every_reason_has_a_word_of_its_own_and_a_fate() {
    let mut names = Reason::ALL.map(Reason::name).to_vec();
    for reason in Reason::ALL {
        let serde = serde_json::to_value(reason).unwrap();
        assert_eq!(serde, reason.name());
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Reason::ALL.len());
    let disqualified = |it: &Reason| it.fate() == Fate::Disqualified;
    let found: Vec<Reason> = Reason::ALL.into_iter().filter(disqualified).collect();
    let expected = [
        Reason::SubmissionTimeout,
        Reason::EvaluatorFailure,
        Reason::DatabaseFailure,
    ];
    assert_eq!(found, expected);
    let fates = [Fate::Done, Fate::Failed, Fate::Disqualified].map(Fate::name);
    assert_eq!(fates, ["done", "failed", "disqualified"]);
}
