//! OpenAI Chat Completions, which OpenAI, xAI, Groq and many others offer.

use serde_json::{Value, json};

use super::{Said, input, input_text, is_structured, not_empty, number, set, text, tools};
use crate::ask::{Ask, Call, Message, Stop, Tool, Usage};

pub(super) fn body(ask: &Ask) -> Value {
    let messages = messages(ask, write);
    let options = &ask.options;
    let tools: Vec<Value> = tools(ask).iter().map(tool).collect();
    let mut body = json!({"model": ask.model.id.name, "messages": messages, "stream": false});
    set(&mut body, "tools", not_empty(&tools));
    set(
        &mut body,
        "tool_choice",
        is_structured(ask).then_some("required"),
    );
    set(&mut body, "temperature", options.temperature);
    set(&mut body, "max_completion_tokens", options.max_tokens);
    set(&mut body, "top_p", options.top_p);
    set(&mut body, "seed", options.seed);
    set(&mut body, "stop", not_empty(&options.stop_sequences));
    body
}

pub(super) fn tool(tool: &Tool) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name, "description": tool.description, "parameters": tool.schema,
        },
    })
}

fn write(messages: &mut Vec<Value>, message: &Message) {
    match message {
        Message::User(text) => messages.push(json!({"role": "user", "content": text})),
        Message::Model { text, calls, .. } => {
            let mut said = json!({"role": "assistant", "content": text});
            let call = |call: &Call| {
                json!({
                    "id": call.id, "type": "function",
                    "function": {"name": call.name, "arguments": input_text(&call.input)},
                })
            };
            let calls: Vec<Value> = calls.iter().map(call).collect();
            set(&mut said, "tool_calls", not_empty(&calls));
            messages.push(said);
        }
        Message::Results(results) => {
            for result in results {
                messages.push(json!({
                    "role": "tool", "tool_call_id": result.id, "content": result.text,
                }));
            }
        }
    }
}

pub(super) fn read(body: &Value) -> Result<Said, String> {
    let choice = &body["choices"][0];
    let message = &choice["message"];
    if !message.is_object() {
        return Err("the answer has no choices[0].message".to_owned());
    }
    let stop = match choice["finish_reason"].as_str() {
        _ if message["refusal"].is_string() => Stop::Filter,
        Some("stop") | None => Stop::End,
        Some("length") => Stop::Length,
        Some("content_filter") => Stop::Filter,
        Some("tool_calls" | "function_call") => Stop::Tools,
        Some(_) => Stop::Other,
    };
    let usage = &body["usage"];
    Ok(Said {
        text: content(&message["content"])
            .or_else(|| message["refusal"].as_str().map(str::to_owned))
            .unwrap_or_default(),
        calls: calls(message),
        usage: Usage {
            input_tokens: number(usage, "prompt_tokens"),
            output_tokens: number(usage, "completion_tokens"),
            cache_read: number(&usage["prompt_tokens_details"], "cached_tokens"),
            cache_write: 0,
        },
        stop,
        model: body["model"].as_str().map(str::to_owned),
        raw: None,
    })
}

/// The system text and the conversation.
pub(super) fn messages(ask: &Ask, write: fn(&mut Vec<Value>, &Message)) -> Vec<Value> {
    let system = ask.system.iter();
    let mut messages: Vec<Value> = system
        .map(|system| json!({"role": "system", "content": system}))
        .collect();
    for message in &ask.messages {
        write(&mut messages, message);
    }
    messages
}

pub(super) fn calls(message: &Value) -> Vec<Call> {
    let call = |call: &Value| Call {
        id: text(&call["id"]),
        name: text(&call["function"]["name"]),
        input: input(&call["function"]["arguments"]),
    };
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    calls.map(call).collect()
}

/// A text, or a list of parts as some servers send it.
fn content(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(
            parts
                .iter()
                .filter_map(|part| part["text"].as_str())
                .collect(),
        ),
        _ => None,
    }
}
