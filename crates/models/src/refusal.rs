//! Interprets an error response.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use serde_json::Value;

use crate::failure::{Failure, Kind, presentable};
use crate::http::Head;
use crate::model::Model;

/// The failure for a response with an error status.
pub(crate) fn from_response(model: &Model, url: &str, head: &Head, body: &[u8]) -> Failure {
    let text = String::from_utf8_lossy(body);
    let json: Value = serde_json::from_str(&text).unwrap_or_default();
    let json = json.get(0).unwrap_or(&json);
    let words = words(json).unwrap_or(&text);
    let words = match presentable(words, model) {
        words if words.is_empty() => "it does not say why".to_owned(),
        words => words,
    };
    let (id, status) = (&model.id, head.status);
    let kind = kind(head, json, &text);
    let message = match &kind {
        Kind::Auth => {
            let variable = model.endpoint.key.as_ref().map(|key| key.variable);
            let from = variable
                .map(|name| format!(" in {name}"))
                .unwrap_or_default();
            format!("{id} does not accept the key{from} ({status}): {words}")
        }
        Kind::Limited { .. } => format!("{id} is limited{} ({status}): {words}", wait(&kind)),
        Kind::Overloaded { .. } => format!("{id} is overloaded{} ({status}): {words}", wait(&kind)),
        Kind::Server { .. } => format!("{id} failed ({status}): {words}"),
        _ if status == 404 => format!("{id} was not found at {url} (404): {words}"),
        _ => format!("{id} refused the request ({status}): {words}"),
    };
    Failure { kind, message }
}

/// The failure for a response with status 200 that contains an error.
pub(crate) fn from_error_object(model: &Model, json: &Value) -> Option<Failure> {
    let error = json.get("error").filter(|error| !error.is_null())?;
    let whole = error.to_string();
    let words = presentable(words(json).unwrap_or(&whole), model);
    Some(Failure {
        kind: Kind::Server { status: 200 },
        message: format!("{} failed: {words}", model.id),
    })
}

fn kind(head: &Head, json: &Value, text: &str) -> Kind {
    let retry_after = retry_after(head, json);
    match head.status {
        401 | 403 => Kind::Auth,
        // How Gemini reports a wrong key.
        400 if text.contains("API_KEY_INVALID") || text.contains("API key not valid") => Kind::Auth,
        // How OpenAI reports an account without money: waiting does not help.
        429 if json["error"]["code"] == "insufficient_quota" => Kind::Refused { status: 429 },
        429 => Kind::Limited { retry_after },
        503 | 529 => Kind::Overloaded { retry_after },
        status @ (408 | 425 | 500..) => Kind::Server { status },
        status => Kind::Refused { status },
    }
}

fn wait(kind: &Kind) -> String {
    match kind {
        Kind::Limited {
            retry_after: Some(time),
        }
        | Kind::Overloaded {
            retry_after: Some(time),
        } => {
            format!(", it asks to wait {time:?}")
        }
        _ => String::new(),
    }
}

/// Headers give it in milliseconds, seconds or as a date; Gemini and OpenAI's plans put it into the
/// body.
fn retry_after(head: &Head, json: &Value) -> Option<Duration> {
    let seconds = |text: &str| {
        let number: f64 = text.trim().parse().ok()?;
        Duration::try_from_secs_f64(number).ok()
    };
    let in_ms = head.retry_after_ms.as_deref().and_then(seconds);
    if let Some(time) = in_ms {
        return Some(time / 1000);
    }
    if let Some(text) = head.retry_after.as_deref() {
        return seconds(text).or_else(|| until(text));
    }
    let error = &json["error"];
    let details = error["details"].as_array().into_iter().flatten();
    let delay = details
        .filter_map(|detail| detail["retryDelay"].as_str())
        .find_map(|delay| seconds(delay.strip_suffix('s')?));
    delay.or_else(|| Some(Duration::from_secs(error["resets_in_seconds"].as_u64()?)))
}

fn until(date: &str) -> Option<Duration> {
    let at = rfc2822::parse(date).ok()?.timestamp();
    Duration::try_from(at.duration_since(Timestamp::now())).ok()
}

/// The message of an error, wherever the API puts it.
fn words(json: &Value) -> Option<&str> {
    [
        "/error/message",
        "/error",
        "/message",
        "/detail",
        "/response/error/message",
    ]
    .iter()
    .find_map(|place| json.pointer(place)?.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn model() -> Model {
        let env = |name: &str| (name == "OPENAI_API_KEY").then(|| "sk-very-secret".to_owned());
        Model::find("openai:m", Some("http://host/v1"), &env).unwrap()
    }

    fn head(status: u16) -> Head {
        Head {
            status,
            retry_after: None,
            retry_after_ms: None,
        }
    }

    fn failure(head: &Head, body: &str) -> Failure {
        from_response(
            &model(),
            "http://host/v1/chat/completions",
            head,
            body.as_bytes(),
        )
    }

    #[test]
    fn every_status_has_its_kind() {
        let no_wait = || None;
        for (status, body, kind, may_pass) in [
            (400, "", Kind::Refused { status: 400 }, false),
            (
                400,
                r#"{"error":{"message":"API key not valid."}}"#,
                Kind::Auth,
                false,
            ),
            (301, "", Kind::Refused { status: 301 }, false),
            (401, "", Kind::Auth, false),
            (403, "", Kind::Auth, false),
            (404, "", Kind::Refused { status: 404 }, false),
            (408, "", Kind::Server { status: 408 }, true),
            (
                429,
                "",
                Kind::Limited {
                    retry_after: no_wait(),
                },
                true,
            ),
            (
                429,
                r#"{"error":{"code":"insufficient_quota"}}"#,
                Kind::Refused { status: 429 },
                false,
            ),
            (500, "", Kind::Server { status: 500 }, true),
            (
                503,
                "",
                Kind::Overloaded {
                    retry_after: no_wait(),
                },
                true,
            ),
            (
                529,
                "",
                Kind::Overloaded {
                    retry_after: no_wait(),
                },
                true,
            ),
        ] {
            let failure = failure(&head(status), body);
            assert_eq!(failure.may_pass(), may_pass, "{status}");
            assert_eq!(failure.kind, kind, "{status} {body}");
        }
    }

    #[test]
    fn the_wait_is_read_from_wherever_it_stands() {
        let later = Timestamp::now() + Duration::from_secs(100);
        let date = rfc2822::DateTimePrinter::new()
            .timestamp_to_rfc9110_string(&later)
            .unwrap();
        let gemini = json!({"error": {"details": [{}, {"retryDelay": "7.5s"}]}}).to_string();
        let plan = json!({"error": {"resets_in_seconds": 60}}).to_string();
        for (after, after_ms, body, least, most) in [
            (Some("12"), None, "", 12.0, 12.0),
            (Some("12"), Some("1500"), "", 1.5, 1.5),
            (Some(date.as_str()), None, "", 80.0, 100.0),
            (None, None, gemini.as_str(), 7.5, 7.5),
            (None, None, plan.as_str(), 60.0, 60.0),
        ] {
            let head = Head {
                status: 429,
                retry_after: after.map(str::to_owned),
                retry_after_ms: after_ms.map(str::to_owned),
            };
            let wait = failure(&head, body).retry_after().unwrap().as_secs_f64();
            assert!((least..=most).contains(&wait), "{after:?} {body}: {wait}");
        }
        for nonsense in ["soon", "-1", "1e300", "nan"] {
            let head = Head {
                retry_after: Some(nonsense.to_owned()),
                ..head(429)
            };
            assert_eq!(failure(&head, "").retry_after(), None, "{nonsense}");
        }
    }

    #[test]
    fn the_providers_words_are_repeated_wherever_they_stand() {
        for body in [
            r#"{"error":{"message":"out of luck"}}"#,
            r#"{"error":"out of luck"}"#,
            r#"[{"error":{"message":"out of luck"}}]"#,
            r#"{"message":"out of luck"}"#,
            r#"{"detail":"out of luck"}"#,
            "out\u{1b}of \n luck",
        ] {
            let message = failure(&head(500), body).message;
            assert_eq!(message, "openai:m failed (500): out of luck", "{body}");
        }
        let message = failure(&head(404), "").message;
        let said =
            "openai:m was not found at http://host/v1/chat/completions (404): it does not say why";
        assert_eq!(message, said);
    }

    #[test]
    fn a_key_is_masked_before_the_words_are_cut() {
        let long = format!("{}sk-very-secret{}", "x".repeat(495), "y".repeat(1000));
        let message = failure(&head(401), &long).message;
        assert!(message.contains("x***yy"), "{message}");
        assert!(
            !message.contains("sk-ve") && message.ends_with('…'),
            "{message}"
        );
        assert!(message.contains("OPENAI_API_KEY"), "{message}");
    }
}
