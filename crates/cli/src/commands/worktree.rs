//! `kumite worktree`: the places of specs.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use kumite_core::run::StateName;
use kumite_project::place::{self, Refusal, Row};
use kumite_project::status;
use serde_json::json;

use super::run::say;
use crate::args::Setting;
use crate::exit;
use crate::out::out;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct WorktreeArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// All worktrees: branch, size, and whether they hold work that is on no other branch
    List,
    /// Print where a spec works: its worktree, or else the project
    Path {
        /// Name of the spec
        spec: String,
    },
    /// Remove a worktree, its branch and its checkpoints, if nothing is lost with them
    Remove {
        /// Name of the spec
        spec: String,
        /// Also if it holds work that is nowhere else: all of it is lost, checkpoints included
        #[arg(long)]
        force: bool,
    },
}

pub fn worktree(setting: &Setting, args: &WorktreeArgs) -> Result {
    match &args.what {
        What::List => list(setting),
        What::Path { spec } => path(setting, spec),
        What::Remove { spec, force } => remove(setting, spec, *force),
    }
}

fn list(setting: &Setting) -> Result {
    let rows = place::list(&setting.project()?)?;
    if setting.json() {
        out!("{}", json!({ "worktrees": rows }));
        return Ok(ExitCode::SUCCESS);
    }
    if rows.is_empty() && !setting.global.quiet {
        out!("no spec has a worktree");
    }
    for row in rows {
        out!("{}", line(&row));
    }
    Ok(ExitCode::SUCCESS)
}

/// `login  working  feature/login from main  12.3 MB  .kiro/worktrees/specs/login`, and what it holds.
fn line(row: &Row) -> String {
    let branch = row.branch.as_deref().unwrap_or("no branch");
    let from = row.base.as_ref().map(|base| format!(" from {base}"));
    let from = from.unwrap_or_default();
    let (spec, state, path) = (&row.spec, row.state, &row.path);
    let size = place::size(row.bytes);
    let holds = match (&row.trouble, &row.work) {
        (Some(trouble), _) => trouble,
        (None, Some(work)) => work,
        (None, None) => "nothing that is on no other branch",
    };
    format!("{spec}  {state}  {branch}{from}  {size}  {path}\n  {holds}")
}

fn path(setting: &Setting, name: &str) -> Result {
    let project = setting.project()?;
    let spec = project.spec(&name.parse()?)?;
    let place = spec.workplace();
    let data = json!({ "spec": spec.name, "path": place });
    setting.answer(&data, || out!("{}", place.display()))
}

fn remove(setting: &Setting, name: &str, force: bool) -> Result {
    let project = setting.project()?;
    let spec = project.spec_place(&name.parse()?);
    if spec.exists() && status::one(&project, &spec).state == StateName::Working {
        let why = format!("{name} is at work there; `kumite stop {name}` ends it");
        return Err(refused(why));
    }
    match place::remove(&spec, force) {
        Ok(()) => {
            let what = "its worktree, its branch and its checkpoints are removed";
            Ok(say(setting, &format!("{name}: {what}")))
        }
        Err(Refusal::None) => Err(Trouble::invalid(format!("{name} has no worktree"))),
        Err(Refusal::Busy(why)) => Err(refused(format!("{name}: {why}"))),
        Err(Refusal::Work(what)) => Err(refused(format!(
            "{name}: {what}; merge it, or give it up with --force (all of it is lost then, \
             checkpoints included)"
        ))),
        Err(Refusal::Failed(why)) => Err(Trouble::failed(format!("{name}: {why}"))),
    }
}

fn refused(message: String) -> Trouble {
    Trouble {
        code: exit::PERSON_NEEDED,
        message,
    }
}
