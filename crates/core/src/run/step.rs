//! What one agent is asked to do, and the counters that limit the loops.

use serde::{Deserialize, Serialize};

use crate::names::{Document, Phase};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    Write(Document),
    Review(Round),
    Reply(Round),
    Implement(Attempt),
    Inspect(Round),
    Fix(Round),
    Merge,
    /// kumite runs the project's commands before any work.
    Baseline,
    /// kumite makes the worktree of the spec; then this attempt begins.
    Prepare(Attempt),
    /// kumite runs one of the project's commands on what the agents have made.
    Verify(Verify),
    /// kumite puts the worktree back to this checkpoint.
    Undo(u64),
}

/// One command of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verify {
    /// Its index in the order's list.
    pub command: u8,
    /// How often it may be run again if it fails.
    pub left: u8,
    pub gate: Gate,
}

/// What waits until all commands have passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Impl counts as complete.
    Impl(Attempt),
    /// This inspection begins.
    Inspect(Round),
    /// The GO of this inspection counts, although its agent changed the code.
    Judge(Round),
    Merge,
}

impl Verify {
    pub fn first(gate: Gate, flaky: u8) -> Verify {
        Verify {
            command: 0,
            left: flaky,
            gate,
        }
    }

    pub fn phase(self) -> Phase {
        match self.gate {
            Gate::Impl(_) => Phase::Impl,
            Gate::Inspect(_) | Gate::Judge(_) => Phase::Inspection,
            Gate::Merge => Phase::Deploy,
        }
    }
}

/// One judged cycle. `number` names its files and only grows; `left` is how many more may follow
/// before a person is asked. There is no way to get more than the allowance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    pub number: u32,
    pub left: u8,
}

impl Round {
    /// Round `number` as the first one of an allowance of `max`.
    pub fn fresh(number: u32, max: u8) -> Round {
        Round {
            number,
            left: max.saturating_sub(1),
        }
    }

    /// The round after `done` others: with the rest of the allowance, or a new allowance if it is
    /// used up.
    pub fn after(number: u32, done: usize, max: u8) -> Round {
        let used = u8::try_from(done).unwrap_or(u8::MAX);
        match max.checked_sub(used) {
            Some(left @ 1..) => Round {
                number,
                left: left - 1,
            },
            Some(0) | None => Round::fresh(number, max),
        }
    }

    pub fn next(self) -> Option<Round> {
        Some(Round {
            left: self.left.checked_sub(1)?,
            number: self.number.saturating_add(1),
        })
    }

    /// The next round with a new allowance, after a person looked at it.
    pub fn renewed(self, max: u8) -> Round {
        Round::fresh(self.number.saturating_add(1), max)
    }
}

/// One more try of the same step. `retry` is 0 for the first try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub retry: u8,
    pub left: u8,
}

impl Attempt {
    pub fn first(max: u8) -> Attempt {
        Attempt {
            retry: 0,
            left: max,
        }
    }

    pub fn next(self) -> Option<Attempt> {
        Some(Attempt {
            left: self.left.checked_sub(1)?,
            retry: self.retry + 1,
        })
    }
}

impl Step {
    pub fn phase(self) -> Phase {
        match self {
            Step::Write(document) => document.phase(),
            Step::Review(_) | Step::Reply(_) => Phase::Review,
            Step::Implement(_) | Step::Prepare(_) | Step::Baseline | Step::Undo(_) => Phase::Impl,
            Step::Inspect(_) | Step::Fix(_) => Phase::Inspection,
            Step::Verify(verify) => verify.phase(),
            Step::Merge => Phase::Deploy,
        }
    }

    /// Whether kumite does it itself, without an agent: nobody is paid for it, and no account can
    /// be limited.
    pub fn is_errand(self) -> bool {
        match self {
            Step::Baseline | Step::Prepare(_) | Step::Verify(_) | Step::Undo(_) => true,
            Step::Write(_)
            | Step::Review(_)
            | Step::Reply(_)
            | Step::Implement(_)
            | Step::Inspect(_)
            | Step::Fix(_)
            | Step::Merge => false,
        }
    }

    /// Whether both ask an agent for the same work. The number of earlier tries may differ.
    pub fn is_same_work(self, other: Step) -> bool {
        match (self, other) {
            (Step::Implement(_), Step::Implement(_)) => true,
            (Step::Verify(this), Step::Verify(other)) => this == other,
            (this, other) => {
                let number = |step: Step| step.round().map(|round| round.number);
                this.name() == other.name() && number(this) == number(other)
            }
        }
    }

    /// The words of all steps, in the order of a run.
    pub const NAMES: [&str; 13] = [
        "baseline",
        "requirements",
        "design",
        "tasks",
        "review",
        "reply",
        "prepare",
        "impl",
        "verify",
        "inspect",
        "fix",
        "merge",
        "undo",
    ];

    /// Its word in the agent's environment (`KUMITE_STEP`) and in every output.
    pub fn name(self) -> &'static str {
        match self {
            Step::Write(document) => document.name(),
            Step::Review(_) => "review",
            Step::Reply(_) => "reply",
            Step::Implement(_) => "impl",
            Step::Inspect(_) => "inspect",
            Step::Fix(_) => "fix",
            Step::Merge => "merge",
            Step::Baseline => "baseline",
            Step::Prepare(_) => "prepare",
            Step::Verify(_) => "verify",
            Step::Undo(_) => "undo",
        }
    }

    pub fn round(self) -> Option<Round> {
        match self {
            Step::Review(round) | Step::Reply(round) | Step::Inspect(round) | Step::Fix(round) => {
                Some(round)
            }
            Step::Write(_)
            | Step::Implement(_)
            | Step::Merge
            | Step::Baseline
            | Step::Prepare(_)
            | Step::Verify(_)
            | Step::Undo(_) => None,
        }
    }

    pub fn attempt(self) -> Option<Attempt> {
        match self {
            Step::Implement(attempt) => Some(attempt),
            Step::Write(_)
            | Step::Review(_)
            | Step::Reply(_)
            | Step::Inspect(_)
            | Step::Fix(_)
            | Step::Merge
            | Step::Baseline
            | Step::Prepare(_)
            | Step::Verify(_)
            | Step::Undo(_) => None,
        }
    }
}
