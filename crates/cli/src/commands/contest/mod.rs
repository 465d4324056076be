//! `kumite contest`: several teams, one task, rounds, a winner.

mod apply;
mod board;
mod cancel;
mod demo;
mod init;
mod judge_check;
mod place;
mod play;
mod resume;
mod run;
mod screen;
mod show;
mod table;

use clap::{Args, Subcommand};

use crate::args::Setting;
use crate::trouble::Result;

#[derive(Args)]
pub struct ContestArgs {
    #[command(subcommand)]
    command: ContestCommand,
}

#[derive(Subcommand)]
enum ContestCommand {
    /// Play a contest: FILE is a contest.toml, or mixseek's orchestrator file
    #[command(after_help = EXIT_CODES)]
    Run(run::RunArgs),
    /// Go on with an interrupted contest
    #[command(after_help = EXIT_CODES)]
    Resume(resume::ResumeArgs),
    /// The leader board, even while a contest runs
    Board(board::BoardArgs),
    /// Rounds, scores, feedback and judgments of a contest
    Show(show::ShowArgs),
    /// End a contest; finished rounds stay
    Cancel(cancel::CancelArgs),
    /// Apply the changes of the winner, or of another team, to the project
    Apply(apply::ApplyArgs),
    /// How often a judge agrees with people, on labelled cases
    JudgeCheck(judge_check::JudgeCheckArgs),
    /// Write a commented contest.toml
    Init(init::InitArgs),
    /// Watch five built-in teams: no key, no server
    Demo(demo::DemoArgs),
}

const EXIT_CODES: &str = "Exit codes: 0 all teams ended well, 1 some failed, 2 usage, \
    4 none succeeded, 5 not found or invalid, 130 interrupted (resume goes on).";

pub fn contest(setting: &Setting, args: &ContestArgs) -> Result {
    // This process inherits what programs leave in the background, and ends it.
    kumite_agents::inherit_orphans();
    match &args.command {
        ContestCommand::Run(args) => run::run(setting, args),
        ContestCommand::Resume(args) => resume::resume(setting, args),
        ContestCommand::Board(args) => board::board(setting, args),
        ContestCommand::Show(args) => show::show(setting, args),
        ContestCommand::Cancel(args) => cancel::cancel(setting, args),
        ContestCommand::Apply(args) => apply::apply(setting, args),
        ContestCommand::JudgeCheck(args) => judge_check::judge_check(setting, args),
        ContestCommand::Init(args) => init::init(setting, args),
        ContestCommand::Demo(args) => demo::demo(setting, args),
    }
}

/// The contest of `kumite demo`, in the directory of the demo.
pub use demo::{look_around, play as demo_contest};
