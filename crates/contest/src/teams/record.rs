//! A member's work in the format that mixseek's readers know.

use std::time::Duration;

use jiff::Timestamp;
use kumite_models::Usage;
use serde_json::{Value, json};

/// What a member did with its task.
#[derive(Debug)]
pub(super) struct Worked {
    /// The answer, or why there is none.
    pub outcome: Result<String, String>,
    /// It answered, but with a problem.
    pub warning: Option<String>,
    pub usage: Usage,
    pub requests: u32,
    pub tool_calls: u32,
    /// The messages, if it was a conversation.
    pub messages: Value,
}

impl Worked {
    pub fn without_model(outcome: Result<String, String>) -> Worked {
        Worked {
            outcome,
            warning: None,
            usage: Usage::default(),
            requests: 0,
            tool_calls: 0,
            messages: Value::Null,
        }
    }
}

/// One element of `submissions`.
pub(super) fn record(name: &str, kind: &str, worked: &Worked, took: Duration) -> Value {
    let (status, content, message) = match (&worked.outcome, &worked.warning) {
        (Ok(text), None) => ("SUCCESS", text.as_str(), None),
        (Ok(text), Some(warning)) => ("WARNING", text.as_str(), Some(warning)),
        (Err(why), _) => ("ERROR", "", Some(why)),
    };
    let mut usage = worked.usage.record();
    usage["requests"] = json!(worked.requests);
    usage["tool_calls"] = json!(worked.tool_calls);
    json!({
        "agent_name": name,
        "agent_type": kind,
        "content": content,
        "status": status,
        "error_message": message,
        "usage": usage,
        "timestamp": format!("{:.6}", Timestamp::now()),
        "execution_time_ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "all_messages": worked.messages,
    })
}
