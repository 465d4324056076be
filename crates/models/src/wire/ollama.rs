//! Ollama's own chat API.

use serde_json::{Value, json};

use super::{Said, chat, not_empty, number, set, text};
use crate::ask::{Answer, Ask, Call, Message, Stop, Usage};

pub(super) fn body(ask: &Ask) -> Value {
    let messages = chat::messages(ask, write);
    let tools: Vec<Value> = ask.tools.iter().map(chat::tool).collect();
    let mut body = json!({"model": ask.model.id.name, "messages": messages, "stream": false});
    set(&mut body, "tools", not_empty(&tools));
    if let Answer::Structured { schema } = &ask.answer {
        body["format"] = schema.clone();
    }
    let options = &ask.options;
    let mut numbers = json!({});
    set(&mut numbers, "temperature", options.temperature);
    set(&mut numbers, "num_predict", options.max_tokens);
    set(&mut numbers, "top_p", options.top_p);
    set(&mut numbers, "seed", options.seed);
    set(&mut numbers, "stop", not_empty(&options.stop_sequences));
    if numbers != json!({}) {
        body["options"] = numbers;
    }
    body
}

fn write(messages: &mut Vec<Value>, message: &Message) {
    match message {
        Message::User(text) => messages.push(json!({"role": "user", "content": text})),
        Message::Model { text, calls, .. } => {
            let mut said = json!({"role": "assistant", "content": text});
            let call =
                |call: &Call| json!({"function": {"name": call.name, "arguments": call.input}});
            let calls: Vec<Value> = calls.iter().map(call).collect();
            set(&mut said, "tool_calls", not_empty(&calls));
            messages.push(said);
        }
        // The API has no ids: results follow in the order of the calls.
        Message::Results(results) => messages.extend(results.iter().map(
            |result| json!({"role": "tool", "tool_name": result.name, "content": result.text}),
        )),
    }
}

pub(super) fn read(body: &Value) -> Result<Said, String> {
    let message = &body["message"];
    if !message.is_object() {
        return Err("the answer has no message".to_owned());
    }
    Ok(Said {
        text: text(&message["content"]),
        calls: chat::calls(message),
        usage: Usage {
            input_tokens: number(body, "prompt_eval_count"),
            output_tokens: number(body, "eval_count"),
            ..Usage::default()
        },
        stop: match body["done_reason"].as_str() {
            Some("stop") | None => Stop::End,
            Some("length") => Stop::Length,
            Some(_) => Stop::Other,
        },
        model: body["model"].as_str().map(str::to_owned),
        raw: None,
    })
}
