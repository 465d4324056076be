//! A request to a model and its answer, independent of the provider's API.

use std::ops::AddAssign;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::{Model, Provider};

/// The name of the tool that carries a structured answer.
pub const FINAL_RESULT: &str = "final_result";

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    pub model: Model,
    pub system: Option<String>,
    pub messages: Vec<Message>,
    /// Tools that the model may call; the caller runs them.
    pub tools: Vec<Tool>,
    /// Tools that the provider may run by itself. See [`supports`].
    pub native: Vec<Native>,
    pub answer: Answer,
    pub options: Options,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    User(String),
    /// What the model said. `raw` is the provider's own form of the message. It is sent back
    /// unchanged, because some providers sign their thoughts; a message that we wrote ourselves has
    /// none.
    Model {
        text: String,
        calls: Vec<Call>,
        raw: Option<Value>,
    },
    /// The results of all calls in the previous message.
    Results(Vec<ToolResult>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// A JSON schema of an object.
    pub schema: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The id of the call.
    pub id: String,
    pub name: String,
    pub text: String,
    pub is_error: bool,
}

/// The form of the answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    #[default]
    Text,
    /// A JSON object of this schema, requested as a call of [`FINAL_RESULT`].
    Structured { schema: Value },
}

/// Unset numbers are not sent, and an API that does not know a number does not get it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    pub temperature: Option<f64>,
    /// Anthropic requires one, and gets 8192 if none is set.
    pub max_tokens: Option<u32>,
    pub top_p: Option<f64>,
    pub seed: Option<i64>,
    pub stop_sequences: Vec<String>,
    /// For the whole call.
    pub timeout: Option<Duration>,
    /// Added to the body of the request; objects are merged.
    pub extra: Map<String, Value>,
}

/// A tool that the provider runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Native {
    /// Gemini accepts no settings for it, the Responses API no `max_uses`.
    WebSearch {
        max_uses: Option<u32>,
        domains: Domains,
    },
    /// Gemini accepts no settings for it.
    WebFetch {
        max_uses: Option<u32>,
        domains: Domains,
        citations: bool,
        max_content_tokens: Option<u32>,
    },
    CodeExecution,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Domains {
    #[default]
    All,
    Only(Vec<String>),
    Except(Vec<String>),
}

/// Whether the models of `provider` support `native`.
pub fn supports(provider: Provider, native: &Native) -> bool {
    match provider {
        Provider::Anthropic | Provider::GoogleGla | Provider::GoogleVertex => true,
        Provider::OpenAiResponses | Provider::GrokResponses => {
            !matches!(native, Native::WebFetch { .. })
        }
        Provider::OpenAi | Provider::Grok | Provider::Groq | Provider::Ollama => false,
    }
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    pub text: String,
    /// Includes the call of [`FINAL_RESULT`].
    pub calls: Vec<Call>,
    /// The requested object, if the answer contains one. Its fields are not checked.
    pub structured: Option<Value>,
    pub usage: Usage,
    pub stop: Stop,
    /// As the provider names it.
    pub model: String,
    pub raw: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub id: String,
    pub name: String,
    /// An object, or the unchanged text if it was not JSON.
    pub input: Value,
}

/// Tokens. `input_tokens` includes tokens read from or written to a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read: u64,
    pub cache_write: u64,
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    End,
    /// It ran out of tokens; the answer is cut off.
    Length,
    /// The provider or the model refused to say it.
    Filter,
    /// It waits for the results of its calls.
    Tools,
    /// The provider wants a request to go on; the client sends it.
    Paused,
    Other,
}

impl Ask {
    /// A plain question.
    pub fn new(model: Model, prompt: impl Into<String>) -> Ask {
        Ask {
            model,
            system: None,
            messages: vec![Message::User(prompt.into())],
            tools: Vec::new(),
            native: Vec::new(),
            answer: Answer::Text,
            options: Options::default(),
        }
    }
}

impl Reply {
    /// The reply as a message of the conversation.
    pub fn message(&self) -> Message {
        Message::Model {
            text: self.text.clone(),
            calls: self.calls.clone(),
            raw: self.raw.clone(),
        }
    }

    /// The messages to add for another request, which explains `problem`.
    pub fn again(&self, problem: &str) -> Vec<Message> {
        let problem_said = || Message::User(problem.to_owned());
        match (self.calls.is_empty(), self.text.is_empty()) {
            // The reply was empty, and no API accepts an empty message.
            (true, true) => return vec![problem_said()],
            (true, false) => return vec![self.message(), problem_said()],
            (false, _) => {}
        }
        let result = |call: &Call| ToolResult {
            id: call.id.clone(),
            name: call.name.clone(),
            text: problem.to_owned(),
            is_error: true,
        };
        let results = self.calls.iter().map(result).collect();
        vec![self.message(), Message::Results(results)]
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, more: Usage) {
        self.input_tokens = self.input_tokens.saturating_add(more.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(more.output_tokens);
        self.cache_read = self.cache_read.saturating_add(more.cache_read);
        self.cache_write = self.cache_write.saturating_add(more.cache_write);
    }
}
