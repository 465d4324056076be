//! The completion guard (B).

use super::build::*;
use super::files::*;
use crate::change::Change;
use crate::facts::TaskFacts;
use crate::journal::{Event, Guard, Order, RETRIES_MAX};
use crate::names::Phase;
use crate::notice::{Level, Notice};
use crate::outcome::Outcome;
use crate::run::{Attempt, Because, Failure, Finish, Pause, State, Step, may_start};

fn strict() -> Order {
    let mut order = Order::default();
    order.rules.guard = Guard::Strict;
    order
}

#[test]
fn b1_1_the_boxes_are_counted_when_the_agent_ends() {
    let decided = decided(working(implement(0)), finished(tasks(3, 3)));
    decided.saves(&[Change::Implemented]);
}

#[test]
fn b1_2_all_boxes_checked_go_on_to_the_inspection() {
    check(
        working(implement(4)),
        finished(tasks(3, 3)),
        begun(inspect(1)),
    )
    .says(Notice::PhaseEnded(Phase::Impl));
}

#[test]
fn b1_2_no_box_at_all_counts_as_complete() {
    check(
        working(implement(0)),
        finished(tasks(0, 0)),
        begun(inspect(1)),
    );
}

#[test]
fn b1_2_a_strict_guard_asks_a_person_where_there_is_no_box() {
    let before = ordered(strict(), working(implement(2)));
    let after = paused(Pause::NoEvidence, implement(2));
    check(before, finished(tasks(0, 0)), after);
}

#[test]
fn b1_3_one_open_box_blocks_the_inspection() {
    let decided = check(
        working(implement(0)),
        finished(tasks(2, 3)),
        begun(implement(1)),
    );
    decided.saves(&[]);
}

#[test]
fn b2_1_impl_runs_again_as_a_fresh_agent_without_arguments() {
    let decided = decided(working(implement(0)), finished(tasks(0, 3)));
    let launch = decided.launched().unwrap();
    assert_eq!(launch.step, implement(1));
    assert_eq!((&launch.resume, &launch.remark), (&None, &None));
}

#[test]
fn b2_2_the_count_is_never_written_to_spec_json() {
    for retry in 0..=RETRIES_MAX {
        let decided = decided(working(implement(retry)), finished(tasks(0, 3)));
        decided.saves(&[]);
    }
}

#[test]
fn b2_3_a_new_process_counts_from_0() {
    let event = || Event::EngineStarted;
    check(working(implement(5)), event(), working(implement(0)));
    check(stopped(implement(5)), event(), stopped(implement(0)));
    check(
        State::Finishing(work(implement(5))),
        event(),
        State::Finishing(work(implement(0))),
    );
    check(stopping(implement(5)), event(), stopping(implement(0)));
    let unread = |retry| unjudged(Pause::SpecUnreadable, work(implement(retry)));
    check(unread(7), event(), unread(0));
}

#[test]
fn b2_3_a_new_process_forgets_nothing_else() {
    for state in [
        State::Idle,
        working(reply(5)),
        stopped(review(3)),
        paused(Pause::RoundsExhausted, Step::Review(round(8, 6))),
        working(inspect(2)),
        done(Finish::AllPhasesDone),
    ] {
        check_stays(state, Event::EngineStarted);
    }
}

#[test]
fn b3_1_the_seventh_retry_is_the_last() {
    let decided = check(
        working(implement(6)),
        finished(tasks(1, 3)),
        begun(implement(7)),
    );
    decided.says(Notice::ImplRetry {
        attempt: 7,
        max: 7,
        open: 2,
        because: Because::TasksOpen,
    });
}

#[test]
fn b3_1_the_eighth_incomplete_finish_fails() {
    let decided = check(working(implement(7)), finished(tasks(1, 3)), exhausted());
    decided.says(Notice::ImplExhausted { max: 7, open: 2 });
    assert_eq!(decided.launched(), None);
}

#[test]
fn b3_1_the_eighth_finish_passes_if_it_is_complete() {
    check(
        working(implement(7)),
        finished(tasks(3, 3)),
        begun(inspect(1)),
    );
}

#[test]
fn b3_1_the_limit_holds_under_a_pause_and_a_stop() {
    let facts = || finished(tasks(1, 3));
    check(State::Finishing(work(implement(7))), facts(), exhausted());
    check(stopping(implement(7)), facts(), exhausted());
}

#[test]
fn b3_3_nothing_goes_on_by_itself_from_the_limit() {
    check_stays(exhausted(), ended(Outcome::Finished, tasks(3, 3)));
    check_stays(exhausted(), admitted(tasks(3, 3)));
    check_stays(exhausted(), stop());
    check_stays(exhausted(), Event::PauseRequested);
    check_stays(exhausted(), Event::EngineStarted);
}

#[test]
fn b3_4_a_start_does_not_leave_the_limit_whatever_it_asks_for() {
    let from = Order {
        from: Some(Phase::Impl),
        ..Order::default()
    };
    for order in [Order::default(), from, until(Phase::Tasks)] {
        let decided = check(exhausted(), start_as(order, tasks(3, 3)), exhausted());
        assert_eq!(decided.launched(), None);
        assert!(matches!(decided.said()[..], [Notice::RunEnded { .. }]));
    }
    assert!(may_start(&exhausted().into()).is_err());
}

#[test]
fn b3_4_only_a_reset_leaves_the_limit() {
    check(exhausted(), Event::ResetRequested, State::Idle);
    let document = crate::names::Document::Tasks;
    check(
        exhausted(),
        Event::DocumentApproved { document },
        exhausted(),
    );
    let remark = None;
    let rejected = Event::DocumentRejected { document, remark };
    check(exhausted(), rejected, exhausted()).saves(&[Change::Rejected(document)]);
    let unsaved = [Change::Approved(document)];
    check(exhausted(), save_failed(8, &unsaved), exhausted());
}

#[test]
fn b3_4_after_a_reset_the_count_starts_from_0() {
    check(State::Idle, start(tasks(1, 3)), begun(implement(0)));
}

#[test]
fn b3_4_a_count_below_the_limit_survives_a_stop_in_the_same_process() {
    check(
        stopped(implement(5)),
        start(tasks(1, 3)),
        begun(implement(5)),
    );
}

#[test]
fn b4_a_retry_is_news_and_the_limit_an_error() {
    let retry = decided(working(implement(0)), finished(tasks(1, 3)));
    let expected = Notice::ImplRetry {
        attempt: 1,
        max: 7,
        open: 2,
        because: Because::TasksOpen,
    };
    assert_eq!(expected.level(), Level::Info);
    retry.says(expected);
    let limit = Notice::ImplExhausted { max: 7, open: 2 };
    assert_eq!(limit.level(), Level::Error);
}

#[test]
fn b5_an_unreadable_tasks_md_warns_and_passes() {
    let facts = with(reviewed(), |facts| facts.tasks = TaskFacts::Unreadable);
    let decided = check(
        working(implement(0)),
        finished(facts.clone()),
        begun(inspect(1)),
    );
    let warned = decided.said().iter().any(|it| it.level() == Level::Warn);
    assert!(warned);
    let before = ordered(strict(), working(implement(0)));
    check(
        before,
        finished(facts),
        paused(Pause::NoEvidence, implement(0)),
    );
}

#[test]
fn b_an_impl_agent_that_fails_is_not_retried() {
    let outcome = Outcome::Failed("exit status 1".to_owned());
    check(
        working(implement(2)),
        ended(outcome, tasks(1, 3)),
        failed(Failure::AgentFailed, implement(2)),
    );
}

#[test]
fn b_the_largest_setting_ends_as_well() {
    let last = Step::Implement(Attempt {
        retry: u8::MAX,
        left: 0,
    });
    check(working(last), finished(tasks(1, 3)), exhausted());
}

#[test]
fn b_retries_max_is_a_setting() {
    let mut order = Order::default();
    order.rules.retries_max = 0;
    let decided = decided(State::Idle, start_as(order.clone(), tasks(1, 3)));
    let step = decided.launched().unwrap().step;
    let before = ordered(order, working(step));
    let Step::Implement(only) = step else {
        panic!("{step:?} is not impl");
    };
    check(
        before,
        finished(tasks(1, 3)),
        failed(Failure::RetriesExhausted, Step::Implement(only)),
    );
}
