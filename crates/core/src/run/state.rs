//! The state of a run.

use serde::{Deserialize, Serialize};

use super::debt::Debt;
use super::memory::Memory;
use super::step::Step;
use crate::facts::Stamp;
use crate::journal::{AgentId, By, Order};
use crate::names::{Document, Phase};
use crate::notice::Notice;
use crate::outcome::{Ended, LimitKind, Outcome, Usage};

/// One walk of a spec through its phases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The number of this run, from 1. A start begins a new run if none is under way.
    #[serde(default)]
    pub number: u32,
    /// A run was begun, and neither finished nor reset. A person's answer does not end it: the
    /// money of a run is counted from its first step to its last.
    #[serde(default)]
    pub under_way: bool,
    /// The latest request.
    pub order: Order,
    pub state: State,
    /// What all agents of this run used so far.
    pub spent: Usage,
    /// What the agents of all earlier runs of the spec used.
    #[serde(default)]
    pub spent_before: Usage,
    /// What spec.json must still be told.
    #[serde(default)]
    pub debt: Debt,
    #[serde(default)]
    pub memory: Memory,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Never started, or reset.
    #[default]
    Idle,
    /// Waits for a slot; `resume` is where the run had halted.
    Queued {
        resume: Resume,
    },
    /// An agent works.
    Working(Work),
    /// A pause was requested: the agent may finish, nothing new begins.
    Finishing(Work),
    /// A stop was requested: the agent is being ended, nothing new begins.
    Stopping {
        work: Work,
        by: By,
    },
    /// The agent's program may not work for now: the run goes on by itself later.
    Limited(Wait),
    /// No agent works; a start would go on.
    Halted(Halted),
    Done(Finish),
}

/// A wait for the end of a usage limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wait {
    /// When the limit ends.
    pub until_ms: u64,
    /// When this run goes on: a little later, so that not all runs do so at once.
    pub wake_ms: u64,
    /// When the wait began, by the same clock. 0: an older version wrote it.
    #[serde(default)]
    pub since_ms: u64,
    /// In the program's own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
    pub resume: Resume,
}

impl Wait {
    /// How long it may take, whatever happens to the clock. A clock that ran ahead and was
    /// corrected would turn seconds into hours.
    pub fn longest_ms(&self) -> u64 {
        self.wake_ms.saturating_sub(self.since_ms)
    }

    pub fn notice(&self) -> Notice {
        Notice::LimitWaiting {
            until_ms: self.until_ms,
            words: self.words.clone(),
        }
    }
}

/// An agent that had to leave its step unfinished, without a fault of its own: the next agent of
/// that step takes its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parked {
    pub step: Step,
    /// The agent program's session. `None`: it had not begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub before: Option<Stamp>,
    pub revived: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub anew: bool,
    /// How often in a row the service was too busy.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub overloads: u8,
}

impl Parked {
    /// `next` takes the place of the agent that left.
    pub(super) fn followed_by(self, next: Work) -> Work {
        Work {
            before: self.before,
            revived: self.revived,
            anew: self.anew,
            takes_over: Some(Box::new(self)),
            ..next
        }
    }
}

/// An agent and its step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    pub step: Step,
    pub agent: AgentId,
    /// The evidence of this step before the agent began, so that old and new can be distinguished.
    pub before: Option<Stamp>,
    /// This agent, or one before it, replaces one that hung or was lost. That happens at most once
    /// per step.
    pub revived: bool,
    /// The session to resume was gone, so the step began again. That also happens at most once per
    /// step.
    #[serde(default, skip_serializing_if = "is_false")]
    pub anew: bool,
    /// Whose place it takes. If it never began (its launch, or a write before it, failed), that
    /// one stays parked. Rare, so it does not take its room in every run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takes_over: Option<Box<Parked>>,
}

impl Work {
    pub fn new(step: Step, agent: AgentId) -> Work {
        Work {
            step,
            agent,
            before: None,
            revived: false,
            anew: false,
            takes_over: None,
        }
    }

    /// What is parked once this agent has ended. `began`: its process existed.
    pub(super) fn parked(&self, ended: &Ended, began: bool) -> Option<Parked> {
        let before = self.takes_over.as_ref().map_or(0, |it| it.overloads);
        let leaves = |overloads| Parked {
            step: self.step,
            session: ended.session.clone(),
            before: self.before,
            revived: self.revived,
            anew: self.anew,
            overloads,
        };
        match &ended.outcome {
            Outcome::Limited(limit) if limit.kind == LimitKind::Overload => {
                Some(leaves(before.saturating_add(1)))
            }
            Outcome::Limited(_) | Outcome::OverBudget(_) => Some(leaves(0)),
            _ if began => None,
            _ => self.takes_over.as_deref().map(|parked| Parked {
                overloads: 0,
                ..parked.clone()
            }),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Halted {
    pub why: Halt,
    /// What the sentence for people needs besides the reason: a file, or the agent's last words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The agent's last words, if a person should know them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last_words: String,
    pub resume: Resume,
}

impl Halted {
    pub fn new(why: Halt, detail: impl Into<String>, resume: Resume) -> Halted {
        Halted {
            why,
            detail: detail.into(),
            last_words: String::new(),
            resume,
        }
    }
}

/// Where a halted run goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    /// The step to begin with, unless the files ask for an earlier phase.
    pub step: Option<Step>,
    /// An agent that succeeded but could not be judged: it is judged before anything is repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unjudged: Option<Work>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parked: Option<Parked>,
}

impl Resume {
    pub fn at(step: Step) -> Resume {
        Resume {
            step: Some(step),
            ..Resume::default()
        }
    }
}

/// Why no agent works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Halt {
    /// The document waits for a person's approval.
    Waiting(Document),
    /// The permission for deploy waits for a person: it appeared while an agent worked.
    DeployDoubted,
    /// A usage limit is reached, and the person does not want to wait for its end.
    Limited {
        until_ms: u64,
    },
    Stopped(By),
    Paused(Pause),
    Failed(Failure),
}

/// A person should look; a start goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pause {
    NeedsDiscussion,
    RoundsExhausted,
    NoEvidence,
    EvidenceConflict,
    InspectionNogo,
    SpecUnreadable,
    SpecUnwritable,
    /// The money is spent.
    Budget,
    /// A branch or directory that the worktree needs belongs to something else.
    WorktreeConflict,
    /// The project's commands fail before any work.
    BaselineFailed,
    /// An agent changed files that it may not change.
    ProtectedChanged,
    ByUser,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// Durable: only a reset helps (B3.4).
    RetriesExhausted,
    AgentFailed,
    AgentMissing,
    AgentHung,
    Timeout,
    /// A command that should set the worktree up failed.
    SetupFailed,
}

/// How a run has finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    AllPhasesDone,
    /// The next phase may not run automatically.
    NotPermitted(Phase),
    UntilReached(Phase),
}

impl Run {
    /// The agent that works now.
    pub fn work(&self) -> Option<&Work> {
        match &self.state {
            State::Working(work) | State::Finishing(work) | State::Stopping { work, .. } => {
                Some(work)
            }
            State::Idle
            | State::Queued { .. }
            | State::Limited(_)
            | State::Halted(_)
            | State::Done(_) => None,
        }
    }

    /// What all agents of the spec used, in this run and in all earlier ones.
    pub fn spent_in_all(&self) -> Usage {
        let mut all = self.spent_before;
        all += self.spent;
        all
    }

    /// Whether the retries of impl are used up; then only a reset helps (B3.4).
    pub fn is_exhausted(&self) -> bool {
        match &self.state {
            State::Halted(halted) => halted.why == Halt::Failed(Failure::RetriesExhausted),
            State::Idle
            | State::Queued { .. }
            | State::Working(_)
            | State::Finishing(_)
            | State::Stopping { .. }
            | State::Limited(_)
            | State::Done(_) => false,
        }
    }

    /// Whether it takes one of the `jobs` slots.
    pub fn holds_slot(&self) -> bool {
        self.work().is_some()
    }

    /// Whether nothing happens until a person asks for it.
    pub fn is_at_rest(&self) -> bool {
        match self.state {
            State::Idle | State::Halted(_) | State::Done(_) => true,
            State::Queued { .. }
            | State::Working(_)
            | State::Finishing(_)
            | State::Stopping { .. }
            | State::Limited(_) => false,
        }
    }

    /// The end of the usage limit that it waits for.
    pub fn limited_until_ms(&self) -> Option<u64> {
        match &self.state {
            State::Limited(wait) => Some(wait.until_ms),
            State::Halted(Halted {
                why: Halt::Limited { until_ms },
                ..
            }) => Some(*until_ms),
            _ => None,
        }
    }
}

fn is_zero(count: &u8) -> bool {
    *count == 0
}

fn is_false(flag: &bool) -> bool {
    !*flag
}
