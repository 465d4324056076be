//! The results of a scenario, and the sentences for them.

use std::io;

use kumite_core::outcome::{LimitKind, Outcome};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    /// What was expected, and what happened.
    Failed(String),
    /// Why it was not tried.
    Skipped(String),
}

impl Verdict {
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed(_) => "failed",
            Verdict::Skipped(_) => "skipped",
        }
    }

    pub fn message(&self) -> &str {
        match self {
            Verdict::Passed => "",
            Verdict::Failed(words) | Verdict::Skipped(words) => words,
        }
    }
}

/// Something is wrong, as a sentence.
#[derive(Debug)]
pub(crate) struct Miss(pub String);

pub(crate) type Result<T = ()> = std::result::Result<T, Miss>;

impl From<io::Error> for Miss {
    fn from(error: io::Error) -> Miss {
        Miss(format!("the stage is broken: {error}"))
    }
}

impl From<kumite_agents::Error> for Miss {
    fn from(error: kumite_agents::Error) -> Miss {
        Miss(format!("the agent could not be launched: {error}"))
    }
}

/// An error with this sentence unless `holds` is true.
pub(crate) fn expect(holds: bool, sentence: impl FnOnce() -> String) -> Result {
    match holds {
        true => Ok(()),
        false => Err(Miss(sentence())),
    }
}

/// How an agent ended, as part of a sentence.
pub(crate) fn words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Finished => "it finished".to_owned(),
        Outcome::Failed(words) => format!("it failed: {words}"),
        Outcome::Missing(words) => format!("it could not be started: {words}"),
        Outcome::Hung => "it was taken for hung".to_owned(),
        Outcome::TimedOut => "its time was up".to_owned(),
        Outcome::Killed => "it was ended as told".to_owned(),
        Outcome::Lost(words) => format!("its end was not seen: {words}"),
        Outcome::Limited(limit) => {
            let kind = match limit.kind {
                LimitKind::Usage => "a usage limit",
                LimitKind::Held => "a known usage limit",
                LimitKind::Overload => "an overload",
            };
            let until = match limit.until_ms {
                Some(_) => "with a reset time",
                None => "without a reset time",
            };
            format!("it met {kind} {until}: {}", limit.words)
        }
        Outcome::SessionGone(words) => format!("its session was gone: {words}"),
        Outcome::OverBudget(words) => format!("it was over its budget: {words}"),
    }
}
