//! Ollama.

use serde_json::{Value, json};

use super::{Api, Event};
use crate::answer::{Answer, Failure, Part, Refusal, pieces};
use crate::conversation::{Conversation, texts};

pub(super) struct Ollama;

impl Api for Ollama {
    fn read(&self, body: &Value) -> Conversation {
        let mut talk = Conversation {
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            // Only this API streams by default.
            stream: body["stream"].as_bool().unwrap_or(true),
            schema: body.get("format").filter(|one| one.is_object()).cloned(),
            ..Conversation::default()
        };
        for tool in body["tools"].as_array().into_iter().flatten() {
            let name = tool["function"]["name"].as_str().unwrap_or_default();
            talk.offer(name, false, None);
        }
        for message in body["messages"].as_array().into_iter().flatten() {
            let texts = texts(&message["content"]);
            match message["role"].as_str() {
                Some("system") => texts.into_iter().for_each(|text| talk.system(text)),
                Some("assistant") => {
                    let calls = message["tool_calls"].as_array();
                    talk.model(&texts.concat(), calls.is_some_and(|all| !all.is_empty()));
                }
                Some("tool") => talk.tool_result(),
                _ => texts.into_iter().for_each(|text| talk.user(text)),
            }
        }
        talk
    }

    fn whole(&self, answer: &Answer) -> Value {
        let mut message = json!({"role": "assistant", "content": answer.text()});
        let thoughts: String = answer.parts.iter().filter_map(thought).collect();
        if !thoughts.is_empty() {
            message["thinking"] = json!(thoughts);
        }
        if answer.has_calls() {
            message["tool_calls"] = calls(answer).into();
        }
        last(answer, message)
    }

    fn events(&self, answer: &Answer) -> Vec<Event> {
        let mut messages = Vec::new();
        for part in &answer.parts {
            match part {
                Part::Think(text) => {
                    messages.extend(pieces(text).into_iter().map(
                        |piece| json!({"role": "assistant", "content": "", "thinking": piece}),
                    ))
                }
                Part::Text(text) => messages.extend(
                    pieces(text)
                        .into_iter()
                        .map(|piece| json!({"role": "assistant", "content": piece})),
                ),
                Part::Call(_) => {}
            }
        }
        if answer.has_calls() {
            messages.push(json!({"role": "assistant", "content": "", "tool_calls": calls(answer)}));
        }
        let line = |data: Value| Event {
            name: None,
            data: data.to_string(),
        };
        let mut events: Vec<Event> = messages
            .into_iter()
            .map(|message| line(begun(answer, message)))
            .collect();
        let empty = json!({"role": "assistant", "content": ""});
        events.push(line(last(answer, empty)));
        events
    }

    fn failure(&self, failure: &Failure) -> Refusal {
        let mut headers = Vec::new();
        let (status, message) = match failure {
            Failure::Limit { .. } => (429, "you have reached your usage limit"),
            Failure::Overload => (503, "server busy, please try again"),
            Failure::Rate { retry_after_s } => {
                headers.extend(retry_after_s.map(|after| ("retry-after", after.to_string())));
                (429, "too many requests")
            }
            Failure::Auth => (401, "unauthorized"),
            Failure::Status { status, message } => (*status, message.as_str()),
        };
        Refusal {
            status,
            headers,
            body: json!({"error": message}),
        }
    }

    fn stream_kind(&self) -> &'static str {
        "application/x-ndjson"
    }

    fn stream_text(&self, event: &Event) -> String {
        format!("{}\n", event.data)
    }
}

const CREATED_AT: &str = "1970-01-01T00:00:00Z";

fn begun(answer: &Answer, message: Value) -> Value {
    json!({
        "model": answer.model, "created_at": CREATED_AT, "message": message, "done": false,
    })
}

fn last(answer: &Answer, message: Value) -> Value {
    json!({
        "model": answer.model, "created_at": CREATED_AT, "message": message, "done": true,
        "done_reason": "stop", "total_duration": 1, "load_duration": 1, "prompt_eval_duration": 1,
        "eval_duration": 1, "prompt_eval_count": answer.usage.input,
        "eval_count": answer.usage.output,
    })
}

fn thought(part: &Part) -> Option<&str> {
    match part {
        Part::Think(text) => Some(text),
        Part::Text(_) | Part::Call(_) => None,
    }
}

fn calls(answer: &Answer) -> Vec<Value> {
    let call = |part: &Part| match part {
        Part::Call(call) => Some(json!({"function": {"name": call.name, "arguments": call.input}})),
        Part::Think(_) | Part::Text(_) => None,
    };
    answer.parts.iter().filter_map(call).collect()
}
