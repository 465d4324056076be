//! Who pays for what (D14), and when the money is spent.

use super::build::*;
use crate::contest::{Effect, Event, Reason, Rules, Used};

fn budget(micros: u64) -> Rules {
    Rules {
        budget_micros: Some(micros),
        ..rounds(1, 3)
    }
}

fn costs(mut event: Event, micros: u64) -> Event {
    match &mut event {
        Event::Submitted { used, .. }
        | Event::SubmitFailed { used, .. }
        | Event::Measured { used, .. }
        | Event::MeasureFailed { used, .. }
        | Event::Judged { used, .. }
        | Event::JudgeFailed { used, .. } => *used = cost(micros),
        other => panic!("{other:?} costs nothing"),
    }
    event
}

#[test]
fn d14_a_team_pays_for_its_own_work_and_the_house_for_the_rest() {
    let mut play = Play::start(2, rounds(1, 3));
    play.tell(costs(submit_failed(0, 1, 1, passing()), 5));
    play.tell(costs(submitted(0, 1, 2, given()), 10));
    play.tell(costs(submitted(1, 1, 1, given()), 100));
    play.tell(costs(measure_failed(0, 1, 0, 1, passing()), 1_000));
    play.tell(costs(measured(0, 1, 0, 2, found(50)), 2_000));
    play.tell(costs(judge_failed(0, 1, 1, passing()), 3_000));
    play.tell(costs(judged(0, 1, 2, true), 4_000));
    assert_eq!(play.team(0).used.micros, 15);
    assert_eq!(play.team(1).used.micros, 100);
    assert_eq!(play.contest.house.micros, 10_000);
    assert_eq!(play.contest.used().micros, 10_115);
    assert_eq!(
        (
            play.team(0).used.input_tokens,
            play.team(0).used.output_tokens
        ),
        (20, 2)
    );
}

#[test]
fn d14_a_late_answer_was_paid_for_too() {
    let mut play = Play::start(1, rounds(1, 1));
    play.tell(costs(submitted(0, 7, 7, given()), 5));
    play.scores(0, 50);
    play.tell(costs(submitted(0, 1, 1, given()), 5));
    play.tell(costs(measured(0, 1, 0, 1, found(1)), 3));
    play.tell(Event::SummarySaved);
    play.tell(costs(judged(0, 1, 1, true), 4));
    assert_eq!(
        (play.team(0).used.micros, play.contest.house.micros),
        (10, 7)
    );
}

#[test]
fn d14_a_bill_never_runs_over() {
    let mut used = cost(u64::MAX);
    used.add(cost(1));
    assert_eq!(used.micros, u64::MAX);
    used.add(Used::default());
    assert_eq!((used.input_tokens, used.micros), (20, u64::MAX));
}

#[test]
fn no_round_begins_when_the_budget_is_spent() {
    let mut play = Play::start(1, budget(100));
    play.tell(costs(submitted(0, 1, 1, given()), 60));
    play.tell(costs(measured(0, 1, 0, 1, found(50)), 40));
    // The running round is completed.
    play.does(&[judge(0, 1, 1, 0)]).judge_says(0, true);
    play.does(&[save(0, 1, 1, 0)]).is_saved(0);
    play.does(&[save(0, 1, 1, 0)])
        .leaves(0, Reason::BudgetReached);
    play.is_saved(0).is_out(0, Reason::BudgetReached);
    assert_eq!(play.team(0).rounds.len(), 1);
}

#[test]
fn no_round_begins_when_what_was_left_of_the_day_is_spent() {
    let rules = Rules {
        day_micros: Some(100),
        ..budget(1_000)
    };
    let mut play = Play::start(1, rules);
    play.tell(costs(submitted(0, 1, 1, given()), 100));
    play.is_measured(0, 50).judge_says(0, true).is_saved(0);
    play.leaves(0, Reason::BudgetReached);
    let message = &play.team(0).leaving().unwrap().message;
    let words = "the budget of the day is spent; raise budget.usd_per_day";
    assert_eq!(message.as_deref(), Some(words));
}

#[test]
fn as_long_as_a_millionth_is_left_rounds_begin() {
    let mut play = Play::start(1, budget(100));
    play.tell(costs(submitted(0, 1, 1, given()), 99));
    play.is_measured(0, 50).judge_says(0, true).is_saved(0);
    play.is_in_round(0, 2);
}

#[test]
fn the_money_of_a_team_is_everybodys() {
    let mut play = Play::start(2, budget(100));
    play.tell(costs(submitted(0, 1, 1, given()), 100));
    play.hands_in_rubbish(1).is_saved(1);
    play.leaves(1, Reason::SubmissionFailure);
    let message = &play.team(1).leaving().unwrap().message;
    assert_eq!(
        message.as_deref(),
        Some("the budget of the contest is spent")
    );
}

#[test]
fn whoever_still_waits_when_the_budget_is_spent_never_begins() {
    let rules = Rules {
        teams_max: Some(1),
        ..budget(100)
    };
    let mut play = Play::start(3, rules);
    play.tell(costs(submit_failed(0, 1, 1, timed_out()), 100))
        .is_saved(0);
    play.does(&[save(1, 0, 1, 0)])
        .leaves(1, Reason::SubmissionFailure);
    play.is_saved(1).does(&[save(2, 0, 1, 0)]);
    play.is_saved(2).does(&[summary(1, 0)]);
    play.tell(Event::SummarySaved).does(&[Effect::End]);
}

#[test]
fn further_tries_of_a_round_are_made_though_the_budget_is_spent() {
    let mut play = Play::start(1, budget(100));
    play.tell(costs(submit_failed(0, 1, 1, passing()), 500));
    play.does(&[submit(0, 1, 2, 1_000)]);
}
