//! Gemini, through the Generative Language API or Vertex AI.

use serde_json::{Value, json};

use super::{OWN_ID, Said, is_structured, not_empty, number, set, text, tools};
use crate::ask::{Ask, Call, FINAL_RESULT, Message, Native, Stop, Tool, ToolResult, Usage};
use crate::model::Provider;

pub(super) fn url(base: &str, provider: Provider, name: &str) -> String {
    let name = in_path(name.strip_prefix("models/").unwrap_or(name));
    let has_version = base.ends_with("/v1") || base.ends_with("/v1beta");
    let place = match provider {
        Provider::GoogleVertex => "publishers/google/models",
        _ => "models",
    };
    let version = match provider {
        _ if has_version => "",
        Provider::GoogleVertex => "/v1",
        _ => "/v1beta",
    };
    format!("{base}{version}/{place}/{name}:generateContent")
}

/// The name comes from a settings file, so it is escaped and cannot change the path.
fn in_path(name: &str) -> String {
    let mut path = String::new();
    for byte in name.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' => path.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => path.push(char::from(byte)),
            byte => path += &format!("%{byte:02X}"),
        }
    }
    path
}

pub(super) fn body(ask: &Ask) -> Value {
    let contents: Vec<Value> = ask.messages.iter().map(write).collect();
    let mut body = json!({"contents": contents});
    let system = |system: &String| json!({"parts": [{"text": system}]});
    set(
        &mut body,
        "systemInstruction",
        ask.system.as_ref().map(system),
    );
    let mut offered: Vec<Value> = ask.native.iter().map(native).collect();
    let functions: Vec<Value> = tools(ask).iter().map(tool).collect();
    if !functions.is_empty() {
        offered.push(json!({"functionDeclarations": functions}));
    }
    set(&mut body, "tools", not_empty(&offered));
    if is_structured(ask) {
        let mut calling = json!({"mode": "ANY"});
        // With other tools on offer the model must reach its result by itself.
        if functions.len() == 1 {
            calling["allowedFunctionNames"] = json!([FINAL_RESULT]);
        }
        body["toolConfig"] = json!({"functionCallingConfig": calling});
    }
    let options = &ask.options;
    let mut config = json!({});
    set(&mut config, "temperature", options.temperature);
    set(&mut config, "maxOutputTokens", options.max_tokens);
    set(&mut config, "topP", options.top_p);
    set(&mut config, "seed", options.seed);
    set(
        &mut config,
        "stopSequences",
        not_empty(&options.stop_sequences),
    );
    if config != json!({}) {
        body["generationConfig"] = config;
    }
    body
}

fn tool(tool: &Tool) -> Value {
    json!({
        "name": tool.name, "description": tool.description, "parametersJsonSchema": tool.schema,
    })
}

fn native(native: &Native) -> Value {
    match native {
        Native::WebSearch { .. } => json!({"googleSearch": {}}),
        Native::WebFetch { .. } => json!({"urlContext": {}}),
        Native::CodeExecution => json!({"codeExecution": {}}),
    }
}

fn write(message: &Message) -> Value {
    match message {
        Message::User(text) => json!({"role": "user", "parts": [{"text": text}]}),
        Message::Model { raw: Some(raw), .. } => json!({"role": "model", "parts": raw}),
        Message::Model { text, calls, .. } => {
            let mut parts = Vec::new();
            if !text.is_empty() {
                parts.push(json!({"text": text}));
            }
            parts.extend(calls.iter().map(|call| {
                let mut function = json!({"name": call.name, "args": call.input});
                set(&mut function, "id", their_id(&call.id));
                json!({"functionCall": function})
            }));
            json!({"role": "model", "parts": parts})
        }
        Message::Results(results) => {
            let part = |result: &ToolResult| {
                let key = if result.is_error { "error" } else { "result" };
                let mut function = json!({"name": result.name, "response": {key: result.text}});
                set(&mut function, "id", their_id(&result.id));
                json!({"functionResponse": function})
            };
            let parts: Vec<Value> = results.iter().map(part).collect();
            json!({"role": "user", "parts": parts})
        }
    }
}

/// Older models send calls without an id; an id that we made means nothing to them.
fn their_id(id: &str) -> Option<&str> {
    (!id.starts_with(OWN_ID)).then_some(id)
}

pub(super) fn read(body: &Value) -> Result<Said, String> {
    let candidate = &body["candidates"][0];
    let blocked = body["promptFeedback"]["blockReason"].as_str();
    if !candidate.is_object() && blocked.is_none() {
        return Err("the answer has no candidates[0]".to_owned());
    }
    let finish = candidate["finishReason"].as_str();
    let parts = candidate["content"]["parts"].as_array();
    if parts.is_none() && finish.is_none() && blocked.is_none() {
        return Err("the answer has no candidates[0].content.parts".to_owned());
    }
    let mut said = String::new();
    let mut calls = Vec::new();
    for part in parts.into_iter().flatten() {
        if let Some(call) = part.get("functionCall") {
            calls.push(Call {
                id: text(&call["id"]),
                name: text(&call["name"]),
                input: super::input(&call["args"]),
            });
        } else if part.get("executableCode").is_some() {
            // Text before code was run was only an announcement.
            said.clear();
        } else if part["thought"] != true {
            said += part["text"].as_str().unwrap_or_default();
        }
    }
    let stop = match finish {
        _ if blocked.is_some() => Stop::Filter,
        Some("STOP") | None => Stop::End,
        Some("MAX_TOKENS") => Stop::Length,
        Some("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII") => Stop::Filter,
        Some(_) => Stop::Other,
    };
    let usage = &body["usageMetadata"];
    Ok(Said {
        text: said,
        calls,
        usage: Usage {
            input_tokens: number(usage, "promptTokenCount")
                .saturating_add(number(usage, "toolUsePromptTokenCount")),
            output_tokens: number(usage, "candidatesTokenCount")
                .saturating_add(number(usage, "thoughtsTokenCount")),
            cache_read: number(usage, "cachedContentTokenCount"),
            cache_write: 0,
        },
        stop,
        model: body["modelVersion"].as_str().map(str::to_owned),
        raw: parts.map(|parts| json!(parts)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_named_in_the_path_and_cannot_leave_it() {
        for (base, provider, name, expected) in [
            (
                "http://h",
                Provider::GoogleGla,
                "g-2.5",
                "http://h/v1beta/models/g-2.5",
            ),
            (
                "http://h/v1beta",
                Provider::GoogleGla,
                "models/g",
                "http://h/v1beta/models/g",
            ),
            (
                "http://h/x",
                Provider::GoogleVertex,
                "g",
                "http://h/x/v1/publishers/google/models/g",
            ),
            (
                "http://h",
                Provider::GoogleGla,
                "a/../b?c",
                "http://h/v1beta/models/a%2F..%2Fb%3Fc",
            ),
        ] {
            assert_eq!(
                url(base, provider, name),
                format!("{expected}:generateContent")
            );
        }
    }
}
