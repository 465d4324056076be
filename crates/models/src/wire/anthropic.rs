//! Anthropic Messages.

use serde_json::{Value, json};

use super::{Said, is_structured, not_empty, number, set, text, tools};
use crate::ask::{
    Ask, Call, Domains, FINAL_RESULT, Message, Native, Stop, Tool, ToolResult, Usage,
};

const VERSION: &str = "2023-06-01";
/// The API requires a number.
const MAX_TOKENS: u32 = 8192;

pub(super) fn url(base: &str) -> String {
    let base = base.strip_suffix("/v1").unwrap_or(base);
    format!("{base}/v1/messages")
}

pub(super) fn headers(ask: &Ask) -> Vec<(&'static str, String)> {
    let beta = |native: &Native| match native {
        Native::WebSearch { .. } => None,
        Native::WebFetch { .. } => Some("web-fetch-2025-09-10"),
        Native::CodeExecution => Some("code-execution-2025-08-25"),
    };
    let betas: Vec<_> = ask.native.iter().filter_map(beta).collect();
    let mut headers = vec![("anthropic-version", VERSION.to_owned())];
    if !betas.is_empty() {
        headers.push(("anthropic-beta", betas.join(",")));
    }
    headers
}

/// The API has no seed.
pub(super) fn body(ask: &Ask) -> Value {
    let options = &ask.options;
    let messages: Vec<Value> = ask.messages.iter().map(write).collect();
    let mut offered: Vec<Value> = ask.native.iter().map(native).collect();
    offered.extend(tools(ask).iter().map(tool));
    let mut body = json!({
        "model": ask.model.id.name, "messages": messages,
        "max_tokens": options.max_tokens.unwrap_or(MAX_TOKENS),
    });
    set(&mut body, "system", ask.system.clone());
    set(&mut body, "tools", not_empty(&offered));
    // With other tools on offer the model must reach its result by itself.
    let choice = match offered.len() {
        1 => json!({"type": "tool", "name": FINAL_RESULT}),
        _ => json!({"type": "any"}),
    };
    set(
        &mut body,
        "tool_choice",
        is_structured(ask).then_some(choice),
    );
    set(&mut body, "temperature", options.temperature);
    set(&mut body, "top_p", options.top_p);
    set(
        &mut body,
        "stop_sequences",
        not_empty(&options.stop_sequences),
    );
    body
}

fn tool(tool: &Tool) -> Value {
    json!({
        "name": tool.name, "description": tool.description, "input_schema": tool.schema,
    })
}

fn native(native: &Native) -> Value {
    let mut tool = match native {
        Native::WebSearch { .. } => json!({"type": "web_search_20250305", "name": "web_search"}),
        Native::WebFetch { .. } => json!({"type": "web_fetch_20250910", "name": "web_fetch"}),
        Native::CodeExecution => {
            return json!({"type": "code_execution_20250825", "name": "code_execution"});
        }
    };
    let (Native::WebSearch { max_uses, domains }
    | Native::WebFetch {
        max_uses, domains, ..
    }) = native
    else {
        return tool;
    };
    set(&mut tool, "max_uses", *max_uses);
    match domains {
        Domains::All => {}
        Domains::Only(only) => tool["allowed_domains"] = json!(only),
        Domains::Except(except) => tool["blocked_domains"] = json!(except),
    }
    if let Native::WebFetch {
        citations,
        max_content_tokens,
        ..
    } = native
    {
        set(
            &mut tool,
            "citations",
            citations.then(|| json!({"enabled": true})),
        );
        set(&mut tool, "max_content_tokens", *max_content_tokens);
    }
    tool
}

fn write(message: &Message) -> Value {
    match message {
        Message::User(text) => json!({"role": "user", "content": text}),
        Message::Model { raw: Some(raw), .. } => json!({"role": "assistant", "content": raw}),
        Message::Model { text, calls, .. } => {
            let mut blocks = Vec::new();
            if !text.is_empty() {
                blocks.push(json!({"type": "text", "text": text}));
            }
            blocks.extend(calls.iter().map(|call| {
                json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input})
            }));
            json!({"role": "assistant", "content": blocks})
        }
        Message::Results(results) => {
            let block = |result: &ToolResult| {
                json!({
                    "type": "tool_result", "tool_use_id": result.id, "content": result.text,
                    "is_error": result.is_error,
                })
            };
            let blocks: Vec<Value> = results.iter().map(block).collect();
            json!({"role": "user", "content": blocks})
        }
    }
}

pub(super) fn read(body: &Value) -> Result<Said, String> {
    let Some(blocks) = body["content"].as_array() else {
        return Err("the answer has no list content".to_owned());
    };
    let mut said = String::new();
    let mut calls = Vec::new();
    for block in blocks {
        match block["type"].as_str().unwrap_or_default() {
            "text" => said += block["text"].as_str().unwrap_or_default(),
            "tool_use" => calls.push(Call {
                id: text(&block["id"]),
                name: text(&block["name"]),
                input: block["input"].clone(),
            }),
            // Text before a search was only an announcement.
            kind if kind == "server_tool_use" || kind.ends_with("_tool_result") => said.clear(),
            _ => {}
        }
    }
    let stop = match body["stop_reason"].as_str() {
        Some("end_turn" | "stop_sequence") | None => Stop::End,
        Some("max_tokens" | "model_context_window_exceeded") => Stop::Length,
        Some("refusal") => Stop::Filter,
        Some("tool_use") => Stop::Tools,
        Some("pause_turn") => Stop::Paused,
        Some(_) => Stop::Other,
    };
    let usage = &body["usage"];
    let cache_read = number(usage, "cache_read_input_tokens");
    let cache_write = number(usage, "cache_creation_input_tokens");
    Ok(Said {
        text: said,
        calls,
        usage: Usage {
            // The API counts only tokens outside the cache.
            input_tokens: number(usage, "input_tokens")
                .saturating_add(cache_read)
                .saturating_add(cache_write),
            output_tokens: number(usage, "output_tokens"),
            cache_read,
            cache_write,
        },
        stop,
        model: body["model"].as_str().map(str::to_owned),
        raw: Some(body["content"].clone()),
    })
}
