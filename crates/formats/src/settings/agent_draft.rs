//! An agent while its settings are put together.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::agent_keys::{AGENT_KEYS, AgentKey, Kind, LATER};
use super::agents::{AgentKind, AgentSettings, Prompt};
use super::source::Where;
use super::value::{Allowed, Plain};
use super::{Error, Origin};

/// What was given of one agent.
#[derive(Default)]
pub(super) struct Draft {
    pub kind: Option<Kind>,
    pub env: Option<BTreeMap<String, String>>,
    pub program: Option<String>,
    pub args: Option<Vec<String>>,
    pub model: Option<String>,
    pub permission_mode: Option<String>,
    pub command: Option<Vec<String>>,
    pub prompt: Option<Prompt>,
    pub script: Option<String>,
    /// Where the agent was named first.
    pub first: Option<Where>,
    /// Each key that was given, and where.
    pub given: Vec<(&'static str, Where)>,
}

pub(super) fn built_in() -> BTreeMap<String, AgentSettings> {
    let agents = [("claude", Kind::Claude), ("scripted", Kind::Scripted)];
    let plain = |(name, kind): (&str, Kind)| {
        let settings = AgentSettings {
            kind: Draft::default().build(kind),
            env: BTreeMap::new(),
        };
        (name.to_owned(), settings)
    };
    agents.into_iter().map(plain).collect()
}

impl Draft {
    pub fn read(&mut self, key: &'static AgentKey, value: &Plain) -> Result<(), Allowed> {
        (key.read)(self, value)
    }

    /// The finished agent, or what is missing and what is too much.
    pub fn finish(mut self, name: &str) -> Result<AgentSettings, Error> {
        let Some(kind) = self.kind.or_else(|| own_kind(name)) else {
            return Err(self.wrong(name, no_kind(name)));
        };
        for (key, from) in &self.given {
            let known = AGENT_KEYS.iter().find(|known| known.name == *key);
            if known.is_some_and(|known| !known.kinds.contains(&kind)) {
                let message = format!(
                    "`agents.{name}` is of kind \"{}\", which has no `{key}`; it has {}",
                    kind.name(),
                    keys_of(kind)
                );
                return Err(from.error(Some(&format!("agents.{name}.{key}")), message));
            }
        }
        if kind == Kind::Command && self.command.is_none() {
            let message = format!("`agents.{name}` needs `command = [\"program\", \"argument\"]`");
            return Err(self.wrong(name, message));
        }
        let env = self.env.take().unwrap_or_default();
        Ok(AgentSettings {
            kind: self.build(kind),
            env,
        })
    }

    fn build(self, kind: Kind) -> AgentKind {
        match kind {
            Kind::Claude => AgentKind::Claude {
                program: self.program.unwrap_or_else(|| "claude".to_owned()),
                args: self.args.unwrap_or_default(),
                model: self.model.unwrap_or_default(),
                permission_mode: self
                    .permission_mode
                    .unwrap_or_else(|| "acceptEdits".to_owned()),
            },
            Kind::Command => AgentKind::Command {
                command: self.command.unwrap_or_default(),
                prompt: self.prompt.unwrap_or(Prompt::Stdin),
            },
            Kind::Scripted => AgentKind::Scripted {
                script: self.script.map(PathBuf::from),
            },
        }
    }

    fn wrong(&self, name: &str, message: String) -> Error {
        let nowhere = || Where {
            origin: Origin::Default,
            place: None,
        };
        let from = self.first.clone().unwrap_or_else(nowhere);
        from.error(Some(&format!("agents.{name}")), message)
    }
}

fn own_kind(name: &str) -> Option<Kind> {
    match name {
        "claude" => Some(Kind::Claude),
        "scripted" => Some(Kind::Scripted),
        _ => None,
    }
}

fn no_kind(name: &str) -> String {
    let later = match LATER.contains(&name) {
        true => " (a driver for it is not supported by this version; any program is a \"command\")",
        false => "",
    };
    format!("`agents.{name}` needs `kind = \"command\"`, \"claude\" or \"scripted\"{later}")
}

fn keys_of(kind: Kind) -> String {
    let keys = AGENT_KEYS.iter().filter(|key| key.kinds.contains(&kind));
    keys.map(|key| format!("`{}`", key.name))
        .collect::<Vec<_>>()
        .join(", ")
}
