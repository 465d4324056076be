//! Why a tool refused: the sentence that the command line would print.

use std::fmt;

use kumite_project::spec_file::sentence;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

pub type Result<T> = std::result::Result<T, Refusal>;

impl Refusal {
    pub fn new(words: impl Into<String>) -> Refusal {
        Refusal(words.into())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// An error is shown with all its causes, which name file, line and remedy.
impl<E: std::error::Error> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal(sentence(&error))
    }
}
