//! The meaning of a model service's errors, whichever program reports them.

use kumite_core::outcome::{Limit, LimitKind, Outcome};

use super::reset;
use crate::files::unix_ms;

/// A usage limit is reached. The text may say when it is reset.
pub fn usage_limit(words: String) -> Outcome {
    let until_ms = reset::of_prose(&words, unix_ms());
    limited(LimitKind::Usage, until_ms, words)
}

/// Too busy, or too many requests at the same time.
pub fn overload(words: String) -> Outcome {
    limited(LimitKind::Overload, None, words)
}

/// The program could not reach its service at all: the network is down, or the service is. The run
/// waits, as for a busy service.
pub fn is_unreachable(words: &str) -> bool {
    const SIGNS: [&str; 15] = [
        "ECONNREFUSED",
        "ECONNRESET",
        "ENETUNREACH",
        "EHOSTUNREACH",
        "ENETDOWN",
        "ENOTFOUND",
        "EAI_AGAIN",
        "ETIMEDOUT",
        "fetch failed",
        "error sending request",
        "Connection failed",
        "Connection error",
        "Cannot connect to API",
        "stream disconnected",
        "socket hang up",
    ];
    SIGNS.iter().any(|sign| words.contains(sign))
}

/// An error without an HTTP status.
pub fn of_words(words: String) -> Outcome {
    match is_unreachable(&words) {
        true => overload(words),
        false => Outcome::Failed(format!("reported an error: {words}")),
    }
}

pub fn limited(kind: LimitKind, until_ms: Option<u64>, words: String) -> Outcome {
    Outcome::Limited(Limit {
        kind,
        until_ms,
        words,
    })
}

/// `login` is the command that a person must run.
pub fn not_logged_in(login: &str, words: String) -> Outcome {
    Outcome::Failed(format!(
        "it is not logged in, or its key is wrong ({words}); log in with `{login}`"
    ))
}

/// The program does not know the arguments that it got.
pub fn refused_arguments(words: &str) -> Outcome {
    let words = super::shorten(words);
    Outcome::Failed(format!(
        "does not understand its arguments ({words}); correct `args` in the settings, or update it"
    ))
}

/// The meaning of an HTTP status.
pub fn of_status(status: u64, login: &str, words: String) -> Outcome {
    match status {
        // If the message says when to try again, it is a usage limit. If not, requests came too fast.
        429 => match reset::of_prose(&words, unix_ms()) {
            Some(until_ms) => limited(LimitKind::Usage, Some(until_ms), words),
            None => overload(words),
        },
        500 | 502 | 503 | 504 | 529 => overload(words),
        401 | 403 => not_logged_in(login, words),
        _ => Outcome::Failed(format!("reported an error: {words}")),
    }
}

/// The number after `word` in a sentence: "unexpected status 503 Service Unavailable".
pub fn status_in(words: &str, word: &str) -> Option<u64> {
    let mut rest = words;
    while let Some(at) = rest.find(word) {
        rest = &rest[at + word.len()..];
        let digits = rest.trim_start_matches([':', ' ', '=', '(']);
        let digits = digits.split(|c: char| !c.is_ascii_digit()).next();
        if let Some(status) = digits.and_then(|digits| digits.parse().ok()) {
            return Some(status);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_found_in_a_sentence() {
        let rows = [
            ("unexpected status 503 Service Unavailable", Some(503)),
            ("exceeded retry limit, last status: 429 Too Many", Some(429)),
            ("status unknown, then status=500", Some(500)),
            ("no such word", None),
        ];
        for (words, status) in rows {
            assert_eq!(status_in(words, "status"), status, "{words}");
        }
    }

    #[test]
    fn t1_a_service_that_cannot_be_reached_is_waited_for() {
        for words in [
            "API Error: Connection refused (ECONNREFUSED)",
            "Connection failed: error sending request",
            "[API Error: exception TypeError: fetch failed sending request]",
            "getaddrinfo EAI_AGAIN api.example.org",
        ] {
            let outcome = of_words(words.to_owned());
            assert!(matches!(outcome, Outcome::Limited(_)), "{outcome:?}");
        }
        let other = of_words("the prompt is too long".to_owned());
        assert!(matches!(other, Outcome::Failed(_)), "{other:?}");
    }

    #[test]
    fn t1_only_transient_troubles_are_waited_for() {
        let kind = |status, words: &str| match of_status(status, "x login", words.to_owned()) {
            Outcome::Limited(limit) => Some((limit.kind, limit.until_ms.is_some())),
            _ => None,
        };
        assert_eq!(kind(429, "slow down"), Some((LimitKind::Overload, false)));
        assert_eq!(
            kind(429, "resets in 3 hours"),
            Some((LimitKind::Usage, true))
        );
        assert_eq!(kind(529, "overloaded"), Some((LimitKind::Overload, false)));
        assert_eq!(kind(400, "bad request"), None);
        assert_eq!(kind(401, "who are you"), None);
    }
}
