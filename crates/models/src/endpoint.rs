//! The address and the key of a model.

use std::fmt;
use std::net::IpAddr;

use ureq::http::Uri;

use crate::model::{Error, Provider};

/// A base URL without a final slash, and the key for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub base_url: String,
    /// None only for Ollama.
    pub key: Option<Key>,
}

/// A key, and the variable that it came from. It is never displayed.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    pub variable: &'static str,
    pub(crate) secret: String,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.variable)
    }
}

/// The addresses and variables of a provider.
struct ProviderInfo {
    own_url: &'static str,
    /// Variables that can name another URL; the first that is set wins.
    url_variables: &'static [&'static str],
    key_variables: &'static [&'static str],
}

impl Endpoint {
    /// Finds the endpoint of `provider`. A key is always required, because a proxy at another base
    /// URL wants one too. `env` looks up a variable; an empty one counts as unset.
    pub fn find(
        provider: Provider,
        base_url: Option<&str>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Endpoint, Error> {
        let info = info(provider);
        let look_up = |variables: &[&'static str]| {
            variables.iter().find_map(|variable| {
                let value = env(variable)?.trim().to_owned();
                (!value.is_empty()).then_some((*variable, value))
            })
        };
        let (from, url) = match base_url {
            Some(url) => ("settings", url.trim().to_owned()),
            None => look_up(info.url_variables).unwrap_or(("built in", info.own_url.to_owned())),
        };
        let url = match provider {
            Provider::Ollama => ollama_url(&url),
            _ => url,
        };
        let base_url = checked(&url).map_err(|what| Error::BadUrl {
            provider,
            from: from.to_owned(),
            what,
        })?;
        let key = match look_up(info.key_variables) {
            Some((variable, secret)) => Some(Key::checked(variable, secret)?),
            None if info.key_variables.is_empty() => None,
            None => {
                return Err(Error::NoKey {
                    provider,
                    variables: info.key_variables.join(" or "),
                    remark: match provider {
                        Provider::GoogleVertex => {
                            " (one for Vertex AI in express mode; \
                             service accounts are not supported, google-gla is the other way)"
                        }
                        _ => "",
                    },
                });
            }
        };
        Ok(Endpoint { base_url, key })
    }

    /// Whether the server is on this machine, where no proxy is used.
    pub(crate) fn is_local(&self) -> bool {
        let Ok(uri) = self.base_url.parse::<Uri>() else {
            return false;
        };
        let host = uri.host().unwrap_or_default();
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
        host == "localhost"
            || host.ends_with(".localhost")
            || address.is_ok_and(|address| address.is_loopback())
    }
}

impl Key {
    fn checked(variable: &'static str, secret: String) -> Result<Key, Error> {
        match secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            true => Ok(Key { variable, secret }),
            false => Err(Error::BadKey { variable }),
        }
    }
}

fn info(provider: Provider) -> ProviderInfo {
    match provider {
        Provider::OpenAi | Provider::OpenAiResponses => ProviderInfo {
            own_url: "https://api.openai.com/v1",
            url_variables: &["OPENAI_BASE_URL"],
            key_variables: &["OPENAI_API_KEY"],
        },
        Provider::Anthropic => ProviderInfo {
            own_url: "https://api.anthropic.com",
            url_variables: &["ANTHROPIC_BASE_URL"],
            key_variables: &["ANTHROPIC_API_KEY"],
        },
        Provider::GoogleGla => ProviderInfo {
            own_url: "https://generativelanguage.googleapis.com",
            url_variables: &["GOOGLE_GEMINI_BASE_URL"],
            key_variables: &["GOOGLE_API_KEY", "GEMINI_API_KEY"],
        },
        Provider::GoogleVertex => ProviderInfo {
            own_url: "https://aiplatform.googleapis.com",
            url_variables: &["GOOGLE_VERTEX_BASE_URL"],
            key_variables: &["GOOGLE_API_KEY"],
        },
        Provider::Grok | Provider::GrokResponses => ProviderInfo {
            own_url: "https://api.x.ai/v1",
            url_variables: &["GROK_BASE_URL", "XAI_BASE_URL"],
            key_variables: &["GROK_API_KEY", "XAI_API_KEY"],
        },
        Provider::Groq => ProviderInfo {
            own_url: "https://api.groq.com/openai/v1",
            url_variables: &["GROQ_BASE_URL"],
            key_variables: &["GROQ_API_KEY"],
        },
        Provider::Ollama => ProviderInfo {
            own_url: "http://127.0.0.1:11434",
            url_variables: &["OLLAMA_HOST"],
            key_variables: &[],
        },
    }
}

/// The error does not repeat the base URL, which may contain a password.
fn checked(url: &str) -> Result<String, String> {
    let uri: Uri = url.parse().map_err(|_| "it is no URL".to_owned())?;
    match uri.scheme_str() {
        Some("http" | "https") => {}
        _ => return Err("it does not begin with http:// or https://".to_owned()),
    }
    let authority = uri.authority().map(|one| one.as_str()).unwrap_or_default();
    if authority.is_empty() || uri.host().unwrap_or_default().is_empty() {
        return Err("it names no host".to_owned());
    }
    if authority.contains('@') {
        return Err(
            "it contains a user or password, which belongs in the key's variable".to_owned(),
        );
    }
    if uri.query().is_some() || url.contains('#') {
        return Err("it goes on with ? or #, where the path of the API is put".to_owned());
    }
    Ok(url.trim_end_matches('/').to_owned())
}

/// Ollama's own programs also read `OLLAMA_HOST` as an address to listen on: it may lack the
/// scheme, the port or the host, and 0.0.0.0 is not an address to connect to.
fn ollama_url(host: &str) -> String {
    if host.contains("://") {
        return host.replacen("://0.0.0.0", "://127.0.0.1", 1);
    }
    let (host, path) = host.split_once('/').unwrap_or((host, ""));
    let is_port = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) && (!name.contains(':') || name.ends_with(']')) => {
            (name, port)
        }
        _ => (host.trim_end_matches(':'), "11434"),
    };
    let name = match name {
        "" | "0.0.0.0" | "[::]" => "127.0.0.1",
        name => name,
    };
    format!("http://{name}:{port}/{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(
        provider: Provider,
        base_url: Option<&str>,
        vars: &[(&str, &str)],
    ) -> Result<Endpoint, String> {
        let env = |name: &str| {
            let found = vars.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Endpoint::find(provider, base_url, &env).map_err(|error| error.to_string())
    }

    #[test]
    fn every_provider_has_its_own_url_and_takes_another() {
        for (provider, key, own, variable) in [
            (
                Provider::OpenAi,
                "OPENAI_API_KEY",
                "https://api.openai.com/v1",
                "OPENAI_BASE_URL",
            ),
            (
                Provider::Anthropic,
                "ANTHROPIC_API_KEY",
                "https://api.anthropic.com",
                "ANTHROPIC_BASE_URL",
            ),
            (
                Provider::GoogleGla,
                "GOOGLE_API_KEY",
                "https://generativelanguage.googleapis.com",
                "GOOGLE_GEMINI_BASE_URL",
            ),
            (
                Provider::GoogleGla,
                "GEMINI_API_KEY",
                "https://generativelanguage.googleapis.com",
                "GOOGLE_GEMINI_BASE_URL",
            ),
            (
                Provider::GoogleVertex,
                "GOOGLE_API_KEY",
                "https://aiplatform.googleapis.com",
                "GOOGLE_VERTEX_BASE_URL",
            ),
            (
                Provider::Grok,
                "GROK_API_KEY",
                "https://api.x.ai/v1",
                "GROK_BASE_URL",
            ),
            (
                Provider::GrokResponses,
                "XAI_API_KEY",
                "https://api.x.ai/v1",
                "XAI_BASE_URL",
            ),
            (
                Provider::Groq,
                "GROQ_API_KEY",
                "https://api.groq.com/openai/v1",
                "GROQ_BASE_URL",
            ),
        ] {
            let found = find(provider, None, &[(key, " secret\n")]).unwrap();
            assert_eq!(found.base_url, own);
            assert_eq!(found.key.as_ref().unwrap().secret, "secret");
            assert_eq!(found.key.unwrap().variable, key);
            let elsewhere = [(key, "k"), (variable, "http://127.0.0.1:8/x/")];
            let found = find(provider, None, &elsewhere).unwrap();
            assert_eq!(found.base_url, "http://127.0.0.1:8/x");
            let found = find(provider, Some("https://proxy/v1"), &elsewhere).unwrap();
            assert_eq!(found.base_url, "https://proxy/v1");
            let error = find(provider, Some("http://127.0.0.1:8"), &[]).unwrap_err();
            assert!(error.contains(key), "{error}");
            assert!(find(provider, None, &[(key, " ")]).is_err());
        }
    }

    #[test]
    fn ollama_needs_no_key_and_reads_its_host_generously() {
        assert_eq!(
            find(Provider::Ollama, None, &[]).unwrap(),
            Endpoint {
                base_url: "http://127.0.0.1:11434".to_owned(),
                key: None
            }
        );
        for (host, url) in [
            ("box", "http://box:11434"),
            ("box:99", "http://box:99"),
            (":99", "http://127.0.0.1:99"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            ("[::1]", "http://[::1]:11434"),
            ("[::1]:99", "http://[::1]:99"),
            ("http://0.0.0.0:99/", "http://127.0.0.1:99"),
            ("https://box/ollama", "https://box/ollama"),
        ] {
            let found = find(Provider::Ollama, None, &[("OLLAMA_HOST", host)]).unwrap();
            assert_eq!(found.base_url, url, "{host}");
        }
    }

    #[test]
    fn vertex_says_which_key_it_means() {
        let error = find(Provider::GoogleVertex, None, &[]).unwrap_err();
        assert!(
            error.contains("GOOGLE_API_KEY (one for Vertex AI in express mode"),
            "{error}"
        );
    }

    #[test]
    fn a_bad_base_url_is_refused_without_being_repeated() {
        for (url, said) in [
            ("", "base URL of openai (settings): it is no URL"),
            ("ftp://x", "does not begin with http"),
            ("api.openai.com/v1", "it is no URL"),
            ("http://me:hunter2@x/v1", "contains a user or password"),
            ("http://x/v1?key=hunter2", "goes on with ?"),
            ("http://x/#hunter2", "goes on with ? or #"),
        ] {
            let error = find(Provider::OpenAi, Some(url), &[("OPENAI_API_KEY", "k")]).unwrap_err();
            assert!(error.contains(said), "{url}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn a_key_is_never_shown() {
        let found = find(Provider::OpenAi, None, &[("OPENAI_API_KEY", "sk-hidden")]).unwrap();
        assert!(!format!("{found:?}").contains("hidden"));
        let error = find(Provider::OpenAi, None, &[("OPENAI_API_KEY", "sk-\nhidden")]).unwrap_err();
        assert!(
            error.contains("OPENAI_API_KEY") && !error.contains("hidden"),
            "{error}"
        );
    }

    #[test]
    fn a_server_on_this_machine_is_recognised() {
        for (url, is_local) in [
            ("http://127.0.0.1:1/v1", true),
            ("http://127.9.9.9", true),
            ("http://[::1]:1", true),
            ("http://localhost:1", true),
            ("http://a.localhost", true),
            ("http://localhost.example.com", false),
            ("https://api.openai.com/v1", false),
        ] {
            let base_url = url.to_owned();
            assert_eq!(
                Endpoint {
                    base_url,
                    key: None
                }
                .is_local(),
                is_local,
                "{url}"
            );
        }
    }
}
