//! The output on stdout: the stream-json of Claude Code.
//!
//! The agent goes on even if nobody reads: write errors are ignored.

use std::io::{Stdout, Write, stdout};
use std::path::Path;
use std::process;
use std::time::Instant;

use serde_json::{Value, json};

use crate::launch::{Launch, now_ms};
use crate::play::{Action, Ending, Noise};

const MODEL: &str = "fake-model";

pub struct Talk {
    out: Stdout,
    newline: &'static [u8],
    session: String,
    cwd: String,
    said: u32,
    started: Instant,
}

impl Talk {
    pub fn new(launch: &Launch, action: &Action) -> Talk {
        let crlf = action.noise.contains(&Noise::Crlf);
        Talk {
            out: stdout(),
            newline: if crlf { b"\r\n" } else { b"\n" },
            session: launch.session.clone(),
            cwd: launch.cwd.to_string_lossy().into_owned(),
            said: 0,
            started: Instant::now(),
        }
    }

    pub fn init(&mut self) {
        self.say(json!({
            "type": "system", "subtype": "init", "cwd": self.cwd, "model": MODEL,
            "tools": ["Bash", "Edit", "Read", "Write"], "mcp_servers": [], "slash_commands": [],
            "permissionMode": "acceptEdits", "apiKeySource": "none", "claude_code_version": "0.0.0-fake",
        }));
    }

    pub fn text(&mut self, text: &str) {
        self.assistant(json!({"type": "text", "text": text}));
    }

    /// One use of a tool on a file, and its result.
    pub fn tool(&mut self, name: &str, path: &Path, outcome: Result<(), String>) {
        let id = format!("toolu_{:08}_{}", process::id(), self.said);
        let input = json!({"file_path": path.to_string_lossy()});
        self.assistant(json!({"type": "tool_use", "id": id, "name": name, "input": input}));
        let (content, is_error) = match outcome {
            Ok(()) => (format!("{name} of {} succeeded", path.display()), false),
            Err(error) => (error, true),
        };
        self.say(json!({
            "type": "user", "parent_tool_use_id": null,
            "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error},
            ]},
        }));
    }

    /// Prints lines of the play unchanged.
    pub fn recite(&mut self, lines: &[Value]) {
        for line in lines {
            match line {
                Value::String(text) => self.raw(format!("{text}\n").as_bytes()),
                event => self.say(event.clone()),
            }
        }
    }

    pub fn heartbeat(&mut self) {
        self.say(json!({
            "type": "tool_progress", "tool_use_id": "toolu_wait", "tool_name": "Bash",
            "parent_tool_use_id": null, "elapsed_time_seconds": self.started.elapsed().as_secs(),
        }));
    }

    pub fn result(&mut self, action: &Action) {
        let words = action.words.as_deref().unwrap_or("The step is done.");
        let success = json!({"subtype": "success", "is_error": false, "result": words,
            "stop_reason": "end_turn", "terminal_reason": "completed"});
        let failure = json!({"subtype": "error_during_execution", "is_error": true,
            "errors": ["the play asked for an error"], "stop_reason": null});
        let max_turns = json!({"subtype": "error_max_turns", "is_error": true,
            "errors": ["Reached maximum number of turns (2)"],
            "stop_reason": "tool_use", "terminal_reason": "max_turns"});
        let overload = json!({"subtype": "success", "is_error": true, "api_error_status": 529,
            "result": "API Error: Repeated 529 Overloaded errors.", "terminal_reason": "api_error"});
        let session_gone = json!({"subtype": "error_during_execution", "is_error": true,
            "errors": ["No conversation found with session ID: 0"]});
        match action.result {
            Ending::Success => self.say_result(action, success),
            Ending::Error => self.say_result(action, failure),
            Ending::MaxTurns => self.say_result(action, max_turns),
            Ending::Limit => self.limit(action),
            Ending::Overload => self.say_result(action, overload),
            Ending::SessionGone => self.say_result(action, session_gone),
            Ending::None => {}
            Ending::Twice => {
                self.say_result(action, success.clone());
                self.say_result(action, success);
            }
            Ending::Half => {
                let line = self.result_line(action, success).to_string();
                self.raw(&line.as_bytes()[..line.len() / 2]);
            }
        }
    }

    /// A usage limit: announced, mentioned by the assistant, and the end of the run.
    fn limit(&mut self, action: &Action) {
        let text = "You've hit your session limit";
        let resets_at = (now_ms() / 1000).saturating_add_signed(action.resets_in_s.unwrap_or(1));
        self.say(json!({
            "type": "rate_limit_event",
            "rate_limit_info": {"status": "rejected", "resetsAt": resets_at, "rateLimitType": "five_hour"},
        }));
        let mut said = self.message(json!({"type": "text", "text": text}));
        said["error"] = json!("rate_limit");
        said["api_error_status"] = json!(429);
        self.say(said);
        let limit = json!({"subtype": "success", "is_error": true, "api_error_status": 429,
            "result": text, "stop_reason": "stop_sequence", "terminal_reason": "api_error"});
        self.say_result(action, limit);
    }

    fn say_result(&mut self, action: &Action, how: Value) {
        let line = self.result_line(action, how);
        self.say(line);
    }

    fn result_line(&self, action: &Action, how: Value) -> Value {
        let cost = action.cost.unwrap_or(0.01);
        let elapsed_ms = self.started.elapsed().as_millis() as u64;
        let mut line = json!({
            "type": "result", "num_turns": 2, "duration_ms": elapsed_ms, "duration_api_ms": 0,
            "total_cost_usd": cost, "permission_denials": [], "api_error_status": null,
            "usage": {"input_tokens": 1000, "output_tokens": 100,
                "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0},
            "modelUsage": {MODEL: {"inputTokens": 1000, "outputTokens": 100, "cacheReadInputTokens": 0,
                "cacheCreationInputTokens": 0, "costUSD": cost, "contextWindow": 200_000}},
        });
        if let (Some(line), Value::Object(how)) = (line.as_object_mut(), how) {
            line.extend(how);
        }
        line
    }

    fn assistant(&mut self, block: Value) {
        let message = self.message(block);
        self.say(message);
    }

    fn message(&self, block: Value) -> Value {
        json!({
            "type": "assistant", "parent_tool_use_id": null,
            "message": {
                "id": format!("msg_{:08}", process::id()), "type": "message", "role": "assistant",
                "model": MODEL, "content": [block], "stop_reason": null,
                "usage": {"input_tokens": 1000, "output_tokens": 1,
                    "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0},
            },
        })
    }

    /// Prints one event.
    pub fn say(&mut self, mut event: Value) {
        self.said += 1;
        event["session_id"] = json!(self.session);
        event["uuid"] = json!(format!(
            "{:08x}-0000-4000-8000-{:012x}",
            self.said,
            process::id()
        ));
        let line = [event.to_string().as_bytes(), self.newline].concat();
        self.raw(&line);
    }

    /// Prints bytes unchanged.
    pub fn raw(&mut self, bytes: &[u8]) {
        let _ = self.out.write_all(bytes).and_then(|()| self.out.flush());
    }
}
