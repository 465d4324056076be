//! The record of a conversation, as mixseek's readers parse it.

use kumite_models::{Ask, Call, Conversation, Message, Provider, Reply, Stop, ToolResult, Usage};
use serde_json::{Value, json};

use crate::stage::model;

fn conversation() -> Conversation {
    let mut ask = Ask::new(model(Provider::Anthropic, "http://x"), "the task");
    ask.system = Some("You lead.".to_owned());
    let mut conversation = Conversation::new(&ask);
    let call = |id: &str, name: &str| Call {
        id: id.to_owned(),
        name: name.to_owned(),
        input: json!({"task": "dig"}),
    };
    let usage = Usage {
        input_tokens: 10,
        output_tokens: 2,
        cache_read: 4,
        cache_write: 1,
    };
    conversation.got(Reply {
        text: "Let me see.".to_owned(),
        calls: vec![call("1", "a"), call("2", "b")],
        structured: None,
        usage,
        stop: Stop::Tools,
        model: "claude".to_owned(),
        raw: None,
    });
    let result = |id: &str, name: &str, is_error: bool| ToolResult {
        id: id.to_owned(),
        name: name.to_owned(),
        text: "dug".to_owned(),
        is_error,
    };
    conversation.sent(Message::Results(vec![
        result("1", "a", false),
        result("2", "b", true),
    ]));
    conversation.got(Reply {
        text: "done".to_owned(),
        calls: Vec::new(),
        structured: None,
        usage,
        stop: Stop::End,
        model: "claude".to_owned(),
        raw: None,
    });
    conversation
}

/// Removes the times, which must exist and be in order.
fn without_times(value: &mut Value, times: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(time) = fields.remove("timestamp") {
                times.push(time.as_str().unwrap().to_owned());
            }
            fields
                .values_mut()
                .for_each(|field| without_times(field, times));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| without_times(item, times)),
        _ => {}
    }
}

#[test]
fn a_conversation_is_recorded_in_the_words_of_pydantic_ai() {
    let mut record = conversation().record();
    let mut times = Vec::new();
    without_times(&mut record, &mut times);
    assert_eq!(times.len(), 7);
    assert!(
        times
            .iter()
            .all(|time| time.len() == "2026-01-01T00:00:00.000000Z".len())
    );
    assert!(times.iter().max() >= times.iter().min());

    let request = |parts: Value| {
        json!({
            "kind": "request", "parts": parts, "instructions": "You lead.", "run_id": null,
            "metadata": null,
        })
    };
    let response = |parts: Value, finish: &str| {
        json!({
            "kind": "response", "parts": parts,
            "usage": {
                "input_tokens": 10, "cache_write_tokens": 1, "cache_read_tokens": 4,
                "output_tokens": 2, "input_audio_tokens": 0, "cache_audio_read_tokens": 0,
                "output_audio_tokens": 0, "details": {},
            },
            "model_name": "claude", "provider_name": "anthropic", "provider_details": null,
            "provider_response_id": null, "finish_reason": finish, "run_id": null,
            "metadata": null,
        })
    };
    let call = |id: &str, name: &str| {
        json!({
            "part_kind": "tool-call", "tool_name": name, "args": {"task": "dig"},
            "tool_call_id": id, "id": null,
        })
    };
    let expected = json!([
        request(json!([{"part_kind": "user-prompt", "content": "the task"}])),
        response(
            json!([
                {"part_kind": "text", "content": "Let me see.", "id": null},
                call("1", "a"),
                call("2", "b"),
            ]),
            "tool_call",
        ),
        request(json!([
            {"part_kind": "tool-return", "tool_name": "a", "content": "dug", "tool_call_id": "1", "metadata": null},
            {"part_kind": "retry-prompt", "tool_name": "b", "content": "dug", "tool_call_id": "2"},
        ])),
        response(
            json!([{"part_kind": "text", "content": "done", "id": null}]),
            "stop"
        ),
    ]);
    assert_eq!(record, expected);
}

#[test]
fn the_usage_of_a_conversation_is_that_of_its_replies() {
    let usage = conversation().usage();
    assert_eq!((usage.input_tokens, usage.output_tokens), (20, 4));
    assert_eq!((usage.cache_read, usage.cache_write), (8, 2));
}
