//! Joins the events of a stream, as a client does.

use serde_json::{Value, json};

use crate::requests::Api;

/// The data of all events; each name must match its data.
pub fn events(body: &str) -> Vec<Value> {
    let mut events = Vec::new();
    for block in body.split_terminator("\n\n") {
        let mut name = None;
        for line in block.lines() {
            if let Some(text) = line.strip_prefix("event: ") {
                name = Some(text);
            } else if let Some(data) = line.strip_prefix("data: ") {
                let data = match data {
                    "[DONE]" => Value::Null,
                    data => serde_json::from_str(data).unwrap(),
                };
                if let Some(name) = name {
                    assert_eq!(data["type"], name);
                }
                events.push(data);
            } else {
                panic!("not a line of an event: {line:?}");
            }
        }
    }
    events
}

/// The answer in one piece.
pub fn together(api: Api, body: &str) -> Value {
    if api == Api::Ollama {
        return ollama(body);
    }
    let events = events(body);
    match api {
        Api::Anthropic => anthropic(&events),
        Api::Chat => chat(&events),
        Api::Responses => responses(&events),
        Api::Gemini => gemini(&events),
        Api::Ollama => unreachable!("it sends lines, not events"),
    }
}

fn push(to: &mut Value, piece: &Value) {
    let text = format!(
        "{}{}",
        to.as_str().unwrap_or_default(),
        piece.as_str().unwrap()
    );
    *to = json!(text);
}

fn anthropic(events: &[Value]) -> Value {
    let mut message = Value::Null;
    let mut input = Value::Null;
    for event in events {
        let index = event["index"].as_u64().unwrap_or_default() as usize;
        let delta = &event["delta"];
        match event["type"].as_str().unwrap() {
            "message_start" => message = event["message"].clone(),
            "content_block_start" => {
                let blocks = message["content"].as_array_mut().unwrap();
                assert_eq!(blocks.len(), index);
                blocks.push(event["content_block"].clone());
                input = json!("");
            }
            "content_block_delta" => match delta["type"].as_str().unwrap() {
                "text_delta" => push(&mut message["content"][index]["text"], &delta["text"]),
                "thinking_delta" => {
                    push(
                        &mut message["content"][index]["thinking"],
                        &delta["thinking"],
                    );
                }
                "signature_delta" => {
                    push(
                        &mut message["content"][index]["signature"],
                        &delta["signature"],
                    );
                }
                "input_json_delta" => push(&mut input, &delta["partial_json"]),
                other => panic!("{other}"),
            },
            "content_block_stop" if message["content"][index]["type"] == "tool_use" => {
                let input = serde_json::from_str(input.as_str().unwrap()).unwrap();
                message["content"][index]["input"] = input;
            }
            "message_delta" => {
                message["stop_reason"] = delta["stop_reason"].clone();
                message["usage"] = event["usage"].clone();
            }
            "ping" | "content_block_stop" | "message_stop" => {}
            other => panic!("{other}"),
        }
    }
    assert_eq!(events.last().unwrap()["type"], "message_stop");
    message
}

fn chat(events: &[Value]) -> Value {
    let (done, chunks) = events.split_last().unwrap();
    assert!(done.is_null());
    let mut message = json!({"content": null, "refusal": null});
    let mut finish = Value::Null;
    for chunk in chunks {
        let Some(choice) = chunk["choices"].get(0) else {
            continue;
        };
        let delta = &choice["delta"];
        if let Some(role) = delta.get("role") {
            message["role"] = role.clone();
        }
        for key in ["content", "reasoning_content"] {
            if delta.get(key).is_some_and(|piece| piece != "") {
                push(&mut message[key], &delta[key]);
            }
        }
        for piece in delta["tool_calls"].as_array().into_iter().flatten() {
            let index = piece["index"].as_u64().unwrap() as usize;
            if piece.get("id").is_some() {
                let mut call = piece.clone();
                call.as_object_mut().unwrap().remove("index");
                if index == 0 {
                    message["tool_calls"] = json!([]);
                }
                message["tool_calls"].as_array_mut().unwrap().push(call);
            } else {
                let arguments = &mut message["tool_calls"][index]["function"]["arguments"];
                push(arguments, &piece["function"]["arguments"]);
            }
        }
        if !choice["finish_reason"].is_null() {
            finish = choice["finish_reason"].clone();
        }
    }
    let last = chunks.last().unwrap();
    let choice = json!({
        "index": 0, "message": message, "logprobs": null, "finish_reason": finish,
    });
    json!({
        "object": "chat.completion", "model": last["model"], "choices": [choice],
        "usage": last["usage"],
    })
}

fn responses(events: &[Value]) -> Value {
    let mut items: Vec<Value> = Vec::new();
    let mut said = json!("");
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], number);
        match event["type"].as_str().unwrap() {
            "response.output_item.added" => said = json!(""),
            "response.output_text.delta"
            | "response.reasoning_summary_text.delta"
            | "response.function_call_arguments.delta"
            | "response.custom_tool_call_input.delta" => push(&mut said, &event["delta"]),
            "response.output_item.done" => {
                let item = &event["item"];
                let whole = match item["type"].as_str().unwrap() {
                    "message" => &item["content"][0]["text"],
                    "reasoning" => &item["summary"][0]["text"],
                    "function_call" => &item["arguments"],
                    "custom_tool_call" => &item["input"],
                    other => panic!("{other}"),
                };
                assert_eq!(&said, whole);
                items.push(item.clone());
            }
            _ => {}
        }
    }
    let last = events.last().unwrap();
    assert_eq!(last["type"], "response.completed");
    assert_eq!(last["response"]["output"], json!(items));
    last["response"].clone()
}

fn ollama(body: &str) -> Value {
    let lines: Vec<Value> = body
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (last, before) = lines.split_last().unwrap();
    assert_eq!(last["done"], true);
    let mut whole = last.clone();
    for line in before {
        assert_eq!(line["done"], false);
        let message = &line["message"];
        push(&mut whole["message"]["content"], &message["content"]);
        if message.get("thinking").is_some() {
            push(&mut whole["message"]["thinking"], &message["thinking"]);
        }
        if let Some(calls) = message.get("tool_calls") {
            whole["message"]["tool_calls"] = calls.clone();
        }
    }
    whole
}

fn gemini(chunks: &[Value]) -> Value {
    let mut parts: Vec<Value> = Vec::new();
    for chunk in chunks {
        for part in chunk["candidates"][0]["content"]["parts"]
            .as_array()
            .unwrap()
        {
            let is_text =
                |part: &Value| part.get("text").is_some() && part.get("thought").is_none();
            match parts.last_mut() {
                _ if part["text"] == "" => {}
                Some(last) if is_text(last) && is_text(part) => {
                    push(&mut last["text"], &part["text"]);
                }
                _ => parts.push(part.clone()),
            }
        }
    }
    let mut whole = chunks.last().unwrap().clone();
    whole["candidates"][0]["content"]["parts"] = json!(parts);
    whole
}
