//! What a person is needed for, in plain words: what happened, why, and what they can do.

use kumite_core::names::Document;
use kumite_core::run::{Halted, State};
use kumite_formats::review_reply::Judgment;
use kumite_host::worked::Worked;
use maud::{Markup, html};

use super::actions::{self, Action};
use super::documents::link;
use super::inspections;
use super::seen::Seen;
use super::words::{counted, prose};
use super::{agents, approval, convergence, reviews, tasks};
use crate::render::{markdown, marks};
use crate::render::words::{cut, moment};

/// So many open tasks are named.
const TASKS_MAX: usize = 12;

/// Nothing, if nobody is needed.
pub fn needs(seen: &Seen, may_change: bool) -> Markup {
    let Some(title) = title(seen) else {
        return html! {};
    };
    html! {
        section.needs.stack #needs data-needs="1" aria-labelledby="needs-title" {
            h2 #needs-title { (title) }
            (story(seen))
            @if may_change {
                @if let Some(action) = way_out(seen) {
                    div.actions { (actions::button(&seen.spec.name, action)) }
                }
            }
        }
        @if let Some(document) = approval::waiting(seen) { (judging(seen, document, may_change)) }
    }
}

fn reason(seen: &Seen) -> &str {
    seen.status.reason.as_deref().unwrap_or_default()
}

/// Whether a person is needed, and what for.
fn title(seen: &Seen) -> Option<String> {
    let document = approval::waiting(seen).map_or("A document", Document::file);
    Some(match reason(seen) {
        "approval_needed" => format!("{document} waits for your approval"),
        "needs_discussion" => "The review needs your decision".to_owned(),
        "rounds_exhausted" => "The review does not come to an end".to_owned(),
        "retries_exhausted" => "The implementation was given up".to_owned(),
        "inspection_nogo" => "The inspection says NOGO".to_owned(),
        "no_evidence" => "An agent left no evidence of its work".to_owned(),
        "evidence_conflict" => "The evidence contradicts itself".to_owned(),
        "agent_failed" => "An agent failed".to_owned(),
        "agent_missing" => "The agent could not be started".to_owned(),
        "agent_hung" => "The agent said nothing for too long".to_owned(),
        "timeout" => "A step took too long".to_owned(),
        "usage_limit" if !waits(seen) => "A usage limit is reached".to_owned(),
        "budget" => "The money is spent".to_owned(),
        "spec_unreadable" => "spec.json cannot be read".to_owned(),
        "spec_unwritable" => "spec.json cannot be written".to_owned(),
        _ => return None,
    })
}

/// A limit that is waited for needs nobody.
fn waits(seen: &Seen) -> bool {
    matches!(seen.run.state, State::Limited(_))
}

fn way_out(seen: &Seen) -> Option<Action> {
    let fit = actions::fitting(&seen.status, &seen.run, seen.facts.as_ref());
    match fit.first() {
        Some(Action::Resume | Action::Reset) => fit.first().copied(),
        _ => None,
    }
}

fn story(seen: &Seen) -> Markup {
    match reason(seen) {
        "approval_needed" => html! {
            p { "Read it below, then approve it, or reject it with a remark." }
        },
        "needs_discussion" => discussion(seen),
        "rounds_exhausted" => rounds(seen),
        "retries_exhausted" => retries(seen),
        "inspection_nogo" => nogo(seen),
        "no_evidence" => html! {
            (because(seen))
            (last_agent(seen))
            p { "Resume looks again, and has done what is missing." }
        },
        "evidence_conflict" => html! {
            (because(seen))
            p { "Correct the one that is wrong, in spec.json or in the document, then resume." }
        },
        "agent_missing" => html! {
            (because(seen))
            p { "Check the program and its settings (" code { "kumite doctor" } " looks at them), then resume." }
        },
        "agent_failed" | "agent_hung" | "timeout" => html! {
            (because(seen))
            (last_agent(seen))
            p { "Resume tries the step again." }
        },
        "usage_limit" => html! {
            (because(seen))
            @if let Some(until) = &seen.status.until { p { "It ends: " (moment(until)) "." } }
            p { "Resume tries at once; before that time it may be refused again." }
        },
        "budget" => html! {
            (because(seen))
            p { "Raise the budget in " code { ".kiro/kumite.toml" } ", then resume." }
        },
        "spec_unreadable" => html! {
            (because(seen))
            p { "Correct the file, then resume. What can be known without it stands below." }
        },
        _ => html! { (because(seen)) p { "Resume tries again." } },
    }
}

/// What the run noted when it halted: a file, the agent's last words.
fn because(seen: &Seen) -> Markup {
    let detail = match &seen.run.state {
        State::Halted(Halted { detail, .. }) if !detail.is_empty() => Some(detail),
        _ => seen.status.message.as_ref(),
    };
    html! {
        @if let Some(detail) = detail { p.why { (marks::sentence(&cut(detail, 1000))) } }
    }
}

fn last_agent(seen: &Seen) -> Markup {
    let ended = |agent: &&Worked| !agent.alive;
    html! {
        @if let Some(agent) = seen.agents.iter().find(ended) {
            p {
                "Read the "
                a href=(agents::path_of(&seen.spec.name, &agent.id)) { "log of " (agents::step(agent)) }
                "."
            }
        }
    }
}

fn discussion(seen: &Seen) -> Markup {
    let last = reviews::counts(seen).last().map(|(number, _)| *number);
    let round = last.unwrap_or(0);
    let points = reviews::points_of(seen, round);
    let open: Vec<_> = points
        .iter()
        .filter(|point| point.judgment == Some(Judgment::NeedsDiscussion))
        .collect();
    html! {
        p {
            @match open.len() {
                0 => "The last reply left points open that only a person can decide.",
                count => {
                    "The reply of round " (round) " left "
                    (counted(count, "point", "points")) " that only a person can decide."
                },
            }
        }
        @for (index, point) in open.iter().enumerate() {
            details.fold.card open[open.len() <= 3] id={ "point-" (index + 1) } {
                summary { (reviews::judged(point.judgment)) " " (prose(&point.title)) }
                div.doc { (markdown(&point.text)) }
            }
        }
        p {
            "Decide, write your decision into the documents, then resume: another round looks at them. ("
            (link(seen, &reviews::reply_file(round), "The whole reply")) ")"
        }
    }
}

fn rounds(seen: &Seen) -> Markup {
    let counts = reviews::counts(seen);
    let last = counts.last().map_or(0, |(number, _)| *number);
    html! {
        p { "All rounds that were granted are used up, and the last one still found something to fix." }
        @if let Some(sentence) = convergence::sentence(&counts) { p.why { (sentence) } }
        p {
            "Read the " (link(seen, &reviews::reply_file(last), "last reply"))
            ". If the rounds go in circles, correct the documents by hand. Resume grants new rounds."
        }
    }
}

fn retries(seen: &Seen) -> Markup {
    let open = tasks::open_ones(seen, TASKS_MAX);
    let count = seen.status.tasks;
    let all = usize::try_from(count.total.saturating_sub(count.done)).unwrap_or(0);
    html! {
        p {
            "After all retries "
            @match all {
                1 => "1 task is",
                many => { (many) " tasks are" },
            }
            " still open."
        }
        @if !open.is_empty() {
            ul.tree {
                @for task in &open { li.open { (tasks::line(task)) } }
            }
        }
        @if all > open.len() { p.muted.small { "And " (all - open.len()) " more." } }
        (last_agent(seen))
        p { "Find out what is in the way. Reset forgets the retries; then it can run again." }
    }
}

fn nogo(seen: &Seen) -> Markup {
    let last = inspections::all(seen).last();
    html! {
        (because(seen))
        @if let Some(last) = last {
            p { "Read the " (link(seen, &inspections::report_file(seen, last.number), "last report")) "." }
        }
        p { "Fix what it found, then resume: that grants new inspections." }
    }
}

/// The document with the form beside it.
fn judging(seen: &Seen, document: Document, may_change: bool) -> Markup {
    let text = seen.text(document.file());
    html! {
        div.split #judging {
            article.doc #document {
                @match &text {
                    Some(text) => (markdown(text)),
                    None => p.empty { (document.file()) " cannot be shown." },
                }
            }
            @if may_change { (approval::form(&seen.spec.name, document)) }
        }
    }
}
