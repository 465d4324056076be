//! The page *Agent*: who worked, and everything that was said.

mod entry;
mod head;
mod raw;
mod viewer;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::{Html, IntoResponse, Response};
use kumite_core::journal::AgentId;
use kumite_formats::spec_name::SpecName;
use kumite_project::picture::Picture;
use kumite_project::project::Spec;
use kumite_project::spec_file;
use serde::{Deserialize, Serialize};

use super::layout::{Visit, forwards};
use crate::api::Refusal;
use crate::app::{App, Shared};
pub use crate::log::Log;
use crate::log::{self, EntryKind, Found, Wanted};
use viewer::View;

pub use raw::raw;

/// How many lines come with the page.
const SHOWN: u64 = 200;

/// How many lines can be requested at once.
const COUNT_MAX: u64 = 500;

/// Nobody searches for more than a few words.
const TEXT_MAX: usize = 200;

#[derive(Deserialize)]
pub struct Asked {
    from: Option<u64>,
    before: Option<u64>,
    count: Option<u64>,
}

pub async fn agent(
    State(app): State<Shared>,
    visit: Visit,
    Path((spec, agent)): Path<(String, String)>,
    Query(asked): Query<Asked>,
) -> Response {
    let may_change = visit.who.may_change();
    let topics = format!("spec:{spec}");
    let read = move |app: &App| {
        let (spec, agent) = find(app, &spec, &agent)?;
        let picture = Picture::read(&app.project, spec).readable();
        let picture = picture.map_err(|error| Refusal::broken(spec_file::sentence(&error)))?;
        let (spec, mut all) = (&picture.spec, picture.worked());
        // Oldest first, in the order in which they worked.
        all.reverse();
        let id = agent.to_string();
        let at = all.iter().position(|worked| worked.id == id);
        let at = at.ok_or_else(|| unknown(spec, agent))?;
        let log = app.logs.look(spec, agent)?;
        let view = log
            .map(|log| View::new(log, asked.from, None, SHOWN))
            .transpose()?;
        let neighbours = head::Neighbours {
            earlier: at.checked_sub(1).and_then(|at| all.get(at)),
            later: all.get(at + 1),
        };
        let worked = head::completed(&all[at], view.as_ref());
        let title = head::title(&worked);
        let body = maud::html! {
            (head::head(spec, &worked, &neighbours, view.as_ref(), may_change))
            (viewer::viewer(spec, &worked, view.as_ref()))
        };
        Ok::<_, Refusal>((format!("{title} · {}", spec.name), body))
    };
    visit.answer("", &topics, app.read(read).await.flatten())
}

/// The log of an agent that belongs to no spec: the page is the log, and works without the script.
pub fn log_of(log: Option<Log>, from: Option<u64>) -> Result<maud::Markup, Refusal> {
    let view = log
        .map(|log| View::new(log, from, None, SHOWN))
        .transpose()?;
    Ok(viewer::plain(view.as_ref()))
}

/// Lines of the log: starting at one line, or ending before one.
pub async fn lines(
    State(app): State<Shared>,
    Path((spec, agent)): Path<(String, String)>,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    let count = asked.count.unwrap_or(SHOWN).clamp(1, COUNT_MAX);
    let read = move |app: &App| {
        let log = open(app, &spec, &agent)?;
        let view = View::new(log, asked.from, asked.before, count)?;
        Ok::<_, Refusal>(viewer::fragment(&view))
    };
    let fragment = app.read(read).await??;
    Ok(Html(forwards(fragment.into_string())).into_response())
}

#[derive(Deserialize)]
pub struct Search {
    #[serde(default)]
    q: String,
    #[serde(default)]
    kind: String,
    from: u64,
    #[serde(default)]
    back: bool,
}

/// If both are missing, there is no such line.
#[derive(Serialize)]
pub struct Answer {
    line: Option<u64>,
    /// Not found yet: ask again, starting at this line.
    next: Option<u64>,
}

/// The next matching line, anywhere in the log.
pub async fn search(
    State(app): State<Shared>,
    Path((spec, agent)): Path<(String, String)>,
    Query(search): Query<Search>,
) -> Result<Json<Answer>, Refusal> {
    if search.q.len() > TEXT_MAX {
        return Err(Refusal::invalid(format!(
            "look for at most {TEXT_MAX} letters"
        )));
    }
    let read = move |app: &App| {
        let log = open(app, &spec, &agent)?;
        let broken = |why: String| Refusal::broken(format!("cannot search the log: {why}"));
        let wanted = Wanted::new(&search.q, EntryKind::named(&search.kind), log.form())
            .map_err(|error| broken(error.to_string()))?;
        let found = match search.back {
            true => log.find_back(&wanted, search.from),
            false => log.find(&wanted, search.from),
        };
        found.map_err(|error| broken(error.to_string()))
    };
    let (line, next) = match app.read(read).await?? {
        Found::At(line) => (Some(line), None),
        Found::Later(next) => (None, Some(next)),
        Found::Nowhere => (None, None),
    };
    Ok(Json(Answer { line, next }))
}

fn open(app: &App, spec: &str, agent: &str) -> Result<Log, Refusal> {
    let (spec, agent) = find(app, spec, agent)?;
    let log = app.logs.look(&spec, agent)?;
    log.ok_or_else(|| Refusal::not_found(format!("there is no log of the agent {agent}")))
}

fn find(app: &App, spec: &str, agent: &str) -> Result<(Spec, AgentId), Refusal> {
    let spec: SpecName = spec.parse()?;
    let agent = log::agent_id(agent)?;
    Ok((app.project.spec(&spec)?, agent))
}

fn unknown(spec: &Spec, agent: AgentId) -> Refusal {
    Refusal::not_found(format!(
        "no agent {agent} has worked on the spec {}",
        spec.name
    ))
}
