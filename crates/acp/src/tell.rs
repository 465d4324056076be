//! Reports what the agent says and does.

use std::path::Path;
use std::time::Instant;

use agent_client_protocol_schema::v1::{
    ContentChunk, MessageId, Plan, PlanEntry, PlanEntryStatus, SessionUpdate, ToolCallUpdate,
};
use kumite_agents::Said;
use kumite_core::outcome::Outcome;

use crate::out::Out;
use crate::tools::{self, Tools};
use crate::used::Used;

/// The most bytes of text in one line. The supervisor skips very long lines, and a byte can become
/// six in JSON. Chunks that are longer together become several lines; a single longer text is cut.
const PIECE_MAX: usize = 256 * 1024;

pub struct Teller {
    out: Out,
    /// The text that is arriving in pieces.
    speech: Option<Speech>,
    last_text: String,
    tools: Tools,
    pub used: Used,
    /// The agent replays the past of a resumed session. An earlier agent has reported it.
    pub is_replay: bool,
}

struct Speech {
    is_thought: bool,
    message: Option<MessageId>,
    text: String,
}

impl Teller {
    pub fn new(out: Out) -> Teller {
        Teller {
            out,
            speech: None,
            last_text: String::new(),
            tools: Tools::default(),
            used: Used::default(),
            is_replay: false,
        }
    }

    pub fn update(&mut self, update: SessionUpdate) {
        if let SessionUpdate::UsageUpdate(update) = &update {
            self.used.update(update);
        }
        if self.is_replay {
            return;
        }
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => self.hear(chunk, false),
            SessionUpdate::AgentThoughtChunk(chunk) => self.hear(chunk, true),
            SessionUpdate::ToolCall(call) => {
                let said = self.tools.update(call.into());
                self.say_all(said);
            }
            SessionUpdate::ToolCallUpdate(update) => {
                let said = self.tools.update(update);
                self.say_all(said);
            }
            SessionUpdate::Plan(plan) => self.note(&planned(&plan)),
            // Commands, modes and titles are for a person at an editor.
            _ => {}
        }
    }

    /// The agent asks whether it may use a tool.
    pub fn asked(&mut self, call: ToolCallUpdate) {
        let said = self.tools.asked(call);
        self.say_all(said);
    }

    /// kumite wrote a file for the agent.
    pub fn wrote(&mut self, path: &Path, old: &str, new: &str) {
        let said = self.tools.wrote(path, old, new);
        self.say_all(said);
    }

    pub fn note(&mut self, text: &str) {
        self.say(Said::Note {
            text: text.to_owned(),
        });
    }

    /// Reports the text that is still arriving, then `said`.
    pub fn say(&mut self, said: Said) {
        self.flush();
        self.out.say(&cut(said));
    }

    pub fn alive(&mut self) {
        self.out.alive(Instant::now());
    }

    /// Reports the end, in the last line.
    pub fn end(mut self, outcome: Outcome) {
        self.flush();
        let (text, usage) = (std::mem::take(&mut self.last_text), self.used.total());
        self.say(Said::Ended {
            outcome,
            text,
            usage,
        });
    }

    fn say_all(&mut self, said: impl IntoIterator<Item = Said>) {
        said.into_iter().for_each(|said| self.say(said));
    }

    fn hear(&mut self, chunk: ContentChunk, is_thought: bool) {
        let Some(piece) = tools::text(&chunk.content) else {
            return;
        };
        let goes_on = |speech: &Speech| {
            speech.is_thought == is_thought
                && speech.message == chunk.message_id
                && speech.text.len() + piece.len() <= PIECE_MAX
        };
        if !self.speech.as_ref().is_some_and(goes_on) {
            self.flush();
        }
        let speech = self.speech.get_or_insert_with(|| Speech {
            is_thought,
            message: chunk.message_id.clone(),
            text: String::new(),
        });
        speech.text.push_str(piece);
    }

    fn flush(&mut self) {
        let Some(Speech {
            is_thought, text, ..
        }) = self.speech.take()
        else {
            return;
        };
        if text.trim().is_empty() {
            return;
        }
        let said = match is_thought {
            true => Said::Thought { text },
            false => {
                self.last_text.clone_from(&text);
                Said::Text { text }
            }
        };
        self.out.say(&cut(said));
    }
}

fn planned(plan: &Plan) -> String {
    let entry = |entry: &PlanEntry| {
        let mark = match entry.status {
            PlanEntryStatus::Completed => "x",
            PlanEntryStatus::InProgress => ">",
            _ => " ",
        };
        format!("[{mark}] {}", entry.content)
    };
    let entries: Vec<String> = plan.entries.iter().map(entry).collect();
    format!("plan: {}", entries.join("; "))
}

/// Cuts off a text that is too long for a line.
fn cut(mut said: Said) -> Said {
    match &mut said {
        Said::Text { text }
        | Said::Thought { text }
        | Said::Note { text }
        | Said::Trouble { text }
        | Said::ToolEnded { text, .. }
        | Said::Tool { what: text, .. }
        | Said::Changed { diff: text, .. }
        | Said::Ended { text, .. } => text.truncate(text.floor_char_boundary(PIECE_MAX)),
        // The bridge makes no other kinds.
        _ => {}
    }
    said
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::out::tests::Page;

    fn told(updates: &[Value]) -> Vec<String> {
        let page = Page::default();
        let mut teller = Teller::new(Out::new(page.clone()));
        for update in updates {
            teller.update(serde_json::from_value(update.clone()).unwrap());
        }
        teller.end(Outcome::Finished);
        let line = |line: &str| {
            let said: Value = serde_json::from_str(line).unwrap();
            let text = said["text"].as_str().unwrap_or_default();
            format!("{} {text}", said["kind"].as_str().unwrap())
        };
        page.text().lines().map(line).collect()
    }

    fn chunk(kind: &str, text: &str, message: Option<&str>) -> Value {
        json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}, "messageId": message})
    }

    #[test]
    fn pieces_become_one_text_until_something_else_is_said() {
        let text = |text| chunk("agent_message_chunk", text, None);
        let told = told(&[
            chunk("agent_thought_chunk", "hm", None),
            text("I will "),
            json!({"sessionUpdate": "usage_update", "used": 1, "size": 2}),
            json!({"sessionUpdate": "available_commands_update", "availableCommands": []}),
            text("do it."),
            json!({"sessionUpdate": "plan", "entries": [
                {"content": "read", "priority": "low", "status": "completed"},
                {"content": "write", "priority": "low", "status": "in_progress"},
                {"content": "test", "priority": "low", "status": "pending"}]}),
            text("  \n"),
            chunk("agent_thought_chunk", "so", None),
            text("Done."),
        ]);
        let expected = [
            "thought hm",
            "text I will do it.",
            "note plan: [x] read; [>] write; [ ] test",
            "thought so",
            "text Done.",
            "ended Done.",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn another_message_is_another_text() {
        let text = |text, id| chunk("agent_message_chunk", text, Some(id));
        let told = told(&[text("a", "1"), text("b", "1"), text("c", "2")]);
        assert_eq!(told, ["text ab", "text c", "ended c"]);
    }

    #[test]
    fn a_very_long_text_comes_in_pieces() {
        let piece = "x".repeat(PIECE_MAX / 2);
        let chunk = chunk("agent_message_chunk", &piece, None);
        let told = told(&vec![chunk; 5]);
        let lengths: Vec<usize> = told.iter().map(|line| line.len() - "text ".len()).collect();
        let half = PIECE_MAX / 2;
        assert_eq!(lengths, [PIECE_MAX, PIECE_MAX, half, half + 1]);
    }
}
