//! The agent under test, as the settings describe it.

use std::path::{Path, PathBuf};

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
            Kind::Program(program) => program.info().install,
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
    pub prompt: Prompt,
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
        self.settings.kind.program().unwrap_or_default()
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

    /// Its kind as configured, with the `change` applied.
    pub(crate) fn changed(&self, project: &Path, change: &Change) -> AgentKind {
        let mut kind = self.settings.kind.clone();
        match &mut kind {
            AgentKind::Program { program, args, .. } => {
                *program = chosen(program, project, change);
                args.extend(change.args.iter().cloned());
            }
            AgentKind::Acp { command } => *command = self.words(command, project, change),
            AgentKind::Command { command, prompt } => {
                *command = self.words(command, project, change);
                if change.program.is_some() {
                    *prompt = change.prompt;
                }
            }
            // `Agent::new` makes none of these.
            AgentKind::Scripted { .. } => {}
        }
        kind
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
            kind.info().free_mode.clone_into(permission_mode);
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
