//! The agent under test, as the settings describe it.

use std::path::{Path, PathBuf};

use kumite_agents::{AcpConfig, CommandConfig, Driver, ProgramConfig, PromptBy};
use kumite_formats::settings::{AgentKind, AgentSettings, ProgramKind, Prompt};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Program(ProgramKind),
    Acp,
    Command,
}

impl Kind {
    /// Its word in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Program(program) => program.name(),
            Kind::Acp => "acp",
            Kind::Command => "command",
        }
    }

    /// How a person installs the program.
    pub fn install(self) -> &'static str {
        match self {
            Kind::Program(program) => program.facts().install,
            Kind::Acp | Kind::Command => "correct `command` in .kiro/kumite.toml",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Agent {
    pub name: String,
    pub kind: Kind,
    settings: AgentSettings,
}

/// What a scenario changes in the start of an agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    /// Run this program instead.
    pub program: Option<PathBuf>,
    /// Arguments after those of the settings.
    pub args: Vec<String>,
    /// How a command gets its prompt.
    pub prompt: PromptBy,
}

impl Agent {
    /// `None`: it is kumite's own agent, which needs no check.
    pub fn new(name: &str, settings: &AgentSettings) -> Option<Agent> {
        let kind = match &settings.kind {
            AgentKind::Program { kind, .. } => Kind::Program(*kind),
            AgentKind::Acp { .. } => Kind::Acp,
            AgentKind::Command { .. } => Kind::Command,
            AgentKind::Scripted { .. } => return None,
        };
        Some(Agent {
            name: name.to_owned(),
            kind,
            settings: settings.clone(),
        })
    }

    pub fn program(&self) -> &str {
        match &self.settings.kind {
            AgentKind::Program { program, .. } => program,
            AgentKind::Acp { command } | AgentKind::Command { command, .. } => {
                command.first().map_or("", String::as_str)
            }
            AgentKind::Scripted { .. } => "",
        }
    }

    /// The kind of model it calls: an ACP agent is usually one of the known programs in another
    /// mode.
    pub(crate) fn host(&self) -> Kind {
        let name = Path::new(self.program()).file_stem().unwrap_or_default();
        match (self.kind, name.to_str()) {
            (Kind::Acp, Some(name @ ("gemini" | "opencode"))) => {
                ProgramKind::named(name).map_or(Kind::Acp, Kind::Program)
            }
            (kind, _) => kind,
        }
    }

    pub(crate) fn env(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let env = self.settings.env.iter();
        env.map(|(name, value)| (name.clone(), value.clone()))
    }

    /// The driver as configured, in `project`, with the `change` applied.
    pub(crate) fn driver(&self, project: &Path, binary: &Path, change: &Change) -> Driver {
        match &self.settings.kind {
            AgentKind::Program {
                kind,
                program,
                args,
                model,
                permission_mode,
            } => {
                let config = ProgramConfig {
                    program: chosen(program, project, change),
                    args: args.iter().chain(&change.args).cloned().collect(),
                    model: model.clone(),
                    permission_mode: permission_mode.clone(),
                };
                Driver::Program(*kind, config)
            }
            AgentKind::Acp { command } => Driver::Acp(AcpConfig {
                bridge: binary.to_string_lossy().into_owned(),
                command: self.words(command, project, change),
            }),
            AgentKind::Command { command, prompt } => Driver::Command(CommandConfig {
                command: self.words(command, project, change),
                prompt: match (&change.program, prompt) {
                    (Some(_), _) => change.prompt,
                    (None, Prompt::Stdin) => PromptBy::Stdin,
                    (None, Prompt::File) => PromptBy::File,
                    (None, Prompt::None) => PromptBy::None,
                },
            }),
            // `Agent::new` makes none of these.
            AgentKind::Scripted { .. } => Driver::Command(CommandConfig {
                command: Vec::new(),
                prompt: PromptBy::None,
            }),
        }
    }

    /// A copy with another model and all permissions: the stage is thrown away anyway.
    pub(crate) fn obeying(&self, model: &str) -> Agent {
        let mut agent = self.clone();
        if let AgentKind::Program {
            kind,
            model: chosen,
            permission_mode,
            ..
        } = &mut agent.settings.kind
        {
            model.clone_into(chosen);
            kind.facts().free_mode.clone_into(permission_mode);
        }
        agent
    }

    fn words(&self, command: &[String], project: &Path, change: &Change) -> Vec<String> {
        let program = chosen(self.program(), project, change);
        let own = match change.program {
            Some(_) => &[],
            None => command.get(1..).unwrap_or_default(),
        };
        let args = own.iter().chain(&change.args).cloned();
        [program].into_iter().chain(args).collect()
    }
}

/// A path in the settings is relative to the project, but a stage is elsewhere.
fn chosen(program: &str, project: &Path, change: &Change) -> String {
    match &change.program {
        Some(path) => path.to_string_lossy().into_owned(),
        None if program.contains('/') => project.join(program).to_string_lossy().into_owned(),
        None => program.to_owned(),
    }
}
