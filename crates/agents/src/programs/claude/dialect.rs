//! Claude Code's `stream-json`. `type` can be anywhere in a line: `system`/`init` names the
//! session,
//! `result` tells how it went.
//!
//! A result of subtype "success" can be an error, and a usage limit is such an error. Its money and
//! its tokens are cumulative over the sessions that it resumed, except for
//! `model_usage_since_last_result`.

use kumite_core::outcome::{LimitKind, Outcome, Usage};
use serde_json::Value;

use super::said;
use crate::protocol::{Dialect, Heard, reset, service, shorten, usd_micros};
use crate::said::Said;

#[derive(Default)]
pub struct Claude {
    /// When the limit ends that the last such event reported as reached.
    rejected_until: Option<u64>,
    rejected: bool,
}

impl Dialect for Claude {
    fn telltales(&self) -> &'static [&'static str] {
        &[
            "\"result\"",
            "\"init\"",
            "\"conversation_reset\"",
            "\"rate_limit_event\"",
        ]
    }

    fn hear(&mut self, line: &Value, heard: &mut Heard, said: &mut Vec<Said>) {
        let kind = line["type"].as_str().unwrap_or_default();
        let names_session = match kind {
            "system" => line["subtype"] == "init",
            "result" | "conversation_reset" => true,
            _ => false,
        };
        if names_session && let Some(session) = line["session_id"].as_str() {
            heard.session = Some(session.to_owned());
        }
        match kind {
            "rate_limit_event" => self.note_limit(&line["rate_limit_info"]),
            "result" => {
                let outcome = self.verdict(line);
                let now = usage(line);
                match line.get("model_usage_since_last_result") {
                    Some(_) => heard.usage += now,
                    None => heard.usage = now,
                }
                heard.result(outcome.clone());
                said.push(Said::Ended {
                    outcome,
                    text: line["result"].as_str().unwrap_or_default().to_owned(),
                    usage: now,
                });
            }
            _ => said::hear(line, said),
        }
    }
}

impl Claude {
    /// Such events also come when all is well; only a rejection counts, and not the overage.
    fn note_limit(&mut self, info: &Value) {
        self.rejected = info["status"] == "rejected";
        if !self.rejected {
            return;
        }
        let windows = info["unifiedWindows"].as_object().into_iter().flatten();
        let full = windows.filter(|(_, window)| window["utilization"].as_f64() >= Some(1.0));
        let latest = full
            .filter_map(|(_, window)| reset::of_value(&window["resetsAt"]))
            .max();
        self.rejected_until = latest.or_else(|| reset::of_value(&info["resetsAt"]));
    }

    fn verdict(&self, line: &Value) -> Outcome {
        let subtype = line["subtype"].as_str().unwrap_or("no subtype");
        let is_error = !matches!(line["is_error"], Value::Null | Value::Bool(false));
        if subtype == "success" && !is_error {
            return Outcome::Finished;
        }
        let words = text(&line["errors"])
            .or_else(|| text(&line["result"]))
            .unwrap_or_default();
        let words = shorten(&words);
        match subtype {
            "error_max_budget_usd" => Outcome::OverBudget(words),
            "success" => self.service_error(line, words),
            _ if words.contains("No conversation found") => Outcome::SessionGone(words),
            _ => Outcome::Failed(sentence(subtype, &words, line)),
        }
    }

    /// An error of the model service comes as "success" with `is_error`.
    fn service_error(&self, line: &Value, words: String) -> Outcome {
        let is_usage = self.rejected || line["api_error"] == "usage_limit_reached";
        match line["api_error_status"].as_u64() {
            Some(429) if is_usage => match self.rejected_until {
                Some(until_ms) => service::limited(LimitKind::Usage, Some(until_ms), words),
                None => service::usage_limit(words),
            },
            Some(status @ (401 | 403 | 429 | 500..)) => service::of_status(status, "claude", words),
            // No request was made, so there is no status.
            None if words.contains("Not logged in") => service::not_logged_in("claude", words),
            None if line["api_error"] == "connection_failed" || service::is_unreachable(&words) => {
                service::overload(words)
            }
            _ => Outcome::Failed(sentence("an error", &words, line)),
        }
    }
}

fn sentence(what: &str, words: &str, line: &Value) -> String {
    let mut sentence = format!("reported {}", shorten(what));
    if !words.is_empty() {
        sentence += &format!(": {words}");
    }
    match line["permission_denials"].as_array().map_or(0, Vec::len) {
        0 => {}
        1 => sentence += " (1 permission denied)",
        count => sentence += &format!(" ({count} permissions denied)"),
    }
    sentence
}

/// The text of a field that should be a text or a list of texts.
fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values
            .iter()
            .filter_map(text)
            .collect::<Vec<_>>()
            .join("; "),
        other => other.to_string(),
    };
    (!text.trim().is_empty()).then_some(text)
}

/// The usage since the last result. Older versions report only the total.
fn usage(line: &Value) -> Usage {
    let count = |value: &Value, name: &str| value[name].as_u64().unwrap_or(0);
    let sum = |value: &Value, names: [&str; 3]| {
        names
            .iter()
            .fold(0_u64, |sum, name| sum.saturating_add(count(value, name)))
    };
    let Some(models) = line["model_usage_since_last_result"].as_object() else {
        let input = [
            "input_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
        ];
        return Usage {
            usd_micros: usd_micros(line["total_cost_usd"].as_f64().unwrap_or(0.0)),
            input_tokens: sum(&line["usage"], input),
            output_tokens: count(&line["usage"], "output_tokens"),
        };
    };
    let mut usage = Usage::default();
    for model in models.values() {
        let input = [
            "inputTokens",
            "cacheReadInputTokens",
            "cacheCreationInputTokens",
        ];
        usage += Usage {
            usd_micros: usd_micros(model["costUSD"].as_f64().unwrap_or(0.0)),
            input_tokens: sum(model, input),
            output_tokens: count(model, "outputTokens"),
        };
    }
    usage
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
