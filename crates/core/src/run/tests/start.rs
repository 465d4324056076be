//! Where a run begins, what it may do, and what must be approved.

use super::build::*;
use super::files::*;
use crate::change::Change;
use crate::facts::{DocumentFacts, Permitted, Stamp, TaskFacts, Verdict};
use crate::journal::{Event, Guard, Order};
use crate::names::{Document, Phase};
use crate::notice::Notice;
use crate::pool::QueuePlace;
use crate::run::{Deploy, Finish, Pause, State, Step, phase_of};

const IDLE: State = State::Idle;

#[test]
fn start_a_new_spec_begins_with_its_requirements() {
    let step = Step::Write(Document::Requirements);
    let decided = check(IDLE, start(blank()), begun(step));
    assert_eq!(decided.launched().map(|launch| launch.step), Some(step));
    let phase = Some(Phase::Requirements);
    decided.says(Notice::RunStarted { phase });
}

#[test]
fn start_finished_documents_are_not_written_again() {
    let design = Step::Write(Document::Design);
    check(IDLE, start(written(1)), begun(design));
    check(IDLE, start(written(2)), begun(Step::Write(Document::Tasks)));
    check(IDLE, start(written(3)), begun(review(1)));
}

#[test]
fn start_a_document_that_spec_json_calls_generated_needs_its_file() {
    let facts = with(blank(), |facts| facts.documents[0].generated = true);
    let step = Step::Write(Document::Requirements);
    check(IDLE, start(facts), begun(step));
}

#[test]
fn start_an_approved_review_is_not_run_again() {
    check(IDLE, start(reviewed()), begun(implement(0)));
}

#[test]
fn start_a_finished_implementation_is_not_run_again() {
    check(IDLE, start(tasks(3, 3)), begun(inspect(1)));
    check(IDLE, start(implemented()), begun(inspect(1)));
}

#[test]
fn start_an_implementation_with_open_boxes_is_not_finished_whatever_spec_json_says() {
    let facts = with(implemented(), |facts| facts.tasks = boxes(2, 3));
    check(IDLE, start(facts), begun(implement(0)));
}

#[test]
fn start_without_boxes_spec_json_says_whether_impl_is_finished() {
    let complete = with(implemented(), |facts| facts.tasks = boxes(0, 0));
    check(IDLE, start(complete.clone()), begun(inspect(1)));
    let lost = with(implemented(), |facts| facts.tasks = TaskFacts::Unreadable);
    check(IDLE, start(lost), begun(inspect(1)));
    check(IDLE, start(tasks(0, 0)), begun(implement(0)));
    let mut strict = Order::default();
    strict.rules.guard = Guard::Strict;
    check(IDLE, start_as(strict, complete), begun(implement(0)));
}

#[test]
fn start_a_passed_inspection_is_not_run_again() {
    let facts = inspections(&[inspected(1, Verdict::Go)]);
    check(IDLE, start(facts), done(Finish::AllPhasesDone));
}

#[test]
fn start_a_deployed_spec_has_nothing_left_to_do() {
    let facts = with(inspections(&[inspected(1, Verdict::Go)]), |facts| {
        facts.completed = Some(Phase::Deploy);
        facts.permitted.set(Phase::Deploy, true);
    });
    check(IDLE, start(facts), done(Finish::AllPhasesDone));
}

#[test]
fn permissions_only_deploy_missing_means_all_phases_are_done() {
    let facts = inspections(&[inspected(1, Verdict::Go)]);
    let decided = check(
        working(inspect(1)),
        finished(facts),
        done(Finish::AllPhasesDone),
    );
    decided.saves(&[Change::Inspected(1, Verdict::Go), Change::InspectionPassed]);
}

#[test]
fn permissions_the_next_phase_that_may_not_run_ends_the_run_and_none_is_skipped() {
    let only = |phases: &[Phase]| phases.iter().copied().collect::<Permitted>();
    let finish = |phase| done(Finish::NotPermitted(phase));
    let rows = [
        (blank(), only(&[]), Phase::Requirements),
        (
            written(1),
            only(&[Phase::Requirements, Phase::Impl]),
            Phase::Design,
        ),
        (
            written(3),
            only(&[Phase::Requirements, Phase::Impl]),
            Phase::Review,
        ),
        (reviewed(), only(&[Phase::Inspection]), Phase::Impl),
        (implemented(), only(&[Phase::Deploy]), Phase::Inspection),
    ];
    for (facts, permitted, phase) in rows {
        let facts = with(facts, |facts| facts.permitted = permitted);
        let decided = check(IDLE, start(facts), finish(phase));
        assert_eq!(phase_of(&decided.run), Some(phase));
    }
}

#[test]
fn c4_permissions_are_read_afresh_when_an_agent_ends() {
    let facts = with(wrote(Document::Requirements), |facts| {
        facts.permitted = [Phase::Requirements].into_iter().collect();
    });
    let before = working(Step::Write(Document::Requirements));
    let decided = check(
        before,
        finished(facts),
        done(Finish::NotPermitted(Phase::Design)),
    );
    // The document is finished nevertheless.
    decided.saves(&[
        Change::Generated(Document::Requirements),
        Change::Approved(Document::Requirements),
    ]);
}

#[test]
fn permissions_the_default_is_everything_but_deploy() {
    for phase in Phase::ALL {
        let allowed = Permitted::by_default().allows(phase);
        assert_eq!(allowed, phase != Phase::Deploy, "{phase:?}");
    }
}

#[test]
fn deploy_where_permitted_merges_after_the_inspection() {
    let deploy = |facts| with(facts, |facts| facts.permitted.set(Phase::Deploy, true));
    let facts = deploy(inspections(&[inspected(1, Verdict::Go)]));
    let before = with_deploy(Deploy::ByPerson, working(inspect(1)));
    check(before, finished(facts.clone()), begun(Step::Merge));
    let decided = check(
        working(Step::Merge),
        finished(facts),
        done(Finish::AllPhasesDone),
    );
    decided.saves(&[Change::Deployed]);
}

#[test]
fn approval_a_written_document_is_approved_and_the_next_phase_begins() {
    let facts = wrote(Document::Requirements);
    let decided = check(
        working(Step::Write(Document::Requirements)),
        finished(facts),
        begun(Step::Write(Document::Design)),
    );
    decided.saves(&[
        Change::Generated(Document::Requirements),
        Change::Approved(Document::Requirements),
    ]);
    decided.says(Notice::DocumentApproved {
        document: Document::Requirements,
        by_person: false,
    });
    decided.says(Notice::PhaseEnded(Phase::Requirements));
    decided.says(Notice::PhaseStarted(Phase::Design));
}

#[test]
fn approval_a_start_approves_what_was_written_before_it() {
    let facts = with(written(2), |facts| facts.documents[1].approved = false);
    let after = begun(Step::Write(Document::Tasks));
    let decided = check(IDLE, start(facts), after);
    decided.saves(&[Change::Approved(Document::Design)]);
}

#[test]
fn approval_without_auto_approval_the_document_waits_for_a_person() {
    let before = ordered(
        by_hand_approval(),
        working(Step::Write(Document::Requirements)),
    );
    let facts = wrote(Document::Requirements);
    let decided = check(before, finished(facts), waiting(Document::Requirements));
    decided.saves(&[Change::Generated(Document::Requirements)]);
    assert_eq!(phase_of(&decided.run), Some(Phase::Requirements));
}

#[test]
fn approval_a_start_waits_again_until_it_is_given() {
    let order = by_hand_approval();
    let unapproved = with(written(1), |facts| facts.documents[0].approved = false);
    let before = waiting(Document::Requirements);
    check(
        before.clone(),
        start_as(order.clone(), unapproved),
        waiting(Document::Requirements),
    );
    let after = begun(Step::Write(Document::Design));
    check(before, start_as(order, written(1)), after);
}

#[test]
fn approval_a_phase_without_its_documents_does_not_begin() {
    let order = Order {
        from: Some(Phase::Impl),
        ..Order::default()
    };
    let after = paused(Pause::NoEvidence, Step::Write(Document::Design));
    check(IDLE, start_as(order, written(1)), after);
}

#[test]
fn evidence_a_document_must_be_there_and_be_written_by_this_step() {
    let step = Step::Write(Document::Design);
    let missing = unjudged(Pause::NoEvidence, work(step));
    let decided = check(working(step), finished(written(1)), missing);
    decided.saves(&[]);

    let mut old = work(step);
    old.before = Some(STAMP);
    let untouched = unjudged(Pause::NoEvidence, old.clone());
    let facts = wrote(Document::Design);
    check(State::Working(old.clone()), finished(facts), untouched);
}

#[test]
fn evidence_a_stamp_of_another_hash_does_not_make_an_untouched_file_a_written_one() {
    let step = Step::Write(Document::Design);
    let mut old = work(step);
    old.before = Some(Stamp::Std(77));
    let facts = wrote(Document::Design);
    let unknown = unjudged(Pause::NoEvidence, old.clone());
    check(
        State::Working(old.clone()),
        finished(facts.clone()),
        unknown,
    );
    // Two old stamps can still be compared, so an old journal is replayed as it was.
    let facts = with(facts, |it| it.documents[1].stamp = Some(Stamp::Std(78)));
    let after = begun_over(None, Step::Write(Document::Tasks));
    check(State::Working(old.clone()), finished(facts), after);
}

#[test]
fn evidence_an_agent_that_approves_its_own_document_is_not_a_person() {
    let facts = with(wrote(Document::Design), |facts| {
        facts.documents[1] = DocumentFacts {
            generated: true,
            approved: true,
            stamp: Some(STAMP),
        };
    });
    let before = ordered(by_hand_approval(), working(Step::Write(Document::Design)));
    check(before, finished(facts), waiting(Document::Design));
}

#[test]
fn until_the_run_is_done_when_the_phase_is() {
    let order = until(Phase::Requirements);
    let before = ordered(order.clone(), working(Step::Write(Document::Requirements)));
    let after = done(Finish::UntilReached(Phase::Requirements));
    let decided = check(
        before,
        finished(wrote(Document::Requirements)),
        after.clone(),
    );
    decided.saves(&[
        Change::Generated(Document::Requirements),
        Change::Approved(Document::Requirements),
    ]);
    check(IDLE, start_as(order, reviewed()), after);
    let before = ordered(until(Phase::Review), working(reply(1)));
    let after = done(Finish::UntilReached(Phase::Review));
    check(before, finished(rounds(&[replied_round(1, 0, 0)])), after);
}

#[test]
fn c7_from_a_phase_does_it_and_what_follows_anew() {
    let from = |phase| Order {
        from: Some(phase),
        ..Order::default()
    };
    let passed = inspections(&[inspected(1, Verdict::Go)]);
    let rows = [
        (
            Phase::Design,
            begun_over(Some(STAMP), Step::Write(Document::Design)),
        ),
        (Phase::Review, begun(Step::Review(round(2, 6)))),
        (Phase::Impl, begun(implement(0))),
        (Phase::Inspection, begun(Step::Inspect(round(2, 2)))),
    ];
    for (phase, after) in rows {
        let decided = check(IDLE, start_as(from(phase), passed.clone()), after);
        assert_eq!(decided.saved()[0], Change::Reopened(phase));
        assert_eq!(decided.run.order.from, None, "it is asked for once");
    }
}

#[test]
fn c3_4_a_start_without_a_free_slot_waits_for_it() {
    let order = Order::default();
    let look = None;
    let queue = State::Queued {
        resume: Default::default(),
    };
    let place = Some(QueuePlace {
        number: 2,
        of: 3,
        jobs: 5,
    });
    let start = Event::StartRequested { order, look, place };
    let decided = check(IDLE, start, queue.clone());
    decided.says(Notice::RunQueued(place));
    assert!(!decided.run.holds_slot());
    let decided = check(queue, admitted(reviewed()), begun(implement(0)));
    assert!(decided.run.holds_slot());
}

#[test]
fn c3_4_a_queued_run_goes_on_where_it_had_halted() {
    let before = stopped(implement(3));
    let event = Event::StartRequested {
        order: Order::default(),
        look: None,
        place: None,
    };
    let queued = decided(before, event).run;
    check(queued, admitted(reviewed()), begun(implement(3)));
}

#[test]
fn c4_1_a_slot_that_nobody_asked_for_changes_nothing() {
    for state in [IDLE, working(review(1)), stopped(review(1)), exhausted()] {
        check_stays(state, admitted(blank()));
    }
}

#[test]
fn c7_a_start_of_a_run_that_works_changes_nothing() {
    check_stays(working(review(1)), start(written(3)));
    check_stays(stopping(review(1)), start(written(3)));
    check_stays(queued(Order::default()), start(written(3)));
}
