//! The files of a round: what was asked, what was handed in, what was said.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kumite_core::contest::Submission;
use kumite_host::files::{Durable, replace};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::work::Handed;

/// What belongs to a submission besides its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    pub format: String,
    pub messages: Value,
    pub members: Value,
}

pub fn submission(round: &Path) -> PathBuf {
    round.join("submission.txt")
}

pub fn prompt(round: &Path) -> PathBuf {
    round.join("prompt.md")
}

pub fn keep_prompt(round: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(round)?;
    replace(&prompt(round), text.as_bytes(), Durable::Process)
}

/// Keeps a submission, whatever it is, and says what it is. The text comes last: where it is, the
/// rest is.
pub fn keep(round: &Path, handed: &Handed) -> io::Result<Submission> {
    fs::create_dir_all(round)?;
    let about = About {
        format: handed.format.clone(),
        messages: handed.messages.clone(),
        members: handed.members.clone(),
    };
    let about = serde_json::to_vec(&about)?;
    replace(&round.join("about.json"), &about, Durable::Process)?;
    replace(&submission(round), handed.text.as_bytes(), Durable::Process)?;
    Ok(match &handed.flaw {
        Some(why) => Submission::Malformed { why: why.clone() },
        None => Submission::of(&handed.text),
    })
}

pub fn read_submission(round: &Path) -> io::Result<String> {
    fs::read_to_string(submission(round))
}

pub fn about(round: &Path) -> Option<About> {
    let text = fs::read(round.join("about.json")).ok()?;
    serde_json::from_slice(&text).ok()
}
