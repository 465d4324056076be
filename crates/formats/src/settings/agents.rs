//! `[agents.<name>]`: the programs that do the work.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kumite_core::program::ProgramKind;
use kumite_core::secret::shown_args;

use super::agent_keys::PROMPTS;
use super::value::{quoted, quoted_list};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSettings {
    pub kind: AgentKind,
    /// Added to the environment of the program.
    pub env: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentKind {
    /// A program with a driver of its own.
    Program {
        kind: ProgramKind,
        program: String,
        args: Vec<String>,
        /// Empty: the program decides.
        model: String,
        /// One of the program's own words for what it may do without asking.
        permission_mode: String,
    },
    /// Any program that speaks the Agent Client Protocol.
    Acp { command: Vec<String> },
    /// Any program; `{step}`, `{spec}`, `{round}` and `{prompt_file}` are filled in.
    Command {
        command: Vec<String>,
        prompt: Prompt,
    },
    /// kumite's own stand-in, for demonstrations and tests.
    Scripted { script: Option<PathBuf> },
}

/// How a command gets its prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prompt {
    Stdin,
    File,
    None,
}

impl AgentSettings {
    /// Each key with its value as TOML. Values of `env` are left out, and so are arguments that
    /// look secret.
    pub(super) fn show(&self) -> Vec<(&'static str, String)> {
        let mut shown = match &self.kind {
            AgentKind::Program {
                kind,
                program,
                args,
                model,
                permission_mode,
            } => vec![
                ("kind", quoted(kind.name())),
                ("program", quoted(program)),
                ("args", quoted_list(&shown_args(args))),
                ("model", quoted(model)),
                ("permission_mode", quoted(permission_mode)),
            ],
            AgentKind::Acp { command } => {
                vec![
                    ("kind", quoted("acp")),
                    ("command", quoted_list(&shown_args(command))),
                ]
            }
            AgentKind::Command { command, prompt } => {
                let word = PROMPTS.iter().find(|(_, known)| known == prompt);
                vec![
                    ("kind", quoted("command")),
                    ("command", quoted_list(&shown_args(command))),
                    ("prompt", quoted(word.map_or("", |(word, _)| word))),
                ]
            }
            AgentKind::Scripted { script } => {
                let path = script.as_deref().unwrap_or_else(|| "".as_ref());
                vec![
                    ("kind", quoted("scripted")),
                    ("script", quoted(&path.to_string_lossy())),
                ]
            }
        };
        let hidden = self
            .env
            .keys()
            .map(|name| format!("{} = \"…\"", quoted(name)));
        let hidden = hidden.collect::<Vec<_>>().join(", ");
        shown.push((
            "env",
            if hidden.is_empty() {
                "{}".into()
            } else {
                format!("{{ {hidden} }}")
            },
        ));
        shown
    }
}
