//! OpenAI Chat Completions.

use serde_json::{Value, json};

use super::{Api, Event, openai};
use crate::answer::{Answer, Failure, Part, Refusal, pieces};
use crate::conversation::{Conversation, texts};

pub(super) struct Chat;

impl Api for Chat {
    fn read(&self, body: &Value) -> Conversation {
        let mut talk = Conversation {
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            stream: body["stream"].as_bool().unwrap_or_default(),
            schema: body.pointer("/response_format/json_schema/schema").cloned(),
            ..Conversation::default()
        };
        for tool in body["tools"].as_array().into_iter().flatten() {
            talk.offer(
                tool["function"]["name"].as_str().unwrap_or_default(),
                false,
                None,
            );
        }
        for message in body["messages"].as_array().into_iter().flatten() {
            let texts = texts(&message["content"]);
            match message["role"].as_str() {
                Some("system" | "developer") => {
                    texts.into_iter().for_each(|text| talk.system(text))
                }
                Some("assistant") => {
                    let calls = message["tool_calls"]
                        .as_array()
                        .is_some_and(|all| !all.is_empty());
                    talk.model(&texts.concat(), calls);
                }
                Some("tool" | "function") => talk.tool_result(),
                _ => texts.into_iter().for_each(|text| talk.user(text)),
            }
        }
        talk
    }

    fn whole(&self, answer: &Answer) -> Value {
        let mut message = json!({"role": "assistant", "content": null, "refusal": null});
        if !answer.text().is_empty() || !answer.has_calls() {
            message["content"] = json!(answer.text());
        }
        if let Some(thoughts) = thoughts(answer) {
            message["reasoning_content"] = json!(thoughts);
        }
        if answer.has_calls() {
            message["tool_calls"] = calls(answer).into();
        }
        let choice = json!({
            "index": 0, "message": message, "logprobs": null, "finish_reason": finish(answer),
        });
        json!({
            "id": format!("chatcmpl-{}", answer.id), "object": "chat.completion",
            "created": answer.at_s, "model": answer.model, "choices": [choice],
            "usage": usage(answer),
        })
    }

    fn events(&self, answer: &Answer) -> Vec<Event> {
        let chunk = |choices: Value, usage: Value| Event {
            name: None,
            data: json!({
                "id": format!("chatcmpl-{}", answer.id), "object": "chat.completion.chunk",
                "created": answer.at_s, "model": answer.model, "choices": choices, "usage": usage,
            })
            .to_string(),
        };
        let choice = |delta: Value, finish: Value| {
            let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
            chunk(json!([choice]), Value::Null)
        };
        let delta = |delta: Value| choice(delta, Value::Null);
        let mut events = vec![delta(json!({"role": "assistant", "content": ""}))];
        for piece in pieces(&thoughts(answer).unwrap_or_default()) {
            events.push(delta(json!({"reasoning_content": piece})));
        }
        for piece in pieces(&answer.text()) {
            events.push(delta(json!({"content": piece})));
        }
        for (index, mut call) in calls(answer).into_iter().enumerate() {
            let arguments = call["function"]["arguments"].take();
            call["index"] = json!(index);
            call["function"]["arguments"] = json!("");
            events.push(delta(json!({"tool_calls": [call]})));
            for piece in pieces(arguments.as_str().unwrap_or_default()) {
                let piece = json!({"index": index, "function": {"arguments": piece}});
                events.push(delta(json!({"tool_calls": [piece]})));
            }
        }
        events.push(choice(json!({}), json!(finish(answer))));
        events.push(chunk(json!([]), usage(answer)));
        events.push(Event {
            name: None,
            data: "[DONE]".to_owned(),
        });
        events
    }

    fn failure(&self, failure: &Failure) -> Refusal {
        openai::failure(failure)
    }
}

/// The API has no field for thoughts; clients understand this one.
fn thoughts(answer: &Answer) -> Option<String> {
    let thought = |part: &Part| match part {
        Part::Think(text) => Some(text.clone()),
        Part::Text(_) | Part::Call(_) => None,
    };
    let thoughts: String = answer.parts.iter().filter_map(thought).collect();
    (!thoughts.is_empty()).then_some(thoughts)
}

fn calls(answer: &Answer) -> Vec<Value> {
    let call = |(index, part): (usize, &Part)| match part {
        Part::Call(call) => Some(json!({
            "id": answer.part_id("call_", index), "type": "function",
            "function": {"name": call.name, "arguments": call.input_text()},
        })),
        Part::Think(_) | Part::Text(_) => None,
    };
    answer.parts.iter().enumerate().filter_map(call).collect()
}

fn finish(answer: &Answer) -> &'static str {
    if answer.has_calls() {
        "tool_calls"
    } else {
        "stop"
    }
}

fn usage(answer: &Answer) -> Value {
    let (input, output) = (answer.usage.input, answer.usage.output);
    json!({
        "prompt_tokens": input, "completion_tokens": output,
        "total_tokens": input.saturating_add(output),
    })
}
