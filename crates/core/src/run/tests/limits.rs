//! Usage limits, lost sessions and spent money: none of them costs a round or a retry, and none of
//! them is success.

use super::build::*;
use super::files::*;
use crate::change::Change;
use crate::effect::{Effect, Limited};
use crate::facts::Look;
use crate::journal::{Event, Order};
use crate::names::{Document, Phase};
use crate::notice::Notice;
use crate::outcome::{Limit, LimitKind, Outcome};
use crate::run::limit::OVERLOADS_MAX;
use crate::run::{
    Failure, Finish, Halt, Halted, Parked, Pause, Reason, Run, SpecState, State, StateName, Step,
    Wait, Work, run_ended,
};

const HOUR: u64 = 3_600_000;

fn limit(kind: LimitKind, until_ms: Option<u64>) -> Outcome {
    Outcome::Limited(Limit {
        kind,
        until_ms,
        words: "5-hour limit reached".to_owned(),
    })
}

fn usage_limit() -> Outcome {
    limit(LimitKind::Usage, Some(HOUR))
}

fn steps() -> [Step; 7] {
    [
        Step::Write(Document::Design),
        review(2),
        reply(2),
        implement(3),
        inspect(1),
        fix(1),
        Step::Merge,
    ]
}

/// The run after a usage limit in `step`.
pub fn limited(step: Step) -> Run {
    let decided = decided(working(step), ended(usage_limit(), implemented()));
    assert!(matches!(decided.run.state, State::Limited(_)));
    decided.run
}

pub fn wait_over(look: Look) -> Event {
    Event::WaitOver { look }
}

fn impatient() -> Order {
    let mut order = Order::default();
    order.rules.limit.wait = false;
    order
}

pub fn parked_in(run: &Run) -> Option<&Parked> {
    match &run.state {
        State::Halted(Halted { resume, .. })
        | State::Limited(Wait { resume, .. })
        | State::Queued { resume } => resume.parked.as_ref(),
        State::Working(work) | State::Finishing(work) | State::Stopping { work, .. } => {
            work.takes_over.as_deref()
        }
        State::Idle | State::Done(_) => None,
    }
}

#[test]
fn t1_a_usage_limit_is_a_wait_and_says_until_when() {
    for step in steps() {
        let decided = decided(working(step), ended(usage_limit(), implemented()));
        let State::Limited(wait) = &decided.run.state else {
            panic!("{:?}", decided.run.state);
        };
        assert_eq!((wait.until_ms, wait.resume.step), (HOUR, Some(step)));
        assert!((HOUR..=HOUR + 10_000).contains(&wait.wake_ms));
        assert!(decided.launched().is_none());
        assert!(!decided.run.is_at_rest() && !decided.run.holds_slot());
        decided.says(Notice::LimitWaiting {
            until_ms: HOUR,
            words: "5-hour limit reached".to_owned(),
        });
    }
}

#[test]
fn t1_others_are_told_of_a_limit_but_not_of_what_they_know() {
    let tells = |kind| {
        let decided = decided(
            working(review(1)),
            ended(limit(kind, Some(HOUR)), written(3)),
        );
        let tells = |effect: &Effect| matches!(effect, Effect::Limit(_));
        decided.effects.iter().any(tells)
    };
    let kinds = [LimitKind::Usage, LimitKind::Held, LimitKind::Overload];
    assert_eq!(kinds.map(tells), [true, false, false]);
    let impatient = ordered(impatient(), working(review(1)));
    let decided = decided(impatient, ended(usage_limit(), written(3)));
    let told = Effect::Limit(Limited {
        step: review(1),
        until_ms: HOUR,
        words: "5-hour limit reached".to_owned(),
    });
    assert!(decided.effects.contains(&told));
}

#[test]
fn t1_after_the_wait_the_same_session_goes_on_with_the_same_step_and_count() {
    for step in steps() {
        let decided = check(limited(step), wait_over(look(written(3))), begun(step));
        let launch = decided.launched().unwrap();
        assert_eq!(launch.resume.as_deref(), Some("session"));
        assert_eq!(launch.step, step);
        // No phase or round began again.
        let begins = |notice: &&Notice| matches!(notice, Notice::PhaseStarted(_));
        assert!(!decided.said().iter().any(begins));
    }
}

#[test]
fn t1_what_was_written_before_the_limit_is_work_of_the_step() {
    let before = State::Working(Work {
        before: Some(STAMP),
        ..work(review(1))
    });
    let run = decided(before, ended(usage_limit(), written(3))).run;
    let goes_on = wait_over(look(rounds(&[reviewed_round(1)])));
    check(run, goes_on, begun_over(Some(STAMP), review(1)));
}

#[test]
fn t1_a_launch_that_was_held_back_begins_its_step_afterwards() {
    let never_started = Look::Nobody;
    let mut event = ended_as(OURS, usage_limit(), never_started);
    if let Event::AgentEnded { ended, .. } = &mut event {
        ended.session = None;
    }
    let run = decided(working(implement(2)), event).run;
    let decided = check(run, wait_over(look(tasks(0, 3))), begun(implement(2)));
    assert_eq!(decided.launched().unwrap().resume, None);
}

#[test]
fn t1_the_wait_survives_a_new_process_and_is_still_resumed() {
    let run = decided(limited(implement(3)), Event::EngineStarted).run;
    // B2.3: a new process counts the retries from the beginning; the session stays the same.
    let decided = check(run, wait_over(look(tasks(1, 3))), begun(implement(0)));
    assert_eq!(
        decided.launched().unwrap().resume.as_deref(),
        Some("session")
    );
}

#[test]
fn t1_a_wait_can_be_stopped_and_paused_and_goes_on_in_its_session() {
    let rows = [
        (stop(), stopped(implement(3))),
        (Event::PauseRequested, paused(Pause::ByUser, implement(3))),
    ];
    for (event, halted) in rows {
        let run = check(limited(implement(3)), event, halted).run;
        let decided = check(run, start(tasks(1, 3)), begun(implement(3)));
        assert_eq!(
            decided.launched().unwrap().resume.as_deref(),
            Some("session")
        );
    }
}

#[test]
fn t1_a_reset_or_another_beginning_forgets_the_session() {
    let stopped = decided(limited(implement(3)), stop()).run;
    let reset = decided(stopped.clone(), Event::ResetRequested).run;
    let began = decided(reset, start(tasks(1, 3)));
    assert_eq!(began.launched().unwrap().resume, None);
    let from = Order {
        from: Some(Phase::Impl),
        ..Order::default()
    };
    let began = decided(stopped, start_as(from, tasks(1, 3)));
    assert_eq!(began.launched().unwrap().resume, None);
}

#[test]
fn t1_who_asks_for_a_waiting_run_waits_too() {
    let before = limited(review(1));
    let decided = decided(before.clone(), start(written(3)));
    assert_eq!(
        (&decided.run.state, decided.effects.len()),
        (&before.state, 0)
    );
}

#[test]
fn t1_without_patience_a_limit_halts_the_run_as_waiting() {
    let why = Halt::Limited { until_ms: HOUR };
    let step = review(1);
    let run = ordered(impatient(), working(step));
    let run = check(run, ended(usage_limit(), written(3)), halted(why, step)).run;
    let Notice::RunEnded { rest, .. } = run_ended(&run) else {
        panic!("no end");
    };
    let spec_state = SpecState::from(rest);
    assert_eq!(spec_state.state(), StateName::Waiting);
    assert_eq!(spec_state.reason(), Some(Reason::UsageLimit));
    assert_eq!(run.limited_until_ms(), Some(HOUR));
    // The same for a run that already waits.
    let asks = start_as(impatient(), written(3));
    check(limited(step), asks, halted(why, step));
    // The run goes on in its session.
    let decided = check(run, start(written(3)), begun(step));
    assert_eq!(
        decided.launched().unwrap().resume.as_deref(),
        Some("session")
    );
}

#[test]
fn t1_a_busy_service_is_waited_for_and_not_for_ever() {
    let busy = || limit(LimitKind::Overload, None);
    let ends = |run: &Run, outcome| {
        let agent = run.work().unwrap().agent;
        ended_as(agent, outcome, look(tasks(0, 3)))
    };
    let mut run = Run::from(working(implement(0)));
    for times in 1..=OVERLOADS_MAX {
        let event = ends(&run, busy());
        run = decided(run, event).run;
        assert!(matches!(run.state, State::Limited(_)), "{times}");
        run = decided(run, wait_over(look(tasks(0, 3)))).run;
    }
    let event = ends(&run, busy());
    check(
        run.clone(),
        event,
        failed(Failure::AgentFailed, implement(0)),
    );
    // Any other end restarts the count.
    let event = ends(&run, usage_limit());
    let State::Limited(wait) = decided(run, event).run.state else {
        panic!("it waits");
    };
    assert_eq!(wait.resume.parked.unwrap().overloads, 0);
}

#[test]
fn t1_a_limit_under_a_stop_or_a_pause_is_no_wait() {
    let step = implement(2);
    let paused_after = paused(Pause::ByUser, step);
    check(
        State::Finishing(work(step)),
        ended(usage_limit(), tasks(0, 3)),
        paused_after,
    );
    check(
        stopping(step),
        ended(usage_limit(), tasks(0, 3)),
        stopped(step),
    );
}

#[test]
fn t1_a_limited_writer_has_not_written() {
    let step = Step::Write(Document::Design);
    let decided = decided(working(step), ended(usage_limit(), written(3)));
    decided.saves(&[Change::Rejected(Document::Design)]);
}

#[test]
fn t1_a_spec_that_cannot_be_read_after_the_wait_pauses_and_keeps_the_session() {
    let run = check(
        limited(review(1)),
        wait_over(unreadable()),
        paused(Pause::SpecUnreadable, review(1)),
    )
    .run;
    let decided = check(run, start(written(3)), begun(review(1)));
    assert_eq!(
        decided.launched().unwrap().resume.as_deref(),
        Some("session")
    );
}

#[test]
fn t1_a_wait_knows_how_long_it_may_take_whatever_becomes_of_the_clock() {
    let State::Limited(wait) = limited(implement(1)).state else {
        panic!("it does not wait");
    };
    assert_eq!(wait.since_ms, agent(SEQ).at_ms);
    assert_eq!(wait.longest_ms(), wait.wake_ms - agent(SEQ).at_ms);
}

#[test]
fn t1_only_a_waiting_run_hears_that_the_wait_is_over() {
    let done = State::Done(Finish::AllPhasesDone);
    for state in [State::Idle, working(review(1)), stopped(review(1)), done] {
        check_stays(state, wait_over(look(written(3))));
    }
}

#[test]
fn t6_a_session_that_is_gone_is_replaced_by_a_new_one_once() {
    let gone = || Outcome::SessionGone("no conversation found".to_owned());
    for step in steps() {
        let decided = decided(working(step), ended(gone(), implemented()));
        let launch = decided.launched().unwrap();
        assert_eq!((launch.step, launch.resume.as_deref()), (step, None));
        let again = State::Working(Work {
            anew: true,
            ..work(step)
        });
        let event = ended(gone(), implemented());
        check(again, event, failed(Failure::AgentFailed, step));
    }
}

#[test]
fn t1_a_parked_session_is_only_for_its_own_step() {
    let run = decided(limited(review(1)), stop()).run;
    assert!(parked_in(&run).is_some());
    // Meanwhile a person has approved the review.
    let decided = decided(run, start(tasks(0, 3)));
    let launch = decided.launched().unwrap();
    assert_eq!(
        (launch.step.name(), launch.resume.as_deref()),
        ("impl", None)
    );
    assert_eq!(parked_in(&decided.run), None);
}

#[test]
fn t1_a_session_is_kept_until_its_next_agent_has_begun() {
    let resumes = |run: Run| {
        let began = decided(run, start(tasks(1, 3)));
        began.launched().unwrap().resume.clone()
    };
    let woken = decided(limited(implement(3)), wait_over(look(tasks(1, 3)))).run;
    let place = woken.work().unwrap().agent;
    // It could not be started: the machine had no room for it.
    let failed = Outcome::Failed("no room".to_owned());
    let not_started = decided(woken.clone(), ended_as(place, failed.clone(), Look::Nobody));
    assert_eq!(resumes(not_started.run).as_deref(), Some("session"));
    // It was started, and failed by itself: its step begins again.
    let started = decided(woken, ended_as(place, failed, look(tasks(1, 3))));
    assert_eq!(resumes(started.run), None);
}

#[test]
fn t1_others_are_told_and_the_wait_is_said_even_if_spec_json_cannot_be_written() {
    let step = Step::Write(Document::Design);
    let decided = decided(working(step), ended(usage_limit(), written(3)));
    assert!(
        matches!(
            decided.effects[..],
            [Effect::Settle(_), Effect::Limit(_), Effect::Save(_), ..]
        ),
        "{:?}",
        decided.effects
    );
    let State::Limited(wait) = &decided.run.state else {
        panic!("{:?}", decided.run.state);
    };
    let said = wait.notice();
    let failed = super::build::decided(
        decided.run,
        save_failed(SEQ, &[Change::Rejected(Document::Design)]),
    );
    failed.says(said);
}

#[test]
fn t1_a_wait_comes_back_from_its_snapshot() {
    let run = limited(implement(2));
    let text = serde_json::to_string(&run).unwrap();
    assert_eq!(serde_json::from_str::<Run>(&text).unwrap(), run);
    assert!(matches!(run.state, State::Limited(Wait { .. })));
}
