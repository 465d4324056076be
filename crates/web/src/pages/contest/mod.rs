//! The pages of contests.

mod board;
mod compare;
mod happened;
mod head;
mod list;
mod rounds;
mod seen;
mod text;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use self::seen::Seen;
use self::text::What;
use super::layout::{Page, Place, Visit};
use crate::api::Refusal;
use crate::app::{App, Shared};
use crate::render::words::cut;

pub use list::ended;

/// As much of a text as a page of many rounds shows.
const TEXT_MAX: u64 = 4_000;
/// As much as a page about few rounds shows.
const LONG_TEXT_MAX: u64 = 64_000;
/// What all texts of one page may come to: it is asked for again with every piece of news.
const PAGE_TEXT_MAX: u64 = 160_000;
/// A whole text is sent from memory.
const WHOLE_TEXT_MAX: u64 = 64_000_000;
const TITLE_CHARS: usize = 60;

pub fn routes() -> Router<Shared> {
    let text = "/contests/{id}/teams/{team}/rounds/{round}/{text}";
    Router::new()
        .route("/contests", get(contests))
        .route("/contests/{id}", get(contest))
        .route("/contests/{id}/compare", get(compare))
        .route("/contests/{id}/teams/{team}", get(team))
        .route(text, get(whole_text))
}

#[derive(Deserialize)]
struct ListQuery {
    /// Also those that only the database knows of, and those that are old.
    all: Option<String>,
}

async fn contests(
    State(app): State<Shared>,
    visit: Visit,
    Query(query): Query<ListQuery>,
) -> Response {
    let may_change = visit.who.may_change();
    let wants_all = query.all.is_some();
    let body = app.read(move |app| list::page(app, may_change, wants_all));
    show(&visit, "*", body.await.flatten())
}

async fn contest(State(app): State<Shared>, visit: Visit, Path(id): Path<String>) -> Response {
    let may_change = visit.who.may_change();
    let topics = format!("contest:{id}");
    let body = app.read(move |app| -> Result<_, Refusal> {
        let seen = Seen::read(app, &id)?;
        Ok((title(&seen), whole(&seen, may_change)))
    });
    show(&visit, &topics, body.await.flatten())
}

fn title(seen: &Seen) -> String {
    cut(&seen.report.board.task, TITLE_CHARS)
}

fn whole(seen: &Seen, may_change: bool) -> Markup {
    html! {
        (head::head(seen, may_change))
        (board::board(seen))
        (board::charts(seen))
        (rounds::of_all(seen, may_change))
        (happened::happened(seen))
    }
}

async fn team(
    State(app): State<Shared>,
    visit: Visit,
    Path((id, team)): Path<(String, usize)>,
) -> Response {
    let may_change = visit.who.may_change();
    let topics = format!("contest:{id}");
    let body = app.read(move |app| -> Result<_, Refusal> {
        let seen = Seen::read(app, &id)?;
        let body = rounds::of_one(&seen, team, may_change)
            .ok_or_else(|| Refusal::not_found(format!("contest {id} has no team {team}")))?;
        Ok((title(&seen), body))
    });
    show(&visit, &topics, body.await.flatten())
}

#[derive(Deserialize)]
struct CompareQuery {
    a: Option<String>,
    b: Option<String>,
}

async fn compare(
    State(app): State<Shared>,
    visit: Visit,
    Path(id): Path<String>,
    Query(query): Query<CompareQuery>,
) -> Response {
    let topics = format!("contest:{id}");
    let body = app.read(move |app| -> Result<_, Refusal> {
        let seen = Seen::read(app, &id)?;
        let body = compare::page(&seen, query.a.as_deref(), query.b.as_deref())?;
        Ok((title(&seen), body))
    });
    show(&visit, &topics, body.await.flatten())
}

fn show(visit: &Visit, topics: &str, page: Result<(String, Markup), Refusal>) -> Response {
    match page {
        Ok((title, body)) => visit.show(Page {
            title: &title,
            place: Place::Contests,
            topics,
            body,
        }),
        Err(refusal) => visit.refuse(&refusal),
    }
}

/// Plain text, whatever it claims to be.
async fn whole_text(
    State(app): State<Shared>,
    visit: Visit,
    Path((id, team, round, what)): Path<(String, usize, u32, String)>,
) -> Response {
    let read = app.read(move |app| text_of(app, &id, team, round, &what));
    match read.await.flatten() {
        Ok(text) => {
            let headers = [
                (CONTENT_TYPE, "text/plain; charset=utf-8"),
                (CONTENT_DISPOSITION, "inline"),
            ];
            (headers, text).into_response()
        }
        Err(refusal) => visit.refuse(&refusal),
    }
}

fn text_of(app: &App, id: &str, team: usize, round: u32, what: &str) -> Result<String, Refusal> {
    let none = || Refusal::not_found(format!("round {round} of team {team} has no such text"));
    let what = What::from_name(what).ok_or_else(none)?;
    let seen = Seen::read(app, id)?;
    let of = seen.round(team, round).ok_or_else(none)?;
    let text = seen.text(of, what, WHOLE_TEXT_MAX).ok_or_else(none)?;
    Ok(text.text)
}
