//! Claude Code.

use super::{Known, Pointed, Recorded, UNKNOWN_UUID};
use crate::offline::Credentials;

const PLAN: &str = "sk-ant-oat01-kumite-check-offline-plan";

pub(super) static KNOWN: Known = Known {
    model: "claude-sonnet-4-5",
    variables,
    file: None,
    tells_reset: true,
    unknown_session: UNKNOWN_UUID,
    recorded: Recorded {
        lines: include_str!("../../../agents/fixtures/claude/ok.jsonl"),
        text: "Hello from the model.",
        session: "11111111-1111-4111-8111-000000000001",
        figure: "\"costUSD\":",
        bad: r#"{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["it broke"]}"#,
    },
};

fn variables(at: &Pointed<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("CLAUDE_CONFIG_DIR", at.place(".claude")),
        ("ANTHROPIC_BASE_URL", at.url.to_owned()),
        // Only with a plan does it report when a limit ends.
        match at.with {
            Credentials::Plan => ("CLAUDE_CODE_OAUTH_TOKEN", PLAN.to_owned()),
            Credentials::Key | Credentials::None => ("ANTHROPIC_API_KEY", at.key()),
        },
        ("CLAUDE_CODE_MAX_RETRIES", "2".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        // Everything is permitted on a stage, even as root.
        ("IS_SANDBOX", "1".to_owned()),
    ]
}
