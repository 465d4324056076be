//! What OpenAI's two APIs share: the form of a refusal.

use serde_json::{Value, json};

use crate::answer::{Failure, Refusal};

pub(super) fn failure(failure: &Failure) -> Refusal {
    let mut headers = Vec::new();
    let (status, error) = match failure {
        Failure::Limit { now_s, resets_at_s } => {
            let mut error = json!({
                "type": "usage_limit_reached", "message": "The usage limit has been reached",
                "plan_type": "pro",
            });
            if let Some(at) = resets_at_s {
                error["resets_at"] = json!(at);
                error["resets_in_seconds"] = json!(at - now_s);
            }
            (429, error)
        }
        Failure::Overload => {
            let message = "The server is overloaded. Please try again later.";
            (503, error("server_error", "server_is_overloaded", message))
        }
        Failure::Rate { retry_after_s } => {
            headers.extend(retry_after_s.map(|after| ("retry-after", after.to_string())));
            let message = "Rate limit reached: too many requests per minute.";
            (429, error("requests", "rate_limit_exceeded", message))
        }
        Failure::Auth => {
            let message = "Incorrect API key provided.";
            (
                401,
                error("invalid_request_error", "invalid_api_key", message),
            )
        }
        Failure::Status { status, message } => {
            let kind = if *status < 500 {
                "invalid_request_error"
            } else {
                "server_error"
            };
            (*status, error(kind, kind, message))
        }
    };
    Refusal {
        status,
        headers,
        body: json!({"error": error}),
    }
}

fn error(kind: &str, code: &str, message: &str) -> Value {
    json!({"message": message, "type": kind, "param": null, "code": code})
}
