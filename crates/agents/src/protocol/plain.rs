//! Any command: its exit code is the verdict. If it likes, its last line on stdout says more:
//!
//! ```json
//! {"kumite":1, "session":"abc", "usage":{"usd":0.12, "input_tokens":10, "output_tokens":2}}
//! ```

use serde::Deserialize;

use super::{Heard, Tail, usd_micros};

/// A report that is longer than this is none.
pub const REPORT_MAX: usize = 64 * 1024;

#[derive(Deserialize)]
struct Report {
    kumite: u32,
    session: Option<String>,
    #[serde(default)]
    usage: Used,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Used {
    usd: f64,
    usd_micros: Option<u64>,
    input_tokens: u64,
    output_tokens: u64,
}

pub fn read_report(tail: &Tail, heard: &mut Heard) {
    let Ok(report) = serde_json::from_slice::<Report>(tail.last()) else {
        return;
    };
    if report.kumite != 1 {
        return;
    }
    if report.session.is_some() {
        heard.session = report.session;
    }
    let used = report.usage;
    heard.usage.usd_micros = used.usd_micros.unwrap_or_else(|| usd_micros(used.usd));
    heard.usage.input_tokens = used.input_tokens;
    heard.usage.output_tokens = used.output_tokens;
}

#[cfg(test)]
mod tests {
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
