//! The settings of a contest: our own `contest.toml`, or mixseek's unchanged files.
//!
//! [`load`] turns either kind into one [`Plan`], or lists everything that is wrong with it. Nothing
//! here touches a disk: files and variables come through functions.

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

pub use places::{Named, Places};
pub use plan::{
    Agent, Checklist, Command, Evaluator, Judge, Leader, Llm, Member, MemberKind, Metric,
    MetricKind, ModelTeam, Plan, Plugin, Price, Prompts, Rubric, Source, Style, Team, TeamKind,
    Worktree,
};
pub use problem::{FileLine, Problem};

/// A `contest.toml` to start from. It needs no key and no program.
pub const EXAMPLE: &str = include_str!("contest/example.toml");

/// Selects a contest.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// As on the command line: relative to `dir`, or else to the workspace.
    pub file: &'a Path,
    /// The text of the file; if None, the file is read.
    pub text: Option<&'a str>,
    /// If None, `MIXSEEK_WORKSPACE` or `workspace_path` decides.
    pub workspace: Option<&'a Path>,
    /// The directory of the project; relative paths of the command line start here.
    pub dir: &'a Path,
    /// Overrides the task in the file.
    pub task: Option<&'a str>,
    /// Per team; overrides the timeout in the file.
    pub timeout: Option<Duration>,
    /// Unknown keys cause only warnings.
    pub lenient: bool,
}

/// A contest that can be played, as far as its files can tell.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub plan: Plan,
    /// All files that were read.
    pub files: Vec<PathBuf>,
    pub warnings: Vec<Problem>,
    /// The workspace that was named, relative to the directory of the request.
    pub workspace: Option<PathBuf>,
    /// Where it names things that only the outside world can check.
    pub places: Places,
}

/// Reads the contest, or lists everything that is wrong with it.
pub fn load(
    request: &Request<'_>,
    read: &dyn Fn(&Path) -> io::Result<String>,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Loaded, Vec<Problem>> {
    loader::load(request, read, env)
}
