//! The head of the page: the state at a glance, and what a person can do.

use kumite_core::run::Step;
use kumite_project::clock::rfc3339;
use kumite_project::status::Status;
use maud::{Markup, html};

use super::seen::SeenSpec;
use super::words::spaced;
use super::{actions, needs};
use crate::render::marks::{self, count};
use crate::render::words::{badge, elapsed, moment, money};

pub fn head(seen: &SeenSpec, may_change: bool) -> Markup {
    let status = &seen.status;
    html! {
        header.stack #head {
            div.row {
                h1 { (seen.spec.name) }
                (badge(status.state))
                @if let Some(reason) = status.reason {
                    span.muted.small title=(reason.word()) { (spaced(reason.word())) }
                }
            }
            @if let (Some(message), false) = (&status.message, needs::is_needed(seen)) {
                p.why { (marks::sentence(message)) }
            }
            @if let Some(trouble) = &seen.trouble { p.why { (marks::sentence(trouble)) } }
            @if seen.is_outside {
                p.muted { "Its documents live outside of the project and are not shown here." }
            }
            (figures(seen))
            @if may_change && !needs::is_needed(seen) { (actions::actions(seen)) }
        }
    }
}

fn figures(seen: &SeenSpec) -> Markup {
    let status = &seen.status;
    let fact = |name: &str, value: Markup| html! { div { dt { (name) } dd { (value) } } };
    html! {
        dl.about #facts {
            @if let Some(phase) = status.phase { (fact("Phase", html! { (phase.name()) })) }
            @if let Some(place) = place(status) { (fact(place.0, html! { (place.1) })) }
            @if status.tasks.total > 0 {
                (fact("Tasks", marks::progress(status.tasks.done, status.tasks.total, "tasks")))
            }
            @if let Some(time) = time(seen) { (fact("Elapsed", time)) }
            (fact("Cost", cost(status)))
            @if let Some(until) = &status.until { (fact("Limited until", moment(until))) }
            @if let Some(worktree) = &seen.worktree {
                (fact("Worktree", html! { code { (worktree) } }))
            }
        }
    }
}

/// The position in the current loop: `Round 3 of 7`, `Retry 2 of 7`.
fn place(status: &Status) -> Option<(&'static str, String)> {
    let of = |now: u32, max: Option<u8>| match max {
        Some(max) if now <= u32::from(max) => format!("{now} of {max}"),
        // Rounds that a person granted later go beyond the limit.
        Some(_) | None => now.to_string(),
    };
    let name = match status.step {
        Some(Step::Inspect(_) | Step::Fix(_)) => "Inspection",
        Some(
            Step::Write(_)
            | Step::Review(_)
            | Step::Reply(_)
            | Step::Implement(_)
            | Step::Merge
            | Step::Baseline
            | Step::Prepare(_)
            | Step::Verify(_)
            | Step::Undo(_),
        )
        | None => "Round",
    };
    let round = status
        .round
        .map(|round| (name, of(round, status.rounds_max)));
    let attempt = status.attempt.map(u32::from).filter(|retry| *retry > 0);
    let attempt = attempt.map(|retry| ("Retry", of(retry, status.attempts_max)));
    round.or(attempt)
}

/// How long this run has taken; it ticks while the run is active.
fn time(seen: &SeenSpec) -> Option<Markup> {
    let number = seen.run.number;
    let mut walk = seen.history.iter();
    let (first, _, _) = walk.find(|(_, run, _)| number > 0 && run.number == number)?;
    Some(match seen.run.is_at_rest() {
        true => {
            // Requests to a run that rests do not add to its time.
            let mut pairs = seen.history.windows(2).rev();
            let rested = pairs.find(|pair| !pair[0].1.is_at_rest() && pair[1].1.is_at_rest());
            let end_ms = rested.map_or(first.at_ms, |pair| pair[1].0.at_ms);
            let ms = end_ms.saturating_sub(first.at_ms);
            html! { (elapsed(ms / 1000)) }
        }
        false => marks::since(&rfc3339(first.at_ms)),
    })
}

fn cost(status: &Status) -> Markup {
    html! {
        (money(status.cost_usd))
        @if status.input_tokens + status.output_tokens > 0 {
            " " span.muted.small.nowrap {
                (count(status.input_tokens)) " in, " (count(status.output_tokens)) " out"
            }
        }
    }
}
