//! What the server remembers about a request, so that a test can check it.

use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeenRequest {
    pub method: String,
    pub path: String,
    pub model: String,
    /// The newest text from a person, shortened.
    pub prompt: String,
    /// The names of the tools that the program offers.
    pub tools: Vec<String>,
    pub by: By,
}

/// What produced the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// An act of a rule, both counted from 0.
    Rule { rule: usize, act: usize },
    /// No act was left: the model said "done.".
    Done,
    /// The request was not about the work.
    Housekeeping,
    /// The request was invalid.
    Refused { status: u16 },
}

const PROMPT_CHARS_MAX: usize = 200;

pub(crate) fn shortened(prompt: &str) -> String {
    match prompt.char_indices().nth(PROMPT_CHARS_MAX) {
        Some((end, _)) => format!("{}...", &prompt[..end]),
        None => prompt.to_owned(),
    }
}
