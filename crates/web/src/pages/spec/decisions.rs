//! Every decision with its reason: what happened, what was done, and the state after it.

use kumite_project::clock::rfc3339;
use kumite_project::decisions::Decision;
use maud::{Markup, html};

use super::Length;
use super::seen::SeenSpec;
use super::words::prose;
use crate::render::words::moment;

fn max(length: Length) -> usize {
    match length {
        Length::Short => 50,
        Length::Long => 2000,
    }
}

pub fn decisions(seen: &SeenSpec, length: Length) -> Markup {
    let all = &seen.history;
    let left_out = all.len().saturating_sub(max(length));
    html! {
        section #decisions {
            details.fold #decisions-fold open[length == Length::Long] {
                summary { h2 { "Decisions" } }
                @if all.is_empty() {
                    p.empty { "No decision yet: it has never run." }
                } @else {
                    ol.plain.stack reversed {
                        @for recorded in all[left_out..].iter().rev() { (item(&Decision::of(&seen.spec.name, recorded))) }
                    }
                }
                @if left_out > 0 {
                    p.small {
                        (left_out) " older decisions are not shown. "
                        @match length {
                            Length::Short => a href=(seen.path("?decisions=all#decisions")) { "Show more" },
                            Length::Long => { code { "kumite replay " (seen.spec.name) } " has all of them." },
                        }
                    }
                }
            }
        }
    }
}

fn item(decision: &Decision) -> Markup {
    let entry = &decision.entry;
    html! {
        li id={ "decision-" (entry.seq) } {
            div.row.small.muted {
                span.num { "#" (entry.seq) }
                (moment(&rfc3339(entry.at_ms)))
            }
            div { strong { (prose(&decision.event)) } }
            @if !decision.effects.is_empty() {
                ul.small { @for effect in &decision.effects { li { (prose(effect)) } } }
            }
            div.small { "Then: " (prose(&decision.state)) }
        }
    }
}
