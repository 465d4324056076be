//! OpenAI Responses.

use serde_json::{Value, json};

use super::{Api, Event, openai};
use crate::answer::{Answer, Failure, Part, Refusal, pieces};
use crate::conversation::{Conversation, texts};

pub(super) struct Responses;

impl Api for Responses {
    fn read(&self, body: &Value) -> Conversation {
        let mut talk = Conversation {
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            stream: body["stream"].as_bool().unwrap_or_default(),
            schema: body.pointer("/text/format/schema").cloned(),
            ..Conversation::default()
        };
        if let Some(text) = body["instructions"].as_str() {
            talk.system(text);
        }
        offer_all(&mut talk, &body["tools"], None);
        if let Some(text) = body["input"].as_str() {
            talk.user(text);
        }
        for item in body["input"].as_array().into_iter().flatten() {
            read_item(&mut talk, item);
        }
        talk
    }

    fn whole(&self, answer: &Answer) -> Value {
        response(answer, "completed", items(answer), usage(answer))
    }

    fn events(&self, answer: &Answer) -> Vec<Event> {
        let mut stream = Stream::default();
        let begun = response(answer, "in_progress", Vec::new(), Value::Null);
        stream.send("response.created", json!({"response": begun}));
        stream.send("response.in_progress", json!({"response": begun}));
        for (index, item) in items(answer).into_iter().enumerate() {
            stream.item(index, item);
        }
        stream.send(
            "response.completed",
            json!({"response": self.whole(answer)}),
        );
        stream.events
    }

    fn failure(&self, failure: &Failure) -> Refusal {
        openai::failure(failure)
    }
}

/// Codex groups some of its tools in namespaces, which may be nested.
fn offer_all(talk: &mut Conversation, tools: &Value, namespace: Option<&str>) {
    for tool in tools.as_array().into_iter().flatten() {
        let name = tool["name"]
            .as_str()
            .or(tool["type"].as_str())
            .unwrap_or_default();
        if tool["type"] == "namespace" {
            offer_all(talk, &tool["tools"], Some(name));
        } else {
            talk.offer(name, tool["type"] == "custom", namespace);
        }
    }
}

fn read_item(talk: &mut Conversation, item: &Value) {
    match item["type"].as_str().unwrap_or("message") {
        "message" => {
            let texts = texts(&item["content"]);
            match item["role"].as_str() {
                Some("assistant") => talk.model(&texts.concat(), false),
                Some("system" | "developer") => {
                    texts.into_iter().for_each(|text| talk.system(text))
                }
                _ => texts.into_iter().for_each(|text| talk.user(text)),
            }
        }
        // Codex tells newer models about tools inside the conversation.
        "additional_tools" => offer_all(talk, &item["tools"], None),
        "function_call" | "custom_tool_call" | "local_shell_call" => talk.model("", true),
        kind if kind.ends_with("_output") => talk.tool_result(),
        _ => {}
    }
}

fn items(answer: &Answer) -> Vec<Value> {
    let item = |(index, part): (usize, &Part)| match part {
        Part::Think(text) => json!({
            "type": "reasoning", "id": answer.part_id("rs_", index),
            "summary": [{"type": "summary_text", "text": text}],
        }),
        Part::Text(text) => json!({
            "type": "message", "id": answer.part_id("msg_", index), "status": "completed",
            "role": "assistant", "content": [text_part(text)],
        }),
        Part::Call(call) => {
            let (kind, prefix, key) = match call.custom {
                true => ("custom_tool_call", "ctc_", "input"),
                false => ("function_call", "fc_", "arguments"),
            };
            let mut item = json!({
                "type": kind, "id": answer.part_id(prefix, index), "status": "completed",
                "call_id": answer.part_id("call_", index), "name": call.name,
            });
            item[key] = json!(call.input_text());
            if let Some(namespace) = &call.namespace {
                item["namespace"] = json!(namespace);
            }
            item
        }
    };
    answer.parts.iter().enumerate().map(item).collect()
}

fn text_part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": []})
}

fn response(answer: &Answer, status: &str, output: Vec<Value>, usage: Value) -> Value {
    json!({
        "id": format!("resp_{}", answer.id), "object": "response", "created_at": answer.at_s,
        "status": status, "error": null, "incomplete_details": null, "model": answer.model,
        "output": output, "parallel_tool_calls": true, "tool_choice": "auto", "tools": [],
        "usage": usage,
    })
}

fn usage(answer: &Answer) -> Value {
    let (input, output) = (answer.usage.input, answer.usage.output);
    json!({
        "input_tokens": input, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": output, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": input.saturating_add(output),
    })
}

#[derive(Default)]
struct Stream {
    events: Vec<Event>,
}

impl Stream {
    fn send(&mut self, name: &'static str, mut data: Value) {
        data["type"] = json!(name);
        data["sequence_number"] = json!(self.events.len());
        self.events.push(Event {
            name: Some(name),
            data: data.to_string(),
        });
    }

    fn item(&mut self, index: usize, item: Value) {
        let mut begun = item.clone();
        let at = |mut data: Value| {
            data["item_id"] = item["id"].clone();
            data["output_index"] = json!(index);
            data
        };
        let said = |text: &Value| text.as_str().unwrap_or_default().to_owned();
        match item["type"].as_str() {
            Some("message") => {
                begun["content"] = json!([]);
                begun["status"] = json!("in_progress");
                self.begin(index, begun);
                let text = said(&item["content"][0]["text"]);
                let at = |data| with(at(data), "content_index", json!(0));
                self.send(
                    "response.content_part.added",
                    at(json!({"part": text_part("")})),
                );
                for piece in pieces(&text) {
                    self.send("response.output_text.delta", at(json!({"delta": piece})));
                }
                self.send("response.output_text.done", at(json!({"text": text})));
                self.send(
                    "response.content_part.done",
                    at(json!({"part": text_part(&text)})),
                );
            }
            Some("reasoning") => {
                begun["summary"] = json!([]);
                self.begin(index, begun);
                let text = said(&item["summary"][0]["text"]);
                let part = |text: &str| json!({"part": {"type": "summary_text", "text": text}});
                let at = |data| with(at(data), "summary_index", json!(0));
                self.send("response.reasoning_summary_part.added", at(part("")));
                for piece in pieces(&text) {
                    self.send(
                        "response.reasoning_summary_text.delta",
                        at(json!({"delta": piece})),
                    );
                }
                self.send(
                    "response.reasoning_summary_text.done",
                    at(json!({"text": text})),
                );
                self.send("response.reasoning_summary_part.done", at(part(&text)));
            }
            Some("function_call") => {
                begun["arguments"] = json!("");
                begun["status"] = json!("in_progress");
                self.begin(index, begun);
                let text = said(&item["arguments"]);
                for piece in pieces(&text) {
                    let delta = at(json!({"delta": piece}));
                    self.send("response.function_call_arguments.delta", delta);
                }
                let done = at(json!({"arguments": text}));
                self.send("response.function_call_arguments.done", done);
            }
            _ => {
                begun["input"] = json!("");
                begun["status"] = json!("in_progress");
                self.begin(index, begun);
                let text = said(&item["input"]);
                for piece in pieces(&text) {
                    self.send(
                        "response.custom_tool_call_input.delta",
                        at(json!({"delta": piece})),
                    );
                }
                self.send(
                    "response.custom_tool_call_input.done",
                    at(json!({"input": text})),
                );
            }
        }
        let done = json!({"output_index": index, "item": item});
        self.send("response.output_item.done", done);
    }

    fn begin(&mut self, index: usize, begun: Value) {
        let begun = json!({"output_index": index, "item": begun});
        self.send("response.output_item.added", begun);
    }
}

fn with(mut data: Value, key: &str, value: Value) -> Value {
    data[key] = value;
    data
}
