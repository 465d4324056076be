//! How each program is pointed at the fake model: by its environment, and by files in its home. The
//! person's own environment is hidden, except for `PATH`.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::json;

use crate::agent::Kind;

/// They look like keys, so that every program accepts them, but open nothing.
const KEY: &str = "sk-ant-api03-kumite-check-offline-key";
const PLAN: &str = "sk-ant-oat01-kumite-check-offline-plan";

/// How the program logs in to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Credentials {
    Key,
    /// The login of a plan, where that differs from a key.
    Plan,
    None,
}

/// A model that the program knows: it then offers all of its tools.
pub(crate) fn model(kind: Kind) -> &'static str {
    match kind {
        Kind::Claude => "claude-sonnet-4-5",
        Kind::Codex => "gpt-5.5",
        Kind::Gemini => "gemini-2.5-flash",
        Kind::Opencode => "anthropic/claude-sonnet-4-5",
        Kind::Acp | Kind::Command => "",
    }
}

pub(crate) fn environment(root: &Path) -> Vec<(String, String)> {
    let home = root.join("home");
    let path = std::env::var("PATH").unwrap_or_default();
    let place = |dir: &Path| dir.to_string_lossy().into_owned();
    let named = [
        ("PATH", path),
        ("HOME", place(&home)),
        ("XDG_CONFIG_HOME", place(&home.join(".config"))),
        ("XDG_DATA_HOME", place(&home.join(".local/share"))),
        ("XDG_STATE_HOME", place(&home.join(".local/state"))),
        ("XDG_CACHE_HOME", place(&home.join(".cache"))),
        ("TMPDIR", place(&root.join("tmp"))),
        ("LANG", "C.UTF-8".to_owned()),
        ("TERM", "dumb".to_owned()),
    ];
    // The time zone in which a program reports the end of a limit.
    let zone = std::env::var("TZ").ok().map(|zone| ("TZ", zone));
    let all = named.into_iter().chain(zone);
    all.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Few retries, because the kit would only wait for them.
pub(crate) fn login(
    kind: Kind,
    home: &Path,
    url: &str,
    with: Credentials,
) -> Vec<(String, String)> {
    let key = match with {
        Credentials::Key | Credentials::Plan => KEY,
        Credentials::None => "",
    };
    let place = |name: &str| home.join(name).to_string_lossy().into_owned();
    let named = match kind {
        Kind::Claude => vec![
            ("CLAUDE_CONFIG_DIR", place(".claude")),
            ("ANTHROPIC_BASE_URL", url.to_owned()),
            // Only with a plan does it report when a limit ends.
            match with {
                Credentials::Plan => ("CLAUDE_CODE_OAUTH_TOKEN", PLAN.to_owned()),
                Credentials::Key | Credentials::None => ("ANTHROPIC_API_KEY", key.to_owned()),
            },
            ("CLAUDE_CODE_MAX_RETRIES", "2".to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            // Everything is permitted on a stage, even as root.
            ("IS_SANDBOX", "1".to_owned()),
        ],
        Kind::Codex => vec![
            ("CODEX_HOME", place(".codex")),
            ("KUMITE_CHECK_API_KEY", key.to_owned()),
        ],
        Kind::Gemini => vec![
            ("GEMINI_API_KEY", key.to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", url.to_owned()),
        ],
        Kind::Opencode => {
            let config = json!({
                "autoupdate": false,
                "share": "disabled",
                "model": model(Kind::Opencode),
                "provider": {"anthropic": {"options": {"baseURL": format!("{url}/v1")}}},
            });
            vec![
                ("OPENCODE_CONFIG_CONTENT", config.to_string()),
                ("ANTHROPIC_API_KEY", key.to_owned()),
                ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
                ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
                ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1".to_owned()),
                ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1".to_owned()),
            ]
        }
        Kind::Acp | Kind::Command => Vec::new(),
    };
    // An empty variable is not the same as none.
    let named = named.into_iter().filter(|(_, value)| !value.is_empty());
    named
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Writes the settings that cannot be passed in the environment.
pub(crate) fn prepare(kind: Kind, home: &Path, url: &str) -> io::Result<()> {
    let write = |dir: &str, name: &str, text: String| {
        let dir = home.join(dir);
        fs::create_dir_all(&dir)?;
        fs::write(dir.join(name), text)
    };
    match kind {
        Kind::Codex => write(
            ".codex",
            "config.toml",
            format!(
                "model_provider = \"check\"\n\n\
                 [model_providers.check]\n\
                 name = \"check\"\n\
                 base_url = \"{url}/v1\"\n\
                 wire_api = \"responses\"\n\
                 env_key = \"KUMITE_CHECK_API_KEY\"\n\
                 request_max_retries = 1\n\
                 stream_max_retries = 1\n"
            ),
        ),
        Kind::Gemini => {
            let settings = json!({
                "security": {"auth": {"selectedType": "gemini-api-key"}},
                "general": {
                    "enableAutoUpdate": false,
                    "enableAutoUpdateNotification": false,
                    "maxAttempts": 2,
                },
                "privacy": {"usageStatisticsEnabled": false},
                "telemetry": {"enabled": false},
            });
            write(".gemini", "settings.json", settings.to_string())
        }
        Kind::Claude | Kind::Opencode | Kind::Acp | Kind::Command => Ok(()),
    }
}
