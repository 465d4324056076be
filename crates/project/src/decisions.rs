//! Every journal entry of a spec, the decision, and its reason.

use kumite_core::change::Change;
use kumite_core::effect::Effect;
use kumite_core::facts::{Facts, Findings, InspectionFacts, Look, RoundFacts, TaskFacts, Verdict};
use kumite_core::journal::{By, Entry, Event};
use kumite_core::place::PlaceLook;
use kumite_core::run::{Run, State, run_ended};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::clock::rfc3339;
use crate::wording;

/// One line of `kumite replay --json`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Decision {
    /// What happened, as the journal stores it.
    #[schemars(with = "Value")]
    pub entry: Entry,
    /// The run after it.
    #[schemars(with = "Value")]
    pub run: Run,
    /// What was done about it, one sentence per effect.
    pub effects: Vec<String>,
    /// What happened, for people, with the evidence for the decision.
    pub event: String,
    /// The state of the run after it, for people.
    pub state: String,
}

impl Decision {
    /// Hints name the spec, so that they work as they are typed.
    pub fn of(spec: &str, (entry, run, effects): &(Entry, Run, Vec<Effect>)) -> Decision {
        let effects = effects.iter();
        Decision {
            effects: effects
                .map(|made| wording::addressed(&effect(made), spec))
                .collect(),
            event: event(&entry.event),
            state: wording::addressed(&state(run), spec),
            entry: entry.clone(),
            run: run.clone(),
        }
    }
}

fn event(event: &Event) -> String {
    match event {
        Event::StartRequested { look, .. } => format!("start requested{}", seen(look.as_ref())),
        Event::Admitted { look } => format!("a slot came free{}", seen(Some(look))),
        Event::WaitOver { look } => format!("the wait is over{}", seen(Some(look))),
        Event::AgentEnded { agent, ended, look } => {
            let outcome = wording::outcome_words(&ended.outcome);
            format!("{agent} {outcome}{}", seen(Some(look)))
        }
        Event::CheckoutBusy { with, .. } => format!("{with} works in the same checkout"),
        Event::StopRequested { by: By::User } => "stop requested".to_owned(),
        Event::StopRequested { by: By::Interrupt } => "kumite was interrupted".to_owned(),
        Event::PauseRequested => "pause requested".to_owned(),
        Event::ResetRequested => "reset requested".to_owned(),
        Event::DocumentApproved { document } => format!("{} approved", document.file()),
        Event::DocumentRejected { document, remark } => match remark {
            Some(remark) => format!("{} rejected: {remark}", document.file()),
            None => format!("{} rejected", document.file()),
        },
        Event::DeployApproved => "deploy approved".to_owned(),
        Event::ImplApproved => "impl approved without a change".to_owned(),
        Event::UndoRequested { to, .. } => format!("undo to checkpoint {to} requested"),
        Event::SaveFailed { why, .. } => format!("spec.json could not be written: {why}"),
        Event::EngineStarted => "another process took over".to_owned(),
    }
}

/// The evidence for the decision, as far as it fits on a line.
fn seen(look: Option<&Look>) -> String {
    match look {
        None => String::new(),
        Some(Look::Unreadable(why)) => format!(" ({why})"),
        Some(Look::Nobody) => " (it was not started)".to_owned(),
        Some(Look::Seen(facts)) => {
            let mut parts = vec![tasks(facts.tasks)];
            parts.extend(facts.review.rounds.last().map(round));
            parts.extend(facts.inspections.last().map(inspection));
            parts.extend(place(facts));
            format!(" ({})", parts.join(", "))
        }
    }
}

fn tasks(tasks: TaskFacts) -> String {
    match tasks {
        TaskFacts::Counted { total: 0, .. } => "no tasks".to_owned(),
        TaskFacts::Counted { done, total } => format!("{done} of {total} tasks done"),
        TaskFacts::Unreadable => "no tasks.md yet, or none that can be read".to_owned(),
    }
}

/// What is worth knowing about the worktree.
fn place(facts: &Facts) -> Vec<String> {
    let mut parts = Vec::new();
    match &facts.place {
        PlaceLook::None => {}
        PlaceLook::Seen(place) => {
            let tree = place.content.tree.chars().take(8).collect::<String>();
            parts.push(format!("tree {tree}"));
            parts.extend(
                (!place.protected.is_empty())
                    .then(|| format!("protected files changed: {}", place.protected.join(", "))),
            );
        }
        PlaceLook::Unreadable(why) => parts.push(why.clone()),
    }
    parts.extend(
        facts
            .vanished
            .first()
            .map(|task| format!("a task is gone: {task}")),
    );
    parts
}

/// What the reply's table and spec.json say, written once if they agree.
fn round(round: &RoundFacts) -> String {
    let found = |findings: Option<Findings>| match findings {
        Some(found) => format!(
            "{} to fix, {} to discuss",
            found.fix_required, found.needs_discussion
        ),
        None => "no reply yet".to_owned(),
    };
    let number = round.number;
    match (round.table, round.counts) {
        (table, counts) if table == counts => format!("review {number}: {}", found(table)),
        (table, counts) => format!(
            "review {number}: the table says {}; spec.json says {}",
            found(table),
            found(counts)
        ),
    }
}

fn inspection(known: &InspectionFacts) -> String {
    let said = |verdict: Option<Verdict>| verdict.map_or("nothing", Verdict::word);
    let number = known.number;
    match (known.report, known.recorded) {
        (report, recorded) if report == recorded => {
            format!("inspection {number}: {}", said(report))
        }
        (report, recorded) => format!(
            "inspection {number}: the report says {}, spec.json says {}",
            said(report),
            said(recorded)
        ),
    }
}

fn effect(effect: &Effect) -> String {
    match effect {
        Effect::Save(changes) => {
            let changes: Vec<String> = changes.iter().copied().map(change).collect();
            format!("write to spec.json: {}", changes.join(", "))
        }
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
        Effect::Settle(settled) => format!("record what {} used", settled.agent),
        Effect::Leave => "remove the worktree, if all its work is merged".to_owned(),
        Effect::Keep { seq, .. } => format!("keep the worktree as checkpoint {seq}"),
    }
}

fn change(change: Change) -> String {
    match change {
        Change::Generated(document) => format!("{} is generated", document.name()),
        Change::Approved(document) => format!("{} is approved", document.name()),
        Change::Rejected(document) => format!("{} is rejected", document.name()),
        Change::ReviewStarted(round) => format!("review {round} begins"),
        Change::ReviewWritten(round) => format!("review {round} is written"),
        Change::Replied(round, found) | Change::Judged(round, found) => format!(
            "reply {round}: {} to fix, {} to discuss",
            found.fix_required, found.needs_discussion
        ),
        Change::ReviewApproved => "the review is approved".to_owned(),
        Change::Implemented => "impl is complete".to_owned(),
        Change::Inspected(round, verdict) => format!("inspection {round}: {}", verdict.word()),
        Change::Fixed(round) => format!("inspection {round} is fixed"),
        Change::InspectionPassed => "the inspection is passed".to_owned(),
        Change::Deployed => "deploy is complete".to_owned(),
        Change::Reopened(phase) => format!("{} and all after it are open again", phase.name()),
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
        State::Halted(_) | State::Done(_) => wording::sentence(&run_ended(run)),
    }
}
