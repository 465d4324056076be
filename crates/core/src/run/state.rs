//! The state of a run.

use serde::{Deserialize, Serialize};

use super::step::Step;
use crate::change::Change;
use crate::facts::Stamp;
use crate::journal::{AgentId, By, Order};
use crate::names::{Document, Phase};
use crate::notice::Notice;
use crate::outcome::Usage;

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
    /// A person's remark at the rejection of a document, for the agent that writes it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// There is newer work than the last inspection: an older GO does not apply to it.
    #[serde(default)]
    pub inspection_due: bool,
    /// The agent of this step ended while spec.json was unreadable: what is found there later may
    /// be only its claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsure: Option<Step>,
    /// An agent that had to leave its step unfinished, without a fault of its own: the next agent
    /// of that step takes its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parked: Option<Parked>,
    /// How often in a row the service was too busy.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub overloads: u8,
    /// Changes that could not be written to spec.json: they are written first when the run goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsaved: Vec<Change>,
    /// Older versions asked nobody: what they found counted as permitted.
    #[serde(default = "Deploy::of_older_versions")]
    pub deploy: Deploy,
    /// The question that the last impl agent ended with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
}

/// Where the permission for deploy in spec.json comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deploy {
    #[default]
    NotPermitted,
    /// It was there when no agent worked, or a person confirmed it.
    ByPerson,
    /// An agent worked, and spec.json was unreadable afterwards: it is not known yet.
    Unseen,
    /// It appeared while an agent worked.
    Doubted,
}

impl Deploy {
    fn of_older_versions() -> Deploy {
        Deploy::ByPerson
    }

    /// After a look at spec.json. `worked`: an agent worked since the previous look.
    pub(super) fn seen(self, permitted: bool, worked: bool) -> Deploy {
        match (permitted, self) {
            (false, _) => Deploy::NotPermitted,
            (true, Deploy::NotPermitted) if worked => Deploy::Doubted,
            (true, Deploy::NotPermitted | Deploy::ByPerson) => Deploy::ByPerson,
            (true, Deploy::Unseen | Deploy::Doubted) => Deploy::Doubted,
        }
    }

    /// After the end of an agent, if spec.json is unreadable.
    pub(super) fn unseen(self) -> Deploy {
        match self {
            Deploy::NotPermitted | Deploy::Unseen => Deploy::Unseen,
            Deploy::ByPerson | Deploy::Doubted => self,
        }
    }
}

/// An impl agent asked something instead of finishing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub words: String,
    /// How many boxes it left open.
    pub open: u32,
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

/// What the next agent of a step takes over from one that had to leave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parked {
    pub step: Step,
    /// The agent program's session. `None`: it had not begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub before: Option<Stamp>,
    pub revived: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub anew: bool,
}

impl Parked {
    /// `next` takes the place of the agent that left.
    pub(super) fn followed_by(&self, next: Work) -> Work {
        Work {
            before: self.before,
            revived: self.revived,
            anew: self.anew,
            ..next
        }
    }
}

/// An agent and its step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    /// The step to begin with, unless the files ask for an earlier phase.
    pub step: Option<Step>,
    /// An agent that succeeded but could not be judged: it is judged before anything is repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unjudged: Option<Work>,
}

impl Resume {
    pub fn at(step: Step) -> Resume {
        Resume {
            step: Some(step),
            unjudged: None,
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
