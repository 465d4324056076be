//! The keys of `[agents.<name>]`, and which kinds of agent have them.

use super::agent_draft::Draft;
use super::agents::Prompt;
use super::value::{Allowed, Plain};

pub(super) const PROMPTS: [(&str, Prompt); 3] = [
    ("stdin", Prompt::Stdin),
    ("file", Prompt::File),
    ("none", Prompt::None),
];
const MODES: [&str; 6] = [
    "default",
    "acceptEdits",
    "plan",
    "dontAsk",
    "bypassPermissions",
    "auto",
];
const PLACEHOLDERS: [&str; 4] = ["step", "spec", "round", "prompt_file"];
pub(super) const LATER: [&str; 4] = ["codex", "gemini", "opencode", "acp"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Claude,
    Command,
    Scripted,
}

const KINDS: [(&str, Kind); 3] = [
    ("claude", Kind::Claude),
    ("command", Kind::Command),
    ("scripted", Kind::Scripted),
];

/// One key of `[agents.<name>]`.
pub struct AgentKey {
    pub name: &'static str,
    pub doc: &'static str,
    /// The kinds of agent that have it.
    pub(super) kinds: &'static [Kind],
    pub(super) read: fn(&mut Draft, &Plain) -> Result<(), Allowed>,
}

pub const AGENT_KEYS: &[AgentKey] = &[
    AgentKey {
        name: "kind",
        doc: "what the program is: \"claude\", \"command\" or \"scripted\"",
        kinds: &[Kind::Claude, Kind::Command, Kind::Scripted],
        read: |it, value| put(&mut it.kind, kind(value)),
    },
    AgentKey {
        name: "env",
        doc: "added to the environment of the program",
        kinds: &[Kind::Claude, Kind::Command, Kind::Scripted],
        read: |it, value| put(&mut it.env, value.text_map()),
    },
    AgentKey {
        name: "program",
        doc: "name or path of the claude program",
        kinds: &[Kind::Claude],
        read: |it, value| put(&mut it.program, value.some_text()),
    },
    AgentKey {
        name: "args",
        doc: "more arguments for claude",
        kinds: &[Kind::Claude],
        read: |it, value| put(&mut it.args, value.texts()),
    },
    AgentKey {
        name: "model",
        doc: "the model to ask for; empty: the program's own choice",
        kinds: &[Kind::Claude],
        read: |it, value| put(&mut it.model, value.text()),
    },
    AgentKey {
        name: "permission_mode",
        doc: "what claude may do without asking",
        kinds: &[Kind::Claude],
        read: |it, value| put(&mut it.permission_mode, mode(value)),
    },
    AgentKey {
        name: "command",
        doc: "program and arguments; {step}, {spec}, {round}, {prompt_file} are filled in",
        kinds: &[Kind::Command],
        read: |it, value| put(&mut it.command, command(value)),
    },
    AgentKey {
        name: "prompt",
        doc: "how the program gets its prompt: \"stdin\", \"file\" or \"none\"",
        kinds: &[Kind::Command],
        read: |it, value| put(&mut it.prompt, value.word(&PROMPTS)),
    },
    AgentKey {
        name: "script",
        doc: "path of the script that a scripted agent plays",
        kinds: &[Kind::Scripted],
        read: |it, value| put(&mut it.script, value.some_text()),
    },
];

impl Kind {
    pub fn name(self) -> &'static str {
        KINDS
            .iter()
            .find(|(_, kind)| *kind == self)
            .map_or("", |(name, _)| name)
    }
}

fn put<T>(slot: &mut Option<T>, value: Result<T, Allowed>) -> Result<(), Allowed> {
    *slot = Some(value?);
    Ok(())
}

fn kind(value: &Plain) -> Result<Kind, Allowed> {
    value.word(&KINDS).map_err(|allowed| match value {
        Plain::Text(word) if LATER.contains(&word.as_str()) => {
            format!("{allowed}: \"{word}\" is not supported by this version")
        }
        _ => allowed,
    })
}

fn mode(value: &Plain) -> Result<String, Allowed> {
    let modes = MODES.map(|mode| (mode, mode));
    value.word(&modes).map(str::to_owned)
}

fn command(value: &Plain) -> Result<Vec<String>, Allowed> {
    let command = value.texts()?;
    if command
        .first()
        .is_none_or(|program| program.trim().is_empty())
    {
        return Err("a list with at least a program, such as [\"./agent.sh\"]".to_owned());
    }
    match command.iter().find_map(|word| unknown_placeholder(word)) {
        Some(name) => {
            let known = "free of placeholders but {step}, {spec}, {round} and {prompt_file}";
            Err(format!("{known}; {{{name}}} is unknown"))
        }
        None => Ok(command),
    }
}

/// Only `{name}` is a placeholder; other braces, such as those of JSON, are left alone.
fn unknown_placeholder(word: &str) -> Option<&str> {
    let opened = word.split('{').skip(1);
    let mut names = opened.filter_map(|rest| Some(rest.split_once('}')?.0));
    names.find(|name| {
        let is_name = name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        !name.is_empty() && is_name && !PLACEHOLDERS.contains(name)
    })
}
