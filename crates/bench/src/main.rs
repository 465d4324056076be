//! What kumite costs, compared with the least possible cost, measured in the same run.
//!
//! `cargo xtask bench` builds and calls this. This is not a test: a figure that misses its goal
//! is shown as missed, and the exit code stays 0.

mod board;
mod contest;
mod counting;
mod decide;
mod handover;
mod ingest;
mod log;
mod page;
mod scene;
mod size;
mod start;
mod stats;
mod stop;
mod table;
mod web;

use std::path::PathBuf;
use std::process::ExitCode;

use table::Part;

#[global_allocator]
static MEMORY: counting::Counting = counting::Counting;

/// Every error is shown to the person who measures.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

type Measure = fn(&Options) -> Result<Part>;

/// In this order.
const PARTS: [(&str, Measure); 11] = [
    ("handover", |_| handover::measure()),
    ("rush", |_| handover::rush()),
    ("decide", |_| decide::measure()),
    ("log", |_| log::measure()),
    ("start", |_| start::measure()),
    ("ingest", |_| ingest::measure()),
    ("stop", |_| stop::measure()),
    ("contest", |_| contest::measure()),
    ("board", |_| board::measure()),
    ("web", |_| web::measure()),
    ("size", size::measure),
];

#[derive(Default)]
pub struct Options {
    only: Vec<String>,
    write: Option<PathBuf>,
    command: String,
    /// How long the cold build of the demo took, if it was measured.
    pub cold_seconds: Option<f64>,
}

fn main() -> ExitCode {
    match parse().and_then(|options| bench(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse() -> Result<Options> {
    let mut options = Options::default();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        if arg == "--write" {
            options.write = Some(args.next().ok_or("--write needs a file")?.into());
        } else if let Some(command) = arg.strip_prefix("--command=") {
            options.command = command.to_owned();
        } else if let Some(seconds) = arg.strip_prefix("--cold-seconds=") {
            options.cold_seconds = Some(seconds.parse()?);
        } else if PARTS.iter().any(|(name, _)| *name == arg) {
            options.only.push(arg);
        } else {
            let names = PARTS.map(|(name, _)| name).join(", ");
            return Err(format!("{arg:?} is not known; the parts are {names}").into());
        }
    }
    Ok(options)
}

fn bench(options: &Options) -> Result<()> {
    let mut parts = Vec::new();
    for (name, measure) in PARTS {
        if options.only.is_empty() || options.only.iter().any(|only| only == name) {
            eprintln!("measuring: {name}");
            let part = measure(options)?;
            println!("{part}");
            parts.push(part);
        }
    }
    match &options.write {
        Some(path) => page::write(path, &options.command, &parts),
        None => Ok(()),
    }
}
