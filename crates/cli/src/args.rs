//! The command line (contract).

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use kumite_host::{Request, client};
use kumite_project::project::Project;
use kumite_project::settings::{Flags, Loader};
use serde_json::Value;

use crate::commands;
use crate::logging::{self, LogFormat};
use crate::out::{self, out};
use crate::trouble::{Result, Trouble};

/// Drives AI coding agents in rounds, until a referee says it is good or a person must decide.
#[derive(Parser)]
#[command(name = "kumite", version, propagate_version = true)]
#[command(
    after_help = "Exit codes: 0 done, 1 failed, 2 usage, 3 a person is needed, 4 budget, \
    5 not found or invalid, 75 quota, 129 hung up, 130 interrupted, 143 terminated."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    pub global: Global,
}

#[derive(Args, Clone)]
pub struct Global {
    /// Print data for programs: one JSON object, or one object per line
    #[arg(long, global = true)]
    pub json: bool,
    /// Say less
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Color,
    /// The project, if it is not the current directory or one above
    #[arg(short = 'C', long, global = true, value_name = "DIR")]
    project: Option<PathBuf>,
    /// The form of what KUMITE_LOG selects, on stderr or in engine.log
    #[arg(long, global = true, value_name = "FORMAT")]
    log_format: Option<LogFormat>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand)]
pub enum Command {
    /// Set a project up: .kiro/, settings, and the command files for agents
    Init,
    /// Create a spec
    New(commands::new::NewArgs),
    /// Drive specs to their end, and follow
    Run(commands::run::RunArgs),
    /// One review round by hand: a review and its reply, no loop
    Review(commands::review::ReviewArgs),
    /// The state of every spec, and why
    Status(commands::status::StatusArgs),
    /// End a run and its agent
    Stop(commands::steer::Spec),
    /// Let the agent finish, then begin nothing new
    Pause(commands::steer::Spec),
    /// Go on after a stop or a pause, and follow
    Resume(commands::run::ResumeArgs),
    /// Clear counters and failures, so that the run can go on
    Reset(commands::steer::Spec),
    /// Approve a document
    Approve(commands::steer::ApproveArgs),
    /// Reject a document: it is written again
    Reject(commands::steer::RejectArgs),
    /// What the agents said
    Log(commands::log::LogArgs),
    /// What happened
    Events(commands::steer::Spec),
    /// What the agents have used: money and tokens
    Cost(commands::cost::CostArgs),
    /// Contests: several teams, one task, a leader board
    Contest(commands::contest::ContestArgs),
    /// The page and the HTTP API: see and steer everything in a browser
    Serve(commands::serve::ServeArgs),
    /// The Model Context Protocol on stdin and stdout: an agent steers kumite
    Mcp(commands::mcp::McpArgs),
    /// Print what kumite asks of an agent
    Prompt(commands::prompt::PromptArgs),
    /// Every journal entry, the decision taken, and why
    Replay(commands::steer::Spec),
    /// The agents: which there are, and whether they behave
    Agent(commands::agent::AgentArgs),
    /// Find and end what a killed kumite left behind
    Doctor(commands::doctor::DoctorArgs),
    /// The worktrees of specs: where they are, and how to remove one
    Worktree(commands::worktree::WorktreeArgs),
    /// Settings
    Config(commands::config::ConfigArgs),
    /// Play a whole spec with the built-in agent: no account, no key
    Demo(commands::demo::DemoArgs),
    /// Print the completions of a shell
    Completions(commands::texts::CompletionArgs),
    /// Print the man page
    Man,
    /// The engine without a terminal (`run --detach` starts it)
    #[command(hide = true)]
    Engine(commands::engine::EngineArgs),
    /// What the engine lets a process of its own do
    #[command(hide = true)]
    Step(commands::step::StepArgs),
}

/// What every command has.
pub struct Setting {
    pub global: Global,
}

impl Setting {
    pub fn json(&self) -> bool {
        self.global.json
    }

    /// The data for programs, or the text for people.
    pub fn answer(&self, data: &Value, print: impl FnOnce()) -> Result {
        match self.json() {
            true => out!("{data}"),
            false => print(),
        }
        Ok(ExitCode::SUCCESS)
    }

    pub fn project(&self) -> Result<Project> {
        let place = self.place()?;
        // Opening `.` tells a directory from a file, and both from a directory that may not be
        // entered.
        if let Err(error) = std::fs::metadata(place.join(".")) {
            let place = place.display();
            return Err(Trouble::invalid(match error.kind() {
                ErrorKind::NotFound => format!("there is no directory {place}"),
                ErrorKind::NotADirectory => format!("{place} is not a directory"),
                _ => format!("cannot enter {place}: {error}"),
            }));
        }
        Ok(Project::find(&place)?)
    }

    /// Where kumite was told to work. Agents, journals and pages use paths in JSON.
    pub fn place(&self) -> Result<PathBuf> {
        let place = match &self.global.project {
            Some(dir) if dir.is_absolute() => dir.clone(),
            Some(dir) => here()?.join(dir),
            None => here()?,
        };
        match place.to_str() {
            Some(_) => Ok(place),
            None => Err(Trouble::invalid(format!(
                "kumite needs a path in UTF-8; this one is not: {}",
                place.display()
            ))),
        }
    }

    pub fn loader(&self, project: &Project, flags: Flags) -> Result<Loader> {
        Ok(Loader::load(project, flags)?)
    }
}

fn here() -> Result<PathBuf> {
    std::env::current_dir()
        .map_err(|error| Trouble::failed(format!("cannot enter the current directory: {error}")))
}

pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(said) => {
            let code = said.exit_code() as u8;
            // Help and version are answers too.
            return ExitCode::from(said.print().map_or_else(|it| out::ended_by(&it), |()| code));
        }
    };
    match cli.global.color {
        Color::Auto => {}
        Color::Always => colours(true),
        Color::Never => colours(false),
    }
    let setting = Setting { global: cli.global };
    start_logging(&setting.global, &cli.command);
    dispatch(&setting, cli.command).unwrap_or_else(|trouble| trouble.report())
}

/// An engine without a terminal logs in the same form as the command that starts it.
fn start_logging(global: &Global, command: &Command) {
    logging::start(global.log_format, matches!(command, Command::Engine(_)));
    let name = global.log_format.and_then(|it| it.to_possible_value());
    client::set_engine_args(name.map(|name| format!("--log-format={}", name.get_name())));
}

fn colours(on: bool) {
    console::set_colors_enabled(on);
    console::set_colors_enabled_stderr(on);
}

fn dispatch(setting: &Setting, command: Command) -> Result {
    match command {
        Command::Init => commands::init::init(setting),
        Command::New(args) => commands::new::new(setting, &args),
        Command::Run(args) => commands::run::run(setting, &args),
        Command::Resume(args) => commands::run::resume(setting, &args),
        Command::Review(args) => commands::review::review(setting, &args),
        Command::Status(args) => commands::status::status(setting, &args),
        Command::Stop(args) => {
            commands::steer::steer(setting, &args, |spec| Request::Stop { spec })
        }
        Command::Pause(args) => {
            commands::steer::steer(setting, &args, |spec| Request::Pause { spec })
        }
        Command::Reset(args) => {
            commands::steer::steer(setting, &args, |spec| Request::Reset { spec })
        }
        Command::Approve(args) => commands::steer::approve(setting, &args),
        Command::Reject(args) => commands::steer::reject(setting, &args),
        Command::Log(args) => commands::log::log(setting, &args),
        Command::Events(args) => commands::events::events(setting, &args),
        Command::Cost(args) => commands::cost::cost(setting, &args),
        Command::Contest(args) => commands::contest::contest(setting, &args),
        Command::Serve(args) => commands::serve::serve(setting, &args),
        Command::Mcp(args) => commands::mcp::mcp(setting, &args),
        Command::Prompt(args) => commands::prompt::prompt(setting, &args),
        Command::Replay(args) => commands::replay::replay(setting, &args),
        Command::Agent(args) => commands::agent::agent(setting, &args),
        Command::Doctor(args) => commands::doctor::doctor(setting, &args),
        Command::Worktree(args) => commands::worktree::worktree(setting, &args),
        Command::Config(args) => commands::config::config(setting, &args),
        Command::Demo(args) => commands::demo::demo(setting, &args),
        Command::Completions(args) => commands::texts::completions(&args),
        Command::Man => commands::texts::man(),
        Command::Engine(args) => commands::engine::engine(setting, &args),
        Command::Step(args) => commands::step::step(setting, &args),
    }
}
