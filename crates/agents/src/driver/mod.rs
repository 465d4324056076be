//! The drivers: each knows one kind of agent program, and turns an order into a command. They run
//! nothing; [`crate::launch()`] does.

mod acp;
mod command;
mod scripted;

use std::path::PathBuf;

use kumite_core::program::ProgramKind;

use crate::programs;
use crate::request::Protocol;
pub use acp::AcpConfig;
pub use command::{CommandConfig, PromptBy};
pub use scripted::ScriptedConfig;

/// What an agent is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub prompt: String,
    /// A uuid chosen in advance, so that the session is known even if the agent dies at once.
    pub session: String,
    /// The session to resume, instead of a new one.
    pub resume: Option<String>,
    pub spec: String,
    /// As in `KUMITE_STEP`.
    pub step: String,
    pub round: u32,
    /// The file with the prompt, for programs that need one.
    pub prompt_file: Option<PathBuf>,
    /// The most it may spend, for programs that accept a limit.
    pub cap_usd_micros: Option<u64>,
}

/// The settings for one of the programs that kumite knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramConfig {
    pub program: String,
    /// The person's own arguments.
    pub args: Vec<String>,
    /// Empty: the program's own default.
    pub model: String,
    /// What it may do without asking, in the program's own words. Empty: kumite's default.
    pub permission_mode: String,
}

impl ProgramConfig {
    pub fn new(program: &str) -> ProgramConfig {
        ProgramConfig {
            program: program.to_owned(),
            args: Vec::new(),
            model: String::new(),
            permission_mode: String::new(),
        }
    }

    pub(crate) fn mode<'a>(&'a self, default: &'a str) -> &'a str {
        match self.permission_mode.as_str() {
            "" => default,
            mode => mode,
        }
    }
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driver {
    Program(ProgramKind, ProgramConfig),
    Acp(AcpConfig),
    Command(CommandConfig),
    Scripted(ScriptedConfig),
}

impl Driver {
    pub fn invocation(&self, order: &Order) -> Invocation {
        match self {
            Driver::Program(program, config) => programs::invocation(*program, config, order),
            Driver::Acp(config) => config.invocation(order),
            Driver::Command(config) => config.invocation(order),
            Driver::Scripted(config) => config.invocation(order),
        }
    }
}

impl Order {
    /// The session that this order will have.
    pub(crate) fn session(&self) -> &str {
        self.resume.as_ref().unwrap_or(&self.session)
    }
}

pub(crate) fn words<const N: usize>(words: [&str; N]) -> [String; N] {
    words.map(str::to_owned)
}

#[cfg(test)]
pub(crate) fn order(prompt: &str) -> Order {
    Order {
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
