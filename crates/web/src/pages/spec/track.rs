//! The phases of a spec, and how far it has come.

use kumite_core::facts::{Facts, Verdict};
use kumite_core::names::{Document, Phase};
use kumite_core::run::{Run, StateName, first_unfinished};
use kumite_project::status::Status;
use maud::{Markup, html};

use super::documents::path_of;
use super::seen::SeenSpec;
use super::words::counted;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Done,
    /// An agent works on it.
    Current,
    /// The spec rests here until a person or an event lets it go on.
    Waiting,
    Failed,
    NotPermitted,
    Open,
}

pub fn mark(phase: Phase, status: &Status, run: &Run, facts: Option<&Facts>) -> Mark {
    let is_here = status.phase == Some(phase);
    let next = facts.and_then(|facts| first_unfinished(facts, &run.order.rules));
    let is_finished = facts.is_some() && next.is_none_or(|next| phase < next);
    let is_permitted = facts.is_none_or(|facts| facts.permitted.allows(phase));
    let here = match status.state {
        StateName::Working => Some(Mark::Current),
        StateName::Waiting | StateName::Paused | StateName::Stopped => Some(Mark::Waiting),
        StateName::Failed => Some(Mark::Failed),
        StateName::Idle | StateName::Done => None,
    };
    match here.filter(|_| is_here) {
        Some(mark) => mark,
        None if is_finished => Mark::Done,
        None if !is_permitted => Mark::NotPermitted,
        None => Mark::Open,
    }
}

pub fn track(seen: &SeenSpec) -> Markup {
    html! {
        ol.track #track aria-label="Phases" {
            @for phase in Phase::ALL { (item(phase, seen)) }
        }
    }
}

fn item(phase: Phase, seen: &SeenSpec) -> Markup {
    let mark = mark(phase, &seen.status, &seen.run, seen.facts.as_ref());
    let is_here = seen.status.phase == Some(phase) && seen.status.state != StateName::Done;
    let document = Document::from_name(phase.name()).map(Document::file);
    let document = document.filter(|file| seen.has(file));
    let note = seen
        .facts
        .as_ref()
        .and_then(|facts| note(phase, seen, facts));
    html! {
        li class=[class(mark)] id={ "phase-" (phase.name()) }
            aria-current=[is_here.then_some("step")] {
            @match document {
                Some(file) => a href=(path_of(&seen.spec.name, file)) { (phase.name()) },
                None => span { (phase.name()) },
            }
            " " span.small.muted { (note.unwrap_or_else(|| said(mark, seen.facts.is_some()).to_owned())) }
        }
    }
}

fn class(mark: Mark) -> Option<&'static str> {
    match mark {
        Mark::Done => Some("is-done"),
        Mark::Current => Some("is-current"),
        Mark::Waiting => Some("is-waiting"),
        Mark::Failed => Some("is-failed"),
        Mark::NotPermitted => Some("is-closed"),
        Mark::Open => None,
    }
}

fn said(mark: Mark, is_known: bool) -> &'static str {
    match mark {
        Mark::Done => "done",
        Mark::Current => "an agent works",
        Mark::Waiting => "waits here",
        Mark::Failed => "failed",
        Mark::NotPermitted => "not permitted",
        Mark::Open if is_known => "to come",
        Mark::Open => "unknown",
    }
}

/// More about a phase.
fn note(phase: Phase, seen: &SeenSpec, facts: &Facts) -> Option<String> {
    let tasks = seen.status.tasks;
    match phase {
        Phase::Requirements | Phase::Design | Phase::Tasks => {
            let known = facts.document(Document::from_name(phase.name())?);
            match (known.generated, known.approved) {
                (_, true) => Some("approved".to_owned()),
                (true, false) => Some("not approved yet".to_owned()),
                (false, false) => None,
            }
        }
        Phase::Review => {
            let count = facts.review.rounds.len();
            let rounds = counted(count, "round", "rounds");
            match (count, facts.review.approved) {
                (0, false) => None,
                (0, true) => Some("approved".to_owned()),
                (_, true) => Some(format!("approved, {rounds}")),
                (_, false) => Some(rounds),
            }
        }
        Phase::Impl => {
            (tasks.total > 0).then(|| format!("{} of {} tasks", tasks.done, tasks.total))
        }
        Phase::Inspection => {
            let last = facts.inspections.last()?;
            let verdict = last.recorded.or(last.report)?;
            Some(match verdict {
                Verdict::Go => "GO".to_owned(),
                Verdict::Nogo => "NOGO".to_owned(),
            })
        }
        Phase::Deploy => None,
    }
}

#[cfg(test)]
#[path = "track_tests.rs"]
mod tests;
