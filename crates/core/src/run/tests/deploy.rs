//! The merge: where its permission comes from, and what history shows of it.

use super::build::*;
use super::files::*;
use crate::change::Change;
use crate::facts::{Facts, History, Stamp, Verdict};
use crate::journal::Event;
use crate::names::Phase;
use crate::notice::Notice;
use crate::outcome::Outcome;
use crate::run::tests::limits::{limited, wait_over};
use crate::run::{
    Deploy, Finish, Halt, Pause, Reason, Rest, Run, State, Step, Work, may_approve_deploy,
    run_ended,
};

const DONE: State = State::Done(Finish::AllPhasesDone);

fn permitted(mut facts: Facts) -> Facts {
    facts.permitted.set(Phase::Deploy, true);
    facts
}

/// The inspection has passed.
fn passed() -> Facts {
    inspections(&[inspected(1, Verdict::Go)])
}

fn with_history(head: u64, merged: bool) -> Facts {
    with(permitted(passed()), |facts| {
        facts.history = History::Commits {
            head: Some(Stamp::Fnv(head)),
            merged,
        };
    })
}

/// A merge that began when this was the last commit.
fn merging(head: u64) -> Run {
    let work = Work {
        before: Some(Stamp::Fnv(head)),
        ..work(Step::Merge)
    };
    with_deploy(Deploy::ByPerson, State::Working(work))
}

#[test]
fn a_merge_is_done_when_history_shows_a_commit() {
    let event = || finished(with_history(2, false));
    check(merging(1), event(), DONE).saves(&[Change::Deployed]);
    // It was already done: the last commit is the same, and a commit names the spec.
    check(merging(1), finished(with_history(1, true)), DONE);
    // Without git there is nothing to check.
    check(merging(1), finished(permitted(passed())), DONE);
}

#[test]
fn a_merge_without_a_commit_is_no_merge() {
    let no_answer = with(with_history(1, false), |facts| {
        facts.history = History::Commits {
            head: None,
            merged: false,
        };
    });
    for facts in [with_history(1, false), no_answer] {
        let before = merging(1);
        let work = before.work().unwrap().clone();
        let decided = check(before, finished(facts), unjudged(Pause::NoEvidence, work));
        decided.saves(&[]);
        // A person makes the commit, which counts.
        check(decided.run.clone(), start(with_history(2, false)), DONE);
        // Nobody made it: the merge is tried again.
        let again = begun_over(Some(Stamp::Fnv(1)), Step::Merge);
        check(decided.run, start(with_history(1, false)), again);
    }
}

#[test]
fn a_merge_begins_over_the_last_commit() {
    let event = finished(with_history(7, false));
    let after = begun_over(Some(Stamp::Fnv(7)), Step::Merge);
    check(inspected_with(Deploy::ByPerson), event, after);
}

/// The run whose inspection ended and found deploy permitted.
fn inspected_with(deploy: Deploy) -> Run {
    with_deploy(deploy, working(inspect(1)))
}

#[test]
fn a_permission_that_appears_while_an_agent_works_waits_for_a_person() {
    let waits = halted(Halt::DeployDoubted, Step::Merge);
    let event = finished(permitted(passed()));
    let run = check(inspected_with(Deploy::NotPermitted), event, waits.clone()).run;
    assert_eq!(Reason::of_halt(Halt::DeployDoubted), Reason::ApprovalNeeded);
    let Notice::RunEnded { rest, message } = run_ended(&run) else {
        panic!("no end");
    };
    assert_eq!(rest, Rest::Halted(Halt::DeployDoubted));
    assert!(
        message.contains("`kumite approve SPEC deploy`"),
        "{message}"
    );
    // Starting the run again confirms nothing.
    let again = check(run.clone(), start(permitted(passed())), waits).run;
    assert!(may_approve_deploy(&again).is_ok());
    let approved = decided(again, Event::DeployApproved).run;
    assert!(may_approve_deploy(&approved).is_err());
    check(approved, start(permitted(passed())), begun(Step::Merge));
    // It is removed from spec.json: nothing is left to do.
    check(run, start(passed()), DONE);
}

#[test]
fn a_permission_of_a_person_needs_no_word() {
    // It was there when the run began.
    let decided = decided(State::Idle, start(permitted(tasks(0, 3))));
    assert_eq!(decided.run.memory.deploy, Deploy::ByPerson);
    let event = finished(permitted(passed()));
    check(inspected_with(Deploy::ByPerson), event, begun(Step::Merge));
    // It was set while no agent worked.
    check(
        stopped(Step::Merge),
        start(permitted(passed())),
        begun(Step::Merge),
    );
}

#[test]
fn a_permission_that_nobody_could_see_is_doubted() {
    let run: Run = working(inspect(1)).into();
    let unseen = decided(run, ended_unreadable()).run;
    assert_eq!(unseen.memory.deploy, Deploy::Unseen);
    let waits = halted(Halt::DeployDoubted, Step::Merge);
    check(unseen.clone(), start(permitted(passed())), waits);
    check(unseen, start(passed()), DONE);
    let stopped_agent = decided(
        stopping(inspect(1)),
        ended(Outcome::Killed, permitted(passed())),
    );
    assert_eq!(stopped_agent.run.memory.deploy, Deploy::Doubted);
}

#[test]
fn an_approval_of_deploy_that_nobody_asked_for_changes_nothing() {
    for state in [State::Idle, working(inspect(1)), stopped(Step::Merge), DONE] {
        check_stays(state, Event::DeployApproved);
    }
}

#[test]
fn an_end_before_deploy_says_that_deploy_is_not_permitted() {
    let message = |run: &Run| match run_ended(run) {
        Notice::RunEnded { message, .. } => message,
        other => panic!("{other:?}"),
    };
    let without = check(
        inspected_with(Deploy::NotPermitted),
        finished(passed()),
        DONE,
    );
    assert_eq!(
        message(&without.run),
        "all phases are done; deploy is not permitted; not verified"
    );
    let merged = check(merging(1), finished(with_history(2, false)), DONE);
    assert_eq!(message(&merged.run), "all phases are done; not verified");
}

#[test]
fn a_merge_does_not_go_on_after_a_limit_on_a_permission_that_appeared_meanwhile() {
    let doubted = with_deploy(Deploy::Doubted, limited(Step::Merge).state);
    let run = decided(doubted, wait_over(look(permitted(passed())))).run;
    let State::Halted(halted) = &run.state else {
        panic!("{:?}", run.state);
    };
    assert_eq!(halted.why, Halt::DeployDoubted);
    assert!(halted.resume.parked.is_some(), "its session is kept");
    let permitted_by_person = with_deploy(Deploy::ByPerson, limited(Step::Merge).state);
    let event = wait_over(look(permitted(passed())));
    check(permitted_by_person, event, begun(Step::Merge));
}
