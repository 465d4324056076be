//! An agent as the settings describe it.

use std::path::PathBuf;

use crate::program::ProgramKind;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentKind {
    /// A program with a driver of its own.
    Program {
        kind: ProgramKind,
        program: String,
        /// The person's own arguments.
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

crate::words! {
    /// How a command gets its prompt.
    #[derive(Default)]
    pub enum Prompt: name {
        #[default]
        Stdin = "stdin",
        /// As `{prompt_file}`.
        File = "file",
        None = "none",
    }
}

impl AgentKind {
    /// Its word in the settings.
    pub fn name(&self) -> &'static str {
        match self {
            AgentKind::Program { kind, .. } => kind.name(),
            AgentKind::Acp { .. } => "acp",
            AgentKind::Command { .. } => "command",
            AgentKind::Scripted { .. } => "scripted",
        }
    }

    /// The program that it starts; None: kumite itself.
    pub fn program(&self) -> Option<&str> {
        match self {
            AgentKind::Program { program, .. } => Some(program),
            AgentKind::Acp { command } | AgentKind::Command { command, .. } => {
                Some(command.first().map_or("", String::as_str))
            }
            AgentKind::Scripted { .. } => None,
        }
    }
}
