//! Contests. The engine of the project plays them, beside the runs.

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use kumite_contest::apply::{self, Ask, apply_round};
use kumite_contest::home::Home;
use kumite_contest::listing::{self, Brief};
use kumite_contest::place::Workspace;
use kumite_contest::playable::{self, Playable};
use kumite_contest::prepare;
use kumite_contest::report::{self, Listed, Report};
use kumite_contest::view::{Board, ContestState};
use kumite_host::{Request, client, contests};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Refusal;
use super::change::{Message, Told, asked, change, named};
use super::steer::Nothing;
use crate::app::{App, Shared};
use crate::auth::Who;

#[derive(Serialize, JsonSchema)]
pub struct Contests {
    contests: Vec<Brief>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ContestFiles")]
pub struct Files {
    files: Vec<Playable>,
}

/// A contest to start.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StartAsk")]
pub struct Start {
    /// A path relative to the root of the project, ending in `.toml`.
    file: String,
    /// What the teams have to do, if the file does not say it.
    #[serde(default)]
    task: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ContestBegun")]
pub struct Begun {
    message: String,
    execution_id: String,
}

#[derive(Serialize, JsonSchema)]
pub struct Applied {
    message: String,
    #[serde(flatten)]
    applied: apply::Applied,
}

impl Told for Begun {
    fn told(&self) -> &str {
        &self.message
    }
}

impl Told for Applied {
    fn told(&self) -> &str {
        &self.message
    }
}

pub async fn list(State(app): State<Shared>) -> Result<Json<Contests>, Refusal> {
    let all = app.read(|app| listing::all(&place(app)?));
    let contests = all.await??;
    Ok(Json(Contests { contests }))
}

pub async fn files(State(app): State<Shared>) -> Result<Json<Files>, Refusal> {
    let files = app.read(|app| playable::all(app.project.root())).await?;
    Ok(Json(Files { files }))
}

pub fn board(_: &App, listed: &Listed) -> Result<Board, Refusal> {
    Ok(report::board_of(listed)?)
}

pub fn report(_: &App, listed: &Listed) -> Result<Report, Refusal> {
    Ok(report::report(listed)?)
}

pub async fn start(
    State(app): State<Shared>,
    Extension(who): Extension<Who>,
    body: Bytes,
) -> Result<(StatusCode, Json<Begun>), Refusal> {
    let file = named(&body, "file");
    let act = move |app: &App, _: &str| {
        let Start { file, task } = asked(&body)?;
        // A form also sends fields that nobody has filled in.
        let task = task.as_deref().filter(|task| !task.trim().is_empty());
        let home = prepare::in_project(app.project.root(), &file, task)?;
        begun(app, &home, "has begun")
    };
    let begun = change(&app, who, "contest run", file, act).await?;
    Ok((StatusCode::ACCEPTED, begun))
}

pub async fn resume(
    State(app): State<Shared>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<(StatusCode, Json<Begun>), Refusal> {
    let act = move |app: &App, id: &str| {
        let Nothing {} = asked(&body)?;
        let listed = find(app, id)?;
        let board = report::board_of(&listed)?;
        if board.state != ContestState::Stopped {
            let state = board.state.word();
            let help = format!("contest {id} is {state}; only one that was interrupted goes on");
            return Err(Refusal::conflict(help));
        }
        begun(app, &listed.own()?, "goes on")
    };
    let begun = change(&app, who, "contest resume", id, act).await?;
    Ok((StatusCode::ACCEPTED, begun))
}

pub async fn cancel(
    State(app): State<Shared>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Message>, Refusal> {
    let act = move |app: &App, id: &str| {
        let Nothing {} = asked(&body)?;
        let home = find(app, id)?.own()?;
        Ok(Message::from(contests::cancel(home)?.words(id)))
    };
    change(&app, who, "contest cancel", id, act).await
}

pub async fn apply(
    State(app): State<Shared>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Applied>, Refusal> {
    let act = move |app: &App, id: &str| {
        let ask: Ask = asked(&body)?;
        let applied = apply_round(&find(app, id)?.own()?, &ask)?;
        let verb = if applied.applied {
            "applied"
        } else {
            "can apply"
        };
        let files = match applied.files.len() {
            1 => "1 file".to_owned(),
            count => format!("{count} files"),
        };
        Ok(Applied {
            message: format!(
                "{verb} round {} of team {}: {files}",
                applied.round, applied.team_id
            ),
            applied,
        })
    };
    change(&app, who, "contest apply", id, act).await
}

fn place(app: &App) -> Result<Workspace, kumite_contest::place::Error> {
    Workspace::of_project(app.project.root())
}

pub fn find(app: &App, id: &str) -> Result<Listed, Refusal> {
    Ok(place(app)?.exact(id)?)
}

fn begun(app: &App, home: &Home, how: &str) -> Result<Begun, Refusal> {
    let dir = home.dir().to_owned();
    client::order(&app.project, Request::Contest { dir, by: None })?;
    let id = home.id();
    Ok(Begun {
        message: format!("contest {id} {how}"),
        execution_id: id,
    })
}
