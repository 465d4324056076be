//! `kumite agent`: the agents in the settings, and whether kumite understands them.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use clap::{Args, Subcommand};
use kumite_check::{Agent, CheckRequest, Kind, PROGRAM, VARIABLE, probe};
use kumite_project::beside;
use kumite_project::project::Project;
use kumite_project::settings::{self, Flags};

use super::agent_list;
use crate::args::Setting;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct AgentArgs {
    #[command(subcommand)]
    command: AgentCommand,
}

#[derive(Subcommand)]
enum AgentCommand {
    /// Every agent in the settings: is it installed, logged in, limited
    List,
    /// Drive an agent through everything that can happen to it
    Check(CheckArgs),
}

#[derive(Args)]
struct CheckArgs {
    /// Name of the agent, as in the settings
    name: String,
    /// Use kumite's own fake model: no network, no account, no cost
    #[arg(long)]
    offline: bool,
    /// Only this scenario
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// How many scenarios at the same time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    jobs: u8,
}

pub fn agent(setting: &Setting, args: &AgentArgs) -> Result {
    // This process inherits what an agent program leaves in the background, and ends it.
    kumite_agents::inherit_orphans();
    match &args.command {
        AgentCommand::List => agent_list::list(setting),
        AgentCommand::Check(args) => run_check(setting, args),
    }
}

/// Becomes `kumite-check`, so that `kumite` contains neither the scenarios nor their fake model.
fn run_check(setting: &Setting, args: &CheckArgs) -> Result {
    let project = project(setting)?;
    let (agent, version) = find(setting, &project, args)?;
    tell_what_is_used(&agent, args.offline);
    let job = CheckRequest {
        agent: agent.name,
        version,
        offline: args.offline,
        only: args.only.clone(),
        jobs: args.jobs,
        json: setting.json(),
        has_colors: console::colors_enabled(),
    };
    let job = serde_json::to_string(&job).map_err(io::Error::other)?;
    let program = beside::find(PROGRAM, VARIABLE).map_err(|path| {
        Trouble::failed(format!(
            "cannot find {PROGRAM}, which checks agents, at {}; \
             it is built and installed together with kumite, or {VARIABLE} names it",
            path.display()
        ))
    })?;
    let kumite = std::env::current_exe()?;
    // It returns only if it fails.
    let error = Command::new(&program)
        .arg(job)
        .args([project.root(), &kumite])
        .exec();
    let program = program.display();
    Err(Trouble::failed(format!("cannot start {program}: {error}")))
}

/// Agents can be inspected without a project: then only the person's settings count.
pub(super) fn project(setting: &Setting) -> Result<Project> {
    let place = setting.place()?;
    match Project::find(&place) {
        Err(_) if place.is_dir() => Ok(Project::at(place)),
        found => Ok(found?),
    }
}

/// The agent and its version, if it can be checked here.
fn find(setting: &Setting, project: &Project, args: &CheckArgs) -> Result<(Agent, Option<String>)> {
    let loader = setting.loader(project, Flags::default())?;
    let found = settings::agent(&loader.loaded.settings, &args.name)?;
    let agent = Agent::new(&args.name, found).ok_or_else(|| {
        Trouble::invalid(format!(
            "{} is kumite's own agent: there is nothing to check",
            args.name
        ))
    })?;
    let probe = probe(&agent, project.root());
    // The stand-in of a command does not need the program.
    if probe.path.is_none() && !(args.offline && agent.kind == Kind::Command) {
        return Err(Trouble::invalid(format!(
            "{} is not installed: {:?} was not found; {}",
            agent.name,
            agent.program(),
            agent.kind.install()
        )));
    }
    Ok((agent, probe.version))
}

/// On stderr: it is not part of the table.
fn tell_what_is_used(agent: &Agent, is_offline: bool) {
    let name = &agent.name;
    if !is_offline {
        eprintln!(
            "kumite: {name} works with your own login and model: this costs tokens; --offline costs nothing"
        );
    } else if agent.kind == Kind::Command {
        eprintln!(
            "kumite: offline, a script is run in place of the command of {name}; \
             without --offline the command itself is run"
        );
    }
}
