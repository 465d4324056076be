//! An agent while its settings are collected.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kumite_core::program::ProgramKind;

use super::agent_keys::{AGENT_KEYS, AgentKey, Kind, kinds, unknown_placeholder};
use super::source::Where;
use super::value::{Allowed, Plain, quoted};
use super::{AgentKind, AgentSettings, Error, Prompt};

/// The settings given for one agent.
#[derive(Default)]
pub(super) struct Draft {
    pub kind: Option<Kind>,
    pub env: Option<BTreeMap<String, String>>,
    pub env_allow: Option<Vec<String>>,
    pub program: Option<String>,
    pub args: Option<Vec<String>>,
    pub model: Option<String>,
    pub permission_mode: Option<String>,
    pub command: Option<Vec<String>>,
    pub prompt: Option<Prompt>,
    pub script: Option<String>,
    /// Where the agent was named first.
    pub first: Option<Where>,
    /// Each key that was given, and where; the last one of each key counts.
    pub given: Vec<(&'static str, Where)>,
}

pub(super) fn built_in() -> BTreeMap<String, AgentSettings> {
    let agents = kinds()
        .into_iter()
        .filter(|(name, _)| own_kind(name).is_some());
    let plain = |(name, kind): (&str, Kind)| {
        let settings = AgentSettings {
            kind: Draft::default().build(kind),
            env: BTreeMap::new(),
            env_allow: Vec::new(),
        };
        (name.to_owned(), settings)
    };
    agents.map(plain).collect()
}

impl Draft {
    pub fn read(&mut self, key: &'static AgentKey, value: &Plain) -> Result<(), Allowed> {
        (key.read)(self, value)
    }

    /// The finished agent, or an error for a missing or surplus key.
    pub fn finish(mut self, name: &str) -> Result<AgentSettings, Error> {
        let Some(kind) = self.kind.or_else(|| own_kind(name)) else {
            return Err(self.wrong(name, None, no_kind(name)));
        };
        for (key, from) in &self.given {
            let known = AGENT_KEYS.iter().find(|known| known.name == *key);
            if known.is_some_and(|known| !(known.is_of)(kind)) {
                let message = format!(
                    "`agents.{name}` is of kind \"{}\", which has no `{key}`; it has {}",
                    kind.name(),
                    keys_of(kind)
                );
                return Err(from.error(Some(&format!("agents.{name}.{key}")), message));
            }
        }
        match kind {
            Kind::Program(program) => self.check_mode(name, program)?,
            Kind::Acp | Kind::Command => self.check_command(name, kind)?,
            Kind::Scripted => {}
        }
        let env = self.env.take().unwrap_or_default();
        let env_allow = self.env_allow.take().unwrap_or_default();
        Ok(AgentSettings {
            kind: self.build(kind),
            env,
            env_allow,
        })
    }

    fn check_mode(&self, name: &str, program: ProgramKind) -> Result<(), Error> {
        let Some(mode) = &self.permission_mode else {
            return Ok(());
        };
        if program.info().modes.contains(&mode.as_str()) {
            return Ok(());
        }
        let key = "permission_mode";
        let words: Vec<String> = program
            .info()
            .modes
            .iter()
            .map(|mode| quoted(mode))
            .collect();
        let message = format!(
            "`agents.{name}.{key}` must be {} for an agent of kind \"{}\"",
            words.join(" or "),
            program.name()
        );
        Err(self.wrong(name, Some(key), message))
    }

    fn check_command(&self, name: &str, kind: Kind) -> Result<(), Error> {
        let Some(command) = &self.command else {
            let message = format!("`agents.{name}` needs `command = [\"program\", \"argument\"]`");
            return Err(self.wrong(name, None, message));
        };
        // An ACP agent gets everything in its session; its command line has no placeholders.
        if kind == Kind::Acp {
            return Ok(());
        }
        match unknown_placeholder(command) {
            None => Ok(()),
            Some(unknown) => {
                let message = format!(
                    "`agents.{name}.command` must be free of placeholders but {{step}}, {{spec}}, \
                     {{round}} and {{prompt_file}}; {{{unknown}}} is unknown"
                );
                Err(self.wrong(name, Some("command"), message))
            }
        }
    }

    fn build(self, kind: Kind) -> AgentKind {
        match kind {
            Kind::Program(kind) => AgentKind::Program {
                kind,
                program: self.program.unwrap_or_else(|| kind.name().to_owned()),
                args: self.args.unwrap_or_default(),
                model: self.model.unwrap_or_default(),
                permission_mode: self
                    .permission_mode
                    .unwrap_or_else(|| kind.info().default_mode.to_owned()),
            },
            Kind::Acp => AgentKind::Acp {
                command: self.command.unwrap_or_default(),
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

    /// An error at the place of `key`, or where the agent was first named.
    fn wrong(&self, name: &str, key: Option<&str>, message: String) -> Error {
        let last = self.given.iter().rfind(|(given, _)| Some(*given) == key);
        let from = last.map(|(_, from)| from).or(self.first.as_ref()).cloned();
        let key = key.map_or_else(String::new, |key| format!(".{key}"));
        let key = format!("agents.{name}{key}");
        from.unwrap_or_else(Where::nowhere)
            .error(Some(&key), message)
    }
}

/// The kind of an agent with a known name, if none is set. The other kinds need a command, which
/// cannot be guessed.
fn own_kind(name: &str) -> Option<Kind> {
    let (_, kind) = kinds().into_iter().find(|(known, _)| *known == name)?;
    match kind {
        Kind::Program(_) | Kind::Scripted => Some(kind),
        Kind::Acp | Kind::Command => None,
    }
}

fn no_kind(name: &str) -> String {
    let kinds: Vec<String> = kinds().iter().map(|(kind, _)| quoted(kind)).collect();
    let kinds = kinds.join(" or ");
    format!("`agents.{name}` needs `kind`: {kinds}; any program can be a \"command\"")
}

fn keys_of(kind: Kind) -> String {
    let keys = AGENT_KEYS.iter().filter(|key| (key.is_of)(kind));
    keys.map(|key| format!("`{}`", key.name))
        .collect::<Vec<_>>()
        .join(", ")
}
