//! The meaning of an agent's error. The protocol has a code for "log in first" but none for limits,
//! so limits are recognised by the text.

use agent_client_protocol_schema::v1::{Error, ErrorCode};
use kumite_core::outcome::{Limit, LimitKind, Outcome};
use serde_json::Value;

use crate::used::resets_at;

const SENTENCE_MAX: usize = 1000;

/// `limited_until_ms` is the end of a limit that the agent reported earlier.
pub fn outcome(error: &Error, limited_until_ms: Option<u64>) -> Outcome {
    let words = words(error);
    let data = error.data.as_ref().unwrap_or(&Value::Null);
    if let Some(kind) = limit(error, data, &words) {
        let earlier = limited_until_ms.filter(|_| kind == LimitKind::Usage);
        let until_ms = resets_at(data).or(earlier);
        return Outcome::Limited(Limit {
            kind,
            until_ms,
            words,
        });
    }
    Outcome::Failed(match wants_login(error, data) {
        true => format!("it is not logged in: {words}"),
        false => format!("reported an error: {words}"),
    })
}

/// The agent could not continue a session. A new session may work, except after a login problem:
/// agents often report a lost session as "internal error".
pub fn of_resuming(error: &Error) -> Outcome {
    match outcome(error, None) {
        Outcome::Failed(_) if !wants_login(error, error.data.as_ref().unwrap_or(&Value::Null)) => {
            Outcome::SessionGone(words(error))
        }
        other => other,
    }
}

fn limit(error: &Error, data: &Value, words: &str) -> Option<LimitKind> {
    match data["errorKind"].as_str() {
        Some("rate_limit") => return Some(LimitKind::Usage),
        Some("overloaded") => return Some(LimitKind::Overload),
        _ => {}
    }
    // Some agents use an HTTP status as the error code.
    match i32::from(error.code) {
        429 => return Some(LimitKind::Usage),
        503 | 529 => return Some(LimitKind::Overload),
        _ => {}
    }
    let lower = words.to_lowercase();
    let has = |marks: &[&str]| marks.iter().any(|mark| lower.contains(mark));
    let has_number = |numbers: &[&str]| {
        let mut found = lower.split(|c: char| !c.is_ascii_alphanumeric());
        found.any(|word| numbers.contains(&word))
    };
    let usage = [
        "usage limit",
        "rate limit",
        "rate_limit",
        "hit your limit",
        "session limit",
        "weekly limit",
        "quota",
        "too many requests",
    ];
    if has(&usage) || has_number(&["429"]) {
        Some(LimitKind::Usage)
    } else if has(&["overloaded", "service unavailable"]) || has_number(&["503", "529"]) {
        Some(LimitKind::Overload)
    } else {
        None
    }
}

fn wants_login(error: &Error, data: &Value) -> bool {
    error.code == ErrorCode::AuthRequired
        || i32::from(error.code) == 401
        || data["errorKind"] == "authentication_failed"
}

/// The message, and other text that the agent wrote for people.
fn words(error: &Error) -> String {
    let data = error.data.as_ref().unwrap_or(&Value::Null);
    let more = ["details", "message", "error", "reason"]
        .iter()
        .find_map(|name| data[*name].as_str())
        .or(data.as_str())
        .filter(|more| !error.message.contains(more));
    let mut words = match more {
        Some(more) => format!("{}: {more}", error.message),
        None => error.message.clone(),
    };
    // This prefix means nothing if text follows it.
    let telling = words.strip_prefix("Internal error: ").unwrap_or(&words);
    words = telling.split_whitespace().collect::<Vec<_>>().join(" ");
    words.truncate(words.floor_char_boundary(SENTENCE_MAX));
    match words.is_empty() {
        true => format!("error {}", i32::from(error.code)),
        false => words,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn error(code: i32, message: &str, data: Value) -> Error {
        Error::new(code, message).data(data)
    }

    fn limited(error: &Error) -> Option<(LimitKind, Option<u64>)> {
        match outcome(error, Some(7)) {
            Outcome::Limited(limit) => Some((limit.kind, limit.until_ms)),
            _ => None,
        }
    }

    #[test]
    fn limits_are_known_by_kind_by_code_and_by_words() {
        let none = || Value::Null;
        let usage = [
            error(
                -32603,
                "Internal error: no",
                json!({"errorKind": "rate_limit"}),
            ),
            error(429, "Try again later.", none()),
            error(-32603, "API Error: Request rejected (429)", none()),
            error(-32603, "Claude usage limit reached", none()),
            error(-32000, "You exceeded your current quota", none()),
            error(
                -32603,
                "Internal error",
                json!({"details": "Too Many Requests"}),
            ),
        ];
        for error in usage {
            assert_eq!(
                limited(&error),
                Some((LimitKind::Usage, Some(7))),
                "{error:?}"
            );
        }
        let overload = [
            error(-32603, "no", json!({"errorKind": "overloaded"})),
            error(
                -32603,
                "API Error: 529 Overloaded.",
                json!({"errorKind": "server_error"}),
            ),
            error(503, "The model is busy", none()),
        ];
        for error in overload {
            assert_eq!(
                limited(&error),
                Some((LimitKind::Overload, None)),
                "{error:?}"
            );
        }
        let others = [
            error(-32603, "cannot read line 14290 of 5031", none()),
            error(-32602, "Invalid params", json!({"sessionId": "429a"})),
        ];
        for error in others {
            assert_eq!(limited(&error), None, "{error:?}");
        }
    }

    #[test]
    fn the_reset_of_the_error_counts_before_the_one_reported_earlier() {
        for (at, until_ms) in [
            (json!(1_800_000_000), 1_800_000_000_000),
            (json!(1_800_000_000_500_u64), 1_800_000_000_500),
        ] {
            let data = json!({"errorKind": "rate_limit", "resetsAt": at});
            let found = limited(&error(-32603, "no", data));
            assert_eq!(found, Some((LimitKind::Usage, Some(until_ms))));
        }
    }

    #[test]
    fn an_agent_that_wants_a_login_says_so_and_its_session_is_not_gone() {
        let error = error(
            -32000,
            "Authentication required",
            json!({"details": "no key"}),
        );
        let sentence = "it is not logged in: Authentication required: no key";
        let expected = Outcome::Failed(sentence.to_owned());
        assert_eq!(outcome(&error, None), expected);
        assert_eq!(of_resuming(&error), expected);
    }

    #[test]
    fn a_session_that_cannot_be_opened_is_gone_unless_the_program_is_limited() {
        let details = json!({"details": "No previous sessions found for this project."});
        let gone = of_resuming(&error(-32603, "Internal error", details));
        let words = "No previous sessions found for this project.";
        assert_eq!(gone, Outcome::SessionGone(words.to_owned()));
        let limited = of_resuming(&error(429, "no", Value::Null));
        assert!(matches!(limited, Outcome::Limited(_)));
    }
}
