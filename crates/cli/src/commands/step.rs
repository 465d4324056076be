//! `kumite step`: work of the engine that may take long or hang, in a process of its own. It has a
//! supervisor like an agent: it is contained, stopped, logged, and found again after a crash.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use kumite_project::place::{self, Wanted};
use kumite_project::settings::Flags;

use crate::args::Setting;
use crate::out::out;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct StepArgs {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Give a spec its place: make its worktree, and set it up
    Prepare {
        /// Name of the spec
        spec: String,
        /// The branch to begin with; empty: the one that is checked out
        #[arg(long, default_value = "")]
        base: String,
    },
}

pub fn step(setting: &Setting, args: &StepArgs) -> Result {
    match &args.step {
        Step::Prepare { spec, base } => prepare(setting, spec, base),
    }
}

/// The result is in the record of the place; a failure to write it is the only one of this process.
fn prepare(setting: &Setting, spec: &str, base: &str) -> Result {
    let project = setting.project()?;
    let spec = project.spec(&spec.parse()?)?;
    let agent = std::env::var("KUMITE_AGENT").unwrap_or_default();
    let loader = setting.loader(&project, Flags::default())?;
    let worktree = &loader.loaded.settings.worktree;
    let wanted = Wanted {
        branch: worktree.branch_of(&spec.name),
        setup: worktree.setup.clone(),
        copy: worktree.copy.clone(),
        bytes_max: worktree.max.bytes(),
    };
    // The engine names the base that was checked out when the run began.
    let base = match base {
        "" => &worktree.base,
        base => base,
    };
    let say = |words: &str| out!("{words}");
    let prepared = place::prepare_step(&spec, &wanted, base, &agent, &say);
    let prepared = prepared.map_err(|error| {
        Trouble::failed(format!("cannot write the record of the place: {error}"))
    })?;
    out!("{}", serde_json::to_string(&prepared).unwrap_or_default());
    Ok(ExitCode::SUCCESS)
}
