//! Where a run begins, and what follows a finished phase: based on durable facts, with permissions
//! and approvals at every boundary.

use super::state::{Finish, Halt, Pause};
use super::step::{Attempt, Step};
use super::turn::{Next, Turn};
use super::{guard, inspection, review};
use crate::change::Change;
use crate::facts::{Facts, History, Stamp};
use crate::journal::{Order, Rules};
use crate::names::{Document, Phase};
use crate::notice::Notice;

/// Begins a run: at the requested phase, or at the first one that the files do not show as
/// finished.
/// So a finished phase is never run again.
/// `inspection_due`: there is newer work than the last inspection, whatever its verdict.
pub(super) fn first(
    order: &Order,
    resume: Option<Step>,
    inspection_due: bool,
    facts: &mut Facts,
) -> Turn {
    if order.review_once.is_some() {
        return review_once(order, resume, facts);
    }
    if let Some(phase) = order.from {
        facts.apply(Change::Reopened(phase));
        let entry = Entry::Anew;
        let turn = enter(order, facts, Some(phase), entry);
        return turn.preceded(vec![Change::Reopened(phase)], Vec::new());
    }
    let mut unfinished = first_unfinished(facts, &order.rules);
    let settled = match unfinished {
        Some(Phase::Review) => review::settled(&facts.review, resume),
        _ => None,
    };
    if settled.is_some() {
        facts.apply(Change::ReviewApproved);
        unfinished = first_unfinished(facts, &order.rules);
    }
    let was_next = resume.map(Step::phase) == Some(Phase::Inspection);
    let due = (inspection_due || was_next).then_some(Phase::Inspection);
    let phase = match (unfinished, due) {
        (Some(unfinished), Some(due)) => Some(unfinished.min(due)),
        (unfinished, due) => unfinished.or(due),
    };
    let turn = enter(order, facts, phase, Entry::GoingOn(resume));
    match settled {
        Some(rounds) => turn.preceded(
            vec![Change::ReviewApproved],
            vec![Notice::ReviewApproved { rounds }],
        ),
        None => turn,
    }
}

/// What follows a phase that has just been finished.
pub(super) fn onward(order: &Order, facts: &mut Facts, finished: Phase) -> Turn {
    enter(order, facts, finished.next(), Entry::Anew)
}

/// How a phase is entered.
#[derive(Clone, Copy)]
enum Entry {
    /// From the files: what they show as finished is finished.
    GoingOn(Option<Step>),
    /// After newer work: results of an older run do not count.
    Anew,
}

/// The boundary before `phase` (None: no phase is left).
fn enter(order: &Order, facts: &mut Facts, phase: Option<Phase>, entry: Entry) -> Turn {
    if let Some(until) = order.until
        && phase.is_none_or(|phase| phase > until)
    {
        // A document that was rejected meanwhile comes first.
        let open = first_unfinished(facts, &order.rules);
        let open = open.filter(|open| *open <= until.min(Phase::Tasks));
        if open.is_some() && order.review_once.is_none() {
            return enter(order, facts, open, Entry::GoingOn(None));
        }
        let (changes, notices) = approve_all(order, facts, until.next());
        let reached = Turn::to(Next::Finish(Finish::UntilReached(until)));
        return reached.preceded(changes, notices);
    }
    let Some(phase) = phase else {
        return Turn::to(Next::Finish(Finish::AllPhasesDone));
    };
    let (changes, notices) = approve_all(order, facts, Some(phase));
    let turn = match missing_approval(facts, phase) {
        Some(turn) => turn,
        None if phase == Phase::Deploy && facts.deploy_doubted => {
            Turn::halt(Step::Merge, Halt::DeployDoubted, "")
        }
        None if facts.permitted.allows(phase) => begin(order, facts, phase, entry),
        None if phase == Phase::Deploy => Turn::to(Next::Finish(Finish::AllPhasesDone)),
        None => Turn::to(Next::Finish(Finish::NotPermitted(phase))),
    };
    turn.preceded(changes, notices)
}

/// Auto-approval: every document before `phase` that is written and not approved.
fn approve_all(
    order: &Order,
    facts: &mut Facts,
    phase: Option<Phase>,
) -> (Vec<Change>, Vec<Notice>) {
    let due = |document: &Document| {
        let known = facts.document(*document);
        phase.is_none_or(|phase| document.phase() < phase) && known.generated && !known.approved
    };
    let documents: Vec<Document> = match order.rules.auto_approve {
        true => Document::ALL.into_iter().filter(due).collect(),
        false => Vec::new(),
    };
    let changes: Vec<Change> = documents.iter().copied().map(Change::Approved).collect();
    changes.iter().for_each(|change| facts.apply(*change));
    let notices = documents
        .into_iter()
        .map(|document| Notice::DocumentApproved {
            document,
            by_person: false,
        });
    (changes, notices.collect())
}

/// A phase begins only on approved documents.
fn missing_approval(facts: &Facts, phase: Phase) -> Option<Turn> {
    let document = Document::ALL
        .into_iter()
        .find(|document| document.phase() < phase && !facts.document(*document).approved)?;
    Some(match facts.document(document).generated {
        true => Turn::halt(Step::Write(document), Halt::Waiting(document), ""),
        false => Turn::pause(
            Step::Write(document),
            Pause::NoEvidence,
            format!("{} is not there yet", document.file()),
        ),
    })
}

fn begin(order: &Order, facts: &mut Facts, phase: Phase, entry: Entry) -> Turn {
    let rules = &order.rules;
    let resume = match entry {
        Entry::GoingOn(step) => step,
        Entry::Anew => None,
    };
    match phase {
        Phase::Requirements => Turn::begin(Step::Write(Document::Requirements)),
        Phase::Design => Turn::begin(Step::Write(Document::Design)),
        Phase::Tasks => Turn::begin(Step::Write(Document::Tasks)),
        Phase::Review => match entry {
            Entry::GoingOn(_) => review::go_on(order, facts, resume),
            Entry::Anew => Turn::begin(review::anew(&facts.review, rules)),
        },
        Phase::Impl => Turn::begin(Step::Implement(match resume {
            Some(Step::Implement(attempt) | Step::Prepare(attempt)) => attempt,
            _ => Attempt::first(rules.retries_max),
        })),
        Phase::Inspection => Turn::begin(match entry {
            Entry::GoingOn(_) => inspection::next(&facts.inspections, resume, rules),
            Entry::Anew => inspection::anew(&facts.inspections, rules),
        }),
        Phase::Deploy => Turn::begin(Step::Merge),
    }
}

/// A3.1: nothing is left to fix or to discuss.
pub(super) fn approve_review(order: &Order, facts: &mut Facts, rounds: u32) -> Turn {
    facts.apply(Change::ReviewApproved);
    let turn = match order.review_once {
        Some(_) => Turn::to(Next::Finish(Finish::UntilReached(Phase::Review))),
        None => onward(order, facts, Phase::Review),
    };
    turn.preceded(
        vec![Change::ReviewApproved],
        vec![Notice::ReviewApproved { rounds }],
    )
}

/// A5.2: one round by hand, whatever is permitted, and no loop.
fn review_once(order: &Order, resume: Option<Step>, facts: &mut Facts) -> Turn {
    if let Some(document) = Document::ALL
        .into_iter()
        .find(|document| facts.document(*document).stamp.is_none())
    {
        return Turn::pause(
            Step::Write(document),
            Pause::NoEvidence,
            format!(
                "{} is not there yet; there is nothing to review",
                document.file()
            ),
        );
    }
    if facts.review.approved {
        return Turn::to(Next::Finish(Finish::UntilReached(Phase::Review)));
    }
    match review::settled(&facts.review, resume) {
        Some(rounds) => approve_review(order, facts, rounds),
        None => review::go_on(order, facts, resume),
    }
}

/// The first phase that the files do not show as finished.
pub fn first_unfinished(facts: &Facts, rules: &Rules) -> Option<Phase> {
    if facts.completed == Some(Phase::Deploy) {
        return None;
    }
    Phase::ALL
        .into_iter()
        .find(|phase| !finished(facts, *phase, rules))
}

fn finished(facts: &Facts, phase: Phase, rules: &Rules) -> bool {
    match phase {
        Phase::Requirements => written(facts, Document::Requirements),
        Phase::Design => written(facts, Document::Design),
        Phase::Tasks => written(facts, Document::Tasks),
        Phase::Review => facts.review.approved || facts.completed >= Some(Phase::Impl),
        Phase::Impl => guard::finished(facts, rules),
        Phase::Inspection => inspection::passed(&facts.inspections),
        Phase::Deploy => facts.completed == Some(Phase::Deploy),
    }
}

/// A person's approval is enough; a mere "generated" needs the file.
fn written(facts: &Facts, document: Document) -> bool {
    let known = facts.document(document);
    known.approved || (known.generated && known.stamp.is_some())
}

/// The current evidence of this step.
pub(super) fn evidence(facts: &Facts, step: Step) -> Option<Stamp> {
    let round = |number: u32| facts.review.rounds.iter().find(|r| r.number == number);
    match step {
        Step::Write(document) => facts.document(document).stamp,
        Step::Review(r) => round(r.number).and_then(|round| round.review),
        Step::Reply(r) => round(r.number).and_then(|round| round.reply),
        Step::Inspect(r) => inspection::find(&facts.inspections, r.number).and_then(|i| i.stamp),
        Step::Merge => match facts.history {
            History::None => None,
            History::Commits { head, .. } => head,
        },
        Step::Implement(_)
        | Step::Fix(_)
        | Step::Baseline
        | Step::Prepare(_)
        | Step::Verify(_)
        | Step::Undo(_) => None,
    }
}
