//! spec.json cannot be written (A8).

use super::build::*;
use super::files::*;
use crate::change::Change;
use crate::effect::Effect;
use crate::facts::Verdict;
use crate::journal::{Event, Order};
use crate::names::Document;
use crate::notice::{Level, Notice};
use crate::run::{Debt, Finish, Halted, Pause, Resume, Run, State, Step};

fn unwritable(step: Option<Step>, changes: &[Change]) -> Run {
    let resume = Resume {
        step,
        ..Resume::default()
    };
    let why = crate::run::Halt::Paused(Pause::SpecUnwritable);
    let detail = "disk full".to_owned();
    Run {
        state: State::Halted(Halted::new(why, detail, resume)),
        debt: Debt {
            unsaved: changes.to_vec(),
            ..Debt::default()
        },
        under_way: true,
        ..Run::default()
    }
}

#[test]
fn a8_a_failed_write_pauses_before_the_agent_that_rests_on_it() {
    let changes = [Change::Replied(1, findings(2, 0)), Change::ReviewStarted(2)];
    for before in [
        working(review(2)),
        State::Finishing(work(review(2))),
        stopping(review(2)),
    ] {
        let decided = decided(before, save_failed(OURS.seq, &changes));
        assert_eq!(decided.run, unwritable(Some(review(2)), &changes));
        let said = Notice::SaveFailed("disk full".to_owned());
        assert_eq!(said.level(), Level::Error);
        decided.says(said);
    }
}

#[test]
fn a8_what_was_not_written_is_written_first_on_resume() {
    let changes = [Change::Replied(1, findings(2, 0)), Change::ReviewStarted(2)];
    let before = unwritable(Some(review(2)), &changes);
    // The files do not show the finished round, and still it is not run again.
    let facts = rounds(&[replied_round(1, 2, 0)]);
    let decided = check(before, start(facts), begun(review(2)));
    let again = Change::ReviewStarted(2);
    decided.saves(&[changes[0], changes[1], again]);
    assert!(matches!(decided.effects[0], Effect::Save(_)));
    assert_eq!(decided.run.debt.unsaved, []);
}

#[test]
fn a8_a_run_that_was_done_is_done_again_once_it_can_be_written() {
    let changes = [Change::Inspected(1, Verdict::Go), Change::InspectionPassed];
    let finish = done(Finish::AllPhasesDone);
    let failed = decided(finish.clone(), save_failed(OURS.seq, &changes));
    assert_eq!(failed.run, unwritable(None, &changes));
    check(failed.run, start(implemented()), finish).saves(&changes);
}

#[test]
fn a8_what_a_person_approved_is_not_lost() {
    let approved = [Change::Approved(Document::Design)];
    let event = || save_failed(8, &approved);
    let expected = Run {
        under_way: false,
        ..unwritable(None, &approved)
    };
    assert_eq!(decided(State::Idle, event()).run, expected);
    // A running agent keeps it until its own end.
    let run = check(working(review(1)), event(), working(review(1))).run;
    assert_eq!(run.debt.unsaved, approved);
    let facts = rounds(&[reviewed_round(1)]);
    let decided = check(run, finished(facts), begun(reply(1)));
    decided.saves(&[approved[0], Change::ReviewWritten(1)]);
}

#[test]
fn a8_an_older_change_is_never_written_after_a_newer_one() {
    let generated = Change::Generated(Document::Design);
    let step = Step::Write(Document::Design);
    let before = unwritable(Some(step), &[generated]);
    let rejected = Event::DocumentRejected {
        document: Document::Design,
        remark: None,
    };
    let after = decided(before, rejected);
    after.saves(&[generated, Change::Rejected(Document::Design)]);
    assert_eq!(after.run.debt.unsaved, []);
}

#[test]
fn a8_a_second_failure_keeps_all_that_was_not_written() {
    let old = Change::Replied(1, findings(2, 0));
    let new = Change::Approved(Document::Design);
    let before = unwritable(Some(review(2)), &[old]);
    let document = Document::Design;
    let approved = decided(before, Event::DocumentApproved { document });
    approved.saves(&[old, new]);
    let failed = decided(approved.run, save_failed(SEQ, &[old, new]));
    assert_eq!(failed.run, unwritable(Some(review(2)), &[old, new]));
}

#[test]
fn a8_a_failed_write_keeps_an_agent_that_waits_to_be_judged() {
    let before = unjudged(Pause::SpecUnreadable, work(reply(1)));
    let changes = [Change::Approved(Document::Design)];
    let after = unjudged(Pause::SpecUnwritable, work(reply(1)));
    check(before, save_failed(8, &changes), after);
}

#[test]
fn a8_an_unreadable_file_keeps_what_was_not_written() {
    let changes = [Change::ReviewWritten(1)];
    let before = unwritable(Some(reply(1)), &changes);
    let start = Event::StartRequested {
        order: Order::default(),
        look: Some(unreadable()),
        place: None,
    };
    let decided = check(before, start, paused(Pause::SpecUnreadable, reply(1)));
    assert_eq!(decided.run.debt.unsaved, changes);
    decided.saves(&[]);
}

#[test]
fn a8_a_reset_and_a_queue_keep_what_was_not_written() {
    let changes = [Change::ReviewWritten(1)];
    let before = unwritable(Some(reply(1)), &changes);
    let reset = decided(before.clone(), Event::ResetRequested).run;
    assert_eq!(reset.debt.unsaved, changes);
    let queue = Event::StartRequested {
        order: Order::default(),
        look: None,
        place: None,
    };
    let queued = decided(before, queue).run;
    assert_eq!(queued.debt.unsaved, changes);
    let stopped = decided(queued, stop()).run;
    assert_eq!(stopped.debt.unsaved, changes);
}
