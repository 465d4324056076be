//! Codex.

use super::{File, Known, Recorded, UNKNOWN_UUID};

pub(super) static KNOWN: Known = Known {
    model: "gpt-5.5",
    variables: |at| {
        vec![
            ("CODEX_HOME", at.place(".codex")),
            ("KUMITE_CHECK_API_KEY", at.key()),
        ]
    },
    file: Some(File {
        path: ".codex/config.toml",
        text: settings,
    }),
    tells_reset: true,
    unknown_session: UNKNOWN_UUID,
    recorded: Recorded {
        lines: include_str!("../../../agents/fixtures/codex/ok.jsonl"),
        text: "Hello from the model.",
        session: "01a1e229-5ffc-7c82-aa89-345c05f9b4ae",
        figure: "\"output_tokens\":",
        bad: r#"{"type":"turn.failed","error":{"message":"it broke"}}"#,
    },
};

fn settings(url: &str) -> String {
    format!(
        "model_provider = \"check\"\n\n\
         [model_providers.check]\n\
         name = \"check\"\n\
         base_url = \"{url}/v1\"\n\
         wire_api = \"responses\"\n\
         env_key = \"KUMITE_CHECK_API_KEY\"\n\
         request_max_retries = 1\n\
         stream_max_retries = 1\n"
    )
}
