//! The full final text of an agent.

use super::reader::hear_line;
use super::{Heard, dialect, plain};
use crate::request::Protocol;
use crate::said::Said;

/// The text of the result; without one, the last text. For a command it is the whole output.
pub fn last_text(protocol: Protocol, raw: &[u8]) -> String {
    let Some(mut dialect) = dialect(protocol) else {
        return String::from_utf8_lossy(plain::without_report(raw)).into_owned();
    };
    let (mut heard, mut said, mut last) = (Heard::default(), Vec::new(), String::new());
    for line in raw.split(|byte| *byte == b'\n') {
        hear_line(line, dialect.as_mut(), &mut heard, &mut said);
        for said in said.drain(..) {
            match said {
                Said::Text { text } => last = text,
                Said::Ended { text, .. } if !text.is_empty() => last = text,
                _ => {}
            }
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use kumite_core::program::ProgramKind;

    use super::*;

    fn long() -> String {
        "word ".repeat(100_000)
    }

    #[test]
    fn a_text_is_whole_however_long_it_is() {
        let text = long();
        let rows = [
            (
                Protocol::Program(ProgramKind::Claude),
                format!(
                    "{{\"type\":\"assistant\",\"message\":{{\"content\":[{{\"type\":\"text\",\"text\":\"first\"}}]}}}}\n\
                     {{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"{text}\"}}\n"
                ),
            ),
            (
                Protocol::Program(ProgramKind::Codex),
                format!(
                    "{{\"type\":\"item.completed\",\"item\":{{\"type\":\"agent_message\",\"text\":\"first\"}}}}\n\
                     {{\"type\":\"item.completed\",\"item\":{{\"type\":\"agent_message\",\"text\":\"{text}\"}}}}\n\
                     {{\"type\":\"turn.completed\",\"usage\":{{}}}}\n"
                ),
            ),
            (
                Protocol::Program(ProgramKind::Gemini),
                format!(
                    "{{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"{text}\",\"delta\":true}}\n\
                     {{\"type\":\"result\",\"status\":\"success\"}}\n"
                ),
            ),
            (
                Protocol::Program(ProgramKind::Opencode),
                format!(
                    "{{\"type\":\"text\",\"part\":{{\"text\":\"{text}\"}}}}\n\
                     {{\"type\":\"step_finish\",\"part\":{{\"reason\":\"stop\"}}}}\n"
                ),
            ),
            (
                Protocol::Kumite,
                format!("{{\"kind\":\"ended\",\"outcome\":\"finished\",\"text\":\"{text}\"}}\n"),
            ),
            (Protocol::Plain, text.clone()),
        ];
        for (protocol, raw) in rows {
            let found = last_text(protocol, raw.as_bytes());
            assert!(found == text, "{protocol:?}: {} bytes", found.len());
        }
    }

    #[test]
    fn what_a_command_reports_is_no_part_of_its_text() {
        for (raw, text) in [
            (
                "one\ntwo\n{\"kumite\":1,\"session\":\"s\"}\n\n",
                "one\ntwo\n",
            ),
            ("{\"kumite\":1}", ""),
            ("one\n{\"kumite\":2}\n", "one\n{\"kumite\":2}\n"),
            ("", ""),
        ] {
            assert_eq!(last_text(Protocol::Plain, raw.as_bytes()), text);
        }
    }

    #[test]
    fn an_agent_that_said_nothing_has_no_text() {
        let raw = b"a line\n{\"type\":\"result\",\"subtype\":\"success\"}\n";
        assert_eq!(last_text(Protocol::Program(ProgramKind::Claude), raw), "");
    }
}
