//! The drivers: each knows one kind of agent program, and turns an assignment into a command. They
//! run nothing; [`crate::launch()`] does.

mod acp;
mod command;
mod scripted;

use std::path::{Path, PathBuf};

use kumite_core::agent_kind::AgentKind;

use crate::programs::{self, Config};
use crate::request::Protocol;

/// What an agent is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub prompt: String,
    /// A uuid chosen in advance, so that the session is known even if the agent dies at once.
    pub session: String,
    /// The session to resume, instead of a new one.
    pub resume: Option<String>,
    pub spec: String,
    /// The name of the step, as in the variable `KUMITE_STEP`.
    pub step: String,
    pub round: u32,
    /// The file with the prompt, for programs that need one.
    pub prompt_file: Option<PathBuf>,
    /// The most it may spend, for programs that accept a limit.
    pub cap_usd_micros: Option<u64>,
}

/// What to run: a driver's part of a [`crate::Request`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    pub program: String,
    pub args: Vec<String>,
    /// Added to the agent's environment.
    pub env: Vec<(String, String)>,
    pub stdin: Option<String>,
    pub protocol: Protocol,
    /// The session, if it is known before the agent has said anything.
    pub session: Option<String>,
}

/// `binary` is the path of kumite. The path of a script is relative to `root`.
pub fn invocation(
    kind: &AgentKind,
    root: &Path,
    binary: &Path,
    assignment: &Assignment,
) -> Invocation {
    let kumite = || binary.to_string_lossy().into_owned();
    match kind {
        AgentKind::Program {
            kind,
            program,
            args,
            model,
            permission_mode: mode,
        } => {
            let config = Config {
                program,
                args,
                model,
                mode,
            };
            programs::invocation(*kind, &config, assignment)
        }
        AgentKind::Acp { command } => acp::invocation(kumite(), command, assignment),
        AgentKind::Command { command, prompt } => command::invocation(command, *prompt, assignment),
        AgentKind::Scripted { script } => {
            let script = script.as_ref().map(|script| root.join(script));
            scripted::invocation(kumite(), script, assignment)
        }
    }
}

impl Assignment {
    /// The session in which the agent will work.
    pub(crate) fn session(&self) -> &str {
        self.resume.as_ref().unwrap_or(&self.session)
    }
}

pub(crate) fn words<const N: usize>(words: [&str; N]) -> [String; N] {
    words.map(str::to_owned)
}

#[cfg(test)]
pub(crate) fn assignment(prompt: &str) -> Assignment {
    Assignment {
        prompt: prompt.to_owned(),
        session: "new-uuid".to_owned(),
        resume: None,
        spec: "login".to_owned(),
        step: "review".to_owned(),
        round: 3,
        prompt_file: None,
        cap_usd_micros: None,
    }
}
