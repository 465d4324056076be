//! `kumite run` and `kumite resume`.

use std::process::ExitCode;

use clap::Args;
use kumite_core::names::Phase;
use kumite_host::RunRequest;
use kumite_host::{all_specs, client};
use kumite_project::project::Project;
use kumite_project::settings::Flags;

use super::status::warn_not_shown;
use crate::args::Setting;
use crate::follow;
use crate::out::out;
use crate::progress::Screen;
use crate::trouble::Result;

#[derive(Args)]
#[command(
    after_help = "Ctrl-C ends the specs that this terminal has started. A spec that worked already \
    is only followed here, and goes on."
)]
pub struct RunArgs {
    /// Names of specs
    #[arg(
        value_name = "SPEC",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    specs: Vec<String>,
    /// All specs of the project
    #[arg(long)]
    all: bool,
    /// How many specs work at the same time
    #[arg(short, long, value_name = "N")]
    jobs: Option<u32>,
    /// End when this phase is done
    #[arg(long, value_name = "PHASE", value_parser = phase)]
    until: Option<Phase>,
    /// Begin with this phase, even if it is already done
    #[arg(long, value_name = "PHASE", value_parser = phase)]
    from: Option<Phase>,
    #[command(flatten)]
    how: How,
}

#[derive(Args)]
pub struct ResumeArgs {
    /// Name of the spec
    spec: String,
    #[command(flatten)]
    how: How,
}

#[derive(Args)]
struct How {
    /// Return at once; the work goes on without this terminal
    #[arg(short, long)]
    detach: bool,
    /// The agent for all phases
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Do not wait for the end of a usage limit: end with exit code 75
    #[arg(long)]
    no_wait: bool,
}

fn phase(name: &str) -> std::result::Result<Phase, String> {
    Phase::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Phase::ALL.iter().map(|phase| phase.name()).collect();
        format!("phases are {}", names.join(", "))
    })
}

pub fn run(setting: &Setting, args: &RunArgs) -> Result {
    let project = setting.project()?;
    let specs = match args.all {
        true => {
            warn_not_shown(&project.not_shown());
            all_specs(&project)?
        }
        false => args.specs.clone(),
    };
    let request = RunRequest {
        specs,
        all: args.all,
        until: args.until,
        from: args.from,
        agent: args.how.agent.clone(),
        no_wait: args.how.no_wait,
        ..RunRequest::default()
    };
    go(setting, &project, request, args.jobs, args.how.detach)
}

pub fn resume(setting: &Setting, args: &ResumeArgs) -> Result {
    let project = setting.project()?;
    let request = RunRequest {
        agent: args.how.agent.clone(),
        no_wait: args.how.no_wait,
        ..RunRequest::resume(&args.spec)
    };
    go(setting, &project, request, None, args.how.detach)
}

/// Checks everything, then runs.
pub fn go(
    setting: &Setting,
    project: &Project,
    request: RunRequest,
    jobs: Option<u32>,
    detach: bool,
) -> Result {
    let request = request.checked(project)?;
    let loader = setting.loader(project, Flags { jobs })?;
    if detach {
        client::detach(project, &request, jobs)?;
        let (names, works) = match &request.specs[..] {
            [name] => (name.clone(), "works"),
            names => (names.join(", "), "work"),
        };
        let text = format!("{names} {works} in the background; `kumite status` shows it");
        return Ok(say(setting, &text));
    }
    let quiet = setting.global.quiet;
    let mut screen = Screen::new(project, &request.specs, setting.json(), quiet);
    follow::run(project, &loader, &request, &mut screen)
}

/// For commands that only report success.
pub fn say(setting: &Setting, text: &str) -> ExitCode {
    match setting.json() {
        true => out!("{}", serde_json::json!({ "message": text })),
        false if setting.global.quiet => {}
        false => out!("{text}"),
    }
    ExitCode::SUCCESS
}
