//! Why there is no answer, in words for a person.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::endpoint::Key;
use crate::model::Model;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    pub kind: Kind,
    /// Names the model and quotes the provider, shortened and without the key.
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The request is wrong, or the account has no money.
    Refused {
        status: u16,
    },
    /// The key is not accepted.
    Auth,
    /// Too many requests or tokens, for a while.
    Limited {
        retry_after: Option<Duration>,
    },
    Overloaded {
        retry_after: Option<Duration>,
    },
    /// The server failed.
    Server {
        status: u16,
    },
    /// No connection, or the connection broke off.
    Unreachable,
    TimedOut,
    Cancelled,
    /// The response is not an answer.
    Malformed,
    /// A leader that never finished.
    Endless,
}

impl Failure {
    /// Whether the same request may succeed later.
    pub fn may_pass(&self) -> bool {
        match self.kind {
            Kind::Limited { .. }
            | Kind::Overloaded { .. }
            | Kind::Server { .. }
            | Kind::Unreachable
            | Kind::TimedOut
            | Kind::Malformed => true,
            Kind::Refused { .. } | Kind::Auth | Kind::Cancelled | Kind::Endless => false,
        }
    }

    /// How long the provider asks us to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.kind {
            Kind::Limited { retry_after } | Kind::Overloaded { retry_after } => retry_after,
            _ => None,
        }
    }

    pub(crate) fn malformed(model: &Model, what: &str) -> Failure {
        Failure {
            kind: Kind::Malformed,
            message: format!("{}: {}", model.id, presentable(what, model)),
        }
    }

    pub(crate) fn cancelled(model: &Model) -> Failure {
        Failure {
            kind: Kind::Cancelled,
            message: format!("the call of {} was cancelled", model.id),
        }
    }

    pub(crate) fn timed_out(model: &Model, after: Duration) -> Failure {
        Failure {
            kind: Kind::TimedOut,
            message: format!(
                "{} did not answer within {:.2} s",
                model.id,
                after.as_secs_f64()
            ),
        }
    }

    pub(crate) fn unreachable(model: &Model, why: &str) -> Failure {
        let why = presentable(why, model);
        Failure {
            kind: Kind::Unreachable,
            message: format!(
                "cannot reach {} at {}: {why}",
                model.id, model.endpoint.base_url
            ),
        }
    }
}

const WORDS_CHARS_MAX: usize = 500;

/// One line, without the key, and not too long. The key is removed before the text is cut, because
/// part of a key would not be recognised.
pub(crate) fn presentable(words: &str, model: &Model) -> String {
    let words = match &model.endpoint.key {
        Some(key) => without(words, key),
        None => words.to_owned(),
    };
    let mut line = String::new();
    for word in words.split(|letter: char| letter.is_whitespace() || letter.is_control()) {
        if !word.is_empty() {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    match line.char_indices().nth(WORDS_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// A shorter key is not a secret, and its letters would match everywhere.
const SECRET_BYTES_MIN: usize = 6;

fn without(words: &str, key: &Key) -> String {
    match key.secret.len() {
        0..SECRET_BYTES_MIN => words.to_owned(),
        _ => words.replace(&key.secret, "***"),
    }
}
