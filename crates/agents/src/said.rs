//! What an agent program says and does, in one format for all programs. These are the lines of an
//! agent's transcript, beside the raw output.

use kumite_core::outcome::{Outcome, Usage};
use serde::{Deserialize, Serialize};

/// One line of a transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TranscriptLine {
    /// Unix time in milliseconds at which it was heard.
    pub at_ms: u64,
    #[serde(flatten)]
    pub said: Said,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Said {
    /// kumite started it. This is the first line, and the only one from kumite before the agent's
    /// own.
    Launched {
        program: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        round: Option<u32>,
    },
    /// The program is running.
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
    /// It changed a file. The lines of `diff` begin with `+`, `-` or a blank; it may be empty.
    Changed {
        path: String,
        diff: String,
    },
    /// Housekeeping: a retry, a compaction, omitted lines.
    Note {
        text: String,
    },
    /// Something went wrong, but it may still go on.
    Trouble {
        text: String,
    },
    /// Its result. If there are several, the last one counts.
    Ended {
        outcome: Outcome,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        #[serde(default)]
        usage: Usage,
    },
}

impl Said {
    /// Shortened, as a transcript keeps it.
    pub(crate) fn clipped(mut self) -> Said {
        self.words().into_iter().for_each(clip);
        self
    }

    /// All fields that may contain text of the agent or of its tools.
    pub(crate) fn words(&mut self) -> Vec<&mut String> {
        match self {
            Said::Launched { .. } | Said::Started { .. } => Vec::new(),
            Said::Text { text } | Said::Thought { text } => vec![text],
            Said::Note { text } | Said::Trouble { text } => vec![text],
            Said::Tool { id: _, name, what } => vec![name, what],
            Said::ToolEnded { text, .. } => vec![text],
            Said::Changed { path, diff } => vec![path, diff],
            Said::Ended { outcome, text, .. } => {
                outcome_words(outcome).into_iter().chain([text]).collect()
            }
        }
    }
}

/// The sentence of an outcome, if it has one.
pub(crate) fn outcome_words(outcome: &mut Outcome) -> Option<&mut String> {
    match outcome {
        Outcome::Failed(words)
        | Outcome::Missing(words)
        | Outcome::Lost(words)
        | Outcome::SessionGone(words)
        | Outcome::OverBudget(words) => Some(words),
        Outcome::Limited(limit) => Some(&mut limit.words),
        Outcome::Finished | Outcome::Hung | Outcome::TimedOut | Outcome::Killed => None,
    }
}

/// How much of one text a transcript keeps. The raw output has the rest.
const TEXT_MAX: usize = 16 * 1024;

fn clip(text: &mut String) {
    if text.len() <= TEXT_MAX {
        return;
    }
    let mut ends = (0..=TEXT_MAX).rev();
    let end = ends.find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let more = text.len() - end;
    text.truncate(end);
    text.push_str(&format!("… ({more} more bytes)"));
    text.shrink_to_fit();
}
