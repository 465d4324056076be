//! A summary of a tool call, and of its answer.

use serde_json::Value;

use super::shorten;

/// The fields that describe a call, the most telling first.
const TELLING: [&str; 12] = [
    "command",
    "cmd",
    "file_path",
    "filePath",
    "path",
    "absolute_path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
    "content",
];

/// What a tool is called for, on one line.
pub fn what(input: &Value) -> String {
    let told = TELLING.iter().find_map(|name| match &input[*name] {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => Some(joined(words)),
        _ => None,
    });
    match (told, input) {
        (Some(told), _) => shorten(&told),
        (None, Value::Null) => String::new(),
        (None, Value::String(text)) => shorten(text),
        (None, other) => shorten(&other.to_string()),
    }
}

fn joined(words: &[Value]) -> String {
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    words.join(" ")
}

/// The text of a tool's answer: a text, or a list of blocks with texts.
pub fn words(content: &Value) -> String {
    match content {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks
                .iter()
                .filter_map(|block| block["text"].as_str())
                .collect();
            texts.join("\n")
        }
        other => other.to_string(),
    }
}
