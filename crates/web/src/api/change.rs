//! Changes. Each one is logged with the person who made it, even if it is refused.

use axum::Json;
use axum::body::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Refusal;
use crate::app::{App, Shared};
use crate::auth::Who;

/// The result of a change.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Message {
    /// One sentence, for a person.
    pub message: String,
}

/// An answer that has one sentence about the result of a change.
pub trait Told {
    fn told(&self) -> &str;
}

impl Told for Message {
    fn told(&self) -> &str {
        &self.message
    }
}

impl From<String> for Message {
    fn from(message: String) -> Message {
        Message { message }
    }
}

/// Carries out a change. It runs to its end and into the audit log even if the client disconnects.
pub async fn change<T: Told + Send + 'static>(
    app: &Shared,
    who: Who,
    what: &'static str,
    subject: String,
    act: impl FnOnce(&App, &str) -> Result<T, Refusal> + Send + 'static,
) -> Result<Json<T>, Refusal> {
    let done = app.read(move |app| {
        let done = act(app, &subject);
        let told = match &done {
            Ok(answer) => Ok(answer.told()),
            Err(refusal) => Err(refusal.message.as_str()),
        };
        app.audit.note(&who, what, &subject, told);
        done
    });
    done.await?.map(Json)
}

/// The body of a request. An empty body counts as `{}`.
pub fn asked<T: DeserializeOwned>(body: &Bytes) -> Result<T, Refusal> {
    let text = match body.trim_ascii() {
        [] => b"{}",
        text => text,
    };
    serde_json::from_slice(text).map_err(|error| {
        Refusal::invalid(format!("the body is not what is asked for here: {error}"))
    })
}

/// What a change is about, for the audit log, even if the rest of the body is wrong.
pub fn named(body: &Bytes, key: &str) -> String {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    match &body[key] {
        Value::String(name) => name.clone(),
        Value::Array(names) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            names.join(", ")
        }
        _ => String::new(),
    }
}
