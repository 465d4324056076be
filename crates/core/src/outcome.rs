//! How an agent ended.

use serde::{Deserialize, Serialize};

/// The end of an agent, with its usage. Its achievements are not here: those are evidence, and
/// evidence comes from the files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    pub outcome: Outcome,
    /// The agent program's own session, which can be resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default)]
    pub usage: Usage,
    /// Its last text, as one short paragraph: it may have been a question.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last_words: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It reported success, and exited.
    Finished,
    /// It ended by itself in any other way; the sentence says how.
    Failed(String),
    /// It could not be started; the sentence says why.
    Missing(String),
    /// It was silent for too long and was ended.
    Hung,
    /// It took longer than a step may take and was ended.
    TimedOut,
    /// kumite ended it on request.
    Killed,
    /// How it ended is unknown: the machine or its supervisor died.
    Lost(String),
    /// Its program may not work for now. The step has not failed: the run waits.
    Limited(Limit),
    /// The session that it should resume no longer exists.
    SessionGone(String),
    /// The money is spent; the sentence names the budget.
    OverBudget(String),
}

/// For people.
impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outcome::Finished => f.write_str("it finished"),
            Outcome::Hung => f.write_str("it said nothing for too long"),
            Outcome::TimedOut => f.write_str("it took too long"),
            Outcome::Killed => f.write_str("it was ended from outside"),
            Outcome::Limited(limit) => f.write_str(&limit.words),
            Outcome::Failed(how)
            | Outcome::Missing(how)
            | Outcome::Lost(how)
            | Outcome::SessionGone(how)
            | Outcome::OverBudget(how) => f.write_str(how),
        }
    }
}

/// Why a program may not work for now, and for how long, as far as it reported that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    pub kind: LimitKind,
    /// Unix time in milliseconds, as reported: it may be wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<u64>,
    /// In the program's own words.
    pub words: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// The person's plan is used up until it is reset.
    Usage,
    /// The same, but known from another agent: this one was not even started.
    Held,
    /// The service is too busy at the moment.
    Overload,
}

/// What an agent used, as it reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Millionths of a US dollar: money is added up, so it is a whole number.
    pub usd_micros: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.usd_micros = self.usd_micros.saturating_add(other.usd_micros);
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
    }
}
