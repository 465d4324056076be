//! News for people. Terminal, JSON lines, event log and page render the same closed enum.

use serde::{Deserialize, Serialize};

use crate::facts::{Findings, Verdict};
use crate::journal::AgentId;
use crate::names::{Document, Phase};
use crate::outcome::{Outcome, Usage};
use crate::run::Step;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    RunQueued,
    RunStarted {
        phase: Option<Phase>,
    },
    PhaseStarted(Phase),
    StepStarted {
        step: Step,
        agent: AgentId,
        resumed: bool,
    },
    StepEnded {
        step: Step,
        agent: AgentId,
        outcome: Outcome,
        usage: Usage,
    },
    /// A review round was judged.
    RoundEnded {
        round: u32,
        findings: Findings,
        next: NextAction,
    },
    /// The review is settled.
    ReviewApproved {
        rounds: u32,
    },
    ImplRetry {
        attempt: u8,
        max: u8,
        open: u32,
    },
    ImplExhausted {
        max: u8,
        open: u32,
    },
    InspectionEnded {
        round: u32,
        verdict: Verdict,
    },
    DocumentApproved {
        document: Document,
        by_person: bool,
    },
    DocumentRejected(Document),
    PhaseEnded(Phase),
    /// Something is not as it should be, and the run copes.
    Warned(String),
    /// spec.json could not be written.
    SaveFailed(String),
    /// The last word of a run, until it is asked for again.
    RunEnded {
        state: RestState,
        reason: String,
        message: String,
    },
}

/// What a review round leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextAction {
    Continue,
    Approved,
    Paused,
}

/// The states in which a run can rest, in the words of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RestState {
    Idle,
    Waiting,
    Paused,
    Stopped,
    Failed,
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Info,
    Warn,
    Error,
}

impl Notice {
    /// How loud it is said (A9).
    pub fn level(&self) -> Level {
        match self {
            Notice::ImplExhausted { .. } | Notice::SaveFailed(_) => Level::Error,
            Notice::Warned(_) => Level::Warn,
            Notice::StepEnded { outcome, .. } => match outcome {
                Outcome::Finished | Outcome::Killed => Level::Info,
                Outcome::Hung | Outcome::Lost(_) => Level::Warn,
                Outcome::Failed(_) | Outcome::Missing(_) | Outcome::TimedOut => Level::Error,
            },
            Notice::RunEnded { state, .. } => match state {
                RestState::Failed => Level::Error,
                RestState::Paused | RestState::Waiting => Level::Warn,
                RestState::Idle | RestState::Stopped | RestState::Done => Level::Info,
            },
            Notice::RunQueued
            | Notice::RunStarted { .. }
            | Notice::PhaseStarted(_)
            | Notice::StepStarted { .. }
            | Notice::RoundEnded { .. }
            | Notice::ReviewApproved { .. }
            | Notice::ImplRetry { .. }
            | Notice::InspectionEnded { .. }
            | Notice::DocumentApproved { .. }
            | Notice::DocumentRejected(_)
            | Notice::PhaseEnded(_) => Level::Info,
        }
    }
}
