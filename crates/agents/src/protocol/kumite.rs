//! The lines that kumite's own bridge to ACP agents writes. Each of them is a [`Said`].

use kumite_core::outcome::{LimitKind, Outcome};
use serde::Deserialize;
use serde_json::Value;

use super::{Dialect, Heard, reset};
use crate::files::unix_ms;
use crate::said::Said;

#[derive(Default)]
pub struct Kumite {}

impl Dialect for Kumite {
    fn telltales(&self) -> &'static [&'static str] {
        &["\"started\"", "\"ended\""]
    }

    fn hear(&mut self, line: &Value, heard: &mut Heard, said: &mut Vec<Said>) {
        // A newer version may write kinds that this one does not know.
        let Ok(mut line) = Said::deserialize(line) else {
            return;
        };
        match &mut line {
            Said::Started { session, .. } => {
                heard.session = session.clone().or(heard.session.take());
            }
            Said::Ended { outcome, usage, .. } => {
                date(outcome, unix_ms());
                heard.usage = *usage;
                heard.result(outcome.clone());
            }
            _ => {}
        }
        said.push(line);
    }
}

/// The bridge reads a numeric reset time. A time in prose is read here.
fn date(outcome: &mut Outcome, now_ms: u64) {
    if let Outcome::Limited(limit) = outcome
        && limit.kind == LimitKind::Usage
        && limit.until_ms.is_none()
    {
        limit.until_ms = reset::of_prose(&limit.words, now_ms);
    }
}

#[cfg(test)]
mod tests {
    use kumite_core::outcome::{Limit, Usage};

    use super::super::Reader;
    use super::*;
    use crate::request::Protocol;

    const STARTED: &str = r#"{"kind":"started","session":"s-1","model":"m"}"#;
    const ENDED: &str = r#"{"kind":"ended","outcome":"finished","text":"Done.","usage":{"usd_micros":7,"input_tokens":5,"output_tokens":2}}"#;

    fn read(text: &str) -> (Heard, Vec<Said>) {
        let mut reader = Reader::new(Protocol::Kumite, Some("given".to_owned()));
        reader.feed(text.as_bytes());
        reader.look_at_tail();
        let said = reader.take_said();
        (reader.heard().clone(), said)
    }

    #[test]
    fn lines_are_taken_as_they_are() {
        let text = r#"{"kind":"text","text":"Done."}"#;
        let (heard, said) = read(&format!("{STARTED}\n\n{text}\n\n{ENDED}\n"));
        assert_eq!(heard.session.as_deref(), Some("s-1"));
        assert_eq!((heard.said, heard.results), (Some(Outcome::Finished), 1));
        let usage = Usage {
            usd_micros: 7,
            input_tokens: 5,
            output_tokens: 2,
        };
        assert_eq!(heard.usage, usage);
        let text = "Done.".to_owned();
        let expected = [
            Said::Started {
                session: Some("s-1".to_owned()),
                model: Some("m".to_owned()),
            },
            Said::Text { text: text.clone() },
            Said::Ended {
                outcome: Outcome::Finished,
                text,
                usage,
            },
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn a_start_without_a_session_keeps_the_one_that_is_resumed() {
        let (heard, _) = read(r#"{"kind":"started"}"#);
        assert_eq!(heard.session.as_deref(), Some("given"));
    }

    #[test]
    fn unknown_kinds_and_broken_lines_end_nothing() {
        let (heard, said) = read(
            "{\"kind\":\"sung\",\"text\":\"la\"}\n{\"kind\":\"ended\",\"outcome\":\"dissolved\"}\nhello\n{}\n",
        );
        assert_eq!(heard.said, None);
        let note = Said::Note {
            text: "hello".to_owned(),
        };
        assert_eq!(said, [note]);
    }

    #[test]
    fn in_a_flood_the_session_and_the_end_are_still_heard() {
        let words = "again ".repeat(5000);
        let flood = format!("{{\"kind\":\"text\",\"text\":\"{words}\"}}\n").repeat(2500);
        let (heard, said) = read(&format!("{flood}{STARTED}\n{words}\n{ENDED}\n"));
        assert_eq!(heard.session.as_deref(), Some("s-1"));
        assert_eq!(heard.said, Some(Outcome::Finished));
        assert!(said.len() < 2500, "{}", said.len());
    }

    #[test]
    fn a_long_text_is_clipped() {
        let text = "x".repeat(100_000);
        let (_, said) = read(&format!("{{\"kind\":\"text\",\"text\":\"{text}\"}}\n"));
        assert!(matches!(&said[..], [Said::Text { text }] if text.len() < 20_000));
    }

    #[test]
    fn a_reset_in_prose_is_read_unless_the_agent_gave_a_number() {
        let limited = |until_ms| {
            Outcome::Limited(Limit {
                kind: LimitKind::Usage,
                until_ms,
                words: "usage limit reached, try again in 2 hours".to_owned(),
            })
        };
        let mut open = limited(None);
        date(&mut open, 1_000);
        assert_eq!(open, limited(Some(7_201_000)));
        let mut known = limited(Some(5));
        date(&mut known, 1_000);
        assert_eq!(known, limited(Some(5)));
    }
}
