//! Settings on this machine: the person's file, the project's, the environment, flags; and the
//! commands of a steering file if the settings have none.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use kumite_formats::settings::{self, AgentSettings, Flag, Layer, Origin, Settings};
use kumite_formats::verification_commands;
use schemars::JsonSchema;
use serde::Serialize;

use crate::project::Project;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read {path}")]
    Read { path: PathBuf, source: io::Error },
    #[error("{path} is not UTF-8")]
    NotText { path: PathBuf },
    #[error(transparent)]
    Wrong(#[from] settings::Error),
    #[error("{path}: {wrong}")]
    Table {
        path: PathBuf,
        wrong: verification_commands::Error,
    },
    #[error("there is no agent {name}; known are {known}; [agents.{name}] would define it")]
    NoAgent { name: String, known: String },
}

/// The table of commands that check a project.
const VERIFICATION: &str = ".kiro/steering/verification-commands.md";

/// The settings on the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flags {
    pub jobs: Option<u32>,
}

/// Settings that can be read again: changes count from the next start on.
#[derive(Clone, Debug)]
pub struct Loader {
    project: Project,
    flags: Flags,
    pub loaded: Loaded,
}

#[derive(Clone, Debug)]
pub struct Loaded {
    pub settings: Arc<Settings>,
    /// Every setting, its value, and where it comes from.
    pub origins: Vec<(String, String, Origin)>,
}

/// One setting, for people and programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Setting")]
pub struct Row {
    pub key: String,
    pub value: String,
    /// `default`, a file, or the name of a variable or flag.
    pub origin: String,
}

impl Loaded {
    /// `kumite config show --json`.
    pub fn rows(&self) -> Vec<Row> {
        let rows = self.origins.iter().map(|(key, value, origin)| Row {
            key: key.clone(),
            value: value.clone(),
            origin: origin_words(origin),
        });
        rows.collect()
    }
}

fn origin_words(origin: &Origin) -> String {
    match origin {
        Origin::Default => "default".to_owned(),
        Origin::Person(path) | Origin::Project(path) => path.display().to_string(),
        Origin::Env(name) => format!("environment {name}"),
        Origin::Flag(name) => format!("flag {name}"),
    }
}

impl Loader {
    pub fn load(project: &Project, flags: Flags) -> Result<Loader, Error> {
        Ok(Loader {
            loaded: load(project, flags)?,
            project: project.clone(),
            flags,
        })
    }

    /// The built-in settings, for work that must succeed although the files are wrong: ending an
    /// agent needs no settings.
    pub fn defaults(project: &Project) -> Loader {
        Loader {
            project: project.clone(),
            flags: Flags::default(),
            loaded: Loaded {
                settings: Arc::default(),
                origins: Vec::new(),
            },
        }
    }

    /// How many specs work at the same time, if given on the command line.
    pub fn jobs(&self) -> Option<u32> {
        self.flags.jobs
    }

    pub fn reload(&mut self) -> Result<(), Error> {
        self.loaded = load(&self.project, self.flags)?;
        Ok(())
    }
}

fn load(project: &Project, flags: Flags) -> Result<Loaded, Error> {
    let person = person_file();
    let files = [
        person.map(|path| (Origin::Person(path.clone()), path)),
        Some((
            Origin::Project(project.settings_file()),
            project.settings_file(),
        )),
    ];
    let mut texts = Vec::new();
    for (origin, path) in files.into_iter().flatten() {
        texts.extend(read(path)?.map(|text| (origin, text)));
    }
    let layers: Vec<Layer<'_>> = texts
        .iter()
        .map(|(origin, text)| Layer {
            origin: origin.clone(),
            text,
        })
        .collect();
    let env: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| name.starts_with("KUMITE_"))
        .collect();
    let jobs = flags.jobs.map(|jobs| Flag {
        name: "--jobs".to_owned(),
        key: "run.jobs".to_owned(),
        value: jobs.to_string(),
    });
    let jobs: Vec<Flag> = jobs.into_iter().collect();
    let loaded = with_table(project, Settings::load(&layers, &env, &jobs)?)?;
    Ok(Loaded {
        settings: Arc::new(loaded.settings),
        origins: loaded.origins,
    })
}

/// Settings that name no verify command get those of the steering file, which other tools use too.
/// A table that cannot be read is no error for a project that names its own commands.
fn with_table(project: &Project, loaded: settings::Loaded) -> Result<settings::Loaded, Error> {
    if loaded.names_commands() {
        return Ok(loaded);
    }
    let path = project.root().join(VERIFICATION);
    let Some(text) = read(path.clone())? else {
        return Ok(loaded);
    };
    match verification_commands::parse(&text) {
        Ok(commands) if commands.is_empty() => Ok(loaded),
        Ok(commands) => Ok(loaded.or_commands(commands, Origin::Project(path))),
        Err(wrong) => Err(Error::Table { path, wrong }),
    }
}

fn read(path: PathBuf) -> Result<Option<String>, Error> {
    match fs::read(&path) {
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| Error::NotText { path }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
        Err(source) => Err(Error::Read { path, source }),
    }
}

/// `$XDG_CONFIG_HOME/kumite/config.toml`; without a home there is none.
fn person_file() -> Option<PathBuf> {
    let dir = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let config = dir("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| dir("HOME").map(|home| PathBuf::from(home).join(".config")))?;
    Some(config.join("kumite/config.toml"))
}

/// An agent by its name.
pub fn agent<'a>(settings: &'a Settings, name: &str) -> Result<&'a AgentSettings, Error> {
    settings.agents.get(name).ok_or_else(|| Error::NoAgent {
        name: name.to_owned(),
        known: settings
            .agents
            .keys()
            .cloned()
            .collect::<Vec<_>>()
            .join(", "),
    })
}
