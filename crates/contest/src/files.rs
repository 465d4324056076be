//! The files of a round: what was asked, what was handed in, what was said.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kumite_core::contest::Submission;
use kumite_host::files::{Durable, replace};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::work::Handed;

/// What is larger is malformed: no evaluator could read it.
pub const SUBMISSION_MAX: usize = 1_000_000;

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
        None => look_at(&handed.text),
    })
}

pub fn read_submission(round: &Path) -> io::Result<String> {
    fs::read_to_string(submission(round))
}

pub fn about(round: &Path) -> Option<About> {
    let text = fs::read(round.join("about.json")).ok()?;
    serde_json::from_slice(&text).ok()
}

/// D9: what can be evaluated at all.
fn look_at(text: &str) -> Submission {
    let malformed = |why: String| Submission::Malformed { why };
    if text.trim().is_empty() {
        return malformed("the submission was empty".to_owned());
    }
    if let Some(at) = text.find('\0') {
        return malformed(format!("the submission had a NUL byte at byte {at}"));
    }
    if text.len() > SUBMISSION_MAX {
        let bytes = text.len();
        return malformed(format!(
            "the submission had {bytes} bytes, more than {SUBMISSION_MAX}"
        ));
    }
    Submission::Given {
        bytes: text.len() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d9_what_nobody_could_evaluate_is_malformed_and_says_why() {
        let large = "x".repeat(SUBMISSION_MAX + 1);
        let rows = [
            ("", "empty"),
            (" \n\t", "empty"),
            ("a\0b", "NUL byte at byte 1"),
            (large.as_str(), "1000001 bytes"),
        ];
        for (text, words) in rows {
            let Submission::Malformed { why } = look_at(text) else {
                panic!("{words}");
            };
            assert!(why.contains(words), "{why}");
        }
        assert_eq!(look_at("ok"), Submission::Given { bytes: 2 });
    }
}
