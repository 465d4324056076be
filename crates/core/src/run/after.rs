//! Judges what an agent left when it ended.

use super::start::{self, evidence};
use super::state::{Failure, Halt, Pause, Work};
use super::step::{Gate, Round, Step};
use super::turn::{Next, Turn};
use super::{guard, inspection, limit, review};
use crate::change::Change;
use crate::facts::{Facts, History, Look, Verdict};
use crate::journal::{Entry, Order};
use crate::names::Document;
use crate::outcome::{Ended, Outcome};

/// What follows the end of the agent that the run waited for.
pub(super) fn after(
    order: &Order,
    work: Work,
    overloads: u8,
    ended: &Ended,
    look: &mut Look,
    entry: &Entry,
) -> Turn {
    let step = work.step;
    let fail = |why, detail: &str| Turn::halt(step, Halt::Failed(why), detail);
    match &ended.outcome {
        Outcome::Finished => match look {
            Look::Seen(facts) => judge(order, &work, facts).unwrap_or_else(|gap| gap.turn(work)),
            Look::Unreadable(why) => {
                Turn::pause(step, Pause::SpecUnreadable, why.as_str()).unjudged(work)
            }
            Look::Nobody => fail(Failure::AgentMissing, "it was not started"),
        },
        Outcome::Failed(how) => fail(Failure::AgentFailed, how),
        Outcome::Missing(why) => fail(Failure::AgentMissing, why),
        Outcome::TimedOut => fail(Failure::Timeout, ""),
        Outcome::Killed => fail(Failure::AgentFailed, "it was ended from outside"),
        Outcome::Hung => match &ended.session {
            Some(session) if !work.revived => revived(work, Some(session.clone())),
            _ => fail(Failure::AgentHung, ""),
        },
        Outcome::Limited(limit) => limit::wait(order, &work, overloads, limit, entry),
        // The session may never have existed: the power may have failed in the agent's first
        // moment.
        Outcome::SessionGone(_) if !work.anew => again(Work { anew: true, ..work }, None),
        Outcome::SessionGone(how) => fail(Failure::AgentFailed, how),
        Outcome::OverBudget(what) => Turn::pause(step, Pause::Budget, what),
        Outcome::Lost(how) => match left_behind(order, &work, look, entry) {
            Some(turn) => turn,
            None if !work.revived => revived(work, ended.session.clone()),
            None => fail(Failure::AgentFailed, how),
        },
    }
}

/// kumite did not see the end of this agent, but its documents may exist. A review, a reply or an
/// inspection is nothing but its documents: if they are there and clear, the step is not paid for
/// again. Version 1 repeated the step, so its journals are replayed in that way.
fn left_behind(order: &Order, work: &Work, look: &mut Look, entry: &Entry) -> Option<Turn> {
    if entry.version < 2 {
        return None;
    }
    match (work.step, look) {
        (Step::Review(_) | Step::Reply(_) | Step::Inspect(_), Look::Seen(facts)) => {
            judge(order, work, facts).ok()
        }
        (
            Step::Write(_)
            | Step::Implement(_)
            | Step::Fix(_)
            | Step::Merge
            | Step::Baseline
            | Step::Prepare(_)
            | Step::Verify(_)
            | Step::Undo(_),
            _,
        )
        | (_, Look::Unreadable(_) | Look::Nobody) => None,
    }
}

fn revived(work: Work, session: Option<String>) -> Turn {
    let revived = true;
    again(Work { revived, ..work }, session)
}

fn again(work: Work, session: Option<String>) -> Turn {
    let takes_over = None;
    let work = Work { takes_over, ..work };
    Turn::to(Next::Again { work, session })
}

/// Evidence that is absent or contradictory. It is never success.
pub(super) struct Gap {
    pub why: Pause,
    pub detail: String,
}

impl Gap {
    /// A person is asked; their correction is judged before the step is repeated.
    fn turn(self, work: Work) -> Turn {
        Turn::pause(work.step, self.why, self.detail).unjudged(work)
    }
}

/// Judges the results of a step. `facts` are changed together with the decision.
pub(super) fn judge(order: &Order, work: &Work, facts: &mut Facts) -> Result<Turn, Gap> {
    let gap = |why, detail: String| Gap { why, detail };
    let written = |file: String| {
        let missing = |why: String| Err(gap(Pause::NoEvidence, why));
        let Some(stamp) = evidence(facts, work.step) else {
            return missing(format!("{file} is missing or empty"));
        };
        match work
            .before
            .map_or(Some(true), |old| stamp.differs_from(old))
        {
            Some(true) => Ok(()),
            Some(false) => missing(format!("the agent did not write {file}")),
            None => missing(format!(
                "an older kumite started this agent, so nobody can tell whether it wrote {file}"
            )),
        }
    };
    match work.step {
        Step::Write(document) => {
            written(document.file().to_owned())?;
            Ok(after_document(order, document, facts))
        }
        Step::Review(round) => {
            written(format!("document-review-{}.md", round.number))?;
            Ok(Turn::begin(Step::Reply(round))
                .preceded(vec![Change::ReviewWritten(round.number)], Vec::new()))
        }
        Step::Reply(round) => {
            let file = format!("document-review-{}-reply.md", round.number);
            written(file.clone())?;
            let known = facts
                .review
                .rounds
                .iter()
                .find(|known| known.number == round.number);
            let found = known.map_or(Err(Pause::NoEvidence), review::found);
            let found = found.map_err(|why| gap(why, unclear_reply(why, &file)))?;
            Ok(review::after_reply(order, round, found, facts))
        }
        Step::Implement(attempt) => guard::after_impl(order, attempt, facts),
        Step::Inspect(asked) => {
            let round = inspection::latest(asked, &facts.inspections);
            let file = format!("inspection-{}.md", round.number);
            if round == asked {
                written(file)?;
            }
            inspected(order, round, facts)
        }
        Step::Fix(round) => {
            guard::in_order(facts)?;
            Ok(inspection::after_fix(order, round))
        }
        // Their rules know more than the files; see `errand`.
        Step::Baseline | Step::Prepare(_) | Step::Verify(_) | Step::Undo(_) => {
            Err(gap(Pause::NoEvidence, "it was interrupted".to_owned()))
        }
        Step::Merge => {
            let why = || gap(Pause::NoEvidence, NO_COMMIT.to_owned());
            committed(work, facts.history)
                .then_some(())
                .ok_or_else(why)?;
            let done = Turn::to(Next::Finish(super::Finish::AllPhasesDone));
            Ok(done.preceded(vec![Change::Deployed], Vec::new()))
        }
    }
}

/// Judges an inspection whose report is there. A GO for code that its agent has changed counts
/// when the project's commands have passed on that code.
pub(super) fn inspected(order: &Order, round: Round, facts: &mut Facts) -> Result<Turn, Gap> {
    let file = format!("inspection-{}.md", round.number);
    let known = inspection::find(&facts.inspections, round.number);
    let verdict = known.map_or(Err(Pause::NoEvidence), inspection::verdict);
    let verdict = verdict.map_err(|why| Gap {
        why,
        detail: unclear_verdict(why, &file),
    })?;
    match Gate::Judge(round).closed(order, facts) {
        Some(verify) if verdict == Verdict::Go => Ok(Turn::begin(verify)),
        Some(_) | None => Ok(inspection::after_inspection(order, round, verdict, facts)),
    }
}

const NO_COMMIT: &str = "git shows no new commit in the main checkout, and none with the line \
    `Kumite-Spec:` that holds tasks.md as it is now (is there an old .git/index.lock?)";

/// Whether history shows the merge. Without git there is nothing to check.
fn committed(work: &Work, history: History) -> bool {
    match history {
        History::None => true,
        History::Commits { head, merged } => merged || (head.is_some() && head != work.before),
    }
}

fn after_document(order: &Order, document: Document, facts: &mut Facts) -> Turn {
    let mut changes = vec![Change::Generated(document)];
    facts.apply(Change::Generated(document));
    let later = Document::ALL.into_iter().filter(|it| *it > document);
    let mut known = later.map(|later| facts.document(later));
    if let (Some(next), true) = (
        document.phase().next(),
        known.any(|known| known.generated || known.approved),
    ) {
        // They were written for an older version of this document.
        facts.apply(Change::Reopened(next));
        changes.push(Change::Reopened(next));
    }
    start::onward(order, facts, document.phase()).preceded(changes, Vec::new())
}

fn unclear_reply(why: Pause, file: &str) -> String {
    match why {
        Pause::EvidenceConflict => {
            format!("the Response Summary of {file} and roundDetails in spec.json differ")
        }
        _ => format!("neither {file} nor roundDetails in spec.json say what is left to fix"),
    }
}

fn unclear_verdict(why: Pause, file: &str) -> String {
    match why {
        Pause::EvidenceConflict => format!("{file} and spec.json give different verdicts"),
        _ => format!("neither {file} nor spec.json give a verdict"),
    }
}
