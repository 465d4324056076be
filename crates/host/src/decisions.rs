//! Every journal entry of a spec, the decision taken, and why.

use kumite_core::effect::Effect;
use kumite_core::facts::{Findings, Look};
use kumite_core::journal::{Entry, Event};
use kumite_core::run::{Run, State};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::clock::rfc3339;
use crate::project::Spec;
use crate::{journal, wording};

/// One line of `kumite replay --json`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Decision {
    /// What happened, as the journal has it.
    #[schemars(with = "Value")]
    pub entry: Entry,
    /// The run after it.
    #[schemars(with = "Value")]
    pub run: Run,
    /// What was done about it, a sentence each.
    pub effects: Vec<String>,
    /// What happened, for people, with the evidence that the decision rests on.
    pub event: String,
    /// How the run stands after it, for people.
    pub state: String,
}

/// All of them, in their order. A spec that never ran has none.
pub fn all(spec: &Spec) -> Result<Vec<Decision>, journal::Error> {
    let history = journal::history(spec.run_dir())?.into_iter();
    Ok(history
        .map(|(entry, run, effects)| Decision {
            effects: effects.iter().map(effect).collect(),
            event: event(&entry.event),
            state: state(&run),
            entry,
            run,
        })
        .collect())
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
                let found = |findings: Option<Findings>| match findings {
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
