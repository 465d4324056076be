//! Where things are in a project.

use std::io;
use std::path::{Path, PathBuf};

use kumite_core::journal::AgentId;
use kumite_formats::spec_json::SpecJson;
use kumite_formats::spec_name::SpecName;

/// A directory with a `.kiro` in it.
#[derive(Clone, Debug)]
pub struct Project {
    root: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no .kiro directory here or above {from}; `kumite init` makes one")]
    NotAProject { from: PathBuf },
    #[error("there is no spec {spec}: {path} does not exist; `kumite new {spec}` makes it")]
    NoSpec { spec: String, path: PathBuf },
    #[error("cannot read {path}")]
    Read { path: PathBuf, source: io::Error },
}

impl Project {
    pub fn at(root: impl Into<PathBuf>) -> Project {
        Project { root: root.into() }
    }

    /// The project around `from`.
    pub fn find(from: &Path) -> Result<Project, Error> {
        from.ancestors()
            .find(|dir| dir.join(".kiro").is_dir())
            .map(Project::at)
            .ok_or_else(|| Error::NotAProject {
                from: from.to_owned(),
            })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn specs(&self) -> PathBuf {
        self.root.join(".kiro/specs")
    }

    pub fn runtime(&self) -> PathBuf {
        self.root.join(".kiro/runtime/kumite")
    }

    pub fn settings_file(&self) -> PathBuf {
        self.root.join(".kiro/kumite.toml")
    }

    /// A spec that exists.
    pub fn spec(&self, name: &SpecName) -> Result<Spec, Error> {
        let spec = self.spec_place(name);
        match spec.main.is_dir() {
            true => Ok(spec),
            false => Err(Error::NoSpec {
                spec: name.to_string(),
                path: spec.main,
            }),
        }
    }

    /// The places of a spec, whether it exists or not.
    pub fn spec_place(&self, name: &SpecName) -> Spec {
        Spec {
            project: self.root.clone(),
            main: self.specs().join(name.as_str()),
            run: self.runtime().join("runs").join(name.as_str()),
            name: name.to_string(),
        }
    }

    /// All specs: directories with a spec.json and a good name, sorted.
    pub fn all_specs(&self) -> Result<Vec<Spec>, Error> {
        let path = self.specs();
        let entries = match std::fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(Error::Read { path, source }),
        };
        let mut specs: Vec<Spec> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter_map(|name| name.parse().ok())
            .map(|name| self.spec_place(&name))
            .filter(|spec| spec.main.join("spec.json").exists())
            .collect();
        specs.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(specs)
    }

    /// The specs that have a journal.
    pub fn known_runs(&self) -> Vec<SpecName> {
        let runs = std::fs::read_dir(self.runtime().join("runs"));
        let names = runs.into_iter().flatten().filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            name.parse().ok()
        });
        names.collect()
    }
}

/// The places of one spec. Its event log, agent logs and journal stay in the main checkout, also
/// when its documents live in a worktree.
#[derive(Clone, Debug)]
pub struct Spec {
    pub name: String,
    project: PathBuf,
    main: PathBuf,
    run: PathBuf,
}

impl Spec {
    /// Directory of the spec in the main checkout.
    pub fn main_dir(&self) -> &Path {
        &self.main
    }

    /// Directory of its journal and agent records.
    pub fn run_dir(&self) -> &Path {
        &self.run
    }

    pub fn agent_dir(&self, agent: AgentId) -> PathBuf {
        self.run.join("agents").join(agent.to_string())
    }

    pub fn events_file(&self) -> PathBuf {
        self.main.join("events.jsonl")
    }

    pub fn log_file(&self, agent: &str) -> PathBuf {
        self.main.join("logs").join(format!("{agent}.log"))
    }

    pub fn project_root(&self) -> &Path {
        &self.project
    }

    /// Where its agents work: its worktree if spec.json of the main checkout names one that
    /// exists, else the project.
    pub fn workplace(&self) -> PathBuf {
        let main = std::fs::read(self.main.join("spec.json"));
        let worktree = main.ok().and_then(|bytes| {
            let spec = SpecJson::parse(&bytes).ok()?;
            Some(self.project.join(spec.worktree_path()?))
        });
        match worktree {
            Some(path) if self.files_in(&path).join("spec.json").is_file() => path,
            _ => self.project.clone(),
        }
    }

    /// The spec's own files in a checkout.
    pub fn files_in(&self, checkout: &Path) -> PathBuf {
        checkout.join(".kiro/specs").join(&self.name)
    }
}
