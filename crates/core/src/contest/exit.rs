//! How and why a team has left the contest.

use serde::{Deserialize, Serialize};

/// The end of a team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    pub reason: Reason,
    /// For a person: what exactly happened. None for a good end.
    pub message: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    MaxRoundsReached,
    NoImprovementExpected,
    /// The money is spent, so no new round begins.
    BudgetReached,

    SubmissionTimeout,
    EvaluatorFailure,
    DatabaseFailure,

    /// The team itself failed after at least one good round.
    PartialFailure,
    PartialFailureTimeout,
    /// The team itself failed without a good round.
    SubmissionFailure,
    TeamTimeout,
    ContestTimeout,
    /// Every round was empty or malformed.
    NoValidSubmission,
    Cancelled,
}

/// What an exit means for the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    Done,
    /// It did not get to its end; its results count.
    Failed,
    /// D9: its results are shown, but never win.
    Disqualified,
}

impl Reason {
    pub const ALL: [Reason; 13] = [
        Reason::MaxRoundsReached,
        Reason::NoImprovementExpected,
        Reason::BudgetReached,
        Reason::SubmissionTimeout,
        Reason::EvaluatorFailure,
        Reason::DatabaseFailure,
        Reason::PartialFailure,
        Reason::PartialFailureTimeout,
        Reason::SubmissionFailure,
        Reason::TeamTimeout,
        Reason::ContestTimeout,
        Reason::NoValidSubmission,
        Reason::Cancelled,
    ];

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

    /// The word in the database.
    pub fn name(self) -> &'static str {
        match self {
            Reason::MaxRoundsReached => "max_rounds_reached",
            Reason::NoImprovementExpected => "no_improvement_expected",
            Reason::BudgetReached => "budget_reached",
            Reason::SubmissionTimeout => "submission_timeout",
            Reason::EvaluatorFailure => "evaluator_failure",
            Reason::DatabaseFailure => "database_failure",
            Reason::PartialFailure => "partial_failure",
            Reason::PartialFailureTimeout => "partial_failure_timeout",
            Reason::SubmissionFailure => "submission_failure",
            Reason::TeamTimeout => "team_timeout",
            Reason::ContestTimeout => "contest_timeout",
            Reason::NoValidSubmission => "no_valid_submission",
            Reason::Cancelled => "cancelled",
        }
    }
}

impl Fate {
    pub fn name(self) -> &'static str {
        match self {
            Fate::Done => "done",
            Fate::Failed => "failed",
            Fate::Disqualified => "disqualified",
        }
    }
}
