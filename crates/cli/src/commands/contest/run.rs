//! `kumite contest run`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use kumite_contest::check::{self, Check, Status};
use kumite_contest::prepare::{self, Error};
use kumite_formats::contest::Request;

use super::place::PlaceArgs;
use super::play::{Summary, play};
use crate::args::Setting;
use crate::exit;
use crate::out::out;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct RunArgs {
    /// contest.toml, or mixseek's orchestrator file
    file: PathBuf,
    /// What the teams have to do, if the file does not say it; `-` reads it from stdin
    task: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
    /// Check everything that costs nothing, and play nothing
    #[arg(long)]
    dry_run: bool,
    /// How many seconds a team may use, instead of the value in the file
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
    /// Only warn about unknown keys
    #[arg(long)]
    lenient: bool,
    /// What is printed at the end
    #[arg(long, value_name = "FORM", default_value = "kumite")]
    summary: Summary,
}

pub fn run(setting: &Setting, args: &RunArgs) -> Result {
    let mut place = args.place.find(setting)?;
    let task = match args.task.as_deref() {
        Some("-") => {
            let text = std::io::read_to_string(std::io::stdin());
            Some(text.map_err(|error| {
                Trouble::invalid(format!("cannot read the task from stdin: {error}"))
            })?)
        }
        Some(task) => Some(task.to_owned()),
        None => None,
    };
    let (dir, named) = (setting.place()?, place.named.clone());
    let request = Request {
        file: &args.file,
        text: None,
        workspace: named.as_deref(),
        dir: &dir,
        task: task.as_deref(),
        timeout: args.timeout.map(Duration::from_secs),
        lenient: args.lenient,
    };
    let is_database_told = args.place.db.is_some();
    let (plan, checks) = match prepare::checked(&mut place, &request, is_database_told) {
        Err(Error::Checks(checks)) if args.dry_run && setting.json() => {
            return Ok(shown(setting, &checks));
        }
        checked => checked?,
    };
    if args.dry_run {
        return Ok(shown(setting, &checks));
    }
    if !check::is_good(&checks) {
        return Err(Error::Checks(checks).into());
    }
    let home = prepare::begin(&place, plan)?;
    play(setting, home, args.summary)
}

fn shown(setting: &Setting, checks: &[Check]) -> ExitCode {
    if setting.json() {
        out!("{}", check::to_json(checks));
    } else {
        for it in checks {
            let mark = match it.status {
                Status::Ok => console::style("ok     ").green(),
                Status::Error => console::style("error  ").red(),
                Status::Skipped => console::style("skipped").dim(),
            };
            out!("{mark}  {:12} {}: {}", it.category, it.name, it.message);
        }
    }
    match check::is_good(checks) {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(exit::INVALID),
    }
}
