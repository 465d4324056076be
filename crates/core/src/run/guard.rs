//! The completion guard: impl is done when the boxes of tasks.md are ticked (B).

use super::memory::{Memory, Question};
use super::start;
use super::state::{Failure, Halt, Pause};
use super::step::{Attempt, Step};
use super::turn::Turn;
use crate::change::Change;
use crate::facts::{Facts, Look, TaskFacts};
use crate::journal::{Guard, Order, Rules};
use crate::names::Phase;
use crate::notice::Notice;
use crate::outcome::{Ended, Outcome};

/// An impl agent succeeded: go on to the inspection, try again, or ask a person.
pub(super) fn after_impl(order: &Order, attempt: Attempt, facts: &mut Facts) -> Turn {
    let strict = order.rules.guard == Guard::Strict;
    let unclear = |what: &str| Turn::pause(Step::Implement(attempt), Pause::NoEvidence, what);
    match facts.tasks {
        TaskFacts::Unreadable if strict => unclear("tasks.md cannot be read"),
        TaskFacts::Unreadable => {
            let warning = "tasks.md cannot be read; impl counts as complete (guard = \"seed\")";
            complete(order, facts, vec![Notice::Warned(warning.to_owned())])
        }
        TaskFacts::Counted { total: 0, .. } if strict => unclear("tasks.md has no check boxes"),
        TaskFacts::Counted { done, total } if done >= total => complete(order, facts, Vec::new()),
        TaskFacts::Counted { done, total } => again(order, attempt, total - done),
    }
}

fn complete(order: &Order, facts: &mut Facts, notices: Vec<Notice>) -> Turn {
    facts.apply(Change::Implemented);
    start::onward(order, facts, Phase::Impl).preceded(vec![Change::Implemented], notices)
}

/// B2, B3: at most `retries_max` retries; after them only a person's reset helps.
fn again(order: &Order, attempt: Attempt, open: u32) -> Turn {
    let max = order.rules.retries_max;
    match attempt.next() {
        Some(attempt) => Turn::begin(Step::Implement(attempt)).preceded(
            Vec::new(),
            vec![Notice::ImplRetry {
                attempt: attempt.retry,
                max,
                open,
            }],
        ),
        None => Turn::halt(
            Step::Implement(Attempt::first(max)),
            Halt::Failed(Failure::RetriesExhausted),
            format!("{open} tasks are still open after {max} retries"),
        )
        .preceded(Vec::new(), vec![Notice::ImplExhausted { max, open }]),
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
    let said_complete = facts.completed >= Some(Phase::Impl) && rules.guard == Guard::Seed;
    match facts.tasks {
        TaskFacts::Counted { total: 0, .. } | TaskFacts::Unreadable => said_complete,
        TaskFacts::Counted { done, total } => done >= total,
    }
}
