//! `kumite log`: what the agents of a spec said.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Args;
use console::style;
use kumite_formats::spec_name::SpecName;
use kumite_host::project::Spec;
use kumite_host::{lock, status};
use serde_json::Value;

use crate::args::Setting;
use crate::trouble::Result;

#[derive(Args)]
pub struct LogArgs {
    /// Name of the spec
    spec: String,
    /// Go on as long as it runs
    #[arg(short, long)]
    follow: bool,
    /// The bytes as they came
    #[arg(long)]
    raw: bool,
    /// One agent only (its id, or the end of it)
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
}

/// How often a followed log is looked at.
const TICK: Duration = Duration::from_millis(200);

pub fn log(setting: &Setting, args: &LogArgs) -> Result {
    let project = setting.project()?;
    let name: SpecName = args.spec.parse()?;
    let spec = project.spec(&name)?;
    let mut shown: Vec<Shown> = Vec::new();
    loop {
        // Whether it runs is asked before the last look, so that nothing is missed.
        let runs = lock::is_held(&project) && status::one(&project, &spec).state == "working";
        for path in logs(&spec, args.agent.as_deref())? {
            if !shown.iter().any(|log| log.path == path) {
                shown.push(Shown { path, offset: 0 });
            }
        }
        for log in &mut shown {
            if let Err(error) = log.show(args.raw || setting.json()) {
                return ended_by(error);
            }
        }
        if !(args.follow && runs) {
            return Ok(ExitCode::SUCCESS);
        }
        thread::park_timeout(TICK);
    }
}

/// A reader that went away has read enough.
fn ended_by(error: std::io::Error) -> Result {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        _ => Err(error.into()),
    }
}

struct Shown {
    path: PathBuf,
    offset: u64,
}

impl Shown {
    /// Shows what is new, whole lines only.
    fn show(&mut self, raw: bool) -> std::io::Result<()> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.offset))?;
        let mut lines = BufReader::new(file);
        let mut out = std::io::stdout().lock();
        let mut line = Vec::new();
        loop {
            line.clear();
            // A line may be as long as it likes; a person sees its beginning.
            let read = lines.by_ref().take(LINE_MAX).read_until(b'\n', &mut line)?;
            if read == 0 {
                return out.flush();
            }
            if self.offset == 0 && !raw {
                let title = format!("── {}", stem(&self.path));
                writeln!(out, "{}", style(title).bold().cyan())?;
            }
            self.offset += read as u64;
            match raw {
                true => out.write_all(&line)?,
                false => render(&String::from_utf8_lossy(&line), &mut out)?,
            }
        }
    }
}

const LINE_MAX: u64 = 4 * 1024 * 1024;

/// The logs of a spec, oldest first: their names begin with their time.
fn logs(spec: &Spec, agent: Option<&str>) -> Result<Vec<PathBuf>> {
    let Ok(entries) = fs::read_dir(spec.main_dir().join("logs")) else {
        return Ok(Vec::new());
    };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let stem = stem(path);
            let wanted = agent.is_none_or(|agent| stem.ends_with(agent));
            path.extension().is_some_and(|end| end == "log") && !stem.ends_with(".stderr") && wanted
        })
        .collect();
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// A line of an agent as a person reads it; what is not understood is shown as it is.
fn render(line: &str, out: &mut impl Write) -> std::io::Result<()> {
    let line = line.trim_end();
    let Ok(event) = serde_json::from_str::<Value>(line) else {
        return writeln!(out, "{line}");
    };
    match event["type"].as_str() {
        Some("assistant") => {
            for part in event["message"]["content"].as_array().into_iter().flatten() {
                said(part, out)?;
            }
            Ok(())
        }
        Some("result") => {
            let ok = event["is_error"] != true;
            let mark = if ok {
                style("✓").green()
            } else {
                style("✗").red()
            };
            let text = event["result"].as_str().unwrap_or_default();
            writeln!(out, "{mark} {text} {}", style(cost(&event)).dim())
        }
        Some(_) => Ok(()),
        None => writeln!(out, "{line}"),
    }
}

fn said(part: &Value, out: &mut impl Write) -> std::io::Result<()> {
    match part["type"].as_str() {
        Some("text") => writeln!(out, "{}", part["text"].as_str().unwrap_or_default()),
        Some("tool_use") => {
            let input = &part["input"];
            let what = ["file_path", "command", "path", "pattern", "description"]
                .iter()
                .find_map(|key| input[*key].as_str())
                .unwrap_or_default();
            let name = part["name"].as_str().unwrap_or("tool");
            writeln!(out, "  {} {what}", style(name).dim())
        }
        _ => Ok(()),
    }
}

fn cost(event: &Value) -> String {
    match event["total_cost_usd"].as_f64() {
        Some(cost) => format!("(${cost:.2})"),
        None => String::new(),
    }
}
