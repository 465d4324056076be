//! Anthropic Messages.

use serde_json::{Value, json};

use super::{Api, Event};
use crate::answer::{Answer, Failure, Part, Refusal, pieces};
use crate::conversation::{Conversation, texts};

pub(super) struct Anthropic;

impl Api for Anthropic {
    fn read(&self, body: &Value) -> Conversation {
        let mut talk = Conversation {
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            stream: body["stream"].as_bool().unwrap_or_default(),
            schema: ["output_config", "output_format"]
                .iter()
                .find_map(|key| {
                    body[key]
                        .pointer("/format/schema")
                        .or(body[key].get("schema"))
                })
                .cloned(),
            ..Conversation::default()
        };
        for text in texts(&body["system"]) {
            talk.system(text);
        }
        for tool in body["tools"].as_array().into_iter().flatten() {
            talk.offer(tool["name"].as_str().unwrap_or_default(), false, None);
        }
        for message in body["messages"].as_array().into_iter().flatten() {
            read_message(&mut talk, message);
        }
        talk
    }

    fn whole(&self, answer: &Answer) -> Value {
        json!({
            "id": format!("msg_{}", answer.id), "type": "message", "role": "assistant",
            "model": answer.model, "content": content(answer),
            "stop_reason": stop_reason(answer), "stop_sequence": null, "usage": usage(answer),
        })
    }

    fn events(&self, answer: &Answer) -> Vec<Event> {
        let mut start = self.whole(answer);
        start["content"] = json!([]);
        start["stop_reason"] = Value::Null;
        start["usage"]["output_tokens"] = json!(1);
        let mut events = vec![
            event("message_start", json!({"message": start})),
            event("ping", json!({})),
        ];
        for (index, block) in content(answer).into_iter().enumerate() {
            stream_block(&mut events, index, block);
        }
        let delta = json!({"stop_reason": stop_reason(answer), "stop_sequence": null});
        events.push(event(
            "message_delta",
            json!({"delta": delta, "usage": usage(answer)}),
        ));
        events.push(event("message_stop", json!({})));
        events
    }

    fn failure(&self, failure: &Failure) -> Refusal {
        let mut headers = Vec::new();
        let (status, kind, message) = match failure {
            Failure::Limit { now_s, resets_at_s } => {
                headers = limit_headers(*now_s, *resets_at_s);
                let message = "This request would exceed your account's rate limit.";
                (429, "rate_limit_error", message)
            }
            Failure::Overload => (529, "overloaded_error", "Overloaded"),
            Failure::Rate { retry_after_s } => {
                headers.extend(retry_after_s.map(|after| ("retry-after", after.to_string())));
                (429, "rate_limit_error", "Too many requests per minute.")
            }
            Failure::Auth => (401, "authentication_error", "invalid x-api-key"),
            Failure::Status { status, message } => (*status, kind_of(*status), message.as_str()),
        };
        let error = json!({"type": kind, "message": message});
        Refusal {
            status,
            headers,
            body: json!({"type": "error", "error": error}),
        }
    }
}

fn read_message(talk: &mut Conversation, message: &Value) {
    let content = &message["content"];
    match message["role"].as_str() {
        Some("assistant") => {
            for text in texts(content) {
                talk.model(text, false);
            }
            let mut blocks = content.as_array().into_iter().flatten();
            if blocks.any(|block| block["type"] == "tool_use") {
                talk.model("", true);
            }
        }
        // Claude Code puts its own instructions to the model among the messages.
        Some("system") => texts(content)
            .into_iter()
            .for_each(|text| talk.system(text)),
        _ => {
            if let Some(text) = content.as_str() {
                talk.user(text);
            }
            for block in content.as_array().into_iter().flatten() {
                match block["text"].as_str() {
                    Some(text) => talk.user(text),
                    None if block["type"] == "tool_result" => talk.tool_result(),
                    None => {}
                }
            }
        }
    }
}

fn content(answer: &Answer) -> Vec<Value> {
    let block = |(index, part): (usize, &Part)| match part {
        Part::Think(text) => {
            json!({"type": "thinking", "thinking": text, "signature": "c2lnbmVk"})
        }
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Call(call) => json!({
            "type": "tool_use", "id": answer.part_id("toolu_", index),
            "name": call.name, "input": call.input,
        }),
    };
    answer.parts.iter().enumerate().map(block).collect()
}

fn stream_block(events: &mut Vec<Event>, index: usize, block: Value) {
    let mut start = block.clone();
    let (key, delta_kind, text) = match block["type"].as_str() {
        Some("tool_use") => {
            start["input"] = json!({});
            (
                "partial_json",
                "input_json_delta",
                block["input"].to_string(),
            )
        }
        Some("thinking") => {
            start["thinking"] = json!("");
            start["signature"] = json!("");
            (
                "thinking",
                "thinking_delta",
                block["thinking"].as_str().unwrap_or_default().to_owned(),
            )
        }
        _ => {
            start["text"] = json!("");
            (
                "text",
                "text_delta",
                block["text"].as_str().unwrap_or_default().to_owned(),
            )
        }
    };
    let delta = |delta| {
        event(
            "content_block_delta",
            json!({"index": index, "delta": delta}),
        )
    };
    events.push(event(
        "content_block_start",
        json!({"index": index, "content_block": start}),
    ));
    for piece in pieces(&text) {
        events.push(delta(json!({"type": delta_kind, key: piece})));
    }
    if let Some(signature) = block.get("signature") {
        events.push(delta(
            json!({"type": "signature_delta", "signature": signature}),
        ));
    }
    events.push(event("content_block_stop", json!({"index": index})));
}

fn event(name: &'static str, mut data: Value) -> Event {
    data["type"] = json!(name);
    Event {
        name: Some(name),
        data: data.to_string(),
    }
}

fn stop_reason(answer: &Answer) -> &'static str {
    if answer.has_calls() {
        "tool_use"
    } else {
        "end_turn"
    }
}

fn usage(answer: &Answer) -> Value {
    json!({
        "input_tokens": answer.usage.input, "output_tokens": answer.usage.output,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
    })
}

fn kind_of(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

/// The headers that distinguish a usage limit from an overload: Claude Code reads only these.
fn limit_headers(now_s: i64, resets_at_s: Option<i64>) -> Vec<(&'static str, String)> {
    let mut headers = vec![
        ("x-should-retry", "false".to_owned()),
        ("anthropic-ratelimit-unified-status", "rejected".to_owned()),
        (
            "anthropic-ratelimit-unified-representative-claim",
            "five_hour".to_owned(),
        ),
        (
            "anthropic-ratelimit-unified-5h-status",
            "rejected".to_owned(),
        ),
        ("anthropic-ratelimit-unified-5h-utilization", "1".to_owned()),
    ];
    if let Some(at) = resets_at_s {
        headers.extend([
            ("retry-after", (at - now_s).max(0).to_string()),
            ("anthropic-ratelimit-unified-reset", at.to_string()),
            ("anthropic-ratelimit-unified-5h-reset", at.to_string()),
        ]);
    }
    headers
}
