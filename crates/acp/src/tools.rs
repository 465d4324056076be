//! Tool calls. An agent announces a call, often before it knows the details, adds to it, and ends
//! it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use agent_client_protocol_schema::v1::{
    ContentBlock, Diff, Meta, ToolCall, ToolCallContent, ToolCallStatus, ToolCallUpdate, ToolKind,
};
use kumite_agents::Said;
use serde_json::Value;

use crate::diff::diff;

#[derive(Default)]
pub struct Tools {
    open: HashMap<String, Open>,
    ended: HashSet<String>,
    /// The last change of each file: a write and the call it belongs to report the same change.
    changes: HashMap<PathBuf, String>,
    /// The files that we wrote for the agent.
    written: HashSet<PathBuf>,
}

struct Open {
    call: ToolCall,
    /// The agent's own name of the tool.
    name: Option<String>,
    /// The latest diffs: the answer of a tool may replace them by text.
    diffs: Vec<Diff>,
    announced: bool,
    told: bool,
}

impl Tools {
    /// Handles a call, or an update of one. A call that is only announced is reported with its next
    /// update, which has the details.
    pub fn update(&mut self, update: ToolCallUpdate) -> Vec<Said> {
        self.take(update, false)
    }

    /// The agent asks for permission, so the details are known.
    pub fn asked(&mut self, update: ToolCallUpdate) -> Vec<Said> {
        self.take(update, true)
    }

    fn take(&mut self, update: ToolCallUpdate, tell: bool) -> Vec<Said> {
        let id = update.tool_call_id.to_string();
        let diffs = diffs(update.fields.content.as_deref().unwrap_or_default());
        if self.ended.contains(&id) {
            return self.changed(&diffs);
        }
        let open = self.open.entry(id.clone()).or_insert_with(|| Open {
            call: ToolCall::new(id.clone(), ""),
            name: None,
            diffs: Vec::new(),
            announced: false,
            told: false,
        });
        if !diffs.is_empty() {
            open.diffs = diffs;
        }
        open.name = own_name(update.meta.as_ref()).or(open.name.take());
        open.call.update(update.fields);
        let mut said = Vec::new();
        let pending = open.call.status == ToolCallStatus::Pending;
        if !open.told && (tell || open.announced || !pending) {
            open.told = true;
            said.push(Said::Tool {
                id: id.clone(),
                name: open.name(),
                what: open.what(),
            });
        }
        open.announced = true;
        let ok = match open.call.status {
            ToolCallStatus::Completed => true,
            ToolCallStatus::Failed => false,
            _ => return said,
        };
        said.push(Said::ToolEnded {
            id: id.clone(),
            ok,
            text: open.answer(),
        });
        let silent = open.changed_silently();
        let diffs = std::mem::take(&mut open.diffs);
        self.open.remove(&id);
        self.ended.insert(id);
        // A failed change was only proposed, not made.
        if ok {
            said.extend(self.changed(&diffs));
            let untold = silent.iter().filter(|path| !self.written.contains(*path));
            said.extend(untold.map(|path| change(path, String::new())));
        }
        said
    }

    /// We wrote a file for the agent.
    pub fn wrote(&mut self, path: &Path, old: &str, new: &str) -> Option<Said> {
        self.written.insert(path.to_owned());
        self.became(path, old, new)
    }

    fn changed(&mut self, diffs: &[Diff]) -> Vec<Said> {
        let became = |diff: &Diff| {
            let old = diff.old_text.as_deref().unwrap_or_default();
            self.became(&diff.path, old, &diff.new_text)
        };
        diffs.iter().filter_map(became).collect()
    }

    fn became(&mut self, path: &Path, old: &str, new: &str) -> Option<Said> {
        let diff = diff(old, new);
        if self.changes.get(path) == Some(&diff) {
            return None;
        }
        self.changes.insert(path.to_owned(), diff.clone());
        Some(change(path, diff))
    }
}

fn change(path: &Path, diff: String) -> Said {
    Said::Changed {
        path: path.to_string_lossy().into_owned(),
        diff,
    }
}

impl Open {
    fn name(&self) -> String {
        let own = self.name.as_ref().or(self.call.name.as_ref());
        own.cloned().unwrap_or_else(|| kind(self.call.kind))
    }

    /// Its title; and the file, if the title does not name it.
    fn what(&self) -> String {
        let mut what = self.call.title.split_whitespace().collect::<Vec<_>>();
        let on_file = matches!(
            self.call.kind,
            ToolKind::Read | ToolKind::Edit | ToolKind::Delete | ToolKind::Move
        );
        let path = self.call.locations.first().map(|place| &place.path);
        let path = path.filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            on_file && !self.call.title.contains(&*name)
        });
        let path = path.map(|path| path.to_string_lossy());
        what.extend(path.as_deref());
        what.join(" ")
    }

    /// The files that it changes without a diff.
    fn changed_silently(&self) -> Vec<PathBuf> {
        let places = match self.call.kind {
            ToolKind::Edit | ToolKind::Delete if self.diffs.is_empty() => &self.call.locations[..],
            _ => &[],
        };
        places.iter().map(|place| place.path.clone()).collect()
    }

    fn answer(&self) -> String {
        let texts = self
            .call
            .content
            .iter()
            .filter_map(|content| match content {
                ToolCallContent::Content(content) => text(&content.content),
                _ => None,
            });
        let texts: Vec<&str> = texts.collect();
        if !texts.is_empty() {
            return texts.join("\n");
        }
        let raw = self.call.raw_output.as_ref().unwrap_or(&Value::Null);
        let words = raw.as_str().or(raw["output"].as_str());
        words.unwrap_or_default().to_owned()
    }
}

/// The text of a block, if it has any.
pub fn text(block: &ContentBlock) -> Option<&str> {
    match block {
        ContentBlock::Text(text) => Some(&text.text),
        ContentBlock::ResourceLink(link) => Some(&link.uri),
        _ => None,
    }
}

fn diffs(content: &[ToolCallContent]) -> Vec<Diff> {
    let diff = |content: &ToolCallContent| match content {
        ToolCallContent::Diff(diff) => Some(diff.clone()),
        _ => None,
    };
    content.iter().filter_map(diff).collect()
}

/// Claude's adapter sends the name separately.
fn own_name(meta: Option<&Meta>) -> Option<String> {
    let name = meta?.get("claudeCode")?["toolName"].as_str()?;
    Some(name.to_owned())
}

fn kind(kind: ToolKind) -> String {
    let word = serde_json::to_value(kind).ok();
    word.as_ref()
        .and_then(Value::as_str)
        .unwrap_or("tool")
        .to_owned()
}

#[cfg(test)]
mod tests;
