//! Which part of an agent's work is handed in.

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use kumite_core::contest::{Failed, Failure, Used};
use kumite_formats::contest::Source;
use kumite_models::Usage;
use kumite_project::spec_file::sentence;
use serde_json::{Value, json};

use super::attempt::Attempt;
use super::place;
use crate::work::Handed;

/// All changes of the team, in the directory of the round, whatever it hands in.
pub const CHANGES: &str = "changes.diff";

impl Attempt<'_> {
    /// This agent has finished.
    pub fn hand_in(&self) -> Result<Handed, Failed> {
        let changes = self.turn.dir.join(CHANGES);
        let worktree = &self.team.worktree;
        let diff = worktree.diff(&changes);
        diff.map_err(|error| passing(sentence(&error)))?;
        let said =
            kumite_agents::final_text(&self.dir()).map_err(|error| passing(sentence(&error)))?;
        let text = match &self.team.source {
            Source::Text => said.clone().ok_or_else(|| "it printed too much".to_owned()),
            Source::File(path) => place::read(worktree.root(), &worktree.place(), path),
            Source::Diff => diff_text(&changes),
        };
        let (text, flaw) = match text {
            Ok(text) => (text, None),
            Err(why) => (String::new(), Some(why)),
        };
        let used = self.used();
        Ok(Handed {
            text,
            flaw,
            format: format(&self.team.source),
            messages: self.messages(&said.unwrap_or_default(), used),
            members: Value::Array(Vec::new()),
            used,
        })
    }

    /// In the format of pydantic-ai: the prompt, and the last text.
    fn messages(&self, text: &str, used: Used) -> Value {
        let now = format!("{:.6}", Timestamp::now());
        let usage = Usage {
            input_tokens: used.input_tokens,
            output_tokens: used.output_tokens,
            ..Usage::default()
        };
        json!([
            {
                "kind": "request", "instructions": null, "timestamp": now, "run_id": null,
                "metadata": null,
                "parts": [
                    {"part_kind": "user-prompt", "content": self.prompt, "timestamp": now},
                ],
            },
            {
                "kind": "response", "usage": usage.record(), "model_name": self.team.name,
                "timestamp": now, "provider_name": "kumite", "provider_details": null,
                "provider_response_id": null, "finish_reason": "stop", "run_id": null,
                "metadata": null,
                "parts": [{"part_kind": "text", "content": text, "id": null}],
            },
        ])
    }
}

fn passing(why: String) -> Failed {
    Failed {
        failure: Failure::Passing,
        why,
        retry_after_ms: None,
    }
}

fn format(source: &Source) -> String {
    match source {
        Source::Text => "md".to_owned(),
        Source::Diff => "diff".to_owned(),
        Source::File(path) => match Path::new(path).extension() {
            Some(end) => end.to_string_lossy().to_lowercase(),
            None => "txt".to_owned(),
        },
    }
}

/// Text that is not UTF-8 is shown as well as possible; the file has it unchanged.
fn diff_text(file: &Path) -> Result<String, String> {
    let bytes = fs::metadata(file).map_err(|error| format!("the diff cannot be read: {error}"))?;
    place::small("the diff", bytes.len())?;
    let bytes = fs::read(file).map_err(|error| format!("the diff cannot be read: {error}"))?;
    match bytes.is_empty() {
        true => Err("nothing was changed".to_owned()),
        false => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}
