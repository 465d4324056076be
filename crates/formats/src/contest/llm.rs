//! How a model is called: the same keys wherever a model is named, in mixseek's words and in ours.

use serde_json::{Map, Value as Json};

use super::model_id;
use super::plan::Llm;
use super::scope::Scope;

/// The keys of a model in mixseek's files and variables.
pub(super) const KEYS: [&str; 10] = [
    "model",
    "temperature",
    "max_tokens",
    "max_retries",
    "timeout_seconds",
    "stop_sequences",
    "top_p",
    "seed",
    "model_settings",
    "google_model_settings",
];

/// The keys of a model's system prompt.
pub(super) const TEXTS: [&str; 2] = ["system_instruction", "system_prompt"];

pub(super) const RETRIES: u32 = 3;

/// The settings given for a model; fields that were not given are empty.
#[derive(Clone, Default)]
pub(super) struct Asked {
    pub model: Option<String>,
    pub base_url: Option<String>,
    pub temperature: Option<f64>,
    pub max_tokens: Option<u32>,
    pub top_p: Option<f64>,
    pub seed: Option<i64>,
    pub stop_sequences: Option<Vec<String>>,
    pub timeout_ms: Option<u64>,
    pub max_retries: Option<u32>,
    pub extra: Map<String, Json>,
}

impl Asked {
    /// Reads all keys but `model`, in mixseek's words. `timeout` is the range of `timeout_seconds`.
    pub fn mixseek(scope: &Scope<'_>, timeout: std::ops::RangeInclusive<u64>) -> Asked {
        let mut extra = scope.free("model_settings");
        extra.extend(scope.free("google_model_settings"));
        Asked {
            stop_sequences: scope.texts("stop_sequences"),
            timeout_ms: scope.seconds("timeout_seconds", timeout),
            max_retries: scope.count("max_retries", 0..=100),
            extra,
            ..Asked::common(scope)
        }
    }

    /// Reads all keys but `model`, in our words.
    pub fn own(scope: &Scope<'_>) -> Asked {
        Asked {
            base_url: scope.some_text("base_url"),
            stop_sequences: scope.texts("stop"),
            timeout_ms: scope.span("timeout"),
            max_retries: scope.count("retries", 0..=100),
            extra: scope.free("extra"),
            ..Asked::common(scope)
        }
    }

    fn common(scope: &Scope<'_>) -> Asked {
        Asked {
            temperature: scope.number("temperature", 0.0..=2.0),
            max_tokens: scope.count("max_tokens", 1..=u32::MAX),
            top_p: scope.number("top_p", 0.0..=1.0),
            seed: scope.whole("seed"),
            ..Asked::default()
        }
    }

    /// Adds the model, which must be of a known provider.
    pub fn with_model(mut self, scope: &Scope<'_>, key: &'static str) -> Asked {
        self.model = model_id::read(scope, key);
        self
    }

    /// A judgment should be the same every time, unless the file wants it otherwise.
    pub fn exact(mut self) -> Asked {
        self.temperature.get_or_insert(0.0);
        self
    }

    /// Fields left unset inherit from `below`.
    pub fn over(self, below: Asked) -> Asked {
        let mut extra = below.extra;
        extra.extend(self.extra);
        Asked {
            model: self.model.or(below.model),
            base_url: self.base_url.or(below.base_url),
            temperature: self.temperature.or(below.temperature),
            max_tokens: self.max_tokens.or(below.max_tokens),
            top_p: self.top_p.or(below.top_p),
            seed: self.seed.or(below.seed),
            stop_sequences: self.stop_sequences.or(below.stop_sequences),
            timeout_ms: self.timeout_ms.or(below.timeout_ms),
            max_retries: self.max_retries.or(below.max_retries),
            extra,
        }
    }

    pub fn build(self, default_model: &str, default_timeout_ms: u64) -> Llm {
        Llm {
            model: self.model.unwrap_or_else(|| default_model.to_owned()),
            base_url: self.base_url,
            temperature: self.temperature,
            max_tokens: self.max_tokens.map(u64::from),
            top_p: self.top_p,
            seed: self.seed,
            stop_sequences: self.stop_sequences.unwrap_or_default(),
            timeout_ms: self.timeout_ms.unwrap_or(default_timeout_ms),
            max_retries: self.max_retries.unwrap_or(RETRIES),
            extra: self.extra,
        }
    }
}
