//! What is asked of a model, and what it answers, whichever API carries it.

use std::ops::AddAssign;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::{Model, Provider};

/// The name of the tool that a structured answer comes through.
pub const FINAL_RESULT: &str = "final_result";

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    pub model: Model,
    pub system: Option<String>,
    pub messages: Vec<Message>,
    /// What the model may call; the caller carries it out.
    pub tools: Vec<Tool>,
    /// What the provider itself may do on the way. See [`supports`].
    pub native: Vec<Native>,
    pub answer: Answer,
    pub options: Options,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    User(String),
    /// What the model said. `raw` is the provider's own form of it, sent back as it came, because
    /// some of them sign their thoughts; words put into a model's mouth have none.
    Model {
        text: String,
        calls: Vec<Call>,
        raw: Option<Value>,
    },
    /// The results of all calls of the message before.
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
    /// Of the call.
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
    /// A JSON object of this schema, asked for as a call of [`FINAL_RESULT`].
    Structured { schema: Value },
}

/// Numbers that are not set are not sent, and those that an API does not know are left out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    pub temperature: Option<f64>,
    /// Anthropic demands one and gets 8192 where none is set.
    pub max_tokens: Option<u32>,
    pub top_p: Option<f64>,
    pub seed: Option<i64>,
    pub stop_sequences: Vec<String>,
    /// For the whole call.
    pub timeout: Option<Duration>,
    /// Goes into the body of the request as it is; objects are merged.
    pub extra: Map<String, Value>,
}

/// A tool that the provider runs on its side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Native {
    /// Gemini takes no settings for it, the Responses API no `max_uses`.
    WebSearch {
        max_uses: Option<u32>,
        domains: Domains,
    },
    /// Gemini takes no settings for it.
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

/// Whether the models of `provider` can have `native`.
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
    /// Also the call of [`FINAL_RESULT`].
    pub calls: Vec<Call>,
    /// The object that was asked for, if there is one in the answer. Its fields are not checked.
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
    /// An object, or the text as it came if it was no JSON.
    pub input: Value,
}

/// Tokens. What was read from or written to a cache is a part of `input_tokens`.
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
    /// It ran out of tokens; the answer is cut.
    Length,
    /// The provider or the model would not say it.
    Filter,
    /// It waits for the results of its calls.
    Tools,
    /// The provider wants to be asked to go on; the client does that.
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
    /// The reply as a part of the conversation.
    pub fn message(&self) -> Message {
        Message::Model {
            text: self.text.clone(),
            calls: self.calls.clone(),
            raw: self.raw.clone(),
        }
    }

    /// What to add to the messages in order to ask once more, because of `problem`.
    pub fn again(&self, problem: &str) -> Vec<Message> {
        let problem_said = || Message::User(problem.to_owned());
        match (self.calls.is_empty(), self.text.is_empty()) {
            // Nothing was said, and no API takes an empty message.
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
