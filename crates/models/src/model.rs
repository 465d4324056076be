//! A model (`provider:name`), and how it is reached.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use strsim::levenshtein;

use crate::endpoint::Endpoint;

/// The company that serves a model, and the API that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "&'static str")]
pub enum Provider {
    /// OpenAI, and every server at `OPENAI_BASE_URL` that offers Chat Completions.
    OpenAi,
    OpenAiResponses,
    Anthropic,
    /// Gemini through the Generative Language API.
    GoogleGla,
    /// Gemini through Vertex AI with a key ("express mode").
    GoogleVertex,
    Grok,
    GrokResponses,
    Groq,
    Ollama,
}

/// A model's id. Its name is not checked against any list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModelId {
    pub provider: Provider,
    pub name: String,
}

/// A model that is ready for requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    pub id: ModelId,
    pub endpoint: Endpoint,
}

/// Why a model cannot be used. None of these ever contains a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("model {text:?} names no provider; write provider:name, such as openai:gpt-4o")]
    NoProvider { text: String },
    #[error("model {text:?} has no usable name after its provider")]
    NoName { text: String },
    #[error(
        "provider {wanted:?} is not known; did you mean {nearest}? (known: {})",
        known()
    )]
    UnknownProvider { wanted: String, nearest: Provider },
    #[error("{provider} needs a key in the environment variable {variables}{remark}")]
    NoKey {
        provider: Provider,
        variables: String,
        remark: &'static str,
    },
    #[error("the key in {variable} contains a character that no key has, such as a line break")]
    BadKey { variable: &'static str },
    #[error("base URL of {provider} ({from}): {what}")]
    BadUrl {
        provider: Provider,
        from: String,
        what: String,
    },
}

impl Provider {
    pub const ALL: [Provider; 9] = [
        Provider::OpenAi,
        Provider::OpenAiResponses,
        Provider::Anthropic,
        Provider::GoogleGla,
        Provider::GoogleVertex,
        Provider::Grok,
        Provider::GrokResponses,
        Provider::Groq,
        Provider::Ollama,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Provider::OpenAi => "openai",
            Provider::OpenAiResponses => "openai-responses",
            Provider::Anthropic => "anthropic",
            Provider::GoogleGla => "google-gla",
            Provider::GoogleVertex => "google-vertex",
            Provider::Grok => "grok",
            Provider::GrokResponses => "grok-responses",
            Provider::Groq => "groq",
            Provider::Ollama => "ollama",
        }
    }
}

impl ModelId {
    pub fn parse(text: &str) -> Result<ModelId, Error> {
        let text = text.trim();
        let owned = || text.to_owned();
        let (provider, name) = text
            .split_once(':')
            .ok_or_else(|| Error::NoProvider { text: owned() })?;
        let provider = provider.parse()?;
        let is_odd = |letter: char| letter.is_whitespace() || letter.is_control();
        if name.is_empty() || name.contains(is_odd) {
            return Err(Error::NoName { text: owned() });
        }
        Ok(ModelId {
            provider,
            name: name.to_owned(),
        })
    }
}

impl Model {
    /// Parses `id` and finds its endpoint. `base_url` comes from settings and overrides the
    /// environment, which `env` reads.
    pub fn find(
        id: &str,
        base_url: Option<&str>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Model, Error> {
        let id = ModelId::parse(id)?;
        let endpoint = Endpoint::find(id.provider, base_url, env)?;
        Ok(Model { id, endpoint })
    }
}

impl FromStr for Provider {
    type Err = Error;

    fn from_str(wanted: &str) -> Result<Provider, Error> {
        let found = Provider::ALL.into_iter().find(|one| one.name() == wanted);
        found.ok_or_else(|| Error::UnknownProvider {
            wanted: wanted.to_owned(),
            nearest: nearest(wanted),
        })
    }
}

impl TryFrom<String> for ModelId {
    type Error = Error;

    fn try_from(text: String) -> Result<ModelId, Error> {
        ModelId::parse(&text)
    }
}

impl From<Provider> for &'static str {
    fn from(provider: Provider) -> &'static str {
        provider.name()
    }
}

impl From<ModelId> for String {
    fn from(id: ModelId) -> String {
        id.to_string()
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.provider, self.name)
    }
}

fn known() -> String {
    Provider::ALL.map(Provider::name).join(", ")
}

/// The provider that was most likely meant.
fn nearest(wanted: &str) -> Provider {
    // Nobody mistypes longer names, and the time grows with the length.
    let short: String = wanted.to_lowercase().chars().take(80).collect();
    match short.as_str() {
        "xai" => Provider::Grok,
        "google" | "gemini" => Provider::GoogleGla,
        "claude" => Provider::Anthropic,
        "gpt" => Provider::OpenAi,
        _ => Provider::ALL
            .into_iter()
            .min_by_key(|provider| levenshtein(&short, provider.name()))
            .unwrap_or(Provider::OpenAi),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_provider_and_a_name_with_whatever_colons() {
        for (text, provider, name) in [
            ("openai:gpt-4o", Provider::OpenAi, "gpt-4o"),
            (" ollama:llama3:8b ", Provider::Ollama, "llama3:8b"),
            ("grok-responses:grok-4", Provider::GrokResponses, "grok-4"),
            (
                "groq:openai/gpt-oss-20b",
                Provider::Groq,
                "openai/gpt-oss-20b",
            ),
        ] {
            let id = ModelId::parse(text).unwrap();
            assert_eq!((id.provider, id.name.as_str()), (provider, name));
            assert_eq!(id.to_string(), text.trim());
        }
    }

    #[test]
    fn every_provider_is_known_by_its_name() {
        for provider in Provider::ALL {
            assert_eq!(provider.name().parse(), Ok(provider));
        }
    }

    #[test]
    fn a_wrong_id_is_refused_with_what_to_write() {
        for (text, said) in [
            (
                "gpt-4o",
                "model \"gpt-4o\" names no provider; write provider:name",
            ),
            ("openai:", "model \"openai:\" has no usable name"),
            ("openai:a b", "has no usable name"),
            (
                "opnai:x",
                "provider \"opnai\" is not known; did you mean openai?",
            ),
            ("antropic:x", "did you mean anthropic?"),
            ("google-gal:x", "did you mean google-gla?"),
            ("xai:x", "did you mean grok?"),
            ("gemini:x", "did you mean google-gla?"),
            ("OpenAI:x", "did you mean openai?"),
            (":x", "provider \"\" is not known"),
        ] {
            let error = ModelId::parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn an_id_is_written_as_one_text() {
        let id: ModelId = serde_json::from_str("\"anthropic:claude\"").unwrap();
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"anthropic:claude\"");
        assert!(serde_json::from_str::<ModelId>("\"claude\"").is_err());
    }
}
