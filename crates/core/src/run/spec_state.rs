//! The state of a spec, as types. The page, the command line, MCP and the API match on these, and
//! only they turn them into words. A new reason does not compile until each of them has defined
//! what it means.

use serde::{Deserialize, Serialize};

use super::state::{Failure, Finish, Halt, Pause, Run, State, Wait};
use crate::journal::By;

/// The state of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecState {
    Idle,
    /// It waits for a slot.
    Queued,
    Working,
    /// It pauses when its agent has finished.
    Finishing,
    /// Its agent is being ended.
    Stopping,
    /// It waits for the end of a usage limit, and goes on by itself.
    Limited,
    /// kumite ended in the middle of a step, and no process has taken the run over.
    CutOff,
    /// spec.json cannot be read.
    SpecUnreadable,
    JournalUnreadable,
    JournalUnwritable,
    Halted(Halt),
    Done(Finish),
}

/// How a run rests: nothing happens until a person asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rest {
    Idle,
    Halted(Halt),
    Done(Finish),
    /// The journal cannot be read, so nothing is known about the run.
    JournalUnreadable,
    /// The journal could not be written, so the run was given up.
    JournalUnwritable,
}

crate::words! {
    /// The states of the contract.
    pub enum StateName: word {
        Idle = "idle",
        Working = "working",
        Waiting = "waiting",
        Paused = "paused",
        Stopped = "stopped",
        Failed = "failed",
        Done = "done",
    }
}

crate::words! {
    /// The reason of a state, in the words of the contract.
    pub enum Reason: word {
        AllPhasesDone = "all_phases_done",
        NotPermitted = "not_permitted",
        UntilReached = "until_reached",
        ApprovalNeeded = "approval_needed",
        UsageLimit = "usage_limit",
        Queued = "queued",
        NeedsDiscussion = "needs_discussion",
        RoundsExhausted = "rounds_exhausted",
        NoEvidence = "no_evidence",
        EvidenceConflict = "evidence_conflict",
        InspectionNogo = "inspection_nogo",
        SpecUnreadable = "spec_unreadable",
        SpecUnwritable = "spec_unwritable",
        JournalUnreadable = "journal_unreadable",
        JournalUnwritable = "journal_unwritable",
        Budget = "budget",
        WorktreeConflict = "worktree_conflict",
        SetupFailed = "setup_failed",
        BaselineFailed = "baseline_failed",
        ProtectedChanged = "protected_changed",
        PausedByUser = "paused_by_user",
        StoppedByUser = "stopped_by_user",
        Interrupted = "interrupted",
        RetriesExhausted = "retries_exhausted",
        AgentFailed = "agent_failed",
        AgentMissing = "agent_missing",
        AgentHung = "agent_hung",
        Timeout = "timeout",
    }
}

/// What a person is needed for, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// A document waits: a word is enough.
    Approve,
    /// A person has to decide or correct something, then the run goes on.
    Decide,
    /// Only a reset lets it go on.
    Reset,
    Failed,
    /// kumite ended, or a person paused the run: it goes on when asked to.
    Resume,
}

/// What the end of a run means for the process that followed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Done,
    Failed,
    PersonNeeded,
    Budget,
    Quota,
}

impl SpecState {
    /// A run without an engine does not work, whatever its journal says.
    pub fn of(run: &Run, engine_lives: bool) -> SpecState {
        match &run.state {
            State::Idle => SpecState::Idle,
            State::Queued { .. }
            | State::Working(_)
            | State::Finishing(_)
            | State::Stopping { .. }
                if !engine_lives =>
            {
                SpecState::CutOff
            }
            State::Queued { .. } => SpecState::Queued,
            State::Working(_) => SpecState::Working,
            State::Finishing(_) => SpecState::Finishing,
            State::Stopping { .. } => SpecState::Stopping,
            State::Limited(_) if engine_lives => SpecState::Limited,
            // No process is there to wait for the end of the limit.
            State::Limited(Wait { until_ms, .. }) => SpecState::Halted(Halt::Limited {
                until_ms: *until_ms,
            }),
            State::Halted(halted) => SpecState::Halted(halted.why),
            State::Done(finish) => SpecState::Done(*finish),
        }
    }

    pub fn state(self) -> StateName {
        match self {
            SpecState::Idle => StateName::Idle,
            SpecState::Working | SpecState::Finishing | SpecState::Stopping => StateName::Working,
            SpecState::Queued | SpecState::Limited => StateName::Waiting,
            SpecState::CutOff => StateName::Stopped,
            SpecState::SpecUnreadable | SpecState::JournalUnwritable => StateName::Paused,
            SpecState::JournalUnreadable => StateName::Failed,
            SpecState::Halted(why) => match why {
                Halt::Waiting(_) | Halt::DeployDoubted | Halt::Limited { .. } => StateName::Waiting,
                Halt::Stopped(_) => StateName::Stopped,
                Halt::Paused(_) => StateName::Paused,
                Halt::Failed(_) => StateName::Failed,
            },
            SpecState::Done(_) => StateName::Done,
        }
    }

    pub fn reason(self) -> Option<Reason> {
        match self {
            SpecState::Idle | SpecState::Working | SpecState::Finishing | SpecState::Stopping => {
                None
            }
            SpecState::Queued => Some(Reason::Queued),
            SpecState::Limited => Some(Reason::UsageLimit),
            SpecState::CutOff => Some(Reason::Interrupted),
            SpecState::SpecUnreadable => Some(Reason::SpecUnreadable),
            SpecState::JournalUnreadable => Some(Reason::JournalUnreadable),
            SpecState::JournalUnwritable => Some(Reason::JournalUnwritable),
            SpecState::Halted(why) => Some(Reason::of_halt(why)),
            SpecState::Done(finish) => Some(Reason::of_finish(finish)),
        }
    }

    /// Whether a person is needed, and what for.
    pub fn need(self) -> Option<Need> {
        match self {
            // It goes on by itself.
            SpecState::Limited | SpecState::Queued => None,
            SpecState::Idle
            | SpecState::Working
            | SpecState::Finishing
            | SpecState::Stopping
            | SpecState::CutOff
            | SpecState::SpecUnreadable
            | SpecState::JournalUnreadable
            | SpecState::JournalUnwritable
            | SpecState::Halted(_)
            | SpecState::Done(_) => self.reason().and_then(Reason::need),
        }
    }
}

impl From<Rest> for SpecState {
    fn from(rest: Rest) -> SpecState {
        match rest {
            Rest::Idle => SpecState::Idle,
            Rest::Halted(why) => SpecState::Halted(why),
            Rest::Done(finish) => SpecState::Done(finish),
            Rest::JournalUnreadable => SpecState::JournalUnreadable,
            Rest::JournalUnwritable => SpecState::JournalUnwritable,
        }
    }
}

impl Reason {
    pub fn of_halt(why: Halt) -> Reason {
        match why {
            Halt::Waiting(_) | Halt::DeployDoubted => Reason::ApprovalNeeded,
            Halt::Limited { .. } => Reason::UsageLimit,
            Halt::Stopped(By::User) => Reason::StoppedByUser,
            Halt::Stopped(By::Interrupt) => Reason::Interrupted,
            Halt::Paused(Pause::NeedsDiscussion) => Reason::NeedsDiscussion,
            Halt::Paused(Pause::RoundsExhausted) => Reason::RoundsExhausted,
            Halt::Paused(Pause::NoEvidence) => Reason::NoEvidence,
            Halt::Paused(Pause::EvidenceConflict) => Reason::EvidenceConflict,
            Halt::Paused(Pause::InspectionNogo) => Reason::InspectionNogo,
            Halt::Paused(Pause::SpecUnreadable) => Reason::SpecUnreadable,
            Halt::Paused(Pause::SpecUnwritable) => Reason::SpecUnwritable,
            Halt::Paused(Pause::Budget) => Reason::Budget,
            Halt::Paused(Pause::WorktreeConflict) => Reason::WorktreeConflict,
            Halt::Paused(Pause::BaselineFailed) => Reason::BaselineFailed,
            Halt::Paused(Pause::ProtectedChanged) => Reason::ProtectedChanged,
            Halt::Paused(Pause::ByUser) => Reason::PausedByUser,
            Halt::Failed(Failure::RetriesExhausted) => Reason::RetriesExhausted,
            Halt::Failed(Failure::AgentFailed) => Reason::AgentFailed,
            Halt::Failed(Failure::AgentMissing) => Reason::AgentMissing,
            Halt::Failed(Failure::AgentHung) => Reason::AgentHung,
            Halt::Failed(Failure::Timeout) => Reason::Timeout,
            Halt::Failed(Failure::SetupFailed) => Reason::SetupFailed,
        }
    }

    pub fn of_finish(finish: Finish) -> Reason {
        match finish {
            Finish::AllPhasesDone => Reason::AllPhasesDone,
            Finish::NotPermitted(_) => Reason::NotPermitted,
            Finish::UntilReached(_) => Reason::UntilReached,
        }
    }

    fn need(self) -> Option<Need> {
        match self {
            Reason::ApprovalNeeded => Some(Need::Approve),
            Reason::NeedsDiscussion
            | Reason::RoundsExhausted
            | Reason::NoEvidence
            | Reason::EvidenceConflict
            | Reason::InspectionNogo
            | Reason::SpecUnreadable
            | Reason::SpecUnwritable
            | Reason::JournalUnwritable
            | Reason::Budget
            | Reason::WorktreeConflict
            | Reason::BaselineFailed
            | Reason::ProtectedChanged => Some(Need::Decide),
            Reason::RetriesExhausted => Some(Need::Reset),
            Reason::JournalUnreadable
            | Reason::AgentFailed
            | Reason::AgentMissing
            | Reason::AgentHung
            | Reason::Timeout
            | Reason::SetupFailed => Some(Need::Failed),
            Reason::PausedByUser | Reason::Interrupted | Reason::UsageLimit => Some(Need::Resume),
            Reason::AllPhasesDone
            | Reason::NotPermitted
            | Reason::UntilReached
            | Reason::Queued
            | Reason::StoppedByUser => None,
        }
    }

    /// What a run that ends for this reason means for the exit code.
    pub fn ending(self) -> Ending {
        match self {
            Reason::AllPhasesDone | Reason::NotPermitted | Reason::UntilReached => Ending::Done,
            Reason::UsageLimit => Ending::Quota,
            Reason::Budget => Ending::Budget,
            Reason::RetriesExhausted
            | Reason::JournalUnreadable
            | Reason::AgentFailed
            | Reason::AgentMissing
            | Reason::AgentHung
            | Reason::Timeout
            | Reason::SetupFailed => Ending::Failed,
            Reason::ApprovalNeeded
            | Reason::Queued
            | Reason::NeedsDiscussion
            | Reason::RoundsExhausted
            | Reason::NoEvidence
            | Reason::EvidenceConflict
            | Reason::InspectionNogo
            | Reason::SpecUnreadable
            | Reason::SpecUnwritable
            | Reason::JournalUnwritable
            | Reason::WorktreeConflict
            | Reason::BaselineFailed
            | Reason::ProtectedChanged
            | Reason::PausedByUser
            | Reason::StoppedByUser
            | Reason::Interrupted => Ending::PersonNeeded,
        }
    }
}
