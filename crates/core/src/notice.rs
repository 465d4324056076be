//! News for people. Terminal, JSON lines, event log and page all render this closed enum.

use serde::{Deserialize, Serialize};

use crate::facts::{Findings, Verdict};
use crate::journal::AgentId;
use crate::names::{Document, Phase};
use crate::outcome::{Outcome, Usage};
use crate::place::{Check, CheckOutcome};
use crate::pool::QueuePlace;
use crate::run::{Because, Halt, Rest, Step};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    RunQueued(Option<QueuePlace>),
    /// It waits until this spec no longer works in the checkout that both share.
    CheckoutBusy {
        with: String,
    },
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
        because: Because,
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
    /// The spec has a worktree now. `made`: it was not there before.
    WorktreeCreated {
        path: String,
        branch: String,
        made: bool,
    },
    /// There can be no worktree, so the spec is implemented in the checkout.
    NoWorktree {
        why: String,
    },
    /// One of the project's commands is run; `agent` names its log.
    VerifyStarted {
        name: String,
        agent: AgentId,
    },
    VerifyEnded {
        check: Check,
        agent: AgentId,
    },
    /// The content of the worktree at this journal entry is kept.
    Checkpoint {
        seq: u64,
    },
    /// The agent's program is limited until then; the run waits for it.
    LimitWaiting {
        until_ms: u64,
        /// In the program's own words.
        words: String,
    },
    /// Something is wrong, but the run copes.
    Warned(String),
    /// spec.json could not be written.
    SaveFailed(String),
    /// The end of a run, until it is started again.
    RunEnded {
        rest: Rest,
        message: String,
    },
}

crate::words! {
    /// What a review round leads to.
    pub enum NextAction: name {
        Continue = "continue",
        Approved = "approved",
        Paused = "paused",
    }
}

crate::words! {
    pub enum Level: name {
        Info = "info",
        Warn = "warn",
        Error = "error",
    }
}

impl Notice {
    /// How prominent the news is (A9).
    pub fn level(&self) -> Level {
        match self {
            Notice::ImplExhausted { .. } | Notice::SaveFailed(_) => Level::Error,
            Notice::Warned(_) | Notice::LimitWaiting { .. } => Level::Warn,
            Notice::StepEnded { outcome, .. } => match outcome {
                Outcome::Finished | Outcome::Killed => Level::Info,
                Outcome::Hung
                | Outcome::Lost(_)
                | Outcome::Limited(_)
                | Outcome::SessionGone(_)
                | Outcome::OverBudget(_) => Level::Warn,
                Outcome::Failed(_) | Outcome::Missing(_) | Outcome::TimedOut => Level::Error,
            },
            Notice::RunEnded { rest, .. } => match rest {
                Rest::JournalUnreadable | Rest::Halted(Halt::Failed(_)) => Level::Error,
                Rest::JournalUnwritable
                | Rest::Halted(
                    Halt::Paused(_) | Halt::Waiting(_) | Halt::DeployDoubted | Halt::Limited { .. },
                ) => Level::Warn,
                Rest::Idle | Rest::Halted(Halt::Stopped(_)) | Rest::Done(_) => Level::Info,
            },
            Notice::RunQueued(_)
            | Notice::CheckoutBusy { .. }
            | Notice::RunStarted { .. }
            | Notice::PhaseStarted(_)
            | Notice::StepStarted { .. }
            | Notice::RoundEnded { .. }
            | Notice::ReviewApproved { .. }
            | Notice::ImplRetry { .. }
            | Notice::InspectionEnded { .. }
            | Notice::DocumentApproved { .. }
            | Notice::DocumentRejected(_)
            | Notice::PhaseEnded(_)
            | Notice::WorktreeCreated { .. }
            | Notice::NoWorktree { .. }
            | Notice::VerifyStarted { .. }
            | Notice::Checkpoint { .. } => Level::Info,
            Notice::VerifyEnded { check, .. } => match check.outcome {
                CheckOutcome::Passed => Level::Info,
                CheckOutcome::Failed | CheckOutcome::Timeout | CheckOutcome::Flaky => Level::Warn,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::By;
    use crate::run::{Failure, Finish, Pause, Round};

    const AGENT: AgentId = AgentId { at_ms: 1, seq: 1 };
    const STEP: Step = Step::Review(Round { number: 1, left: 6 });

    fn step_ended(outcome: Outcome) -> Notice {
        Notice::StepEnded {
            step: STEP,
            agent: AGENT,
            outcome,
            usage: Usage::default(),
        }
    }

    fn run_ended(rest: Rest) -> Notice {
        Notice::RunEnded {
            rest,
            message: String::new(),
        }
    }

    fn round_ended(next: NextAction) -> Notice {
        Notice::RoundEnded {
            round: 1,
            findings: Findings::default(),
            next,
        }
    }

    #[test]
    fn a9_rounds_are_said_as_info() {
        let started = Notice::StepStarted {
            step: STEP,
            agent: AGENT,
            resumed: false,
        };
        for notice in [
            started,
            round_ended(NextAction::Continue),
            round_ended(NextAction::Approved),
            round_ended(NextAction::Paused),
            Notice::ReviewApproved { rounds: 3 },
            step_ended(Outcome::Finished),
            step_ended(Outcome::Killed),
            run_ended(Rest::Done(Finish::AllPhasesDone)),
            run_ended(Rest::Halted(Halt::Stopped(By::User))),
        ] {
            assert_eq!(notice.level(), Level::Info, "{notice:?}");
        }
    }

    #[test]
    fn a9_what_waits_for_a_person_is_a_warning() {
        for notice in [
            run_ended(Rest::Halted(Halt::Paused(Pause::NoEvidence))),
            run_ended(Rest::Halted(Halt::Waiting(Document::Design))),
            step_ended(Outcome::Hung),
            step_ended(Outcome::Lost("power cut".to_owned())),
            Notice::Warned("tasks.md cannot be read".to_owned()),
        ] {
            assert_eq!(notice.level(), Level::Warn, "{notice:?}");
        }
    }

    #[test]
    fn a9_failures_are_errors() {
        for notice in [
            run_ended(Rest::Halted(Halt::Failed(Failure::Timeout))),
            step_ended(Outcome::Failed("exit status 1".to_owned())),
            step_ended(Outcome::Missing("no such program".to_owned())),
            step_ended(Outcome::TimedOut),
            Notice::SaveFailed("disk full".to_owned()),
            Notice::ImplExhausted { max: 7, open: 1 },
        ] {
            assert_eq!(notice.level(), Level::Error, "{notice:?}");
        }
    }

    #[test]
    fn b4_a_retry_is_info() {
        let retry = Notice::ImplRetry {
            attempt: 1,
            max: 7,
            open: 2,
            because: Because::TasksOpen,
        };
        assert_eq!(retry.level(), Level::Info);
    }
}
