//! How and why a team has left the contest.

use serde::{Deserialize, Serialize};

/// The end of a team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    pub reason: Reason,
    /// For a person: what exactly happened. None for a good end.
    pub message: Option<String>,
}

crate::words! {
    pub enum Reason: name {
        MaxRoundsReached = "max_rounds_reached",
        NoImprovementExpected = "no_improvement_expected",
        /// The money is spent, so no new round begins.
        BudgetReached = "budget_reached",

        SubmissionTimeout = "submission_timeout",
        EvaluatorFailure = "evaluator_failure",
        DatabaseFailure = "database_failure",

        /// The team itself failed after at least one good round.
        PartialFailure = "partial_failure",
        PartialFailureTimeout = "partial_failure_timeout",
        /// The team itself failed without a good round.
        SubmissionFailure = "submission_failure",
        TeamTimeout = "team_timeout",
        ContestTimeout = "contest_timeout",
        /// Every round was empty or malformed.
        NoValidSubmission = "no_valid_submission",
        Cancelled = "cancelled",
    }
}

crate::words! {
    /// What an exit means for the result.
    pub enum Fate: name {
        Done = "done",
        /// It did not get to its end; its results count.
        Failed = "failed",
        /// D9: its results are shown, but never win.
        Disqualified = "disqualified",
    }
}

impl Reason {
    /// The reason that has this name in the database.
    pub fn from_name(name: &str) -> Option<Reason> {
        Reason::ALL.into_iter().find(|reason| reason.name() == name)
    }

    pub fn fate(self) -> Fate {
        match self {
            Reason::MaxRoundsReached | Reason::NoImprovementExpected | Reason::BudgetReached => {
                Fate::Done
            }
            Reason::SubmissionTimeout | Reason::EvaluatorFailure | Reason::DatabaseFailure => {
                Fate::Disqualified
            }
            Reason::PartialFailure
            | Reason::PartialFailureTimeout
            | Reason::SubmissionFailure
            | Reason::TeamTimeout
            | Reason::ContestTimeout
            | Reason::NoValidSubmission
            | Reason::Cancelled => Fate::Failed,
        }
    }
}
