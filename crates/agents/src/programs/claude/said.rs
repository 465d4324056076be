//! The transcript entries for Claude Code's lines.

use serde_json::Value;

use crate::protocol::what::{what, words};
use crate::said::Said;

pub fn hear(line: &Value, said: &mut Vec<Said>) {
    match line["type"].as_str().unwrap_or_default() {
        "system" => system(line, said),
        "assistant" => {
            for block in blocks(line) {
                said.extend(spoken(block));
            }
        }
        "user" => {
            for block in blocks(line) {
                said.extend(answered(block));
            }
            said.extend(changed(&line["tool_use_result"]));
        }
        _ => {}
    }
}

fn system(line: &Value, said: &mut Vec<Said>) {
    let text = |name: &str| line[name].as_str().map(str::to_owned);
    match line["subtype"].as_str().unwrap_or_default() {
        "init" => said.push(Said::Started {
            session: text("session_id"),
            model: text("model"),
        }),
        "api_retry" => said.push(Said::Note {
            text: format!(
                "the service answered with {}: retry {} of {}",
                line["error_status"], line["attempt"], line["max_retries"]
            ),
        }),
        "compact_boundary" => said.push(Said::Note {
            text: "the conversation was compacted".to_owned(),
        }),
        "permission_denied" => said.push(Said::Trouble {
            text: text("message").unwrap_or_else(|| "a permission was denied".to_owned()),
        }),
        _ => {}
    }
}

fn blocks(line: &Value) -> impl Iterator<Item = &Value> {
    line["message"]["content"].as_array().into_iter().flatten()
}

fn spoken(block: &Value) -> Option<Said> {
    let text = |name: &str| block[name].as_str().unwrap_or_default();
    match text("type") {
        "text" => Some(Said::Text {
            text: text("text").to_owned(),
        }),
        "thinking" => Some(Said::Thought {
            text: text("thinking").to_owned(),
        }),
        "tool_use" => Some(Said::Tool {
            id: text("id").to_owned(),
            name: text("name").to_owned(),
            what: what(&block["input"]),
        }),
        _ => None,
    }
}

fn answered(block: &Value) -> Option<Said> {
    (block["type"] == "tool_result").then(|| Said::ToolEnded {
        id: block["tool_use_id"].as_str().unwrap_or_default().to_owned(),
        ok: block["is_error"] != true,
        text: words(&block["content"]),
    })
}

/// Claude Code reports an edit with the lines around it, and a new file with its whole text.
fn changed(result: &Value) -> Option<Said> {
    let path = result["filePath"].as_str()?.to_owned();
    let mut diff = Vec::new();
    for hunk in result["structuredPatch"].as_array().into_iter().flatten() {
        diff.extend(
            hunk["lines"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str),
        );
    }
    let diff = match (diff.is_empty(), result["content"].as_str()) {
        (true, Some(content)) => content.lines().map(|line| format!("+{line}\n")).collect(),
        (true, None) => return None,
        (false, _) => diff.join("\n"),
    };
    Some(Said::Changed { path, diff })
}
