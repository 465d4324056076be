//! What people ask of a run: stop, pause, resume, reset, approve, reject.

use super::build::*;
use super::files::*;
use crate::change::{Change, Fixing};
use crate::effect::Effect;
use crate::facts::Verdict;
use crate::journal::{By, Event, Order};
use crate::names::{Document, Phase};
use crate::notice::Notice;
use crate::outcome::{Outcome, Usage};
use crate::run::{
    Failure, Finish, Halt, Pause, Rest, Run, State, Step, may_approve, may_reject, may_reset,
    may_review, may_start,
};

fn at_rest() -> Vec<State> {
    vec![
        State::Idle,
        stopped(review(2)),
        paused(Pause::NeedsDiscussion, review(2)),
        failed(Failure::AgentFailed, implement(1)),
        exhausted(),
        waiting(Document::Design),
        done(Finish::AllPhasesDone),
    ]
}

fn finishing(step: Step) -> State {
    State::Finishing(work(step))
}

fn killed() -> Event {
    ended(Outcome::Killed, written(3))
}

#[test]
fn stop_ends_the_agent_and_waits_for_its_end() {
    for before in [working(review(1)), finishing(review(1))] {
        let decided = check(before, stop(), stopping(review(1)));
        assert_eq!(decided.effects, [Effect::End(OURS)]);
    }
    check(stopping(review(1)), killed(), stopped(review(1)));
}

#[test]
fn stop_however_the_agent_ends_under_it_the_run_is_stopped() {
    let how = || "exit status 1".to_owned();
    for outcome in [
        Outcome::Killed,
        Outcome::Failed(how()),
        Outcome::Missing(how()),
        Outcome::Hung,
        Outcome::TimedOut,
        Outcome::Lost(how()),
    ] {
        let event = ended(outcome, tasks(1, 3));
        let decided = check(stopping(implement(3)), event, stopped(implement(3)));
        assert_eq!(decided.launched(), None);
    }
}

#[test]
fn stop_keeps_the_round_of_an_agent_that_was_done_already() {
    let facts = rounds(&[replied_round(1, 2, 0)]);
    let decided = check(stopping(reply(1)), finished(facts), stopped(review(2)));
    decided.saves(&[Change::Replied(1, findings(2, 0))]);
    assert_eq!(decided.launched(), None);
}

#[test]
fn stop_by_a_signal_is_told_apart_from_a_stop_by_a_person() {
    let by = By::Interrupt;
    let stopping = State::Stopping {
        work: work(review(1)),
        by,
    };
    let event = Event::StopRequested { by };
    check(working(review(1)), event, stopping.clone());
    let after = halted(Halt::Stopped(By::Interrupt), review(1));
    check(stopping, killed(), after);
}

#[test]
fn stop_takes_a_queued_run_out_of_the_queue() {
    let queued = State::Queued {
        resume: crate::run::Resume::at(review(2)),
    };
    check(queued, stop(), stopped(review(2)));
}

#[test]
fn stop_of_a_run_that_rests_or_stops_changes_nothing() {
    for state in at_rest() {
        check_stays(state, stop());
    }
    check_stays(stopping(review(1)), stop());
}

#[test]
fn pause_lets_the_agent_finish_and_begins_nothing_new() {
    let decided = check(
        working(reply(1)),
        Event::PauseRequested,
        finishing(reply(1)),
    );
    assert_eq!(decided.effects, []);
    let facts = rounds(&[replied_round(1, 2, 0)]);
    let decided = check(
        finishing(reply(1)),
        finished(facts),
        paused(Pause::ByUser, review(2)),
    );
    decided.saves(&[Change::Replied(1, findings(2, 0))]);
    assert_eq!(decided.launched(), None);
}

#[test]
fn pause_does_not_hide_why_the_run_halts_anyway() {
    let failure = ended(Outcome::TimedOut, written(3));
    check(
        finishing(reply(1)),
        failure,
        failed(Failure::Timeout, reply(1)),
    );
    let discuss = finished(rounds(&[replied_round(1, 0, 1)]));
    let next = Step::Review(round(2, 6));
    check(
        finishing(reply(1)),
        discuss,
        paused(Pause::NeedsDiscussion, next),
    );
    let passed = finished(inspections(&[inspected(1, Verdict::Go)]));
    check(finishing(inspect(1)), passed, done(Finish::AllPhasesDone));
}

#[test]
fn pause_does_not_revive_an_agent() {
    let hung = ended(Outcome::Hung, written(3));
    check(finishing(review(1)), hung, paused(Pause::ByUser, review(1)));
}

#[test]
fn pause_of_a_queued_run_takes_it_out_of_the_queue() {
    let queued = State::Queued {
        resume: crate::run::Resume::at(review(2)),
    };
    check(
        queued,
        Event::PauseRequested,
        paused(Pause::ByUser, review(2)),
    );
}

#[test]
fn pause_of_anything_else_changes_nothing() {
    for state in at_rest() {
        check_stays(state, Event::PauseRequested);
    }
    check_stays(finishing(review(1)), Event::PauseRequested);
    check_stays(stopping(review(1)), Event::PauseRequested);
}

#[test]
fn resume_takes_a_pause_back() {
    check(finishing(review(1)), start(written(3)), working(review(1)));
}

#[test]
fn resume_after_a_pause_or_a_stop_begins_the_step_that_was_next() {
    let facts = rounds(&[closed_round(1, 2, 0)]);
    for before in [paused(Pause::ByUser, review(2)), stopped(review(2))] {
        check(before, start(facts.clone()), begun(review(2)));
    }
}

#[test]
fn c6_2_a_failed_run_stays_and_a_resume_does_its_step_again() {
    let before = failed(Failure::AgentFailed, Step::Write(Document::Design));
    let after = begun(Step::Write(Document::Design));
    check(before, start(written(1)), after);
}

#[test]
fn reset_forgets_why_a_run_rests_and_starts_nothing() {
    for state in at_rest() {
        let decided = check(state, Event::ResetRequested, State::Idle);
        let [Effect::Announce(Notice::RunEnded { rest, .. })] = &decided.effects[..] else {
            panic!("{:?}", decided.effects);
        };
        assert_eq!(*rest, Rest::Idle);
    }
}

#[test]
fn reset_of_a_run_that_goes_on_changes_nothing() {
    for state in [
        working(review(1)),
        finishing(review(1)),
        stopping(review(1)),
    ] {
        assert!(may_reset(&state.clone().into()).is_err());
        check_stays(state, Event::ResetRequested);
    }
    check_stays(queued(Order::default()), Event::ResetRequested);
    assert!(
        at_rest()
            .into_iter()
            .all(|it| may_reset(&it.into()).is_ok())
    );
}

#[test]
fn approve_is_written_and_the_run_may_go_on() {
    let document = Document::Design;
    let event = || Event::DocumentApproved { document };
    let decided = check(waiting(document), event(), State::Idle);
    decided.saves(&[Change::Approved(document)]);
    let by_person = true;
    decided.says(Notice::DocumentApproved {
        document,
        by_person,
    });
    // Approving something else leaves a run unchanged.
    let other = stopped(review(2));
    check(other.clone(), event(), other).saves(&[Change::Approved(document)]);
    check(working(review(1)), event(), working(review(1)));
}

#[test]
fn approve_settles_a_document_that_could_not_be_judged() {
    let document = Document::Design;
    let before = unjudged(Pause::SpecUnreadable, work(Step::Write(document)));
    check(before, Event::DocumentApproved { document }, State::Idle);
}

#[test]
fn reject_has_the_document_written_anew_with_the_remark() {
    let document = Document::Design;
    let remark = Some("too vague".to_owned());
    let event = Event::DocumentRejected {
        document,
        remark: remark.clone(),
    };
    let rejected = check(waiting(document), event, State::Idle);
    rejected.saves(&[Change::Rejected(document)]);
    let facts = with(wrote(document), |facts| facts.documents[1].stamp = None);
    let step = Step::Write(document);
    let started = check(rejected.run, start(facts), begun(step));
    assert_eq!(started.launched().unwrap().remark, remark);

    // A lost agent had the remark; its replacement gets it too.
    let lost = Outcome::Lost("power cut".to_owned());
    let again = decided(started.run, ended_as(agent(SEQ), lost, look(written(1))));
    assert_eq!(again.launched().unwrap().remark, remark);
    let next = decided(
        again.run,
        ended_as(agent(SEQ), Outcome::Finished, look(wrote(document))),
    );
    assert_eq!(next.launched().unwrap().remark, None);
}

#[test]
fn reject_of_a_run_that_goes_on_changes_nothing() {
    let document = Document::Design;
    let remark = None;
    let event = Event::DocumentRejected { document, remark };
    for state in [working(review(1)), stopping(review(1))] {
        check_stays(state, event.clone());
    }
}

#[test]
fn requests_that_do_not_fit_are_refused_with_a_reason() {
    let unapproved = with(written(2), |facts| facts.documents[1].approved = false);
    let idle = Run::default();
    let design = Document::Design;
    assert_eq!(may_approve(&idle, &unapproved, None), Ok(design));
    assert_eq!(may_reject(&idle, &unapproved, Some(design)), Ok(design));
    let waits = waiting(design).into();
    assert_eq!(may_approve(&waits, &written(2), None), Ok(design));
    assert!(may_approve(&idle, &written(2), None).is_err());
    assert!(may_approve(&idle, &unapproved, Some(Document::Tasks)).is_err());
    let works = working(review(1)).into();
    assert!(may_reject(&works, &unapproved, None).is_err());
    assert_eq!(may_start(&works), Ok(()));
}

#[test]
fn c1_a_run_counts_what_its_agents_used_until_it_is_asked_for_anew() {
    let mut event = ended(Outcome::TimedOut, written(3));
    if let Event::AgentEnded { ended, .. } = &mut event {
        ended.usage = Usage {
            usd_micros: 5,
            input_tokens: 7,
            output_tokens: 9,
        };
    }
    let run = decided(working(review(1)), event).run;
    assert_eq!(run.spent.usd_micros, 5);
    let resumed = decided(run.clone(), start(written(3))).run;
    assert_eq!(resumed.spent, run.spent);
    let reset = decided(run.clone(), Event::ResetRequested).run;
    let anew = decided(reset, start(written(3))).run;
    assert_eq!(anew.spent, Usage::default());
    assert_eq!(anew.spent_in_all(), run.spent);
}

#[test]
fn s6_a_new_run_begins_with_a_start_when_no_walk_is_under_way() {
    let design = Document::Design;
    let unapproved = with(written(2), |facts| facts.documents[1].approved = false);
    let spent = Usage {
        usd_micros: 5,
        ..Usage::default()
    };
    let after = |state: State, events: &[Event]| {
        let mut run = Run {
            number: 2,
            spent,
            ..state.into()
        };
        for event in events {
            run = decided(run, event.clone()).run;
        }
        assert_eq!(run.spent_in_all(), spent, "nothing is forgotten");
        (run.number, run.spent.usd_micros)
    };
    let approve = Event::DocumentApproved { document: design };
    let reject = Event::DocumentRejected {
        document: design,
        remark: None,
    };
    let again = start(unapproved.clone());
    let waits = || waiting(design);
    // One run: one number, one purse.
    assert_eq!(after(waits(), &[approve, start(written(2))]), (2, 5));
    assert_eq!(after(waits(), &[reject.clone(), again.clone()]), (2, 5));
    assert_eq!(after(waits(), std::slice::from_ref(&again)), (2, 5));
    assert_eq!(after(stopped(review(1)), &[start(written(3))]), (2, 5));
    // A new run: after the end, and after a reset.
    let finished = || done(Finish::AllPhasesDone);
    assert_eq!(after(finished(), &[start(written(3))]), (3, 0));
    assert_eq!(after(finished(), &[reject, again.clone()]), (3, 0));
    assert_eq!(after(waits(), &[Event::ResetRequested, again]), (3, 0));
    // The run did not end if spec.json does not say so.
    let unsaved = Event::SaveFailed {
        seq: SEQ,
        changes: vec![Change::InspectionPassed],
        why: "disk full".to_owned(),
    };
    assert_eq!(after(finished(), &[unsaved, start(written(3))]), (2, 5));
}

#[test]
fn a5_2_a_review_by_hand_does_not_join_a_run() {
    assert!(may_review(&Run::from(working(implement(1)))).is_err());
    assert!(
        at_rest()
            .into_iter()
            .all(|it| may_review(&it.into()).is_ok())
    );
}

#[test]
fn of_two_ends_that_were_asked_for_the_further_one_counts() {
    let (design, tasks) = (until(Phase::Design), until(Phase::Tasks));
    let all = Order::default();
    let by_hand = Order {
        review_once: Some(Fixing::Nobody),
        ..all.clone()
    };
    let cases = [
        (&design, &tasks, &tasks),
        (&tasks, &design, &tasks),
        (&design, &all, &all),
        (&all, &design, &all),
        // A review by hand stays one; the requested run comes after it.
        (&by_hand, &design, &by_hand),
        (&design, &by_hand, &design),
    ];
    let cases = cases.map(|(now, asked, expected)| (now.clone(), asked.clone(), expected.clone()));
    for (now, asked, expected) in cases {
        let decided = decided(
            ordered(now, working(implement(1))),
            Event::StartRequested {
                order: asked,
                look: None,
                place: None,
            },
        );
        assert_eq!(decided.run.order, expected);
        assert_eq!(decided.effects, []);
    }
}
