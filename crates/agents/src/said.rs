//! What an agent program says and does, in one form for all of them. These are the lines of an
//! agent's transcript, beside the raw output.

use kumite_core::outcome::{Outcome, Usage};
use serde::{Deserialize, Serialize};

/// One line of a transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Unix time in milliseconds at which it was heard.
    pub at_ms: u64,
    #[serde(flatten)]
    pub said: Said,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Said {
    /// It is up.
    Started {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    Text {
        text: String,
    },
    Thought {
        text: String,
    },
    /// It uses a tool; `what` is the command, the path or the like, on one line.
    Tool {
        id: String,
        name: String,
        what: String,
    },
    /// That tool has answered.
    ToolEnded {
        id: String,
        ok: bool,
        text: String,
    },
    /// It changed a file. `diff` has lines that begin with `+`, `-` or a blank, and may be empty.
    Changed {
        path: String,
        diff: String,
    },
    /// Housekeeping: a retry, a compaction, lines that were left out.
    Note {
        text: String,
    },
    /// Something went wrong, and it may yet go on.
    Trouble {
        text: String,
    },
    /// Its result. Of several the last one counts.
    Ended {
        outcome: Outcome,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        #[serde(default)]
        usage: Usage,
    },
}

/// How much of one text a transcript keeps. The raw output has the rest.
const TEXT_MAX: usize = 16 * 1024;

/// `text` as a transcript keeps it.
pub(crate) fn clip(text: &str) -> String {
    if text.len() <= TEXT_MAX {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(TEXT_MAX);
    let more = text.len() - end;
    format!("{}… ({more} more bytes)", &text[..end])
}
