//! Claude Code's `stream-json`. `type` stands anywhere in a line: `system`/`init` names the session,
//! `result` says how it went.

use kumite_core::outcome::{Outcome, Usage};
use serde::Deserialize;
use serde_json::Value;

use super::{Dialect, Heard, shorten, usd_micros};
use crate::said::{Said, clip};

#[derive(Default)]
pub struct Claude {}

/// What is read of a line. What is not needed to know what the line is stays a value: a new shape
/// of a price must not make a result unreadable.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    subtype: Value,
    #[serde(default)]
    session_id: Value,
    #[serde(default)]
    model: Value,
    #[serde(default)]
    is_error: Value,
    #[serde(default)]
    result: Value,
    #[serde(default)]
    errors: Value,
    #[serde(default)]
    total_cost_usd: Value,
    #[serde(default)]
    usage: Value,
    #[serde(default)]
    permission_denials: Value,
}

impl Dialect for Claude {
    fn telltales(&self) -> &'static [&'static str] {
        &["\"result\"", "\"init\"", "\"conversation_reset\""]
    }

    fn hear(&mut self, line: &Value, heard: &mut Heard, said: &mut Vec<Said>) {
        let Ok(line) = Line::deserialize(line) else {
            return;
        };
        let names_session = match line.kind.as_str() {
            "system" => line.subtype == "init",
            "result" | "conversation_reset" => true,
            _ => false,
        };
        if names_session && let Some(session) = line.session_id.as_str() {
            heard.session = Some(session.to_owned());
        }
        match line.kind.as_str() {
            "system" if line.subtype == "init" => said.push(Said::Started {
                session: heard.session.clone(),
                model: line.model.as_str().map(str::to_owned),
            }),
            "result" => {
                let outcome = verdict(&line);
                heard.usage = usage(&line);
                heard.result(outcome.clone());
                said.push(Said::Ended {
                    outcome,
                    text: clip(line.result.as_str().unwrap_or_default()),
                    usage: heard.usage,
                });
            }
            _ => {}
        }
    }
}

fn verdict(line: &Line) -> Outcome {
    let subtype = line.subtype.as_str().unwrap_or("no subtype");
    if subtype == "success" && matches!(line.is_error, Value::Null | Value::Bool(false)) {
        return Outcome::Finished;
    }
    // An error of the model service comes as "success" with is_error: that word would mislead.
    let what = if subtype == "success" {
        "an error"
    } else {
        subtype
    };
    let mut sentence = format!("reported {}", shorten(what));
    if let Some(text) = text(&line.errors).or_else(|| text(&line.result)) {
        sentence += &format!(": {}", shorten(&text));
    }
    match line.permission_denials.as_array().map_or(0, Vec::len) {
        0 => {}
        1 => sentence += " (1 permission denied)",
        count => sentence += &format!(" ({count} permissions denied)"),
    }
    Outcome::Failed(sentence)
}

/// The words of a field that should be a text or a list of texts.
fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values
            .iter()
            .filter_map(text)
            .collect::<Vec<_>>()
            .join("; "),
        other => other.to_string(),
    };
    (!text.trim().is_empty()).then_some(text)
}

fn usage(line: &Line) -> Usage {
    let count = |name: &str| line.usage.get(name).and_then(Value::as_u64).unwrap_or(0);
    let read = count("cache_read_input_tokens");
    let created = count("cache_creation_input_tokens");
    Usage {
        usd_micros: usd_micros(line.total_cost_usd.as_f64().unwrap_or(0.0)),
        input_tokens: count("input_tokens")
            .saturating_add(read)
            .saturating_add(created),
        output_tokens: count("output_tokens"),
    }
}

#[cfg(test)]
#[path = "claude_tests.rs"]
mod tests;
