//! A team of one agent: any program in the settings, in its own git worktree.
//!
//! A try is an agent's directory in the directory of the round, `agent-<attempt>`. If an agent
//! may not work for now, it continues later in `agent-<attempt>-2`, and so on. Everything about a
//! try is in that directory, so that a resumed contest finds the running agent, or how it
//! ended.

mod attempt;
mod place;
mod submission;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kumite_agents::{Adopted, Handle, Launcher};
use kumite_formats::contest::{Agent, Source, Worktree as Mode};
use kumite_formats::settings::{AgentKind, AgentSettings, Settings};
use kumite_project::limits::{self, Account};
use kumite_project::project::contest_agents;
use kumite_project::settings;
use kumite_project::spec_file::sentence;

use crate::work::Try;
use crate::worktree::TeamWorktree;
pub use attempt::Attempt;

/// What all agent teams of a contest share.
#[derive(Clone, Debug)]
pub struct AgentMeans {
    pub settings: Arc<Settings>,
    pub project: PathBuf,
    pub repository: kumite_git::Repository,
    /// The commit that the contest began with.
    pub base: String,
    pub launcher: Launcher,
    /// The kumite binary, which supervises agents.
    pub binary: PathBuf,
}

pub struct AgentTeam {
    means: Arc<AgentMeans>,
    /// Its name in the settings.
    name: String,
    settings: AgentSettings,
    source: Source,
    mode: Mode,
    worktree: TeamWorktree,
}

impl AgentTeam {
    /// `root` is where its worktree is, or will be.
    pub fn new(
        means: Arc<AgentMeans>,
        plan: &Agent,
        root: PathBuf,
    ) -> Result<AgentTeam, settings::Error> {
        let mut agent = settings::agent(&means.settings, &plan.agent)?.clone();
        anchor(&mut agent.kind, &means.project);
        Ok(AgentTeam {
            name: plan.agent.clone(),
            settings: agent,
            source: plan.submission.clone(),
            mode: plan.worktree,
            worktree: TeamWorktree::new(means.repository.clone(), root, means.base.clone()),
            means,
        })
    }
}

/// A path in the settings is relative to the project; the team could change its own copy of that
/// program.
fn anchor(kind: &mut AgentKind, project: &Path) {
    let program = match kind {
        AgentKind::Program { program, .. } => Some(program),
        AgentKind::Acp { command } | AgentKind::Command { command, .. } => command.first_mut(),
        AgentKind::Scripted { .. } => None,
    };
    if let Some(program) = program.filter(|program| program.contains('/')) {
        *program = project.join(&*program).to_string_lossy().into_owned();
    }
}

impl AgentTeam {
    /// One agent of a try.
    pub fn attempt<'a>(&'a self, prompt: &'a str, turn: &'a Try<'a>, number: u32) -> Attempt<'a> {
        Attempt {
            team: self,
            prompt,
            turn,
            number,
        }
    }

    /// Tells all others on this account that it is limited.
    pub fn note_limit(&self, until_ms: u64, words: &str) {
        if let Err(error) = limits::note(&Account::of(&self.settings), until_ms, words) {
            // This team waits all the same; the others will find out by themselves.
            let why = sentence(&error);
            tracing::warn!("other runs cannot be told about the usage limit: {why}");
        }
    }

    /// Where it works.
    pub fn place(&self) -> PathBuf {
        self.worktree.place()
    }
}

/// Ends all agents of a contest that nobody plays. They are gone when it returns.
pub fn end_all(contest_dir: &Path) {
    tell_all(contest_dir, Handle::stop);
}

/// The same without any grace.
pub fn kill_all(contest_dir: &Path) {
    tell_all(contest_dir, Handle::kill);
}

fn tell_all(contest_dir: &Path, tell: fn(&Handle)) {
    let dirs = contest_agents(contest_dir).into_iter();
    let handles = dirs.filter_map(|dir| match kumite_agents::adopt(&dir) {
        Ok(Adopted::Running(handle)) => Some(handle),
        Ok(Adopted::Lost) => Some(Handle::of(&dir)),
        Ok(Adopted::Ended(_) | Adopted::NeverStarted | Adopted::Foreign(_)) | Err(_) => None,
    });
    let handles: Vec<Handle> = handles.collect();
    // All are told before we wait for the first.
    handles.iter().for_each(tell);
    for handle in handles {
        handle.wait();
    }
}
