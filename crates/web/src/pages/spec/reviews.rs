//! The rounds of the document review (A7), from spec.json and the files beside it.

use kumite_core::facts::{RoundFacts, RoundProgress};
use kumite_formats::review_reply::{Judgment, Point, points};
use maud::{Markup, html};

use super::convergence::{self, Counted};
use super::documents::link;
use super::seen::SeenSpec;
use super::words::{counted, prose};
use crate::render::Column::{self, Number, Text};
use crate::render::later::{self, Haste};
use crate::render::table;

/// How many rounds are listed with their findings, the newest first.
const LISTED_MAX: usize = 20;
/// How many rounds are painted at once.
const PAINTED: usize = 30;

pub fn review_file(round: u32) -> String {
    format!("document-review-{round}.md")
}

pub fn reply_file(round: u32) -> String {
    format!("document-review-{round}-reply.md")
}

/// The points in the reply of a round.
pub fn points_of(seen: &SeenSpec, round: u32) -> Vec<Point> {
    let text = seen.text(&reply_file(round));
    text.map(|text| points(text.as_bytes())).unwrap_or_default()
}

fn rounds(seen: &SeenSpec) -> &[RoundFacts] {
    seen.facts
        .as_ref()
        .map_or(&[], |facts| &facts.review.rounds)
}

/// The rounds that have counts, in order.
pub fn counts(seen: &SeenSpec) -> Vec<Counted> {
    let found = rounds(seen).iter();
    found
        .filter_map(|round| Some((round.number, round.counts.or(round.table)?)))
        .collect()
}

pub fn reviews(seen: &SeenSpec, haste: Haste) -> Markup {
    let rounds = rounds(seen);
    let counts = counts(seen);
    if rounds.is_empty() {
        return html! {};
    }
    html! {
        section.card.stack #reviews aria-labelledby="reviews-title" {
            h2 #reviews-title { "Document review" }
            div #rounds { (later::rows(haste, rounds, PAINTED, &|round| row(seen, round), &|rows| table(&HEAD, rows))) }
            @if !counts.is_empty() { (convergence::figure(&counts)) }
            @for round in rounds.iter().rev().take(LISTED_MAX) { (findings(seen, round.number)) }
        }
    }
}

/// Whether somebody waits for the parts below: a long table of rounds fills the window.
pub fn haste_below(seen: &SeenSpec, haste: Haste) -> Haste {
    match rounds(seen).len() > PAINTED {
        true => haste,
        false => Haste::None,
    }
}

const HEAD: [Column; 5] = [
    Text("Round"),
    Text("Status"),
    Number("Fix required"),
    Number("Needs discussion"),
    Text("Files"),
];

fn row(seen: &SeenSpec, round: &RoundFacts) -> Markup {
    let found = round.counts.or(round.table);
    html! {
        tr id={ "round-" (round.number) } {
            td { (round.number) }
            td { (progress(round)) }
            td.num { (figure(found.map(|it| it.fix_required))) }
            td.num { (figure(found.map(|it| it.needs_discussion))) }
            td.nowrap {
                (link(seen, &review_file(round.number), "review"))
                ", "
                (link(seen, &reply_file(round.number), "reply"))
            }
        }
    }
}

fn progress(round: &RoundFacts) -> &'static str {
    match (round.unclear, round.recorded) {
        (true, _) => "counts unclear",
        (_, Some(RoundProgress::Incomplete)) => "incomplete",
        (_, Some(RoundProgress::ReviewComplete)) => "reviewed",
        (_, Some(RoundProgress::ReplyComplete)) => "replied",
        (_, None) => "not recorded",
    }
}

fn figure(count: Option<u32>) -> Markup {
    html! {
        @match count {
            Some(count) => (count),
            None => span.muted { "–" },
        }
    }
}

/// The points of a round, by title; the reply has the text.
fn findings(seen: &SeenSpec, round: u32) -> Markup {
    let points = points_of(seen, round);
    html! {
        @if !points.is_empty() {
            details.fold id={ "findings-" (round) } {
                summary { "Round " (round) ": " (counted(points.len(), "finding", "findings")) }
                ul.plain.stack {
                    @for point in &points {
                        li { (judged(point.judgment)) " " (prose(&point.title)) }
                    }
                }
            }
        }
    }
}

pub fn judged(judgment: Option<Judgment>) -> Markup {
    let (class, word) = match judgment {
        Some(Judgment::FixRequired) => ("badge failed", "fix"),
        Some(Judgment::NeedsDiscussion) => ("badge waiting", "discuss"),
        Some(Judgment::NoFixNeeded) => ("badge done", "no fix"),
        None => ("badge idle", "unclear"),
    };
    html! { span class=(class) { (word) } }
}
