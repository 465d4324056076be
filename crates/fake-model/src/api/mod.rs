//! The five APIs: how to read their requests, and how to write their answers.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod openai;
mod responses;

use serde_json::{Value, json};

use crate::answer::{Answer, Failure, Refusal};
use crate::conversation::Conversation;

pub(crate) trait Api: Sync {
    fn read(&self, body: &Value) -> Conversation;
    /// The answer in one piece.
    fn whole(&self, answer: &Answer) -> Value;
    /// The same answer as a stream of events.
    fn events(&self, answer: &Answer) -> Vec<Event>;
    fn failure(&self, failure: &Failure) -> Refusal;

    fn stream_kind(&self) -> &'static str {
        "text/event-stream"
    }

    /// An event as the stream has it.
    fn stream_text(&self, event: &Event) -> String {
        let name = event.name.map(|name| format!("event: {name}\n"));
        format!("{}data: {}\n\n", name.unwrap_or_default(), event.data)
    }
}

/// For requests to no known API: every client finds the message in this format.
pub(crate) const ANY: &dyn Api = &anthropic::Anthropic;

/// One server-sent event.
#[derive(Debug)]
pub(crate) struct Event {
    pub name: Option<&'static str>,
    pub data: String,
}

/// The meaning of a POST to a path.
pub(crate) struct Route {
    pub api: &'static dyn Api,
    pub ask: Ask,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Ask {
    /// The body names the model, and whether to stream.
    Answer,
    /// Gemini puts both into the path.
    AnswerAs { model: String, stream: bool },
    /// Only counts tokens, and expects the number under this key.
    Count(&'static str),
}

/// Finds the API for `path`. Base URLs differ in their prefix and may lack `/v1`, so only the end
/// of the path counts.
pub(crate) fn route(path: &str) -> Option<Route> {
    let route = |api, ask| Some(Route { api, ask });
    if path.ends_with("/messages") {
        return route(&anthropic::Anthropic, Ask::Answer);
    }
    if path.ends_with("/messages/count_tokens") {
        return route(&anthropic::Anthropic, Ask::Count("input_tokens"));
    }
    if path.ends_with("/chat/completions") {
        return route(&chat::Chat, Ask::Answer);
    }
    if path.ends_with("/responses") {
        return route(&responses::Responses, Ask::Answer);
    }
    if path.ends_with("/api/chat") {
        return route(&ollama::Ollama, Ask::Answer);
    }
    let (_, named) = path.rsplit_once("/models/")?;
    let (model, verb) = named.rsplit_once(':')?;
    let answer_as = |stream| Ask::AnswerAs {
        model: model.to_owned(),
        stream,
    };
    match verb {
        "generateContent" => route(&gemini::Gemini, answer_as(false)),
        "streamGenerateContent" => route(&gemini::Gemini, answer_as(true)),
        "countTokens" => route(&gemini::Gemini, Ask::Count("totalTokens")),
        _ => None,
    }
}

/// The list of models, in a form that the clients of every API understand.
pub(crate) fn models(path: &str) -> Option<Value> {
    const NAMES: [&str; 2] = ["fake-model", "fake-small"];
    if !path.ends_with("/models") {
        return None;
    }
    if path.contains("/v1beta/") {
        let models = NAMES.map(|name| {
            json!({
                "name": format!("models/{name}"), "displayName": name,
                "supportedGenerationMethods": ["generateContent", "countTokens"],
            })
        });
        return Some(json!({"models": models}));
    }
    let models = NAMES.map(|name| {
        json!({
            "id": name, "type": "model", "object": "model", "display_name": name,
            "created": 0, "created_at": "1970-01-01T00:00:00Z", "owned_by": "fake-model",
        })
    });
    Some(json!({"object": "list", "data": models, "has_more": false}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_their_api() {
        for path in [
            "/v1/messages",
            "/v1/messages/count_tokens",
            "/v1/chat/completions",
            "/v1/responses",
            "/api/chat",
            "/v1beta/models/gemini-3:countTokens",
        ] {
            assert!(route(path).is_some(), "{path}");
        }
        for path in [
            "/",
            "/v1",
            "/v1/embeddings",
            "/v1/models/x",
            "/v1/models/x:embedContent",
        ] {
            assert!(route(path).is_none(), "{path}");
        }
        let route = route("/v1/models/a.b:streamGenerateContent").unwrap();
        assert_eq!(
            route.ask,
            Ask::AnswerAs {
                model: "a.b".to_owned(),
                stream: true
            }
        );
    }
}
