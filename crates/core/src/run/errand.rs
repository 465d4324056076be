//! Steps that kumite does itself: it makes the place, runs the project's commands, puts a worktree
//! back. They are journalled, contained, adopted and stopped as agents are.

use super::after::{self, Gap};
use super::guard;
use super::inspection;
use super::state::{Failure, Halt, Pause, Work};
use super::step::{Attempt, Gate, Step, Verify};
use super::trust::{self, Because, Checking, Evidence, Site, Trust};
use super::turn::Turn;
use crate::facts::{Facts, Look};
use crate::journal::{Entry, Order};
use crate::notice::Notice;
use crate::outcome::{Ended, Outcome};
use crate::place::{Check, CheckOutcome, PlaceLook, Prepared};

/// What follows an errand. `None`: the rules for agents apply, also to commands that were lost.
pub(super) fn after(
    trust: &mut Trust,
    order: &Order,
    work: &Work,
    ended: &Ended,
    look: &mut Look,
    entry: &Entry,
) -> Option<Turn> {
    let Look::Seen(facts) = look else {
        return None;
    };
    match (work.step, &ended.outcome) {
        (Step::Prepare(attempt), Outcome::Finished) => Some(prepared(trust, attempt, facts)),
        (Step::Prepare(_), Outcome::Failed(how)) => Some(Turn::halt(
            work.step,
            Halt::Failed(Failure::SetupFailed),
            how,
        )),
        (Step::Verify(verify), outcome) => {
            let is_first = verify.left == order.rules.flaky;
            let outcome = match outcome {
                Outcome::Finished if is_first => CheckOutcome::Passed,
                Outcome::Finished => CheckOutcome::Flaky,
                Outcome::TimedOut => CheckOutcome::Timeout,
                Outcome::Failed(_) => CheckOutcome::Failed,
                _ => return None,
            };
            Some(checked(trust, order, work, verify, outcome, facts, entry))
        }
        _ => None,
    }
}

fn prepared(trust: &mut Trust, attempt: Attempt, facts: &mut Facts) -> Turn {
    let step = Step::Prepare(attempt);
    let begin = Turn::begin(Step::Implement(attempt));
    match facts.prepared.take() {
        Some(Prepared::Ready(place)) => {
            let (path, branch) = (place.path.clone(), place.branch.clone());
            let made = place.made;
            trust.accepted = Some(place.begin.tree.clone());
            trust.site = Site::Worktree(place);
            let created = Notice::WorktreeCreated { path, branch, made };
            begin.preceded(Vec::new(), vec![created])
        }
        Some(Prepared::Checkout(why)) => {
            trust.site = Site::Checkout;
            begin.preceded(Vec::new(), vec![Notice::NoWorktree { why }])
        }
        Some(Prepared::Conflict(why)) => Turn::pause(step, Pause::WorktreeConflict, why),
        Some(Prepared::SetupFailed(why)) => {
            Turn::halt(step, Halt::Failed(Failure::SetupFailed), why)
        }
        None => Turn::pause(step, Pause::NoEvidence, "it left no worktree"),
    }
}

/// One of the project's commands has ended.
fn checked(
    trust: &mut Trust,
    order: &Order,
    work: &Work,
    verify: Verify,
    outcome: CheckOutcome,
    facts: &mut Facts,
    entry: &Entry,
) -> Turn {
    let name = order.verify.get(usize::from(verify.command));
    let check = Check {
        name: name.cloned().unwrap_or_default(),
        outcome,
        ms: entry.at_ms.saturating_sub(work.agent.at_ms),
    };
    let said = Notice::VerifyEnded {
        check: check.clone(),
        agent: work.agent,
    };
    let turn = match (outcome.is_good(), verify.left.checked_sub(1)) {
        (true, _) => passed(trust, order, work, verify, check, facts, entry),
        (false, Some(left)) => Turn::begin(Step::Verify(Verify { left, ..verify })),
        (false, None) => failed(trust, order, work, verify, check),
    };
    turn.preceded(Vec::new(), vec![said])
}

fn passed(
    trust: &mut Trust,
    order: &Order,
    work: &Work,
    verify: Verify,
    check: Check,
    facts: &mut Facts,
    entry: &Entry,
) -> Turn {
    let Some(mut checking) = trust.checking.take() else {
        return again(order, verify);
    };
    if let PlaceLook::Unreadable(why) = &facts.place {
        let first = Step::Verify(Verify::first(verify.gate, order.rules.flaky));
        return Turn::pause(first, Pause::NoEvidence, why.as_str());
    }
    checking.checks.push(check);
    let command = verify.command.saturating_add(1);
    if usize::from(command) < order.verify.len() {
        trust.checking = Some(checking);
        let left = order.rules.flaky;
        let next = Verify {
            command,
            left,
            ..verify
        };
        return Turn::begin(Step::Verify(next));
    }
    // The settings were changed meanwhile: these are not the results that count.
    if !trust::are_of(&checking.checks, order) && !order.verify.is_empty() {
        return again(order, verify);
    }
    let content = facts.place.content();
    let code = content.map(|content| content.code);
    if code == checking.code {
        trust.evidence = Some(Evidence {
            code,
            tree: content.map(|content| content.tree.clone()),
            at_ms: entry.at_ms,
            checks: checking.checks,
        });
        facts.unverified = false;
        return opened(order, work, verify.gate, facts);
    }
    match checking.again {
        false => {
            trust.checking = Some(Checking {
                code,
                checks: Vec::new(),
                again: true,
            });
            let why = "the commands changed files, so they are run once more on the result";
            again(order, verify).preceded(Vec::new(), vec![Notice::Warned(why.to_owned())])
        }
        true => Turn::pause(
            Step::Verify(Verify::first(verify.gate, order.rules.flaky)),
            Pause::EvidenceConflict,
            "the commands change files each time they are run, so nothing shows that they \
             pass on what is there; let git ignore these files (see `kumite diff`)",
        ),
    }
}

fn again(order: &Order, verify: Verify) -> Turn {
    let first = Verify::first(verify.gate, order.rules.flaky);
    Turn::begin(Step::Verify(first))
}

/// All commands have passed on the code that is there now.
fn opened(order: &Order, work: &Work, gate: Gate, facts: &mut Facts) -> Turn {
    match gate {
        // The commands may have changed what the agent left, so that is judged once more.
        Gate::Impl(attempt) => {
            let step = Step::Implement(attempt);
            let judged = guard::after_impl(order, attempt, facts);
            judged.unwrap_or_else(|gap: Gap| {
                let work = Work::new(step, work.agent);
                Turn::pause(step, gap.why, gap.detail).unjudged(work)
            })
        }
        Gate::Inspect(round) => Turn::begin(Step::Inspect(round)),
        Gate::Judge(round) => {
            let judged = after::inspected(order, round, facts);
            let step = Step::Inspect(round);
            judged.unwrap_or_else(|gap: Gap| Turn::pause(step, gap.why, gap.detail))
        }
        Gate::Merge => Turn::begin(Step::Merge),
    }
}

/// The implementation is not what its boxes say: an agent gets the command's output.
fn failed(trust: &mut Trust, order: &Order, work: &Work, verify: Verify, check: Check) -> Turn {
    trust.checking = None;
    trust.evidence = None;
    let attempt = match verify.gate {
        Gate::Impl(attempt) => Some(attempt),
        Gate::Inspect(_) | Gate::Judge(_) | Gate::Merge => trust.attempt,
    };
    let attempt = attempt.unwrap_or(Attempt::first(order.rules.retries_max));
    let because = Because::Verify {
        name: check.name,
        agent: work.agent,
    };
    guard::again(order, attempt, 0, because)
}

/// An inspection that was interrupted at its gate, or an implementation: the finished agent is
/// judged again, and nobody else is paid.
pub(super) fn resumed(order: &Order, verify: Verify, facts: &mut Facts) -> Option<Turn> {
    match verify.gate {
        Gate::Impl(attempt) => guard::after_impl(order, attempt, facts).ok(),
        Gate::Judge(round) => {
            inspection::find(&facts.inspections, round.number)?;
            after::inspected(order, round, facts).ok()
        }
        Gate::Inspect(_) | Gate::Merge => None,
    }
}
