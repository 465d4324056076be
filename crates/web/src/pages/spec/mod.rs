//! The pages of a spec: its state, the reason for it, what a person can do, and every document.

mod actions;
mod agents;
mod approval;
mod convergence;
mod decisions;
mod document;
mod documents;
mod events;
mod head;
mod inspections;
mod needs;
mod reviews;
mod seen;
mod tasks;
mod track;
mod words;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::layout::Visit;
use crate::api::Refusal;
use crate::app::Shared;
use crate::render::later::{self, Haste};
use seen::SeenSpec;

pub use agents::colour;
pub use document::document;

/// How much of a long list a page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    Short,
    Long,
}

/// `?events=all` shows more of that list than its newest items.
#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    agents: String,
    #[serde(default)]
    events: String,
    #[serde(default)]
    decisions: String,
}

fn length(asked: &str) -> Length {
    match asked {
        "all" => Length::Long,
        _ => Length::Short,
    }
}

pub async fn spec(
    State(app): State<Shared>,
    visit: Visit,
    Path(name): Path<String>,
    Query(asked): Query<Asked>,
) -> Response {
    let (may_change, haste) = (visit.who.may_change(), visit.haste());
    let topics = format!("spec:{name}");
    let read = app.render(move |app| {
        let seen = SeenSpec::look(&app.project, &name)?;
        let body = body(&seen, may_change, haste, &asked);
        Ok::<_, Refusal>((seen.spec.name, body))
    });
    visit.answer("", &topics, read.await.flatten())
}

fn body(seen: &SeenSpec, may_change: bool, haste: Haste, asked: &Asked) -> Markup {
    let below = html! {
        (tasks::tasks(seen))
        (inspections::inspections(seen))
        (agents::agents(seen, length(&asked.agents)))
        (events::events(seen, length(&asked.events)))
        (decisions::decisions(seen, length(&asked.decisions)))
    };
    html! {
        (head::head(seen, may_change))
        (needs::needs(seen, may_change))
        (track::track(seen))
        (needs::judging(seen, may_change))
        (documents::tabs(seen, None))
        (reviews::reviews(seen, haste))
        (later::rest(reviews::haste_below(seen, haste), &below))
    }
}

#[cfg(test)]
mod tests;
