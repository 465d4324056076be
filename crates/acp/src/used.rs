//! The agent's usage, and the limit it reached. ACP itself reports the cost of the whole session.
//! Token counts are an extension, which agents write in two ways.

use agent_client_protocol_schema::v1::UsageUpdate;
use kumite_core::outcome::Usage;
use serde_json::Value;

/// A larger time is in milliseconds: in seconds, it would be after the year 5138.
const MILLISECONDS_FROM: u64 = 100_000_000_000;

#[derive(Default)]
pub struct Used {
    tokens: Usage,
    /// The cost of the whole session, as last reported.
    usd: f64,
    /// The cost of the session before this prompt, if reported.
    usd_before: f64,
    limited_until_ms: Option<u64>,
}

impl Used {
    pub fn update(&mut self, update: &UsageUpdate) {
        if let Some(cost) = &update.cost
            && cost.currency.eq_ignore_ascii_case("usd")
        {
            self.usd = cost.amount;
        }
        let limit = update.meta.as_ref().and_then(|meta| {
            // Claude's adapter also reports limits that are not reached.
            let limit = meta.get("_claude/rateLimit")?;
            let reached = matches!(limit["status"].as_str(), None | Some("rejected"));
            reached.then_some(limit)
        });
        if let Some(limit) = limit {
            self.limited_until_ms = resets_at(limit).or(self.limited_until_ms);
        }
    }

    /// The session is open: from now on, all usage belongs to this prompt.
    pub fn prompt_begins(&mut self) {
        self.usd_before = self.usd;
    }

    /// The answer to the prompt has token counts. Cached tokens count as input, and thoughts as
    /// output.
    pub fn answered(&mut self, answer: &Value) {
        let (usage, quota) = (&answer["usage"], &answer["_meta"]["quota"]["token_count"]);
        let sum = |of: &Value, names: &[&str]| {
            let counts = names.iter().filter_map(|name| of[*name].as_u64());
            counts.fold(0, u64::saturating_add)
        };
        (self.tokens.input_tokens, self.tokens.output_tokens) = if usage.is_object() {
            (
                sum(
                    usage,
                    &["inputTokens", "cachedReadTokens", "cachedWriteTokens"],
                ),
                sum(usage, &["outputTokens", "thoughtTokens"]),
            )
        } else {
            (
                sum(quota, &["input_tokens"]),
                sum(quota, &["output_tokens"]),
            )
        };
    }

    pub fn total(&self) -> Usage {
        Usage {
            // The cast saturates, and turns NaN and negative numbers into 0.
            usd_micros: ((self.usd - self.usd_before) * 1e6).round() as u64,
            ..self.tokens
        }
    }

    pub fn limited_until_ms(&self) -> Option<u64> {
        self.limited_until_ms
    }
}

/// When a limit ends: `resetsAt` in Unix seconds or milliseconds.
pub fn resets_at(limit: &Value) -> Option<u64> {
    let at = &limit["resetsAt"];
    // The cast saturates, and turns a negative number into 0; 0 means that no time is known.
    let at = at.as_u64().or_else(|| at.as_f64().map(|at| at as u64))?;
    match at {
        0 => None,
        at if at > MILLISECONDS_FROM => Some(at),
        seconds => Some(seconds * 1000),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn update(value: Value) -> UsageUpdate {
        serde_json::from_value(value).unwrap()
    }

    fn cost(amount: f64, currency: &str) -> UsageUpdate {
        update(json!({"used": 1, "size": 2, "cost": {"amount": amount, "currency": currency}}))
    }

    #[test]
    fn what_the_session_cost_before_is_not_of_this_prompt() {
        let mut used = Used::default();
        used.update(&cost(1.5, "USD"));
        used.prompt_begins();
        assert_eq!(used.total().usd_micros, 0);
        used.update(&cost(1.75, "USD"));
        used.update(&cost(900.0, "JPY"));
        assert_eq!(used.total().usd_micros, 250_000);
        used.update(&cost(0.5, "USD"));
        assert_eq!(used.total().usd_micros, 0);
    }

    #[test]
    fn tokens_are_read_in_both_spellings() {
        let usage = json!({"usage": {"inputTokens": 5, "outputTokens": 7, "cachedReadTokens": 100,
            "cachedWriteTokens": 20, "thoughtTokens": 3, "totalTokens": 135}});
        let quota = json!({"_meta": {"quota": {"token_count":
            {"input_tokens": 125, "output_tokens": 10}}}});
        for (answer, expected) in [(usage, (125, 10)), (quota, (125, 10)), (json!({}), (0, 0))] {
            let mut used = Used::default();
            used.answered(&answer);
            let total = used.total();
            assert_eq!((total.input_tokens, total.output_tokens), expected);
        }
    }

    #[test]
    fn only_a_limit_that_is_reached_is_remembered() {
        let limit = |status: Option<&str>, at: Value| {
            let mut limit = json!({"resetsAt": at});
            if let Some(status) = status {
                limit["status"] = status.into();
            }
            update(json!({"used": 1, "size": 2, "_meta": {"_claude/rateLimit": limit}}))
        };
        let mut used = Used::default();
        used.update(&limit(Some("allowed_warning"), json!(1_800_000_000)));
        assert_eq!(used.limited_until_ms(), None);
        used.update(&limit(Some("rejected"), json!(1_800_000_000)));
        assert_eq!(used.limited_until_ms(), Some(1_800_000_000_000));
        used.update(&limit(None, json!(1_900_000_000_123_u64)));
        assert_eq!(used.limited_until_ms(), Some(1_900_000_000_123));
        used.update(&limit(None, json!("soon")));
        assert_eq!(used.limited_until_ms(), Some(1_900_000_000_123));
    }
}
