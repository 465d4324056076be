//! The keys of `[agents.<name>]`, and the kinds of agents that have them.

use kumite_core::program::ProgramKind;

use super::agent_draft::Draft;
use super::agents::Prompt;
use super::value::{Allowed, Plain};

pub(super) const PROMPTS: [(&str, Prompt); 3] = [
    ("stdin", Prompt::Stdin),
    ("file", Prompt::File),
    ("none", Prompt::None),
];
const PLACEHOLDERS: [&str; 4] = ["step", "spec", "round", "prompt_file"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Program(ProgramKind),
    Acp,
    Command,
    Scripted,
}

/// All kinds with their words, the known programs first.
pub(super) fn kinds() -> Vec<(&'static str, Kind)> {
    let programs = ProgramKind::ALL.into_iter().map(Kind::Program);
    let others = [Kind::Acp, Kind::Command, Kind::Scripted];
    let all = programs.chain(others);
    all.map(|kind| (kind.name(), kind)).collect()
}

/// One key of `[agents.<name>]`.
pub struct AgentKey {
    pub name: &'static str,
    pub doc: &'static str,
    /// Whether agents of this kind have this key.
    pub(super) is_of: fn(Kind) -> bool,
    pub(super) read: fn(&mut Draft, &Plain) -> Result<(), Allowed>,
}

pub const AGENT_KEYS: &[AgentKey] = &[
    AgentKey {
        name: "kind",
        doc: "what the program is: one that kumite knows by name, such as \"claude\", or \"acp\", \
              \"command\" or \"scripted\"",
        is_of: |_| true,
        read: |it, value| put(&mut it.kind, value.word(&kinds())),
    },
    AgentKey {
        name: "env",
        doc: "added to the environment of the program",
        is_of: |_| true,
        read: |it, value| put(&mut it.env, value.text_map()),
    },
    AgentKey {
        name: "program",
        doc: "name or path of the program",
        is_of: Kind::is_program,
        read: |it, value| put(&mut it.program, value.some_text()),
    },
    AgentKey {
        name: "args",
        doc: "more arguments for the program",
        is_of: Kind::is_program,
        read: |it, value| put(&mut it.args, value.texts()),
    },
    AgentKey {
        name: "model",
        doc: "the model to ask for; empty: the program's own choice",
        is_of: Kind::is_program,
        read: |it, value| put(&mut it.model, value.text()),
    },
    AgentKey {
        name: "permission_mode",
        doc: "what the program may do without asking, in its own words",
        is_of: Kind::is_program,
        read: |it, value| put(&mut it.permission_mode, value.text()),
    },
    AgentKey {
        name: "command",
        doc: "program and arguments; for kind \"command\", {step}, {spec}, {round} and \
              {prompt_file} are filled in",
        is_of: |kind| matches!(kind, Kind::Acp | Kind::Command),
        read: |it, value| put(&mut it.command, command(value)),
    },
    AgentKey {
        name: "prompt",
        doc: "how the program gets its prompt: \"stdin\", \"file\" or \"none\"",
        is_of: |kind| kind == Kind::Command,
        read: |it, value| put(&mut it.prompt, value.word(&PROMPTS)),
    },
    AgentKey {
        name: "script",
        doc: "path of the script that a scripted agent plays",
        is_of: |kind| kind == Kind::Scripted,
        read: |it, value| put(&mut it.script, value.some_text()),
    },
];

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Program(program) => program.name(),
            Kind::Acp => "acp",
            Kind::Command => "command",
            Kind::Scripted => "scripted",
        }
    }

    fn is_program(self) -> bool {
        matches!(self, Kind::Program(_))
    }
}

fn put<T>(slot: &mut Option<T>, value: Result<T, Allowed>) -> Result<(), Allowed> {
    *slot = Some(value?);
    Ok(())
}

fn command(value: &Plain) -> Result<Vec<String>, Allowed> {
    let command = value.texts()?;
    let program = command.first().filter(|program| !program.trim().is_empty());
    match program {
        Some(_) => Ok(command),
        None => Err("a list with at least a program, such as [\"./agent.sh\"]".to_owned()),
    }
}

/// The first unknown placeholder in the command. Only `{name}` is a placeholder; other braces, such
/// as those of JSON, are ignored.
pub(super) fn unknown_placeholder(command: &[String]) -> Option<&str> {
    let opened = command.iter().flat_map(|word| word.split('{').skip(1));
    let mut names = opened.filter_map(|rest| Some(rest.split_once('}')?.0));
    names.find(|name| {
        let is_name = name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        !name.is_empty() && is_name && !PLACEHOLDERS.contains(name)
    })
}
