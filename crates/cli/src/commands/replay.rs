//! `kumite replay`: every journal entry, the decision taken, and why.

use std::process::ExitCode;

use clap::Args;
use console::style;
use kumite_core::effect::Effect;
use kumite_core::facts::Look;
use kumite_core::journal::{Entry, Event};
use kumite_core::run::{Run, State};
use kumite_formats::spec_name::SpecName;
use kumite_host::clock::rfc3339;
use kumite_host::{journal, wording};
use serde_json::json;

use crate::args::Setting;
use crate::out::out;
use crate::trouble::Result;

#[derive(Args)]
pub struct ReplayArgs {
    /// Name of the spec
    spec: String,
}

pub fn replay(setting: &Setting, args: &ReplayArgs) -> Result {
    let project = setting.project()?;
    let name: SpecName = args.spec.parse()?;
    let spec = project.spec(&name)?;
    let history = journal::history(spec.run_dir())?;
    if history.is_empty() && !setting.json() {
        out!("{name} has never run");
    }
    for (entry, run, effects) in &history {
        match setting.json() {
            true => print_json(entry, run, effects),
            false => print(entry, run, effects),
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print_json(entry: &Entry, run: &Run, effects: &[Effect]) {
    let effects: Vec<String> = effects.iter().map(effect).collect();
    out!(
        "{}",
        json!({"entry": entry, "run": run, "effects": effects})
    );
}

fn print(entry: &Entry, run: &Run, effects: &[Effect]) {
    out!(
        "{} {}  {}",
        style(format!("{:4}", entry.seq)).dim(),
        style(rfc3339(entry.at_ms)).dim(),
        style(event(&entry.event)).bold()
    );
    for line in effects.iter().map(effect) {
        out!("       -> {line}");
    }
    out!("       {} {}", style("=").dim(), style(state(run)).cyan());
}

fn event(event: &Event) -> String {
    match event {
        Event::StartRequested { look, .. } => format!("start requested{}", seen(look.as_ref())),
        Event::Admitted { look } => format!("a slot came free{}", seen(Some(look))),
        Event::WaitOver { look } => format!("the wait is over{}", seen(Some(look))),
        Event::AgentEnded { agent, ended, look } => {
            format!("{agent} ended: {:?}{}", ended.outcome, seen(Some(look)))
        }
        Event::StopRequested { by } => format!("stop requested by {by:?}"),
        Event::PauseRequested => "pause requested".to_owned(),
        Event::ResetRequested => "reset requested".to_owned(),
        Event::DocumentApproved { document } => format!("{} approved", document.file()),
        Event::DocumentRejected { document, .. } => format!("{} rejected", document.file()),
        Event::SaveFailed { why, .. } => format!("spec.json could not be written: {why}"),
        Event::EngineStarted => "another process took over".to_owned(),
    }
}

/// The evidence that the decision rests on, as far as a line holds it.
fn seen(look: Option<&Look>) -> String {
    match look {
        None => String::new(),
        Some(Look::Unreadable(why)) => format!(" ({why})"),
        Some(Look::Seen(facts)) => {
            let round = facts.review.rounds.last().map_or(String::new(), |round| {
                let found = |findings: Option<kumite_core::facts::Findings>| match findings {
                    Some(found) => format!("{}/{}", found.fix_required, found.needs_discussion),
                    None => "-".to_owned(),
                };
                format!(
                    ", review {}: table {}, counts {}",
                    round.number,
                    found(round.table),
                    found(round.counts)
                )
            });
            let inspection = facts.inspections.last().map_or(String::new(), |last| {
                format!(
                    ", inspection {}: report {:?}, recorded {:?}",
                    last.number, last.report, last.recorded
                )
            });
            format!(" (tasks {:?}{round}{inspection})", facts.tasks)
        }
    }
}

fn effect(effect: &Effect) -> String {
    match effect {
        Effect::Save(changes) => format!("write {changes:?}"),
        Effect::Announce(notice) => format!("say: {}", wording::sentence(notice)),
        Effect::Limit(limited) => format!(
            "let others know of the limit until {}",
            rfc3339(limited.until_ms)
        ),
        Effect::Launch(launch) => format!(
            "start {} for {}",
            launch.agent,
            wording::step_words(launch.step)
        ),
        Effect::End(agent) => format!("end {agent}"),
    }
}

fn state(run: &Run) -> String {
    match &run.state {
        State::Idle => "idle".to_owned(),
        State::Queued { .. } => "queued".to_owned(),
        State::Working(work) => format!("working on {}", wording::step_words(work.step)),
        State::Finishing(work) => format!("pausing after {}", wording::step_words(work.step)),
        State::Stopping { work, .. } => format!("stopping {}", wording::step_words(work.step)),
        State::Limited(wait) => format!("waiting until {}", rfc3339(wait.until_ms)),
        State::Halted(halted) => format!("halted: {:?} {}", halted.why, halted.detail),
        State::Done(finish) => format!("done: {finish:?}"),
    }
}
