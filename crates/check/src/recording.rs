//! The output of each program in a successful run, recorded from the real ones.

use crate::agent::Kind;

pub(crate) struct Recording {
    /// Every line but the last.
    pub before: Vec<&'static str>,
    /// The result line.
    pub result: &'static str,
    /// An invalid result line.
    pub bad: &'static str,
    /// The text and the session in the recording.
    pub text: &'static str,
    pub session: &'static str,
    /// The key of a number that is added up: the cost, if the program reports it.
    pub figure: &'static str,
}

const CLAUDE: &str = include_str!("../../agents/fixtures/claude/ok.jsonl");
const CODEX: &str = include_str!("../../agents/fixtures/codex/ok.jsonl");
const GEMINI: &str = include_str!("../../agents/fixtures/gemini/ok.jsonl");
const OPENCODE: &str = include_str!("../../agents/fixtures/opencode/ok.jsonl");
const COMMAND: &str = r#"Hello from the command.
{"kumite":1,"session":"s-1","usage":{"usd":0.5,"input_tokens":10,"output_tokens":2}}
"#;

/// `None`: the output is one side of a conversation, which cannot be played alone.
pub(crate) fn recording(kind: Kind) -> Option<Recording> {
    let (text, said, session, figure, bad) = match kind {
        Kind::Claude => (
            CLAUDE,
            "Hello from the model.",
            "11111111-1111-4111-8111-000000000001",
            "\"costUSD\":",
            r#"{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["it broke"]}"#,
        ),
        Kind::Codex => (
            CODEX,
            "Hello from the model.",
            "01a1e229-5ffc-7c82-aa89-345c05f9b4ae",
            "\"output_tokens\":",
            r#"{"type":"turn.failed","error":{"message":"it broke"}}"#,
        ),
        Kind::Gemini => (
            GEMINI,
            "Hello from the model, all is well.",
            "8df1adb5-f68f-4058-bb29-f36bfac6b991",
            "\"output_tokens\":",
            r#"{"type":"result","status":"error","error":{"type":"unknown","message":"it broke"},"stats":{}}"#,
        ),
        Kind::Opencode => (
            OPENCODE,
            "Hello from the model, all is well.",
            "ses_e1de090f7ffemimg0R8412sW34",
            "\"cost\":",
            r#"{"type":"error","error":{"name":"UnknownError","data":{"message":"it broke"}}}"#,
        ),
        Kind::Command => (
            COMMAND,
            "Hello from the command.",
            "s-1",
            "\"usd\":",
            "it broke",
        ),
        Kind::Acp => return None,
    };
    let (before, result) = text.trim_end().rsplit_once('\n')?;
    Some(Recording {
        before: before.lines().collect(),
        result,
        bad,
        text: said,
        session,
        figure,
    })
}

impl Recording {
    /// The whole recording, line by line.
    pub fn lines(&self) -> Vec<String> {
        let lines = self.before.iter().chain([&self.result]);
        lines.map(|line| (*line).to_owned()).collect()
    }

    /// The result line with another value for `figure`.
    pub fn result_with(&self, value: &str) -> String {
        let mut changed = String::new();
        let mut rest = self.result;
        while let Some(at) = rest.find(self.figure) {
            let (before, after) = rest.split_at(at + self.figure.len());
            let end = after.find([',', '}']).unwrap_or(after.len());
            changed = changed + before + value;
            rest = &after[end..];
        }
        changed + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recording_has_its_words_and_its_session() {
        for kind in [
            Kind::Claude,
            Kind::Codex,
            Kind::Gemini,
            Kind::Opencode,
            Kind::Command,
        ] {
            let recording = recording(kind).unwrap();
            let all = recording.lines().join("\n");
            assert!(all.contains(recording.session), "{kind:?}");
            assert!(recording.result.contains(recording.figure), "{kind:?}");
            assert!(recording.result_with("NaN").contains("NaN"), "{kind:?}");
        }
    }

    #[test]
    fn every_figure_of_a_result_is_changed() {
        let changed = recording(Kind::Claude).unwrap().result_with("-5");
        assert_eq!(changed.matches("\"costUSD\":-5,").count(), 2);
        assert!(!changed.contains("\"costUSD\":0"));
    }
}
