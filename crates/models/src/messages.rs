//! A conversation, and its record in the format of pydantic-ai, which mixseek's readers parse.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::ask::{Ask, Call, Message, Reply, Stop, ToolResult, Usage};
use crate::model::ModelId;

#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    pub model: ModelId,
    pub system: Option<String>,
    pub turns: Vec<Exchange>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Exchange {
    /// A message to the model.
    Sent { at: Timestamp, message: Message },
    /// An answer of the model.
    Got { at: Timestamp, reply: Reply },
}

impl Conversation {
    /// Begins with the messages of `ask`; the reply is still to come.
    pub fn new(ask: &Ask) -> Conversation {
        let mut conversation = Conversation {
            model: ask.model.id.clone(),
            system: ask.system.clone(),
            turns: Vec::new(),
        };
        for message in &ask.messages {
            conversation.sent(message.clone());
        }
        conversation
    }

    pub fn sent(&mut self, message: Message) {
        let at = Timestamp::now();
        self.turns.push(Exchange::Sent { at, message });
    }

    pub fn got(&mut self, reply: Reply) {
        let at = Timestamp::now();
        self.turns.push(Exchange::Got { at, reply });
    }

    /// The usage of all replies together.
    pub fn usage(&self) -> Usage {
        let mut all = Usage::default();
        for turn in &self.turns {
            if let Exchange::Got { reply, .. } = turn {
                all += reply.usage;
            }
        }
        all
    }

    /// The list of messages as pydantic-ai writes it.
    pub fn record(&self) -> Value {
        self.turns.iter().map(|turn| self.message(turn)).collect()
    }

    fn message(&self, turn: &Exchange) -> Value {
        match turn {
            Exchange::Sent {
                at,
                message: Message::User(text),
            } => self.request(*at, vec![user_part(*at, text)]),
            Exchange::Sent {
                at,
                message: Message::Results(results),
            } => {
                let parts = results.iter().map(|result| result_part(*at, result));
                self.request(*at, parts.collect())
            }
            Exchange::Sent {
                at,
                message: Message::Model { text, calls, .. },
            } => {
                let parts = model_parts(text, calls);
                self.response(*at, &self.model.name, parts, Usage::default(), None)
            }
            Exchange::Got { at, reply } => {
                let parts = model_parts(&reply.text, &reply.calls);
                let finish = finish_reason(reply.stop);
                self.response(*at, &reply.model, parts, reply.usage, finish)
            }
        }
    }

    fn request(&self, at: Timestamp, parts: Vec<Value>) -> Value {
        json!({
            "kind": "request", "parts": parts, "instructions": self.system,
            "timestamp": stamp(at), "run_id": null, "metadata": null,
        })
    }

    fn response(
        &self,
        at: Timestamp,
        model: &str,
        parts: Vec<Value>,
        usage: Usage,
        finish: Option<&str>,
    ) -> Value {
        json!({
            "kind": "response", "parts": parts, "usage": usage.record(),
            "model_name": model, "timestamp": stamp(at), "provider_name": self.model.provider,
            "provider_details": null, "provider_response_id": null, "finish_reason": finish,
            "run_id": null, "metadata": null,
        })
    }
}

impl Usage {
    /// In the format of pydantic-ai.
    pub fn record(self) -> Value {
        json!({
            "input_tokens": self.input_tokens, "cache_write_tokens": self.cache_write,
            "cache_read_tokens": self.cache_read, "output_tokens": self.output_tokens,
            "input_audio_tokens": 0, "cache_audio_read_tokens": 0, "output_audio_tokens": 0,
            "details": {},
        })
    }
}

fn user_part(at: Timestamp, text: &str) -> Value {
    json!({"part_kind": "user-prompt", "content": text, "timestamp": stamp(at)})
}

/// In pydantic-ai, an error is a prompt to try again.
fn result_part(at: Timestamp, result: &ToolResult) -> Value {
    let kind = if result.is_error {
        "retry-prompt"
    } else {
        "tool-return"
    };
    let mut part = json!({
        "part_kind": kind, "tool_name": result.name, "content": result.text,
        "tool_call_id": result.id, "timestamp": stamp(at),
    });
    if !result.is_error {
        part["metadata"] = Value::Null;
    }
    part
}

fn model_parts(text: &str, calls: &[Call]) -> Vec<Value> {
    let mut parts = Vec::new();
    if !text.is_empty() {
        parts.push(json!({"part_kind": "text", "content": text, "id": null}));
    }
    parts.extend(calls.iter().map(|call| {
        json!({
            "part_kind": "tool-call", "tool_name": call.name, "args": call.input,
            "tool_call_id": call.id, "id": null,
        })
    }));
    parts
}

fn finish_reason(stop: Stop) -> Option<&'static str> {
    match stop {
        Stop::End => Some("stop"),
        Stop::Length => Some("length"),
        Stop::Filter => Some("content_filter"),
        Stop::Tools => Some("tool_call"),
        Stop::Paused | Stop::Other => None,
    }
}

/// Always six digits after the second: readers compare these as text.
fn stamp(at: Timestamp) -> String {
    format!("{at:.6}")
}
