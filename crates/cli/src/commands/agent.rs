//! `kumite agent`: the agents of the settings, and whether kumite understands them.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use console::style;
use kumite_check::{Agent, Choice, Halt, Kind, Kit, Report, Row, Verdict, check, names, probe};
use kumite_host::project::Project;
use kumite_host::settings::{self, Flags};

use super::agent_list;
use crate::args::Setting;
use crate::out::out;
use crate::signals;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct AgentArgs {
    #[command(subcommand)]
    command: AgentCommand,
}

#[derive(Subcommand)]
enum AgentCommand {
    /// Every agent of the settings: is it installed, logged in, limited
    List,
    /// Drive an agent through everything that can happen to it
    Check(CheckArgs),
}

#[derive(Args)]
struct CheckArgs {
    /// Name of the agent, as in the settings
    name: String,
    /// With kumite's own model, which obeys: no network, no account, no cost
    #[arg(long)]
    offline: bool,
    /// Only this scenario
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// How many scenarios at a time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    jobs: u8,
}

pub fn agent(setting: &Setting, args: &AgentArgs) -> Result {
    match &args.command {
        AgentCommand::List => agent_list::list(setting),
        AgentCommand::Check(args) => run_check(setting, args),
    }
}

fn run_check(setting: &Setting, args: &CheckArgs) -> Result {
    let kit = kit(setting, args)?;
    if let Some(name) = &args.only {
        let known = names(kit.agent.kind);
        if !known.contains(&name.as_str()) {
            let known = known.join(", ");
            return Err(Trouble::usage(format!(
                "there is no scenario {name}; there are {known}"
            )));
        }
    }
    tell_what_is_used(&kit);
    let choice = Choice {
        only: args.only.clone(),
        jobs: usize::from(args.jobs),
    };
    let json = setting.json();
    let each = |row: &Row| {
        if !json {
            print_row(row);
        }
    };
    let halt = kit.halt.clone();
    let caught = signals::catch(move |_| halt.now())?;
    let report = check(&kit, &choice, &each);
    if let Some(code) = caught.code() {
        return Ok(ExitCode::from(code));
    }
    match json {
        true => out!("{}", report.json()),
        false => out!("{}", report.summary()),
    }
    Ok(exit_code(&report))
}

fn exit_code(report: &Report) -> ExitCode {
    match report.failed() {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Agents can be looked at where there is no project: only the person's settings count there.
pub(super) fn project(setting: &Setting) -> Result<Project> {
    let place = setting.place()?;
    match Project::find(&place) {
        Err(_) if place.is_dir() => Ok(Project::at(place)),
        found => Ok(found?),
    }
}

fn kit(setting: &Setting, args: &CheckArgs) -> Result<Kit> {
    let project = project(setting)?;
    let loader = setting.loader(&project, Flags::default())?;
    let found = settings::agent(&loader.loaded.settings, &args.name)?;
    let agent = Agent::new(&args.name, found).ok_or_else(|| {
        Trouble::invalid(format!(
            "{} is kumite's own agent: there is nothing to check",
            args.name
        ))
    })?;
    let root = project.root().to_owned();
    let probe = probe(&agent, &root);
    // The stand-in of a command runs without it.
    if probe.path.is_none() && !(args.offline && agent.kind == Kind::Command) {
        return Err(Trouble::invalid(format!(
            "{} is not installed: {:?} was not found; {}",
            agent.name,
            agent.program(),
            agent.kind.install()
        )));
    }
    Ok(Kit {
        agent,
        binary: std::env::current_exe()?,
        project: root,
        offline: args.offline,
        version: probe.version,
        silence: Duration::ZERO,
        halt: Halt::default(),
    })
}

/// On stderr: it is no part of the table.
fn tell_what_is_used(kit: &Kit) {
    let name = &kit.agent.name;
    if !kit.offline {
        eprintln!(
            "kumite: {name} works with your own login and model: this costs tokens; --offline costs nothing"
        );
    } else if kit.agent.kind == Kind::Command {
        eprintln!(
            "kumite: offline, a script that obeys stands in for the command of {name}; \
             without --offline the command itself is run"
        );
    }
}

fn print_row(row: &Row) {
    let verdict = row.verdict.name();
    let verdict = match &row.verdict {
        Verdict::Passed => style(verdict).green(),
        Verdict::Failed(_) => style(verdict).red(),
        Verdict::Skipped(_) => style(verdict).dim(),
    };
    let seconds = row.took.as_secs_f64();
    let words = match &row.verdict {
        Verdict::Passed => row.what,
        Verdict::Failed(words) | Verdict::Skipped(words) => words,
    };
    out!("{:27} {verdict:7} {seconds:6.1} s  {words}", row.name);
}
