//! The format of requests and answers in each API.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod responses;

use serde_json::{Map, Value, json};

use crate::ask::{Answer, Ask, Call, FINAL_RESULT, Reply, Stop, Tool, Usage};
use crate::endpoint::Key;
use crate::model::Provider;
use crate::structured;

/// A request. It contains the key, so it cannot be printed.
pub(crate) struct Request {
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Value,
}

/// The content of an answer, before it is checked.
struct Said {
    text: String,
    calls: Vec<Call>,
    usage: Usage,
    stop: Stop,
    model: Option<String>,
    raw: Option<Value>,
}

/// Builds the request.
pub(crate) fn request(ask: &Ask) -> Request {
    let base = ask.model.endpoint.base_url.as_str();
    let key = ask.model.endpoint.key.as_ref();
    let bearer = || header(key, "authorization", "Bearer ");
    let (url, mut headers, mut body) = match ask.model.id.provider {
        Provider::OpenAi | Provider::Grok | Provider::Groq => (
            format!("{base}/chat/completions"),
            bearer(),
            chat::body(ask),
        ),
        Provider::OpenAiResponses | Provider::GrokResponses => {
            (format!("{base}/responses"), bearer(), responses::body(ask))
        }
        Provider::Anthropic => {
            let mut headers = header(key, "x-api-key", "");
            headers.extend(anthropic::headers(ask));
            (anthropic::url(base), headers, anthropic::body(ask))
        }
        provider @ (Provider::GoogleGla | Provider::GoogleVertex) => {
            let url = gemini::url(base, provider, &ask.model.id.name);
            (url, header(key, "x-goog-api-key", ""), gemini::body(ask))
        }
        Provider::Ollama => (format!("{base}/api/chat"), bearer(), ollama::body(ask)),
    };
    headers.push(("content-type", "application/json".to_owned()));
    merge(&mut body, &ask.options.extra);
    // Settings may have switched streaming on, which is not supported here.
    if let Some(stream) = body.get_mut("stream") {
        *stream = json!(false);
    }
    Request { url, headers, body }
}

/// Reads an answer, or returns what is wrong with it.
pub(crate) fn reply(ask: &Ask, body: Value) -> Result<Reply, String> {
    let said = match ask.model.id.provider {
        Provider::OpenAi | Provider::Grok | Provider::Groq => chat::read(&body),
        Provider::OpenAiResponses | Provider::GrokResponses => responses::read(&body),
        Provider::Anthropic => anthropic::read(&body),
        Provider::GoogleGla | Provider::GoogleVertex => gemini::read(&body),
        Provider::Ollama => ollama::read(&body),
    }?;
    let mut calls = said.calls;
    for (index, call) in calls.iter_mut().enumerate() {
        if call.id.is_empty() {
            call.id = format!("{OWN_ID}{}-{index}", ask.messages.len());
        }
    }
    let structured = match ask.answer {
        Answer::Text => None,
        Answer::Structured { .. } => structured::find(&said.text, &calls),
    };
    // Some servers report an end although they wait for results.
    let stop = match said.stop {
        Stop::End if !calls.is_empty() => Stop::Tools,
        stop => stop,
    };
    Ok(Reply {
        text: said.text,
        calls,
        structured,
        usage: said.usage,
        stop,
        model: said.model.unwrap_or_else(|| ask.model.id.name.clone()),
        raw: said.raw,
    })
}

/// The prefix of ids for calls that came without one.
const OWN_ID: &str = "kumite-";

fn header(key: Option<&Key>, name: &'static str, before: &str) -> Vec<(&'static str, String)> {
    let with = |key: &Key| (name, format!("{before}{}", key.secret));
    key.map(with).into_iter().collect()
}

/// The tools on offer, including the tool for a structured answer.
fn tools(ask: &Ask) -> Vec<Tool> {
    let mut tools = ask.tools.clone();
    if let Answer::Structured { schema } = &ask.answer {
        tools.push(Tool {
            name: FINAL_RESULT.to_owned(),
            description: "Gives the final result. Call this, and say nothing else.".to_owned(),
            schema: schema.clone(),
        });
    }
    tools
}

fn is_structured(ask: &Ask) -> bool {
    matches!(ask.answer, Answer::Structured { .. })
}

/// Sets a key if there is a value.
fn set(body: &mut Value, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        body[key] = value.into();
    }
}

fn not_empty<T: Clone>(list: &[T]) -> Option<Vec<T>> {
    (!list.is_empty()).then(|| list.to_vec())
}

/// `extra` overrides the body, but objects on both sides are merged.
fn merge(body: &mut Value, extra: &Map<String, Value>) {
    for (key, value) in extra {
        match (body.get_mut(key), value) {
            (Some(ours @ Value::Object(_)), Value::Object(theirs)) => merge(ours, theirs),
            _ => body[key] = value.clone(),
        }
    }
}

/// The input of a call, which most APIs send as text.
fn input(value: &Value) -> Value {
    match value {
        Value::String(text) if text.trim().is_empty() => json!({}),
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| value.clone()),
        Value::Null => json!({}),
        value => value.clone(),
    }
}

/// The input of a call as text.
fn input_text(input: &Value) -> String {
    match input {
        Value::String(text) => text.clone(),
        input => input.to_string(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extra_wins_and_objects_become_one() {
        let mut body = json!({"a": 1, "options": {"seed": 1, "x": 2}});
        let extra = json!({"a": {"b": 1}, "options": {"x": 3, "y": 4}, "new": true});
        merge(&mut body, extra.as_object().unwrap());
        let expected = json!({
            "a": {"b": 1}, "options": {"seed": 1, "x": 3, "y": 4}, "new": true,
        });
        assert_eq!(body, expected);
    }

    #[test]
    fn input_that_is_no_json_stays_as_it_came() {
        for (came, is) in [
            (json!("{\"a\":1}"), json!({"a": 1})),
            (json!({"a": 1}), json!({"a": 1})),
            (json!(""), json!({})),
            (json!(null), json!({})),
            (json!("{\"a\":"), json!("{\"a\":")),
        ] {
            assert_eq!(input(&came), is);
        }
    }
}
