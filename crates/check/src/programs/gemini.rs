//! Gemini CLI.

use serde_json::json;

use super::{File, Known, Recorded, UNKNOWN_UUID};

pub(super) static KNOWN: Known = Known {
    model: "gemini-2.5-flash",
    variables: |at| {
        vec![
            ("GEMINI_API_KEY", at.key()),
            ("GOOGLE_GEMINI_BASE_URL", at.url.to_owned()),
        ]
    },
    file: Some(File {
        path: ".gemini/settings.json",
        text: |_| settings(),
    }),
    // Its message about a used-up daily quota does not say when the quota is reset.
    tells_reset: false,
    unknown_session: UNKNOWN_UUID,
    recorded: Recorded {
        lines: include_str!("../../../agents/fixtures/gemini/ok.jsonl"),
        text: "Hello from the model, all is well.",
        session: "8df1adb5-f68f-4058-bb29-f36bfac6b991",
        figure: "\"output_tokens\":",
        bad: r#"{"type":"result","status":"error","error":{"type":"unknown","message":"it broke"},"stats":{}}"#,
    },
};

fn settings() -> String {
    json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {
            "enableAutoUpdate": false,
            "enableAutoUpdateNotification": false,
            "maxAttempts": 2,
        },
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
    })
    .to_string()
}
