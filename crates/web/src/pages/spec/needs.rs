//! What a person is needed for, in plain words: what happened, why, and what they can do.

use kumite_core::names::Document;
use kumite_core::run::Reason;
use kumite_formats::review_reply::Judgment;
use kumite_project::worked::Worked;
use maud::{Markup, html};

use super::documents::link;
use super::inspections;
use super::seen::SeenSpec;
use super::words::{counted, prose};
use super::{actions, agents, approval, convergence, reviews, tasks};
use crate::render::{markdown, marks};

/// How many open tasks are named.
const TASKS_MAX: usize = 12;

/// Empty if nobody is needed.
pub fn needs(seen: &SeenSpec, may_change: bool) -> Markup {
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

pub fn is_needed(seen: &SeenSpec) -> bool {
    title(seen).is_some()
}

/// What a person is needed for. A run that only has to be resumed shows that in its head.
fn title(seen: &SeenSpec) -> Option<String> {
    let is_needed = seen.status.spec_state.need().is_some();
    let reason = seen.status.reason.filter(|_| is_needed)?;
    let document = approval::waiting(seen).map_or("A document", Document::file);
    let title = match reason {
        Reason::ApprovalNeeded if approval::deploy_waits(seen) => "Deploy waits for your approval",
        Reason::ApprovalNeeded => return Some(format!("{document} waits for your approval")),
        Reason::NeedsDiscussion => "The review needs your decision",
        Reason::RoundsExhausted => "The review does not come to an end",
        Reason::RetriesExhausted => "The implementation was given up",
        Reason::InspectionNogo => "The inspection says NOGO",
        Reason::NoEvidence => "An agent left no evidence of its work",
        Reason::EvidenceConflict => "The evidence contradicts itself",
        Reason::AgentFailed => "An agent failed",
        Reason::AgentMissing => "The agent could not be started",
        Reason::AgentHung => "The agent said nothing for too long",
        Reason::Timeout => "A step took too long",
        Reason::UsageLimit => "A usage limit is reached",
        Reason::Budget => "The money is spent",
        Reason::WorktreeConflict => "The worktree cannot be made",
        Reason::SetupFailed => "The worktree could not be set up",
        Reason::BaselineFailed => "The project's own commands fail before any work",
        Reason::ProtectedChanged => "Protected files were changed",
        Reason::SpecUnreadable => "spec.json cannot be read",
        Reason::SpecUnwritable => "spec.json cannot be written",
        Reason::JournalUnreadable => "Its journal cannot be read",
        Reason::JournalUnwritable => "Its journal cannot be written",
        Reason::PausedByUser
        | Reason::Interrupted
        | Reason::AllPhasesDone
        | Reason::NotPermitted
        | Reason::UntilReached
        | Reason::Queued
        | Reason::StoppedByUser => return None,
    };
    Some(title.to_owned())
}

fn story(seen: &SeenSpec, may_change: bool) -> Markup {
    let Some(reason) = seen.status.reason else {
        return html! {};
    };
    match reason {
        Reason::ApprovalNeeded if approval::deploy_waits(seen) => html! {
            p { "spec.json permits deploy only since an agent worked on this spec. Look at what it did." }
            @if may_change { (approval::deploy_form(&seen.spec.name)) }
        },
        Reason::ApprovalNeeded if may_change => html! {
            p { "The document is below. When you have read it, " a href="#approval" { "give your judgment" } "." }
        },
        Reason::ApprovalNeeded => {
            html! { p { "The document is below. This link is read-only: you cannot answer." } }
        }
        Reason::NeedsDiscussion => discussion(seen),
        Reason::RoundsExhausted => rounds(seen),
        Reason::RetriesExhausted => retries(seen),
        Reason::InspectionNogo => nogo(seen),
        Reason::NoEvidence => html! {
            (last_agent(seen))
            p { "Resume looks at the files again, and starts an agent for what is missing." }
        },
        Reason::EvidenceConflict => html! {
            p { "Correct the one that is wrong, in spec.json or in the document, then resume." }
        },
        Reason::AgentMissing => html! {
            p { "Check the program and its settings (" code { "kumite agent list" } " looks at them), then resume." }
        },
        Reason::AgentFailed | Reason::AgentHung | Reason::Timeout => html! {
            (last_agent(seen))
            p { "Resume tries the step again." }
        },
        Reason::UsageLimit => html! {
            p { "Resume tries at once; before that time it may be refused again." }
        },
        Reason::Budget => html! {
            p { "Raise the budget in " code { ".kiro/kumite.toml" } ", then resume." }
        },
        Reason::WorktreeConflict => html! {
            p { "Remove what is in the way, then resume." }
        },
        Reason::SetupFailed => html! {
            (last_agent(seen))
            p { "Repair what failed, then resume. The commands are in " code { "[worktree] setup" } "." }
        },
        Reason::BaselineFailed => html! {
            (last_agent(seen))
            p { "Repair the project, then resume: the commands are run again before an agent is paid." }
        },
        Reason::ProtectedChanged => html! {
            p { "Look at the changes of these files. Resume accepts them; " code { "kumite undo" } " takes them back." }
        },
        Reason::SpecUnreadable => html! {
            p { "Correct the file, then resume. The page shows what is known without it." }
        },
        Reason::SpecUnwritable | Reason::JournalUnwritable => {
            html! { p { "Resume tries again." } }
        }
        Reason::JournalUnreadable => {
            html! { p { code { "kumite doctor" } " says what can be done." } }
        }
        Reason::PausedByUser
        | Reason::Interrupted
        | Reason::AllPhasesDone
        | Reason::NotPermitted
        | Reason::UntilReached
        | Reason::Queued
        | Reason::StoppedByUser => html! {},
    }
}

fn last_agent(seen: &SeenSpec) -> Markup {
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

fn discussion(seen: &SeenSpec) -> Markup {
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

fn rounds(seen: &SeenSpec) -> Markup {
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

fn retries(seen: &SeenSpec) -> Markup {
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

fn nogo(seen: &SeenSpec) -> Markup {
    let last = inspections::all(seen).last();
    html! {
        @if let Some(last) = last {
            p { "Read the " (link(seen, &inspections::report_file(seen, last.number), "last report")) "." }
        }
        p { "Fix what it found, then resume: that grants new inspections." }
    }
}

/// The document that waits for approval, with the form beside it.
pub fn judging(seen: &SeenSpec, may_change: bool) -> Markup {
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
