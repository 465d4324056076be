//! The program `kumite-check`. `kumite agent check` finds the agent and then becomes this program, so
//! that `kumite` itself contains neither the scenarios nor the fake model.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::{self, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::Duration;

use console::style;
use kumite_project::project::Project;
use kumite_project::settings::{Flags, Loader};
use kumite_project::spec_file::sentence;
use serde::{Deserialize, Serialize};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::{Agent, Choice, Halt, Row, Setup, Verdict, check, names};

pub const PROGRAM: &str = "kumite-check";
/// Names another program, for installations that keep it elsewhere.
pub const VARIABLE: &str = "KUMITE_CHECK";

const USAGE: u8 = 2;
const INVALID: u8 = 5;

const HELP: &str = "\
The conformance kit of kumite. `kumite agent check` starts this program; nobody else needs to.

usage: kumite-check JOB PROJECT KUMITE    JOB is a JSON object, the others are paths
";

/// What to check. The paths are separate arguments: they need not be UTF-8.
#[derive(Debug, Serialize, Deserialize)]
pub struct CheckRequest {
    /// Its name in the settings.
    pub agent: String,
    /// As the program reports it.
    pub version: Option<String>,
    pub offline: bool,
    pub only: Option<String>,
    pub jobs: u8,
    pub json: bool,
    pub has_colors: bool,
}

/// What is wrong, and the exit code for it.
struct Trouble(u8, String);

pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    match words.as_slice() {
        [word] if word == "-h" || word == "--help" => say(HELP.trim_end()),
        [word] if word == "-V" || word == "--version" => {
            say(concat!("kumite-check ", env!("CARGO_PKG_VERSION")));
        }
        [job, project, kumite] => {
            let job = serde_json::from_slice(job.as_encoded_bytes());
            let job = job.map_err(|error| Trouble(USAGE, format!("{error}\n\n{HELP}")));
            let done = job.and_then(|job| run(&job, Path::new(project), Path::new(kumite)));
            return done.unwrap_or_else(|Trouble(code, why)| {
                eprintln!("kumite: {why}");
                ExitCode::from(code)
            });
        }
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(USAGE);
        }
    }
    ExitCode::SUCCESS
}

fn run(job: &CheckRequest, project: &Path, kumite: &Path) -> Result<ExitCode, Trouble> {
    console::set_colors_enabled(job.has_colors);
    let loader = Loader::load(&Project::at(project), Flags::default());
    let loader = loader.map_err(|error| Trouble(INVALID, sentence(&error)))?;
    let found = loader.loaded.settings.agents.get(&job.agent);
    let Some(agent) = found.and_then(|found| Agent::new(&job.agent, found)) else {
        let why = format!("there is no agent {} that could be checked", job.agent);
        return Err(Trouble(INVALID, why));
    };
    let known = names(agent.kind);
    if let Some(only) = job.only.as_deref().filter(|only| !known.contains(only)) {
        let known = known.join(", ");
        let why = format!("there is no scenario {only}; there are {known}");
        return Err(Trouble(USAGE, why));
    }
    let kit = Setup {
        agent,
        binary: kumite.to_owned(),
        project: project.to_owned(),
        offline: job.offline,
        version: job.version.clone(),
        silence: Duration::ZERO,
        halt: Halt::default(),
    };
    let choice = Choice {
        only: job.only.clone(),
        jobs: usize::from(job.jobs),
    };
    let failed = |error: io::Error| Trouble(1, format!("cannot listen to signals: {error}"));
    let signal = end_on_signals(kit.halt.clone()).map_err(failed)?;
    let report = check(&kit, &choice, &|row| {
        if !job.json {
            say(&line(row));
        }
    });
    if let code @ 1.. = signal.load(Ordering::Acquire) {
        return Ok(ExitCode::from(u8::try_from(128 + code).unwrap_or(1)));
    }
    match job.json {
        true => say(&report.json().to_string()),
        false => say(&report.summary()),
    }
    Ok(match report.failed() {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// Ends the agents at Ctrl-C and similar signals; the number of the signal is kept for the exit
/// code.
fn end_on_signals(halt: Halt) -> io::Result<Arc<AtomicI32>> {
    let first = Arc::new(AtomicI32::new(0));
    let told = Arc::clone(&first);
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            for signal in signals.forever() {
                let _ = told.compare_exchange(0, signal, Ordering::AcqRel, Ordering::Acquire);
                halt.now();
            }
        })?;
    Ok(first)
}

fn line(row: &Row) -> String {
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
    format!("{:27} {verdict:7} {seconds:6.1} s  {words}", row.name)
}

/// A table that cannot be printed proves nothing.
fn say(text: &str) {
    if let Err(error) = writeln!(io::stdout().lock(), "{text}") {
        match error.kind() {
            io::ErrorKind::BrokenPipe => process::exit(0),
            _ => {
                eprintln!("kumite: cannot print: {error}");
                process::exit(1);
            }
        }
    }
}
