//! Any command: its exit code is the verdict. Its last line on stdout may tell more:
//!
//! ```json
//! {"kumite":1, "session":"abc", "usage":{"usd":0.12, "input_tokens":10, "output_tokens":2}}
//! ```
//!
//! A command that has reached a limit reports it in this line too. Then its exit code does not
//! matter: the run waits, and the command is started again. `limited_until` is Unix time in seconds
//! or RFC 3339. It is null if the time is unknown:
//!
//! ```json
//! {"kumite":1, "limited_until":"2026-11-16T04:00:00Z"}
//! {"kumite":1, "overloaded":true}
//! ```

use kumite_core::outcome::LimitKind;
use serde::Deserialize;
use serde_json::Value;

use super::tail::last;
use super::{Heard, Tail, reset, service, usd_micros};

/// A longer line is not a report.
pub const REPORT_MAX: usize = 64 * 1024;

#[derive(Deserialize)]
struct Report {
    kumite: u32,
    session: Option<String>,
    #[serde(default)]
    usage: Used,
    /// `Some(null)` is a limit whose end is unknown.
    #[serde(default, deserialize_with = "present")]
    limited_until: Option<Value>,
    #[serde(default)]
    overloaded: bool,
}

fn present<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Used {
    usd: f64,
    usd_micros: Option<u64>,
    input_tokens: u64,
    output_tokens: u64,
}

/// The report in a line; `None`: it is an ordinary line.
fn report(line: &[u8]) -> Option<Report> {
    let report: Report = serde_json::from_slice(line).ok()?;
    (report.kumite == 1).then_some(report)
}

/// The output of a command, without the report.
pub fn without_report(raw: &[u8]) -> &[u8] {
    let last = last(raw);
    match report(last) {
        // It is a part of `raw`, and only white space follows it.
        Some(_) => &raw[..raw.trim_ascii_end().len() - last.len()],
        None => raw,
    }
}

pub fn read_report(tail: &Tail, heard: &mut Heard) {
    // At an earlier call, another line may have been the last one.
    heard.said = None;
    let Some(report) = report(tail.last()) else {
        return;
    };
    if report.session.is_some() {
        heard.session = report.session;
    }
    let used = report.usage;
    heard.usage.usd_micros = used.usd_micros.unwrap_or_else(|| usd_micros(used.usd));
    heard.usage.input_tokens = used.input_tokens;
    heard.usage.output_tokens = used.output_tokens;
    let words = |what: &str| format!("the command reports {what}");
    heard.said = match report.limited_until {
        Some(until) => Some(service::limited(
            LimitKind::Usage,
            reset::of_value(&until),
            words("a usage limit"),
        )),
        None if report.overloaded => Some(service::overload(words("that its service is busy"))),
        None => None,
    };
}

#[cfg(test)]
mod tests {
    use kumite_core::outcome::Outcome;

    use super::super::Reader;
    use super::*;
    use crate::request::Protocol;

    fn heard(text: &str) -> Heard {
        let mut reader = Reader::new(Protocol::Plain, Some("given".to_owned()));
        reader.feed(text.as_bytes());
        reader.look_at_tail();
        reader.heard().clone()
    }

    #[test]
    fn the_last_line_may_report_usage_and_session() {
        let heard = heard(
            "work\n{\"kumite\":1,\"session\":\"s\",\"usage\":{\"usd\":0.5,\"input_tokens\":7,\"output_tokens\":3}}\r\n",
        );
        assert_eq!(heard.session.as_deref(), Some("s"));
        assert_eq!(
            (
                heard.usage.usd_micros,
                heard.usage.input_tokens,
                heard.usage.output_tokens
            ),
            (500_000, 7, 3)
        );
    }

    #[test]
    fn t1_the_last_line_may_report_a_limit() {
        let limit = |text: &str| match heard(text).said {
            Some(Outcome::Limited(limit)) => Some((limit.kind, limit.until_ms)),
            _ => None,
        };
        let until = Some(1_794_801_667_000);
        for (text, expected) in [
            (
                r#"{"kumite":1,"limited_until":1794801667}"#,
                Some((LimitKind::Usage, until)),
            ),
            (
                r#"{"kumite":1,"limited_until":"2026-11-16T04:01:07Z"}"#,
                Some((LimitKind::Usage, until)),
            ),
            (
                r#"{"kumite":1,"limited_until":null}"#,
                Some((LimitKind::Usage, None)),
            ),
            (
                r#"{"kumite":1,"overloaded":true}"#,
                Some((LimitKind::Overload, None)),
            ),
            (r#"{"kumite":1,"overloaded":false}"#, None),
            ("{\"kumite\":1,\"overloaded\":true}\nno, it went on", None),
        ] {
            assert_eq!(limit(text), expected, "{text}");
        }
    }

    #[test]
    fn any_other_last_line_is_just_a_line() {
        for text in ["", "done", "{}", "{\"kumite\":2}", "{\"kumite\":1}\nmore"] {
            let heard = heard(text);
            assert_eq!(
                (heard.session.as_deref(), heard.usage.usd_micros),
                (Some("given"), 0)
            );
        }
    }
}
