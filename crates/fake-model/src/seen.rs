//! What the server remembers of a request, for those who want to know what a program asked.

use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Seen {
    pub method: String,
    pub path: String,
    pub model: String,
    /// The newest text that a person wrote, shortened.
    pub prompt: String,
    /// The names of the tools that the program offers.
    pub tools: Vec<String>,
    pub by: By,
}

/// What answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// An act of a rule, both counted from 0.
    Rule { rule: usize, act: usize },
    /// No act was left: the model said "done.".
    Done,
    /// The request was not about the work.
    Housekeeping,
    /// The request made no sense.
    Refused { status: u16 },
}

const PROMPT_CHARS_MAX: usize = 200;

pub(crate) fn shortened(prompt: &str) -> String {
    match prompt.char_indices().nth(PROMPT_CHARS_MAX) {
        Some((end, _)) => format!("{}...", &prompt[..end]),
        None => prompt.to_owned(),
    }
}
