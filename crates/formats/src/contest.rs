//! The settings of a contest: our own `contest.toml`, and mixseek's files as they are.
//!
//! [`load`] turns whichever it is into one [`Plan`], or says all that is wrong with it. Nothing here
//! touches a disk: files and variables come through functions.

mod llm;
mod loader;
mod members;
mod metrics;
mod mixseek;
mod model_id;
mod node;
mod own;
mod places;
mod plan;
mod problem;
mod rules;
mod scope;
mod variables;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use own::STYLES;
pub use places::{Named, NamedAt, Places};
pub use plan::{
    Agent, Checklist, Command, Evaluator, Judge, Leader, Llm, Member, MemberKind, Metric,
    MetricKind, ModelTeam, Plan, Plugin, Price, Prompts, Rubric, Source, Team, TeamKind, Worktree,
};
pub use problem::Problem;

/// A `contest.toml` to begin with. It needs no key and no program.
pub const EXAMPLE: &str = include_str!("contest/example.toml");

/// Which contest is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// As on the command line: seen from `dir`, or else from the workspace.
    pub file: &'a Path,
    /// The text of the file; None: it is read.
    pub text: Option<&'a str>,
    /// None: what `MIXSEEK_WORKSPACE` or `workspace_path` says.
    pub workspace: Option<&'a Path>,
    /// The directory of the project, which relative paths of the command line are seen from.
    pub dir: &'a Path,
    /// Wins over the file's.
    pub task: Option<&'a str>,
    /// For each team; wins over the file's.
    pub timeout: Option<Duration>,
    /// Unknown keys are only warned of.
    pub lenient: bool,
}

/// A contest that can be played, as far as files can tell.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub plan: Plan,
    /// All files that were read.
    pub files: Vec<PathBuf>,
    pub warnings: Vec<Problem>,
    /// The workspace that somebody named, seen from the directory of the request.
    pub workspace: Option<PathBuf>,
    /// Where it names what only the world can check.
    pub places: Places,
}

/// Reads the contest, or says all that is wrong with it.
pub fn load(
    request: &Request<'_>,
    read: &dyn Fn(&Path) -> io::Result<String>,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Loaded, Vec<Problem>> {
    loader::load(request, read, env)
}
