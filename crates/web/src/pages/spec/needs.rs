//! What a person is needed for, in plain words: what happened, why, and what they can do.

use kumite_core::names::Document;
use kumite_core::run::State;
use kumite_formats::review_reply::Judgment;
use kumite_host::worked::Worked;
use maud::{Markup, html};

use super::documents::link;
use super::inspections;
use super::seen::Seen;
use super::words::{counted, prose};
use super::{actions, agents, approval, convergence, reviews, tasks};
use crate::render::{markdown, marks};

/// How many open tasks are named.
const TASKS_MAX: usize = 12;

/// Empty if nobody is needed.
pub fn needs(seen: &Seen, may_change: bool) -> Markup {
    let Some(title) = title(seen) else {
        return html! {};
    };
    html! {
        section.needs.stack #needs data-needs="1" aria-labelledby="needs-title" {
            h2 #needs-title { (title) }
            @if let Some(message) = &seen.status.message { p.why { (marks::sentence(message)) } }
            (story(seen, may_change))
            @if may_change { (actions::actions(seen)) }
        }
    }
}

pub fn is_needed(seen: &Seen) -> bool {
    title(seen).is_some()
}

fn reason(seen: &Seen) -> &str {
    seen.status.reason.as_deref().unwrap_or_default()
}

/// Whether a person is needed, and what for.
fn title(seen: &Seen) -> Option<String> {
    let document = approval::waiting(seen).map_or("A document", Document::file);
    Some(match reason(seen) {
        "approval_needed" if approval::deploy_waits(seen) => {
            "Deploy waits for your approval".to_owned()
        }
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
        "journal_unreadable" => "Its journal cannot be read".to_owned(),
        _ => return None,
    })
}

/// Waiting for a usage limit needs nobody.
fn waits(seen: &Seen) -> bool {
    matches!(seen.run.state, State::Limited(_))
}

fn story(seen: &Seen, may_change: bool) -> Markup {
    match reason(seen) {
        "approval_needed" if approval::deploy_waits(seen) => html! {
            p { "spec.json permits deploy only since an agent worked on this spec. Look at what it did." }
            @if may_change { (approval::deploy_form(&seen.spec.name)) }
        },
        "approval_needed" if may_change => html! {
            p { "It stands below. When you have read it, " a href="#approval" { "give your judgment" } "." }
        },
        "approval_needed" => {
            html! { p { "It stands below. This link is read-only: you cannot answer." } }
        }
        "needs_discussion" => discussion(seen),
        "rounds_exhausted" => rounds(seen),
        "retries_exhausted" => retries(seen),
        "inspection_nogo" => nogo(seen),
        "no_evidence" => html! {
            (last_agent(seen))
            p { "Resume looks again, and has done what is missing." }
        },
        "evidence_conflict" => html! {
            p { "Correct the one that is wrong, in spec.json or in the document, then resume." }
        },
        "agent_missing" => html! {
            p { "Check the program and its settings (" code { "kumite doctor" } " looks at them), then resume." }
        },
        "agent_failed" | "agent_hung" | "timeout" => html! {
            (last_agent(seen))
            p { "Resume tries the step again." }
        },
        "usage_limit" => html! {
            p { "Resume tries at once; before that time it may be refused again." }
        },
        "budget" => html! {
            p { "Raise the budget in " code { ".kiro/kumite.toml" } ", then resume." }
        },
        "spec_unreadable" => html! {
            p { "Correct the file, then resume. What can be known without it stands below." }
        },
        _ => html! { p { "Resume tries again." } },
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
            details.fold open[open.len() <= 3] id={ "point-" (index + 1) } {
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
        @if let Some(last) = last {
            p { "Read the " (link(seen, &inspections::report_file(seen, last.number), "last report")) "." }
        }
        p { "Fix what it found, then resume: that grants new inspections." }
    }
}

/// The document that waits for approval, with the form beside it.
pub fn judging(seen: &Seen, may_change: bool) -> Markup {
    let Some(document) = approval::waiting(seen) else {
        return html! {};
    };
    let text = seen.text(document.file());
    html! {
        div.split #judging {
            div.card {
                article.doc #document {
                    @match &text {
                        Some(text) => (markdown(text)),
                        None => p.empty { (document.file()) " cannot be shown." },
                    }
                }
            }
            @if may_change { (approval::form(&seen.spec.name, document)) }
        }
    }
}
