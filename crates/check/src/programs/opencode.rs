//! OpenCode.

use serde_json::json;

use super::{Known, Pointed, Recorded};

const MODEL: &str = "anthropic/claude-sonnet-4-5";

pub(super) static KNOWN: Known = Known {
    model: MODEL,
    variables,
    file: None,
    tells_reset: false,
    unknown_session: "ses_0000000000000000000000000a",
    recorded: Recorded {
        lines: include_str!("../../../agents/fixtures/opencode/ok.jsonl"),
        text: "Hello from the model, all is well.",
        session: "ses_e1de090f7ffemimg0R8412sW34",
        figure: "\"cost\":",
        bad: r#"{"type":"error","error":{"name":"UnknownError","data":{"message":"it broke"}}}"#,
    },
};

fn variables(at: &Pointed<'_>) -> Vec<(&'static str, String)> {
    let config = json!({
        "autoupdate": false,
        "share": "disabled",
        "model": MODEL,
        "provider": {"anthropic": {"options": {"baseURL": format!("{}/v1", at.url)}}},
    });
    vec![
        ("OPENCODE_CONFIG_CONTENT", config.to_string()),
        ("ANTHROPIC_API_KEY", at.key()),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1".to_owned()),
        ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1".to_owned()),
    ]
}
