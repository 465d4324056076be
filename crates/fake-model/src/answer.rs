//! An answer of the model, independent of the API, and the ways to refuse one.

use serde_json::Value;

use crate::script::Usage;

#[derive(Debug)]
pub(crate) struct Answer {
    /// Different for every answer; each API adds its own prefix.
    pub id: String,
    pub at_s: u64,
    pub model: String,
    pub parts: Vec<Part>,
    pub usage: Usage,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Think(String),
    Text(String),
    Call(Call),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub name: String,
    pub input: Value,
    /// Takes plain text instead of JSON.
    pub custom: bool,
    pub namespace: Option<String>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    Limit {
        now_s: i64,
        resets_at_s: Option<i64>,
    },
    Overload,
    Rate {
        retry_after_s: Option<u64>,
    },
    Auth,
    /// A failure from the script, or for an invalid request.
    Status {
        status: u16,
        message: String,
    },
}

/// A failure in the format of one API.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Value,
}

impl Answer {
    pub fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Call(_)))
    }

    /// The id of the part at `index`, different from the id of every other part.
    pub fn part_id(&self, prefix: &str, index: usize) -> String {
        format!("{prefix}{}{index:02}", self.id)
    }

    /// The whole text of the answer.
    pub fn text(&self) -> String {
        let said = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Think(_) | Part::Call(_) => None,
        };
        self.parts.iter().filter_map(said).collect()
    }
}

impl Call {
    /// The input as text: unchanged for a custom tool, JSON for the others.
    pub fn input_text(&self) -> String {
        match &self.input {
            Value::String(text) if self.custom => text.clone(),
            input => input.to_string(),
        }
    }
}

const PIECE_BYTES_MIN: usize = 16;
const PIECE_BYTES_MAX: usize = 4096;
const PIECES: usize = 50;

/// Cuts a text into the pieces of a stream, never inside a character.
pub(crate) fn pieces(text: &str) -> Vec<&str> {
    let size = (text.len() / PIECES).clamp(PIECE_BYTES_MIN, PIECE_BYTES_MAX);
    let mut rest = text;
    let mut pieces = Vec::new();
    while rest.len() > size {
        let end = (size..)
            .find(|end| rest.is_char_boundary(*end))
            .unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(rest);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_put_together_are_the_text() {
        for text in [
            "",
            "short",
            "組手".repeat(5000).as_str(),
            &"x".repeat(1_000_000),
        ] {
            assert_eq!(pieces(text).concat(), text);
        }
    }
}
