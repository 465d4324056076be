//! Work that is newer than its approval: an older GO and an older review do not apply to it.

use super::build::*;
use super::files::*;
use super::walk::Walk;
use crate::change::{Change, Fixing};
use crate::facts::{Facts, Permitted, Stamp, Verdict};
use crate::journal::{Event, Order};
use crate::names::{Document, Phase};
use crate::outcome::Outcome;
use crate::run::{Failure, Finish, Round, State, Step};

const TASKS: Step = Step::Write(Document::Tasks);
/// The first inspection of work that is newer than inspection 1.
const SECOND: Step = Step::Inspect(Round { number: 2, left: 2 });

fn passed() -> Facts {
    inspections(&[inspected(1, Verdict::Go)])
}

fn permit(facts: &mut Facts, phases: impl IntoIterator<Item = Phase>) {
    facts.permitted = phases.into_iter().collect::<Permitted>();
}

/// Inspection 1 said GO; then a task was added, and its agent works.
fn changed_since() -> Walk {
    let mut walk = Walk::of(passed());
    permit(&mut walk.facts, Phase::ALL);
    walk.checks_boxes(3, 4).start().works_on(implement(0));
    walk.checks_boxes(4, 4);
    walk
}

fn rejects(document: Document) -> Event {
    let remark = None;
    Event::DocumentRejected { document, remark }
}

fn until_with(walk: &Walk, phase: Phase) -> Event {
    start_as(until(phase), walk.facts.clone())
}

/// The names of all started steps.
fn names(walk: &Walk) -> Vec<&'static str> {
    walk.launched.iter().map(|step| step.name()).collect()
}

#[test]
fn an_older_go_does_not_pass_newer_work_that_was_not_permitted_to_be_inspected() {
    let mut walk = changed_since();
    let without = |it: &Phase| *it != Phase::Inspection;
    permit(&mut walk.facts, Phase::ALL.into_iter().filter(without));
    let refused = done(Finish::NotPermitted(Phase::Inspection));
    walk.agent_finishes().stands(refused.clone());
    walk.start().stands(refused);
    permit(&mut walk.facts, Phase::ALL);
    walk.start().works_on(SECOND);
    assert_eq!(names(&walk), ["impl", "inspect"]);
}

#[test]
fn an_older_go_does_not_pass_newer_work_after_until() {
    let mut walk = changed_since();
    walk.tell(stop()).ends(Outcome::Killed);
    walk.checks_boxes(3, 4);
    walk.tell(until_with(&walk, Phase::Impl))
        .works_on(implement(0));
    walk.checks_boxes(4, 4).agent_finishes();
    walk.stands(done(Finish::UntilReached(Phase::Impl)));
    walk.start().works_on(SECOND);
}

#[test]
fn an_older_go_does_not_pass_newer_work_after_a_reset() {
    let outcome = || Outcome::Failed("exit status 1".to_owned());
    // The agent ticked the last box and failed.
    let mut failing = changed_since();
    failing.ends(outcome());
    failing.stands(failed(Failure::AgentFailed, implement(0)));
    // It succeeded, and the inspection that was due failed.
    let mut inspecting = changed_since();
    inspecting.agent_finishes().works_on(SECOND);
    inspecting.ends(outcome());
    inspecting.stands(failed(Failure::AgentFailed, SECOND));
    for walk in [&mut failing, &mut inspecting] {
        walk.tell(Event::ResetRequested).stands(State::Idle);
        walk.start().works_on(SECOND);
    }
}

#[test]
fn an_older_go_does_not_pass_newer_work_after_a_new_process_took_over() {
    let mut walk = changed_since();
    walk.tell(stop()).ends(Outcome::Killed);
    walk.tell(Event::EngineStarted).start().works_on(SECOND);
}

#[test]
fn an_older_go_does_not_pass_what_a_person_wants_inspected_anew() {
    let order = Order {
        from: Some(Phase::Inspection),
        ..Order::default()
    };
    let mut walk = Walk::of(passed());
    permit(&mut walk.facts, [Phase::Impl]);
    walk.tell(start_as(order, walk.facts.clone()));
    walk.stands(done(Finish::NotPermitted(Phase::Inspection)));
    permit(&mut walk.facts, Phase::ALL);
    walk.start().works_on(SECOND);
}

#[test]
fn an_inspection_is_due_from_the_start_of_any_agent_that_may_change_the_work() {
    let deployable = with(passed(), |facts| permit(facts, Phase::ALL));
    let rows = [
        (written(2), TASKS, true),
        (written(3), review(1), true),
        (rounds(&[reviewed_round(1)]), reply(1), true),
        (reviewed(), implement(0), true),
        (inspections(&[inspected(1, Verdict::Nogo)]), fix(1), true),
        (implemented(), inspect(1), false),
        (deployable, Step::Merge, false),
    ];
    for (facts, step, due) in rows {
        let run = check(State::Idle, start(facts), begun(step)).run;
        assert_eq!(run.memory.inspection_due, due, "{step:?}");
    }
}

#[test]
fn a_newer_go_passes_newer_work_and_is_not_asked_for_again() {
    let mut walk = changed_since();
    walk.agent_finishes()
        .works_on(SECOND)
        .agent_inspects(Verdict::Go);
    walk.works_on(Step::Merge);
    assert!(!walk.run.memory.inspection_due);
    walk.agent_finishes()
        .stands(done(Finish::AllPhasesDone))
        .start();
    walk.stands(done(Finish::AllPhasesDone));
    assert_eq!(names(&walk), ["impl", "inspect", "merge"]);
}

#[test]
fn a_newer_nogo_leaves_the_inspection_due() {
    let mut walk = changed_since();
    walk.agent_finishes().agent_inspects(Verdict::Nogo);
    walk.works_on(Step::Fix(round(2, 2)));
    assert!(walk.run.memory.inspection_due);
}

#[test]
fn a_document_written_or_rejected_withdraws_the_approval_of_its_review() {
    for document in Document::ALL {
        for change in [Change::Generated(document), Change::Rejected(document)] {
            let facts = with(implemented(), |facts| facts.apply(change));
            let review = (facts.review.approved, facts.review.pending);
            assert_eq!(review, (false, true), "{change:?}");
            assert_eq!(facts.completed, None, "{change:?}");
            // Its rounds stay known: their files exist.
            assert_eq!(facts.review.rounds, [closed_round(1, 0, 0)]);
        }
    }
}

#[test]
fn an_older_round_without_findings_does_not_settle_a_pending_review() {
    let pending = with(rounds(&[closed_round(1, 0, 0)]), |facts| {
        facts.review.pending = true;
    });
    let next = Step::Review(round(2, 5));
    for state in [State::Idle, done(Finish::UntilReached(Phase::Tasks))] {
        let decided = check(state, start(pending.clone()), begun(next));
        decided.saves(&[Change::ReviewStarted(2)]);
    }
    let by_hand = Order {
        review_once: Some(Fixing::Person),
        ..Order::default()
    };
    check(State::Idle, start_as(by_hand, pending), begun(next));
}

#[test]
fn a_document_written_anew_is_reviewed_in_a_round_of_its_own() {
    let decided = check(
        working(TASKS),
        finished(implemented()),
        begun(Step::Review(round(2, 6))),
    );
    decided.saves(&[
        Change::Generated(Document::Tasks),
        Change::Approved(Document::Tasks),
        Change::ReviewStarted(2),
    ]);
}

#[test]
fn a_document_written_anew_is_reviewed_also_after_a_halt_for_its_approval() {
    let mut walk = Walk::of(implemented());
    let start = |walk: &Walk| start_as(by_hand_approval(), walk.facts.clone());
    walk.tell(rejects(Document::Tasks));
    walk.tell(start(&walk)).works_on(TASKS).agent_finishes();
    walk.stands(waiting(Document::Tasks));
    let document = Document::Tasks;
    walk.tell(Event::DocumentApproved { document });
    walk.tell(start(&walk));
    walk.works_on(Step::Review(round(2, 5)));
}

#[test]
fn a_document_written_anew_is_reviewed_also_after_the_run_was_done() {
    let mut walk = Walk::of(implemented());
    walk.tell(rejects(Document::Tasks));
    walk.tell(until_with(&walk, Phase::Tasks)).agent_finishes();
    walk.stands(done(Finish::UntilReached(Phase::Tasks)));
    walk.tell(Event::ResetRequested).start();
    walk.works_on(Step::Review(round(2, 5)));
}

#[test]
fn later_documents_are_reopened_when_an_earlier_one_is_written_anew() {
    let rows = [
        (Document::Requirements, Phase::Design, Document::Design),
        (Document::Design, Phase::Tasks, Document::Tasks),
    ];
    for (document, reopened, next) in rows {
        let after = begun_over(Some(STAMP), Step::Write(next));
        let decided = check(
            working(Step::Write(document)),
            finished(implemented()),
            after,
        );
        decided.saves(&[
            Change::Generated(document),
            Change::Reopened(reopened),
            Change::Approved(document),
        ]);
    }
    // A document that is written but waits for its approval is reopened too.
    let unapproved = with(written(3), |facts| {
        facts.documents[2].approved = false;
        facts.documents[1].stamp = Some(Stamp::Fnv(2));
    });
    let step = Step::Write(Document::Design);
    let decided = decided(working(step), finished(unapproved));
    assert!(decided.saved().contains(&Change::Reopened(Phase::Tasks)));
}

#[test]
fn a_rejected_design_leads_through_tasks_review_impl_and_inspection_again() {
    let mut walk = Walk::of(passed());
    walk.tell(rejects(Document::Design)).start();
    walk.agent_finishes().agent_finishes();
    walk.works_on(Step::Review(round(2, 6)))
        .agent_finishes()
        .agent_replies(0, 0);
    walk.works_on(implement(0)).agent_finishes();
    walk.works_on(SECOND).agent_inspects(Verdict::Go);
    walk.stands(done(Finish::AllPhasesDone));
    let expected = ["design", "tasks", "review", "reply", "impl", "inspect"];
    assert_eq!(names(&walk), expected);
}
