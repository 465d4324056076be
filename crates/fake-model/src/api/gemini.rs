//! Gemini.

use serde_json::{Value, json};

use super::{Api, Event};
use crate::answer::{Answer, Call, Failure, Part, Refusal, pieces};
use crate::conversation::{Conversation, texts};

pub(super) struct Gemini;

impl Api for Gemini {
    fn read(&self, body: &Value) -> Conversation {
        let config = &body["generationConfig"];
        let mut talk = Conversation {
            schema: config
                .get("responseJsonSchema")
                .or(config.get("responseSchema"))
                .cloned(),
            ..Conversation::default()
        };
        for text in texts(&body["systemInstruction"]["parts"]) {
            talk.system(text);
        }
        for group in body["tools"].as_array().into_iter().flatten() {
            for tool in group["functionDeclarations"]
                .as_array()
                .into_iter()
                .flatten()
            {
                talk.offer(tool["name"].as_str().unwrap_or_default(), false, None);
            }
        }
        for content in body["contents"].as_array().into_iter().flatten() {
            let by_model = content["role"] == "model";
            for part in content["parts"].as_array().into_iter().flatten() {
                read_part(&mut talk, part, by_model);
            }
        }
        talk
    }

    fn whole(&self, answer: &Answer) -> Value {
        let parts = answer
            .parts
            .iter()
            .enumerate()
            .map(|(index, part)| match part {
                Part::Think(text) => thought(text),
                Part::Text(text) => json!({"text": text}),
                Part::Call(call) => call_part(answer, index, call),
            });
        chunk(answer, parts.collect(), true)
    }

    fn events(&self, answer: &Answer) -> Vec<Event> {
        let mut parts = Vec::new();
        for (index, part) in answer.parts.iter().enumerate() {
            match part {
                Part::Think(text) => parts.push(thought(text)),
                Part::Text(text) => {
                    parts.extend(pieces(text).into_iter().map(|piece| json!({"text": piece})));
                }
                Part::Call(call) => parts.push(call_part(answer, index, call)),
            }
        }
        parts.push(json!({"text": ""}));
        let last = parts.len() - 1;
        let event = |(index, part): (usize, Value)| Event {
            name: None,
            data: chunk(answer, vec![part], index == last).to_string(),
        };
        parts.into_iter().enumerate().map(event).collect()
    }

    fn failure(&self, failure: &Failure) -> Refusal {
        let (status, message, details) = match failure {
            Failure::Limit { now_s, resets_at_s } => {
                let message = "You exceeded your current quota, please check your plan.";
                let wait = resets_at_s.map(|at| (at - now_s).max(0).unsigned_abs());
                (
                    429,
                    message,
                    quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier", wait),
                )
            }
            Failure::Overload => (
                503,
                "The model is overloaded. Please try again later.",
                json!([]),
            ),
            Failure::Rate { retry_after_s } => {
                let id = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier";
                (
                    429,
                    "You exceeded the requests per minute.",
                    quota(id, *retry_after_s),
                )
            }
            Failure::Auth => (
                401,
                "API key not valid. Please pass a valid API key.",
                json!([]),
            ),
            Failure::Status { status, message } => (*status, message.as_str(), json!([])),
        };
        let error = json!({
            "code": status, "message": message, "status": kind_of(status), "details": details,
        });
        Refusal {
            status,
            headers: Vec::new(),
            body: json!({"error": error}),
        }
    }
}

fn read_part(talk: &mut Conversation, part: &Value, by_model: bool) {
    if part.get("functionCall").is_some() {
        talk.model("", true);
    } else if part.get("functionResponse").is_some() {
        talk.tool_result();
    } else if let Some(text) = part["text"].as_str() {
        match by_model {
            true if part["thought"] == true => {}
            true => talk.model(text, false),
            false => talk.user(text),
        }
    }
}

fn thought(text: &str) -> Value {
    json!({"text": text, "thought": true})
}

fn call_part(answer: &Answer, index: usize, call: &Call) -> Value {
    let id = answer.part_id("call_", index);
    json!({
        "functionCall": {"id": id, "name": call.name, "args": call.input},
        "thoughtSignature": "c2lnbmVk",
    })
}

fn chunk(answer: &Answer, parts: Vec<Value>, is_last: bool) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if is_last {
        candidate["finishReason"] = json!("STOP");
    }
    let (input, output) = (answer.usage.input, answer.usage.output);
    json!({
        "candidates": [candidate], "modelVersion": answer.model, "responseId": answer.id,
        "usageMetadata": {
            "promptTokenCount": input, "candidatesTokenCount": output,
            "totalTokenCount": input.saturating_add(output),
        },
    })
}

/// The used-up quota, and when to come back.
fn quota(id: &str, retry_after_s: Option<u64>) -> Value {
    let mut details = vec![json!({
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        "violations": [{
            "quotaMetric": "generativelanguage.googleapis.com/generate_content_requests",
            "quotaId": id, "quotaValue": "1",
        }],
    })];
    details.extend(retry_after_s.map(|after| {
        json!({
            "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{after}s"),
        })
    }));
    details.into()
}

fn kind_of(status: u16) -> &'static str {
    match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        500.. => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    }
}
