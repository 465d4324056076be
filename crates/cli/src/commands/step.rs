//! `kumite step`: work of the engine that may take long or hang, in a process of its own. It has a
//! supervisor like an agent: it is contained, stopped, logged, and found again after a crash.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use kumite_formats::settings::Settings;
use kumite_project::baseline;
use kumite_project::place::{self, Wanted};
use kumite_project::project::Spec;
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
    Prepare(Begin),
    /// Run the project's commands on the commit that the work begins with
    Baseline(Begin),
    /// Put the worktree back to a checkpoint
    Undo {
        /// Name of the spec
        spec: String,
        #[arg(long)]
        to: u64,
    },
}

#[derive(Args)]
struct Begin {
    /// Name of the spec
    spec: String,
    /// The branch to begin with; empty: the one that is checked out
    #[arg(long, default_value = "")]
    base: String,
}

pub fn step(setting: &Setting, args: &StepArgs) -> Result {
    kumite_agents::inherit_orphans();
    match &args.step {
        Step::Prepare(begin) => prepare(setting, begin),
        Step::Baseline(begin) => measure(setting, begin),
        Step::Undo { spec, to } => undo(setting, spec, *to),
    }
}

/// The result is in the record of the place; a failure to write it is the only one of this process.
fn prepare(setting: &Setting, begin: &Begin) -> Result {
    let (spec, settings) = known(setting, &begin.spec)?;
    let worktree = &settings.worktree;
    // The engine names the base that was checked out when the run began.
    let base = match begin.base.as_str() {
        "" => &worktree.base,
        base => base,
    };
    let wanted = Wanted {
        branch: worktree.branch_of(&spec.name),
        setup: worktree.setup.clone(),
        copy: worktree.copy.clone(),
        bytes_max: worktree.max.bytes(),
    };
    let say = |words: &str| out!("{words}");
    let prepared = place::prepare_step(&spec, &wanted, base, &agent(), &say);
    let prepared = prepared.map_err(|error| {
        Trouble::failed(format!("cannot write the record of the place: {error}"))
    })?;
    out!("{}", serde_json::to_string(&prepared).unwrap_or_default());
    Ok(ExitCode::SUCCESS)
}

fn measure(setting: &Setting, begin: &Begin) -> Result {
    let (spec, settings) = known(setting, &begin.spec)?;
    let measured = baseline::measure_step(&spec, &settings, &begin.base, &agent());
    measured.map_err(|error| Trouble::failed(format!("cannot measure the baseline: {error}")))?;
    Ok(ExitCode::SUCCESS)
}

fn undo(setting: &Setting, spec: &str, to: u64) -> Result {
    let spec = setting.project()?.spec(&spec.parse()?)?;
    place::restore(&spec, to).map_err(Trouble::failed)?;
    out!("the worktree is as it was at checkpoint {to}");
    Ok(ExitCode::SUCCESS)
}

fn known(setting: &Setting, spec: &str) -> std::result::Result<(Spec, Settings), Trouble> {
    let project = setting.project()?;
    let spec = project.spec(&spec.parse()?)?;
    let loader = setting.loader(&project, Flags::default())?;
    Ok((spec, loader.loaded.settings.as_ref().clone()))
}

/// The engine finds the result by it.
fn agent() -> String {
    std::env::var("KUMITE_AGENT").unwrap_or_default()
}
