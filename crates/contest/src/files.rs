//! The files of a round: the prompt, the submission, the conversation.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use kumite_core::contest::Submission;
use kumite_files::{Access, Durable, open_plain, replace};
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
    replace(
        &prompt(round),
        text.as_bytes(),
        Durable::Process,
        Access::Private,
    )
}

/// Stores a submission of any kind, and returns its description. The text comes last: if it exists,
/// the rest does too.
pub fn keep(round: &Path, handed: &Handed) -> io::Result<Submission> {
    fs::create_dir_all(round)?;
    let about = About {
        format: handed.format.clone(),
        messages: handed.messages.clone(),
        members: handed.members.clone(),
    };
    let about = serde_json::to_vec(&about)?;
    replace(
        &round.join("about.json"),
        &about,
        Durable::Process,
        Access::Private,
    )?;
    replace(
        &submission(round),
        handed.text.as_bytes(),
        Durable::Process,
        Access::Private,
    )?;
    Ok(match &handed.flaw {
        Some(why) => Submission::Malformed { why: why.clone() },
        None => Submission::of(&handed.text),
    })
}

pub fn read_submission(round: &Path) -> io::Result<String> {
    read(&submission(round))
}

pub fn read_prompt(round: &Path) -> io::Result<String> {
    read(&prompt(round))
}

/// These files are shown to people. A link could lead elsewhere, and a pipe would block.
fn read(path: &Path) -> io::Result<String> {
    let mut file = open_plain(path, OpenOptions::new().read(true))?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(text)
}

pub fn about(round: &Path) -> Option<About> {
    let text = fs::read(round.join("about.json")).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_in_place_of_a_text_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        keep_prompt(dir.path(), "the prompt").unwrap();
        assert_eq!(read_prompt(dir.path()).unwrap(), "the prompt");
        symlink(prompt(dir.path()), submission(dir.path())).unwrap();
        assert!(read_submission(dir.path()).is_err());
    }
}
