//! The inspections: the verdict of each, whether it was fixed, and the report.

use kumite_core::facts::{InspectionFacts, Verdict};
use maud::{Markup, html};

use super::documents::link;
use super::seen::SeenSpec;

use crate::render::{self, Column::Text};

pub fn all(seen: &SeenSpec) -> &[InspectionFacts] {
    seen.facts.as_ref().map_or(&[], |facts| &facts.inspections)
}

/// The report of an inspection, under its current or its older name.
pub fn report_file(seen: &SeenSpec, number: u32) -> String {
    let older = format!("inspection-report-{number}.md");
    match seen.has(&older) {
        true => older,
        false => format!("inspection-{number}.md"),
    }
}

pub fn inspections(seen: &SeenSpec) -> Markup {
    let all = all(seen);
    if all.is_empty() {
        return html! {};
    }
    html! {
        section.card.stack #inspections aria-labelledby="inspections-title" {
            h2 #inspections-title { "Inspections" }
            (render::table(&[Text("Inspection"), Text("Verdict"), Text("Fixed"), Text("Report")], &html! { @for known in all { (row(seen, known)) } }))
        }
    }
}

fn row(seen: &SeenSpec, known: &InspectionFacts) -> Markup {
    let fixed = match (known.fixed, known.recorded.or(known.report)) {
        (true, _) => "fixed",
        (false, Some(Verdict::Nogo)) => "not fixed",
        (false, _) => "nothing to fix",
    };
    html! {
        tr id={ "inspection-" (known.number) } {
            td { (known.number) }
            td { (verdict(known)) }
            td { (fixed) }
            td { (link(seen, &report_file(seen, known.number), "report")) }
        }
    }
}

/// If spec.json and the report disagree, say so.
fn verdict(known: &InspectionFacts) -> Markup {
    let differ = matches!((known.recorded, known.report), (Some(a), Some(b)) if a != b);
    let (class, word) = match known.recorded.or(known.report) {
        _ if known.unclear || differ => ("badge waiting", "contradicts itself"),
        Some(Verdict::Go) => ("badge done", "GO"),
        Some(Verdict::Nogo) => ("badge failed", "NOGO"),
        None => ("badge idle", "unclear"),
    };
    html! { span class=(class) { (word) } }
}
