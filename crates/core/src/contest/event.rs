//! What happened in a contest, as the journal stores it.

use serde::{Deserialize, Serialize};

use super::agents::AgentEnd;
use super::rules::Rules;
use super::score::{Confidence, Score};
use crate::journal;
use crate::outcome::Usage;

/// The version of the entries that this code writes.
pub const VERSION: u32 = 1;

pub type Entry = journal::Entry<Event>;

/// Teams and metrics are numbered in the order of the settings, from 0; rounds and tries from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    Started {
        rules: Rules,
        teams: Vec<Entrant>,
    },
    Submitted {
        team: u32,
        round: u32,
        attempt: u32,
        submission: Submission,
        used: Used,
    },
    SubmitFailed {
        team: u32,
        round: u32,
        attempt: u32,
        failed: Failed,
        used: Used,
    },
    /// An agent of a team ended. What follows is decided by `Agents::after`.
    AgentEnded {
        team: u32,
        round: u32,
        attempt: u32,
        /// Which agent of this try.
        number: u32,
        over: AgentEnd,
    },
    Measured {
        team: u32,
        round: u32,
        metric: u32,
        attempt: u32,
        measure: Measure,
        used: Used,
    },
    MeasureFailed {
        team: u32,
        round: u32,
        metric: u32,
        attempt: u32,
        failed: Failed,
        used: Used,
    },
    Judged {
        team: u32,
        round: u32,
        attempt: u32,
        judgment: Judgment,
        used: Used,
    },
    JudgeFailed {
        team: u32,
        round: u32,
        attempt: u32,
        failed: Failed,
        used: Used,
    },
    /// The rows of a round are in the database.
    Saved {
        team: u32,
        round: u32,
    },
    SaveFailed {
        team: u32,
        round: u32,
        attempt: u32,
        why: String,
    },
    /// The rows of the whole contest are in the database.
    SummarySaved,
    SummaryFailed {
        attempt: u32,
        why: String,
    },
    CancelRequested {
        by: By,
    },
    /// Another process took the contest over.
    Resumed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    User,
}

/// A team at the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    pub id: String,
    pub name: String,
    /// Further tries of a submission, if this team has fewer than the rules give.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
}

/// A team's submission. The text itself is a file beside the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Submission {
    Given {
        bytes: u64,
    },
    /// D9: the round counts as failed, and the team is told why.
    Malformed {
        why: String,
    },
}

/// The evaluator's result for one metric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measure {
    pub score: Score,
    pub remark: String,
    /// The submission is worth nothing, whatever the other metrics say.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_veto: bool,
}

/// D4: whether another round is worth it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgment {
    pub should_continue: bool,
    pub reasoning: String,
    pub confidence: Confidence,
}

/// A failed try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    pub failure: Failure,
    pub why: String,
    /// How long the other side asked us to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    TimedOut,
    /// It may succeed later: a busy server, a lost connection, a crash.
    Passing,
    /// The answer could not be used. Asking again may help, waiting does not.
    Unusable,
    /// The same request will fail again: a refused key, a missing program.
    Lasting,
}

/// What a try really used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    #[serde(default, skip_serializing_if = "is_zero")]
    pub input_tokens: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub output_tokens: u64,
    /// Millionths of a dollar.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub micros: u64,
    /// The part of its time in which nobody worked because of a usage limit. It is not charged.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waited_ms: u64,
}

impl Used {
    pub fn of_agent(usage: Usage) -> Used {
        Used {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            micros: usage.usd_micros,
            waited_ms: 0,
        }
    }

    pub fn add(&mut self, more: Used) {
        self.input_tokens = self.input_tokens.saturating_add(more.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(more.output_tokens);
        self.micros = self.micros.saturating_add(more.micros);
        self.waited_ms = self.waited_ms.saturating_add(more.waited_ms);
    }
}

// serde passes a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(value: &u64) -> bool {
    *value == 0
}
