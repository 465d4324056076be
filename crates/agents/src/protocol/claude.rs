//! Claude Code's `stream-json`: a line per event. Two kinds matter here, wherever their `type`
//! stands in the line: `system`/`init` names the session, `result` says how it went.

use kumite_core::outcome::Usage;
use memchr::memmem::Finder;
use memchr::{memchr, memrchr};
use serde::Deserialize;
use serde_json::Value;

use super::lines::Lines;
use super::{Heard, shorten, usd_micros};

/// A line that matters holds one of these. Few others do, and only such lines are parsed.
const TELLTALES: [&str; 3] = ["\"result\"", "\"init\"", "\"conversation_reset\""];

pub struct Words {
    lines: Lines,
    telltales: [Finder<'static>; 3],
}

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

impl Default for Words {
    fn default() -> Words {
        Words {
            lines: Lines::default(),
            telltales: TELLTALES.map(Finder::new),
        }
    }
}

impl Words {
    pub fn feed(&mut self, piece: &[u8], heard: &mut Heard) {
        let telltales = &self.telltales;
        self.lines
            .feed(piece, |block| read_block(block, telltales, heard));
    }

    pub fn look_at_tail(&mut self, heard: &mut Heard) {
        read_block(self.lines.tail(), &self.telltales, heard);
    }
}

/// Reads the lines of `block` that matter, without looking for the ends of all others.
fn read_block(block: &[u8], telltales: &[Finder<'static>], heard: &mut Heard) {
    let find = |finder: &Finder<'_>, from: usize| finder.find(&block[from..]).map(|at| from + at);
    let mut hits: Vec<Option<usize>> = telltales.iter().map(|finder| find(finder, 0)).collect();
    while let Some(hit) = hits.iter().flatten().min().copied() {
        let start = memrchr(b'\n', &block[..hit]).map_or(0, |newline| newline + 1);
        let end = memchr(b'\n', &block[hit..]).map_or(block.len(), |newline| hit + newline);
        read_line(&block[start..end], heard);
        for (finder, hit) in telltales.iter().zip(&mut hits) {
            if hit.is_some_and(|at| at < end) {
                *hit = find(finder, end);
            }
        }
    }
}

fn read_line(line: &[u8], heard: &mut Heard) {
    // serde would also take a list for a line, its values in order.
    if !line.trim_ascii_start().starts_with(b"{") {
        return;
    }
    let parsed = serde_json::from_slice(line).or_else(|_| serde_json::from_str(&repaired(line)));
    let Ok(line): Result<Line, _> = parsed else {
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
    // Of two results the last one counts: the agent knew more when it wrote that.
    if line.kind == "result" {
        heard.results += 1;
        heard.usage = usage(&line);
        heard.said = Some(verdict(&line));
    }
}

/// Bad bytes in some text, or a price that is not a number, must not cost us the result around it.
fn repaired(line: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(line).replace("\": ", "\":");
    for number in ["NaN", "Infinity", "-Infinity"] {
        text = text.replace(&format!("\":{number}"), "\":null");
    }
    text
}

fn verdict(line: &Line) -> Result<(), String> {
    let subtype = line.subtype.as_str().unwrap_or("no subtype");
    if subtype == "success" && matches!(line.is_error, Value::Null | Value::Bool(false)) {
        return Ok(());
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
    Err(sentence)
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
