//! The output of the agent in the format of Claude Code: one JSON object per line.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::trouble::Trouble;

/// The output of one agent. It begins with `init` and ends with one result.
pub(crate) struct Stream<'a> {
    out: &'a mut dyn Write,
    session: String,
    pace: Duration,
    cost_usd: f64,
    turns: u32,
    bytes_read: usize,
    bytes_said: usize,
    started: Instant,
}

impl<'a> Stream<'a> {
    pub fn new(out: &'a mut dyn Write, agent: &str) -> Stream<'a> {
        Stream {
            out,
            session: session_id(agent),
            pace: Duration::ZERO,
            cost_usd: 0.0,
            turns: 0,
            bytes_read: 0,
            bytes_said: 0,
            started: Instant::now(),
        }
    }

    pub fn set_pace(&mut self, pace: Duration) {
        self.pace = pace;
    }

    pub fn set_cost(&mut self, usd: f64) {
        self.cost_usd = usd;
    }

    pub fn init(&mut self, project: &Path) -> Result<(), Trouble> {
        let line = json!({
            "type": "system",
            "subtype": "init",
            "cwd": project.display().to_string(),
            "session_id": self.session,
            "model": "scripted",
            "tools": ["Read", "Write", "Edit"],
            "mcp_servers": [],
            "permissionMode": "acceptEdits",
        });
        self.line(&line)
    }

    pub fn say(&mut self, text: &str) -> Result<(), Trouble> {
        self.bytes_said += text.len();
        self.assistant(json!({"type": "text", "text": text}))
    }

    /// The use of a tool, and its result.
    pub fn tool(&mut self, name: &str, input: Value, outcome: &str) -> Result<(), Trouble> {
        let id = format!("toolu_{}_{}", self.short_id(), self.turns + 1);
        self.bytes_said += input.to_string().len();
        self.bytes_read += outcome.len();
        self.assistant(json!({"type": "tool_use", "id": id, "name": name, "input": input}))?;
        self.pause();
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": outcome});
        let line = json!({
            "type": "user",
            "message": {"role": "user", "content": [block]},
            "parent_tool_use_id": null,
            "session_id": self.session,
        });
        self.line(&line)
    }

    pub fn succeed(&mut self, summary: &str) -> Result<(), Trouble> {
        self.pause();
        self.result("success", false, summary)
    }

    /// The last line of an agent that could not do its step. It comes without a pause: nobody
    /// watches a failure for its pace.
    pub fn fail(&mut self, trouble: &Trouble) -> Result<(), Trouble> {
        self.result("error_during_execution", true, &trouble.to_string())
    }

    fn assistant(&mut self, block: Value) -> Result<(), Trouble> {
        self.pause();
        self.turns += 1;
        let line = json!({
            "type": "assistant",
            "message": {
                "id": format!("msg_{}_{}", self.short_id(), self.turns),
                "type": "message",
                "role": "assistant",
                "model": "scripted",
                "content": [block],
            },
            "parent_tool_use_id": null,
            "session_id": self.session,
        });
        self.line(&line)
    }

    fn result(&mut self, subtype: &str, is_error: bool, text: &str) -> Result<(), Trouble> {
        let line = json!({
            "type": "result",
            "subtype": subtype,
            "is_error": is_error,
            "result": text,
            "num_turns": self.turns,
            "duration_ms": u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            "total_cost_usd": self.cost_usd,
            "usage": self.usage(),
            "session_id": self.session,
        });
        self.line(&line)
    }

    /// Roughly the tokens that a model would count: four bytes per token, plus a system prompt.
    fn usage(&self) -> Value {
        json!({
            "input_tokens": 2_000 + self.bytes_read / 4,
            "output_tokens": self.bytes_said / 4,
            "cache_read_input_tokens": 0,
            "cache_creation_input_tokens": 0,
        })
    }

    fn short_id(&self) -> &str {
        &self.session[..8]
    }

    fn pause(&self) {
        if !self.pace.is_zero() {
            std::thread::sleep(self.pace);
        }
    }

    fn line(&mut self, line: &Value) -> Result<(), Trouble> {
        writeln!(self.out, "{line}")
            .and_then(|()| self.out.flush())
            .map_err(Trouble::Output)
    }
}

/// A name in the format of a UUID: the same agent always has the same session.
fn session_id(agent: &str) -> String {
    let (high, low) = (hash(agent, 1), hash(agent, 2));
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48 & 0xfff,
        low & 0xffff_ffff_ffff
    )
}

/// FNV-1a: unlike the hasher of std, it is the same in every release.
fn hash(text: &str, seed: u8) -> u64 {
    let bytes = std::iter::once(seed).chain(text.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
