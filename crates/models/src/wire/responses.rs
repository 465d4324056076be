//! OpenAI Responses, which OpenAI and xAI offer.

use serde_json::{Value, json};

use super::{Said, input, input_text, is_structured, not_empty, number, set, text, tools};
use crate::ask::{Ask, Call, Domains, Message, Native, Stop, Tool, Usage};

/// The API has no seed and no stop sequences.
pub(super) fn body(ask: &Ask) -> Value {
    let mut items = Vec::new();
    for message in &ask.messages {
        write(&mut items, message);
    }
    let options = &ask.options;
    let mut offered: Vec<Value> = ask.native.iter().filter_map(native).collect();
    offered.extend(tools(ask).iter().map(tool));
    let mut body = json!({"model": ask.model.id.name, "input": items, "stream": false});
    set(&mut body, "instructions", ask.system.clone());
    set(&mut body, "tools", not_empty(&offered));
    set(
        &mut body,
        "tool_choice",
        is_structured(ask).then_some("required"),
    );
    set(&mut body, "temperature", options.temperature);
    set(&mut body, "max_output_tokens", options.max_tokens);
    set(&mut body, "top_p", options.top_p);
    body
}

fn tool(tool: &Tool) -> Value {
    json!({
        "type": "function", "name": tool.name, "description": tool.description,
        "parameters": tool.schema, "strict": false,
    })
}

fn native(native: &Native) -> Option<Value> {
    match native {
        Native::WebSearch { domains, .. } => {
            let mut search = json!({"type": "web_search"});
            match domains {
                Domains::All => {}
                Domains::Only(only) => search["filters"] = json!({"allowed_domains": only}),
                Domains::Except(except) => search["filters"] = json!({"excluded_domains": except}),
            }
            Some(search)
        }
        Native::CodeExecution => {
            Some(json!({"type": "code_interpreter", "container": {"type": "auto"}}))
        }
        Native::WebFetch { .. } => None,
    }
}

fn write(items: &mut Vec<Value>, message: &Message) {
    let message_item = |role: &str, text: &str| json!({"role": role, "content": text});
    match message {
        Message::User(text) => items.push(message_item("user", text)),
        Message::Model {
            raw: Some(Value::Array(raw)),
            ..
        } => items.extend(raw.iter().cloned()),
        Message::Model { text, calls, .. } => {
            if !text.is_empty() {
                items.push(message_item("assistant", text));
            }
            items.extend(calls.iter().map(|call| {
                json!({
                    "type": "function_call", "call_id": call.id, "name": call.name,
                    "arguments": input_text(&call.input),
                })
            }));
        }
        Message::Results(results) => items.extend(results.iter().map(|result| {
            json!({"type": "function_call_output", "call_id": result.id, "output": result.text})
        })),
    }
}

pub(super) fn read(body: &Value) -> Result<Said, String> {
    let Some(items) = body["output"].as_array() else {
        return Err("the answer has no list output".to_owned());
    };
    let mut said = String::new();
    let mut calls = Vec::new();
    let mut is_refused = false;
    for item in items {
        match item["type"].as_str().unwrap_or_default() {
            "message" => {
                for part in item["content"].as_array().into_iter().flatten() {
                    is_refused |= part["refusal"].is_string();
                    let words = part["text"].as_str().or(part["refusal"].as_str());
                    said += words.unwrap_or_default();
                }
            }
            "function_call" => calls.push(Call {
                id: text(&item["call_id"]),
                name: text(&item["name"]),
                input: input(&item["arguments"]),
            }),
            // Text before a search was only an announcement.
            kind if kind.ends_with("_call") => said.clear(),
            _ => {}
        }
    }
    let stop = match (
        &body["status"],
        body["incomplete_details"]["reason"].as_str(),
    ) {
        _ if is_refused => Stop::Filter,
        (_, Some("max_output_tokens")) => Stop::Length,
        (_, Some("content_filter")) => Stop::Filter,
        (Value::String(status), None) if status != "completed" => Stop::Other,
        (_, Some(_)) => Stop::Other,
        (_, None) => Stop::End,
    };
    let usage = &body["usage"];
    Ok(Said {
        text: said,
        calls,
        usage: Usage {
            input_tokens: number(usage, "input_tokens"),
            output_tokens: number(usage, "output_tokens"),
            cache_read: number(&usage["input_tokens_details"], "cached_tokens"),
            cache_write: 0,
        },
        stop,
        model: body["model"].as_str().map(str::to_owned),
        raw: Some(body["output"].clone()),
    })
}
