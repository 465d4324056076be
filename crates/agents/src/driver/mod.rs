//! The drivers: each knows one kind of agent program, and turns an order into what to run.
//! They touch nothing; running it is [`crate::launch()`]'s.

mod claude;
mod command;
mod scripted;

use std::path::PathBuf;

use crate::request::Protocol;
pub use claude::ClaudeConfig;
pub use command::{CommandConfig, PromptBy};
pub use scripted::ScriptedConfig;

/// What an agent is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub prompt: String,
    /// A uuid chosen up front, so that the session is known even if the agent dies at once.
    pub session: String,
    /// The session to go on with, instead of a new one.
    pub resume: Option<String>,
    pub spec: String,
    /// As in `KUMITE_STEP`.
    pub step: String,
    pub round: u32,
    /// Where the caller has written the prompt, for programs that want a file.
    pub prompt_file: Option<PathBuf>,
}

/// What to run for it: a driver's part of a [`crate::Request`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    pub program: String,
    pub args: Vec<String>,
    /// To be added to the agent's environment.
    pub env: Vec<(String, String)>,
    pub stdin: Option<String>,
    pub protocol: Protocol,
    /// The session as far as it is known before the agent has said anything.
    pub session: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driver {
    Claude(ClaudeConfig),
    Command(CommandConfig),
    Scripted(ScriptedConfig),
}

impl Driver {
    pub fn invocation(&self, order: &Order) -> Invocation {
        match self {
            Driver::Claude(config) => config.invocation(order),
            Driver::Command(config) => config.invocation(order),
            Driver::Scripted(config) => config.invocation(order),
        }
    }
}

impl Order {
    /// The session that this order will have.
    fn session(&self) -> &str {
        self.resume.as_ref().unwrap_or(&self.session)
    }
}

#[cfg(test)]
fn order(prompt: &str) -> Order {
    Order {
        prompt: prompt.to_owned(),
        session: "new-uuid".to_owned(),
        resume: None,
        spec: "login".to_owned(),
        step: "review".to_owned(),
        round: 3,
        prompt_file: None,
    }
}
