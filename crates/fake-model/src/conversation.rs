//! The content of a request, independent of the API.

use serde_json::Value;

/// The beginning of an answer that was broken off on purpose. Some programs keep it in the
/// conversation; it does not count as a turn of the model.
pub(crate) const BROKEN_OFF: &str =
    "This answer breaks off before its end, because the script says that it has to break off here.";

#[derive(Debug, Default)]
pub(crate) struct Conversation {
    pub model: String,
    pub stream: bool,
    pub items: Vec<Item>,
    pub tools: Vec<Offer>,
    /// The schema that the answer must match.
    pub schema: Option<Value>,
    pub cwd: Option<String>,
    /// Everything sent to the model besides the conversation: system texts, tools, schema.
    pub beside: String,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Item {
    /// One block of text from the person, or text that the program added beside it.
    User(String),
    ToolResult,
    /// One turn of the model. A turn without calls is the final answer to a prompt.
    Model {
        text: String,
        calls: bool,
    },
}

/// A tool that the program offers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Offer {
    pub name: String,
    /// Takes plain text instead of JSON.
    pub custom: bool,
    pub namespace: Option<String>,
}

/// Texts that programs insert as answers that the model never gave.
const STAND_INS: [&str; 2] = [
    "No response requested.",
    "[The previous response was interrupted before it completed.]",
];

/// The beginnings of texts that programs add beside a prompt.
const ASIDES: [&str; 4] = [
    "<system-reminder>",
    "<environment_context>",
    "<session_context>",
    "# AGENTS.md instructions for ",
];

/// The words before the working directory in the texts of the programs.
const CWD_MARKS: [&str; 4] = [
    "Primary working directory: ",
    "Working directory: ",
    "<cwd>",
    "**Workspace Directories:**\n  - ",
];

impl Conversation {
    pub fn user(&mut self, text: &str) {
        self.look_for_cwd(text);
        self.items.push(Item::User(text.to_owned()));
    }

    pub fn tool_result(&mut self) {
        self.items.push(Item::ToolResult);
    }

    /// Something the model said or, with `call`, did. Consecutive parts form one turn.
    pub fn model(&mut self, said: &str, call: bool) {
        if let Some(Item::Model { text, calls }) = self.items.last_mut() {
            text.push_str(said);
            *calls |= call;
        } else {
            self.items.push(Item::Model {
                text: said.to_owned(),
                calls: call,
            });
        }
    }

    /// Text from the program itself.
    pub fn system(&mut self, text: &str) {
        self.look_for_cwd(text);
        self.beside(text);
    }

    pub fn beside(&mut self, text: &str) {
        self.beside.push_str(text);
        self.beside.push('\n');
    }

    pub fn offer(&mut self, name: &str, custom: bool, namespace: Option<&str>) {
        let namespace = namespace.map(str::to_owned);
        self.tools.push(Offer {
            name: name.to_owned(),
            custom,
            namespace,
        });
    }

    /// A request without tools is not about the work: titles, probes, routing.
    pub fn is_housekeeping(&self) -> bool {
        self.tools.is_empty()
    }

    /// What has happened since the model's last final answer.
    pub fn open_items(&self) -> &[Item] {
        let last = self.items.iter().rposition(Item::is_final);
        &self.items[last.map_or(0, |last| last + 1)..]
    }

    /// The newest text from a person.
    pub fn prompt(&self) -> &str {
        self.items
            .iter()
            .rev()
            .find_map(Item::prompt)
            .unwrap_or_default()
    }

    pub fn offers(&self, name: &str) -> Option<&Offer> {
        self.tools.iter().find(|offer| offer.name == name)
    }

    /// An absolute path, as the program's tools expect it.
    pub fn absolute(&self, path: &str) -> String {
        match &self.cwd {
            Some(cwd) if !path.starts_with('/') => format!("{}/{path}", cwd.trim_end_matches('/')),
            _ => path.to_owned(),
        }
    }

    /// The newest mention counts: a session can be resumed in another directory.
    fn look_for_cwd(&mut self, text: &str) {
        let found = CWD_MARKS.iter().find_map(|mark| {
            let rest = &text[text.rfind(mark)? + mark.len()..];
            let end = rest.find(['\n', '<']).unwrap_or(rest.len());
            Some(rest[..end].trim()).filter(|path| path.starts_with('/'))
        });
        if let Some(found) = found {
            self.cwd = Some(found.to_owned());
        }
    }
}

impl Item {
    /// The text, if a person may have written it.
    pub fn prompt(&self) -> Option<&str> {
        match self {
            Item::User(text) => {
                let begin = text.trim_start();
                (!ASIDES.iter().any(|aside| begin.starts_with(aside))).then_some(text.as_str())
            }
            Item::ToolResult | Item::Model { .. } => None,
        }
    }

    pub fn is_turn(&self) -> bool {
        match self {
            Item::Model { text, calls } => *calls || !is_broken_off(text),
            Item::User(_) | Item::ToolResult => false,
        }
    }

    fn is_final(&self) -> bool {
        self.is_turn() && matches!(self, Item::Model { calls: false, .. })
    }
}

fn is_broken_off(text: &str) -> bool {
    let text = text.trim();
    text.len() > 8 && BROKEN_OFF.starts_with(text) || STAND_INS.contains(&text)
}

/// All texts in `content`, which is a string or a list of blocks that each have a `text`.
pub(crate) fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(blocks) => blocks
            .iter()
            .filter_map(|block| block["text"].as_str().or(block.as_str()))
            .collect(),
        _ => Vec::new(),
    }
}
