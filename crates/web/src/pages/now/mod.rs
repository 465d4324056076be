//! The page *Now*: what needs a person, what runs, and everything else.

mod groups;
mod parts;

use axum::extract::State;
use axum::response::Response;
use kumite_contest::report;
use kumite_contest::view::{Board, ContestState};
use kumite_core::run::SpecState;
use kumite_project::books::Sum;
use kumite_project::clock::{local_day, now_ms};
use kumite_project::status::Status;
use maud::{Markup, html};

use self::groups::groups;
use super::layout::Visit;
use crate::api::Refusal;
use crate::app::{App, Shared};
use crate::render::marks::count;
use crate::render::words::money;

/// What the page shows, read from the files.
struct Scene {
    specs: Vec<Status>,
    /// Contests that run right now.
    contests: Vec<Board>,
    today: Sum,
}

pub async fn now(State(app): State<Shared>, visit: Visit) -> Response {
    let scene = app.read(look).await.flatten();
    let page = scene.map(|scene| ("Now".to_owned(), body(&scene, &visit)));
    visit.answer("/", "*", page)
}

fn look(app: &App) -> Result<Scene, Refusal> {
    Ok(Scene {
        specs: app.statuses.all(&app.project)?,
        contests: played(app),
        today: today(app),
    })
}

/// The cost of today. An unreadable file is ignored here; `kumite cost` shows the error.
fn today(app: &App) -> Sum {
    let mut books = app.books();
    let _ = books.read();
    let day = local_day(now_ms());
    books.sum(|key| key.day == day)
}

/// An unreadable contest is left out here, so that it does not hide the others; its own page shows
/// the error.
fn played(app: &App) -> Vec<Board> {
    let place = kumite_contest::place::Workspace::of_project(app.project.root());
    let own = place
        .map_err(drop)
        .and_then(|place| report::own(&place.workspace).map_err(drop));
    let own = own.unwrap_or_default();
    let played = own
        .iter()
        .filter(|listed| listed.home.as_ref().is_some_and(|home| home.is_played()));
    let boards = played.filter_map(|listed| report::board_of(listed).ok());
    // The process lives a little longer than the contest.
    boards
        .filter(|board| board.state == ContestState::Running)
        .collect()
}

fn body(scene: &Scene, visit: &Visit) -> Markup {
    let may_change = visit.who.may_change();
    let groups = groups(&scene.specs);
    let can_run = groups
        .others
        .iter()
        .any(|status| status.spec_state == SpecState::Idle);
    html! {
        div.row.title {
            h1 { "Now" }
            p.muted.grow {
                @if groups.needs.is_empty() && !scene.specs.is_empty() { "Nothing needs you. " }
                (totals(&scene.today))
            }
            @if may_change {
                div.actions {
                    @if can_run {
                        button data-post="/api/run" data-body="{\"all\":true}" title="Starts every spec that is idle" { "Run all" }
                    }
                    button.primary data-open="new-spec" { "New spec" }
                }
            }
        }
        (parts::needs(&groups.needs, may_change))
        (parts::running(&groups.running, may_change))
        (parts::limited(&groups.limited, may_change))
        (parts::contests(&scene.contests))
        (parts::others(&groups.others, scene.specs.len(), visit.haste()))
        @if may_change { (new_spec()) }
    }
}

fn totals(today: &Sum) -> Markup {
    html! {
        @if today.agents > 0 {
            "Today " span.nowrap { (money(today.cost_usd)) } " · "
            span.nowrap { (count(today.input_tokens)) " tokens in" } " · "
            span.nowrap { (count(today.output_tokens)) " out" }
        }
    }
}

fn new_spec() -> Markup {
    html! {
        dialog #new-spec aria-labelledby="new-spec-title" {
            h2 #new-spec-title { "New spec" }
            form.stack data-post="/api/specs" data-then="/specs/{name}" {
                label.field {
                    "Name: small letters, digits and hyphens"
                    input name="name" required pattern="[a-z0-9\\-]+" autocomplete="off"
                        spellcheck="false";
                }
                label.field {
                    "What it should do"
                    textarea name="description" rows="5" {}
                }
                div.actions {
                    button type="button" data-close { "Cancel" }
                    button.primary { "Create" }
                }
            }
        }
    }
}
