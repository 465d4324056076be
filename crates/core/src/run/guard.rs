//! The completion guard: impl is done when the boxes of tasks.md are ticked (B).

use super::after::Gap;
use super::memory::{Memory, Question};
use super::start;
use super::state::{Failure, Halt, Pause};
use super::step::{Attempt, Gate, Step};
use super::trust::Because;
use super::turn::Turn;
use crate::change::Change;
use crate::facts::{Facts, Look, TaskFacts};
use crate::journal::{Guard, Order, Rules};
use crate::names::Phase;
use crate::notice::Notice;
use crate::outcome::{Ended, Outcome};
use crate::place::PlaceLook;

/// An impl agent succeeded: go on to the inspection, check the code, try again, or ask a person.
pub(super) fn after_impl(order: &Order, attempt: Attempt, facts: &mut Facts) -> Result<Turn, Gap> {
    let strict = order.rules.guard == Guard::Strict;
    let unclear = |what: &str| {
        Ok(Turn::pause(
            Step::Implement(attempt),
            Pause::NoEvidence,
            what,
        ))
    };
    in_order(facts)?;
    let mut notices = Vec::new();
    match facts.tasks {
        TaskFacts::Unreadable if strict => return unclear("tasks.md cannot be read"),
        TaskFacts::Unreadable => {
            let warning = "tasks.md cannot be read; impl counts as complete (guard = \"seed\")";
            notices.push(Notice::Warned(warning.to_owned()));
        }
        TaskFacts::Counted { total: 0, .. } if strict => {
            return unclear("tasks.md has no check boxes");
        }
        TaskFacts::Counted { done, total } if done < total => {
            return Ok(again(order, attempt, total - done, Because::TasksOpen));
        }
        TaskFacts::Counted { .. } => {}
    }
    if facts.untouched {
        return Ok(again(order, attempt, 0, Because::Phantom));
    }
    Ok(match Gate::Impl(attempt).closed(order, facts) {
        Some(verify) => Turn::begin(verify).preceded(Vec::new(), notices),
        None => complete(order, facts, notices),
    })
}

/// What no agent may do: change protected files, or remove tasks instead of doing them. A worktree
/// that cannot be read shows nothing.
pub(super) fn in_order(facts: &Facts) -> Result<(), Gap> {
    let gap = |why, detail: String| Err(Gap { why, detail });
    if let [first, rest @ ..] = facts.vanished.as_slice() {
        let more = match rest.len() {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        let detail = format!("tasks.md had a task that is neither ticked nor there: {first}{more}");
        return gap(Pause::EvidenceConflict, detail);
    }
    match &facts.place {
        PlaceLook::Unreadable(why) => gap(Pause::NoEvidence, why.clone()),
        PlaceLook::Seen(place) if !place.protected.is_empty() => {
            gap(Pause::ProtectedChanged, place.protected.join(", "))
        }
        PlaceLook::Seen(_) | PlaceLook::None => Ok(()),
    }
}

pub(super) fn complete(order: &Order, facts: &mut Facts, notices: Vec<Notice>) -> Turn {
    facts.apply(Change::Implemented);
    start::onward(order, facts, Phase::Impl).preceded(vec![Change::Implemented], notices)
}

/// B2, B3: at most `retries_max` retries; after them only a person's reset helps.
pub(super) fn again(order: &Order, attempt: Attempt, open: u32, because: Because) -> Turn {
    let max = order.rules.retries_max;
    let turn = match attempt.next() {
        Some(attempt) => Turn::begin(Step::Implement(attempt)).preceded(
            Vec::new(),
            vec![Notice::ImplRetry {
                attempt: attempt.retry,
                max,
                open,
                because: because.clone(),
            }],
        ),
        None => Turn::halt(
            Step::Implement(Attempt::first(max)),
            Halt::Failed(Failure::RetriesExhausted),
            still(&because, open, max),
        )
        .preceded(Vec::new(), vec![Notice::ImplExhausted { max, open }]),
    };
    Turn {
        because: Some(because),
        ..turn
    }
}

fn still(because: &Because, open: u32, max: u8) -> String {
    match because {
        Because::TasksOpen => {
            format!("{open} tasks are still open after {max} retries: look at tasks.md")
        }
        Because::Verify { name, .. } => {
            format!("the command {name} still fails after {max} retries: look at its output")
        }
        Because::Phantom => format!(
            "all boxes are ticked, but no file has changed after {max} retries: if the tasks \
             need no change, `kumite approve SPEC impl`"
        ),
    }
}

/// An agent that ends with the same question as the one before it, and has ticked nothing, would
/// ask it again at every retry: so a person is asked instead. `None`: this is not the case.
pub(super) fn asks_again(
    memory: &mut Memory,
    step: Step,
    ended: &Ended,
    look: &Look,
) -> Option<Turn> {
    let asked = question(step, ended, look);
    let before = std::mem::replace(&mut memory.question, asked);
    let (Step::Implement(attempt), Some(before), Some(now)) = (step, before, &memory.question)
    else {
        return None;
    };
    let is_same = before.words == now.words && before.open <= now.open;
    // Without a retry left the run fails anyway.
    let next = attempt.next().filter(|_| is_same)?;
    let detail = format!(
        "{} tasks are open, and the agent asks the same again",
        now.open
    );
    Some(Turn::pause(
        Step::Implement(next),
        Pause::NoEvidence,
        detail,
    ))
}

/// The question of an impl agent that did not finish.
fn question(step: Step, ended: &Ended, look: &Look) -> Option<Question> {
    let (Step::Implement(_), Outcome::Finished, Some(facts)) = (step, &ended.outcome, look.facts())
    else {
        return None;
    };
    let TaskFacts::Counted { done, total } = facts.tasks else {
        return None;
    };
    let is_question = done < total && ended.last_words.contains(['?', '？']);
    is_question.then(|| Question {
        words: ended.last_words.clone(),
        open: total - done,
    })
}

/// Whether the files show a finished implementation.
pub(super) fn finished(facts: &Facts, rules: &Rules) -> bool {
    if facts.untouched || in_order(facts).is_err() {
        return false;
    }
    let said_complete = facts.completed >= Some(Phase::Impl) && rules.guard == Guard::Seed;
    match facts.tasks {
        TaskFacts::Counted { total: 0, .. } | TaskFacts::Unreadable => said_complete,
        TaskFacts::Counted { done, total } => done >= total,
    }
}
