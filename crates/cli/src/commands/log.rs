//! `kumite log`: what the agents of a spec said.

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Args;
use kumite_agents::{AgentLogs, Said, Trail, TranscriptLine, agent_logs};
use kumite_core::journal::AgentId;
use kumite_formats::spec_name::SpecName;
use kumite_project::project::{Project, Spec};
use kumite_project::{journal, lock};
use serde::de::IgnoredAny;

use crate::args::Setting;
use crate::out;
use crate::render::in_locale;
use crate::transcript::Renderer;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct LogArgs {
    /// Name of the spec
    spec: String,
    /// Continue while it runs
    #[arg(short, long)]
    follow: bool,
    /// The raw bytes, without secrets
    #[arg(long)]
    raw: bool,
    /// One agent only (its id, or the end of its id)
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
}

/// How often a followed log is checked.
const TICK: Duration = Duration::from_millis(200);

/// A longer line is cut.
const LINE_MAX: usize = 4 * 1024 * 1024;

#[derive(Clone, Copy)]
enum Form {
    Raw,
    Json,
    People,
}

pub fn log(setting: &Setting, args: &LogArgs) -> Result {
    let project = setting.project()?;
    let name: SpecName = args.spec.parse()?;
    let spec = project.spec(&name)?;
    let form = match (args.raw, setting.json()) {
        (true, _) => Form::Raw,
        (false, true) => Form::Json,
        (false, false) => Form::People,
    };
    let mut shown: Vec<Shown> = Vec::new();
    loop {
        // Check whether it runs before the last look, so that nothing is missed.
        let follow = args.follow && runs(&project, &spec);
        for logs in agent_logs(&spec.logs())? {
            let id = logs.agent.to_string();
            let is_wanted = args.agent.as_ref().is_none_or(|agent| id.ends_with(agent));
            if is_wanted && shown.iter().all(|known| known.agent != logs.agent) {
                shown.push(Shown::new(&logs, form));
            }
        }
        for log in &mut shown {
            if let Err(error) = log.show(!follow) {
                return Ok(ExitCode::from(out::ended_by(&error)));
            }
        }
        if !follow && shown.is_empty() {
            return nothing(&spec, args.agent.as_deref());
        }
        if !follow {
            return Ok(ExitCode::SUCCESS);
        }
        thread::park_timeout(TICK);
    }
}

/// Nothing was shown: decides whether that is an error.
fn nothing(spec: &Spec, agent: Option<&str>) -> Result {
    let name = &spec.name;
    match agent {
        Some(agent) => Err(Trouble::invalid(format!(
            "no agent of {name} has an id that ends in {agent}"
        ))),
        None => {
            eprintln!("no agent has worked for {name} yet");
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn runs(project: &Project, spec: &Spec) -> bool {
    let run = || journal::peek(spec.run_dir()).ok().flatten();
    lock::is_held(project) && run().is_some_and(|run| !run.is_at_rest())
}

/// One agent, and how much of it was shown.
struct Shown {
    agent: AgentId,
    trail: Trail,
    form: Form,
    /// An agent of an older kumite has only its raw log.
    has_transcript: bool,
    /// An unfinished line.
    partial: Vec<u8>,
    renderer: Renderer,
}

impl Shown {
    fn new(logs: &AgentLogs, form: Form) -> Shown {
        let has_transcript = logs.transcript().exists();
        let path = match (form, has_transcript) {
            (Form::Json | Form::People, true) => logs.transcript(),
            (Form::Raw, _) | (_, false) => logs.raw(),
        };
        Shown {
            agent: logs.agent,
            trail: Trail::new(path),
            form,
            has_transcript,
            partial: Vec::new(),
            renderer: Renderer::default(),
        }
    }

    /// Shows what is new. `last`: this is the last look, so unfinished lines are shown too.
    fn show(&mut self, last: bool) -> io::Result<()> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        if let Form::Raw = self.form {
            self.trail.read(|piece| out.write_all(piece))?;
            return out.flush();
        }
        let mut partial = std::mem::take(&mut self.partial);
        let (agent, form, has_transcript) = (self.agent, self.form, self.has_transcript);
        let renderer = &mut self.renderer;
        let mut line = |line: &[u8]| {
            let shown = match (form, has_transcript) {
                (Form::Json, true) => with_agent(agent, line),
                (Form::Json, false) => raw_as_json(agent, line),
                (_, true) => in_locale(&rendered(renderer, agent, line)).into_owned(),
                (_, false) => renderer.render_raw(agent, &String::from_utf8_lossy(line)),
            };
            out.write_all(shown.as_bytes())
        };
        self.trail.read(|piece| {
            partial.extend_from_slice(piece);
            let mut from = 0;
            while let Some(end) = partial[from..].iter().position(|byte| *byte == b'\n') {
                line(&partial[from..from + end])?;
                from += end + 1;
            }
            partial.drain(..from);
            if partial.len() > LINE_MAX {
                line(&std::mem::take(&mut partial))?;
            }
            Ok(())
        })?;
        if last && !partial.is_empty() {
            line(&std::mem::take(&mut partial))?;
        }
        self.partial = partial;
        if last {
            out.write_all(self.renderer.close().as_bytes())?;
        }
        out.flush()
    }
}

/// A line that is not in our format, or was cut off, is skipped.
fn rendered(renderer: &mut Renderer, agent: AgentId, line: &[u8]) -> String {
    match serde_json::from_slice::<TranscriptLine>(line) {
        Ok(line) => renderer.render(agent, &line),
        Err(_) => String::new(),
    }
}

/// The unchanged line, with its agent.
fn with_agent(agent: AgentId, line: &[u8]) -> String {
    let is_whole = serde_json::from_slice::<IgnoredAny>(line).is_ok();
    match line.strip_prefix(b"{") {
        Some(rest) if is_whole => {
            format!(
                "{{\"agent\":\"{agent}\",{}\n",
                String::from_utf8_lossy(rest)
            )
        }
        _ => String::new(),
    }
}

fn raw_as_json(agent: AgentId, line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line).into_owned();
    let said = Said::Text { text };
    let at_ms = agent.at_ms;
    let line = serde_json::to_vec(&TranscriptLine { at_ms, said }).unwrap_or_default();
    with_agent(agent, &line)
}
