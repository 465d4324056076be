//! The paths in a project.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kumite_agents::{Adopted, Owner};
use kumite_core::journal::AgentId;
use kumite_formats::spec_json::SpecJson;
use kumite_formats::spec_name::SpecName;
use schemars::JsonSchema;
use serde::Serialize;

use crate::checkout::{self, Checkout};
use crate::spec_file;

/// A directory with a `.kiro` in it.
#[derive(Clone, Debug)]
pub struct Project {
    root: PathBuf,
}

/// A directory that looks like a spec but is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotShown {
    pub name: String,
    pub why: &'static str,
}

impl NotShown {
    /// `LoginForm (capital letters), a b (spaces)`
    pub fn list(all: &[NotShown]) -> String {
        let words = all.iter().map(|it| format!("{} ({})", it.name, it.why));
        words.collect::<Vec<_>>().join(", ")
    }
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

    /// The project that contains `from`.
    pub fn find(from: &Path) -> Result<Project, Error> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        Project::find_below(from, home.as_deref())
    }

    /// The same; the search ends at `home`. Other programs keep their own `.kiro` there, so it is a
    /// project only if it contains something of ours.
    fn find_below(from: &Path, home: Option<&Path>) -> Result<Project, Error> {
        let real = home.and_then(|home| home.canonicalize().ok());
        for dir in from.ancestors() {
            let is_home = Some(dir) == home || Some(dir) == real.as_deref();
            let kiro = dir.join(".kiro");
            let is_ours = || kiro.join("kumite.toml").exists() || kiro.join("specs").is_dir();
            match kiro.metadata() {
                Ok(it) if it.is_dir() && (!is_home || is_ours()) => return Ok(Project::at(dir)),
                Err(source) if source.kind() == io::ErrorKind::PermissionDenied => {
                    return Err(Error::Read { path: kiro, source });
                }
                Ok(_) | Err(_) if is_home => break,
                Ok(_) | Err(_) => {}
            }
        }
        Err(Error::NotAProject {
            from: from.to_owned(),
        })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn specs(&self) -> PathBuf {
        self.root.join(".kiro/specs")
    }

    /// Where specs have their own worktrees.
    pub fn worktrees(&self) -> PathBuf {
        self.root.join(".kiro/worktrees/specs")
    }

    pub fn runtime(&self) -> PathBuf {
        self.root.join(".kiro/runtime/kumite")
    }

    /// The contests, each in its own directory.
    pub fn contests(&self) -> PathBuf {
        self.runtime().join("contests")
    }

    /// What every agent has used.
    pub fn usage_file(&self) -> PathBuf {
        self.runtime().join("usage.jsonl")
    }

    pub fn settings_file(&self) -> PathBuf {
        self.root.join(".kiro/kumite.toml")
    }

    /// A spec that exists, or whose agent still works although its files are gone.
    pub fn spec(&self, name: &SpecName) -> Result<Spec, Error> {
        let spec = self.spec_place(name);
        if let Err(source) = spec.main.metadata()
            && source.kind() == io::ErrorKind::PermissionDenied
        {
            let path = self.specs();
            return Err(Error::Read { path, source });
        }
        match spec.main.is_dir() || spec.exists() || spec.has_agents() {
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

    /// All specs, sorted: directories with a spec.json and a valid name, including those that exist
    /// only in their own worktree, and those whose files are gone while an agent still works for
    /// them.
    pub fn all_specs(&self) -> Result<Vec<Spec>, Error> {
        let mut names = names_in(&self.specs())?;
        names.extend(names_in(&self.worktrees())?);
        names.sort();
        names.dedup();
        let runs = self.known_runs().into_iter();
        let gone = runs.filter(|name| names.binary_search(name).is_err());
        let gone: Vec<SpecName> = gone
            .filter(|name| self.spec_place(name).has_agents())
            .collect();
        names.extend(gone);
        names.sort();
        let specs = names.iter().map(|name| self.spec_place(name));
        Ok(specs
            .filter(|spec| spec.exists() || spec.has_agents())
            .collect())
    }

    /// Directories among the specs whose names are not valid for specs, and why.
    pub fn not_shown(&self) -> Vec<NotShown> {
        let entries = std::fs::read_dir(self.specs()).into_iter().flatten();
        let dirs = entries.flatten().filter(|entry| entry.path().is_dir());
        let names = dirs.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut odd: Vec<NotShown> = names
            .filter(|name| !name.starts_with('.'))
            .filter_map(|name| {
                let why = SpecName::parse(&name).err()?.in_short();
                Some(NotShown { name, why })
            })
            .collect();
        odd.sort_by(|a, b| a.name.cmp(&b.name));
        odd
    }

    /// The specs that have a journal.
    pub fn known_runs(&self) -> Vec<SpecName> {
        names_in(&self.runtime().join("runs")).unwrap_or_default()
    }
}

/// The directories of all agents that ever worked for a contest:
/// `teams/<team>/round-<round>/agent-<attempt>`.
pub fn contest_agents(contest_dir: &Path) -> Vec<PathBuf> {
    let below = |dirs: Vec<PathBuf>, start: &str| -> Vec<PathBuf> {
        let entries = dirs.iter().flat_map(std::fs::read_dir).flatten().flatten();
        let dirs = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let named = dirs.filter(|entry| entry.file_name().to_string_lossy().starts_with(start));
        named.map(|entry| entry.path()).collect()
    };
    let teams = below(vec![contest_dir.join("teams")], "");
    below(below(teams, "round-"), "agent-")
}

/// The entries of a directory that can be specs.
fn names_in(path: &Path) -> Result<Vec<SpecName>, Error> {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => {
            return Err(Error::Read {
                path: path.to_owned(),
                source,
            });
        }
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.filter_map(|name| name.parse().ok()).collect())
}

/// The places of one spec. Its event log, agent logs and journal stay in the main checkout, even if
/// its documents are in a worktree.
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
        self.logs().join(format!("{agent}.log"))
    }

    pub fn logs(&self) -> PathBuf {
        self.main.join("logs")
    }

    pub fn project_root(&self) -> &Path {
        &self.project
    }

    /// Where its worktree is made.
    pub fn usual_worktree(&self) -> PathBuf {
        Project::at(&self.project).worktrees().join(&self.name)
    }

    /// The runtime directory of its project.
    pub fn runtime(&self) -> PathBuf {
        Project::at(&self.project).runtime()
    }

    /// Where its agents work: its worktree, or else the project.
    pub fn workplace(&self) -> PathBuf {
        match checkout::of(self, &spec_file::read(&self.main)) {
            Checkout::Worktree(path) => path,
            Checkout::Main | Checkout::Gone(_) => self.project.clone(),
        }
    }

    /// The same, with the spec.json that counts there.
    pub fn read(&self) -> (PathBuf, Result<SpecJson, spec_file::Error>) {
        let main = spec_file::read(&self.main);
        match checkout::of(self, &main) {
            Checkout::Main => (self.project.clone(), main),
            Checkout::Worktree(path) => {
                let json = spec_file::read(&self.files_in(&path));
                (path, json)
            }
            Checkout::Gone(error) => (self.project.clone(), Err(error)),
        }
    }

    /// The directories of its agents. A directory is removed when the agent's end is in the
    /// journal.
    pub fn agent_dirs(&self) -> Vec<PathBuf> {
        let agents = std::fs::read_dir(self.run.join("agents"));
        let agents = agents.into_iter().flatten().flatten();
        agents.map(|agent| agent.path()).collect()
    }

    /// The owner of an agent that belongs to another user.
    pub fn foreign_agent(&self) -> Option<Owner> {
        let agents = self.agent_dirs().into_iter();
        let mut adopted = agents.map(|dir| kumite_agents::adopt(&dir));
        adopted.find_map(|adopted| match adopted {
            Ok(Adopted::Foreign(owner)) => Some(owner),
            _ => None,
        })
    }

    fn has_agents(&self) -> bool {
        !self.agent_dirs().is_empty()
    }

    /// Ends all its agents, using only their directories. Returns how many worked.
    pub fn end_agents(&self, grace: Duration) -> usize {
        let mut ended = 0;
        for dir in self.agent_dirs() {
            if let Ok(Adopted::Running(agent)) = kumite_agents::adopt(&dir) {
                ended += 1;
                agent.stop();
                if !agent.ends_within(grace + Duration::from_secs(5)) {
                    agent.force();
                }
            }
            // Its directory keeps its end, for a run that can be read again.
            let _ = kumite_agents::conclude(&dir);
        }
        ended
    }

    pub fn exists(&self) -> bool {
        self.main.join("spec.json").exists() || self.workplace() != self.project
    }

    /// The spec's own files in a checkout.
    pub fn files_in(&self, checkout: &Path) -> PathBuf {
        checkout.join(".kiro/specs").join(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kiro_directory_of_another_program_in_the_home_is_no_project() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let below = home.join("x/y");
        std::fs::create_dir_all(dir.path().join(".kiro/specs")).unwrap();
        std::fs::create_dir_all(home.join(".kiro/settings")).unwrap();
        std::fs::create_dir_all(&below).unwrap();
        let root = |home| Project::find_below(&below, home).map(|it| it.root);
        assert!(matches!(root(Some(&home)), Err(Error::NotAProject { .. })));
        // Without a home, and elsewhere, other programs do not matter.
        assert_eq!(root(None).unwrap(), home);
        std::fs::write(home.join(".kiro/kumite.toml"), "").unwrap();
        assert_eq!(root(Some(&home)).unwrap(), home);
        std::fs::create_dir_all(home.join("x/.kiro")).unwrap();
        assert_eq!(root(Some(&home)).unwrap(), home.join("x"));
    }

    #[test]
    fn directories_with_names_of_no_spec_are_told_with_the_reason() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::at(dir.path());
        for name in ["good", "LoginForm", "a b", "ünï", ".git", "a_b"] {
            std::fs::create_dir_all(project.specs().join(name)).unwrap();
        }
        let expected = "LoginForm (capital letters), a b (spaces), \
             a_b (characters other than a-z, 0-9 and hyphens), ünï (letters other than a-z)";
        assert_eq!(NotShown::list(&project.not_shown()), expected);
    }
}
