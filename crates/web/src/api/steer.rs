//! Steering specs: run, stop, approve and so on. The engine of the project decides.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use kumite_core::names::{Document, Phase};
use kumite_host::{Request, RunRequest};
use kumite_host::{all_specs, client};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Refusal;
use super::change::{Message, asked, change, named};
use super::specs::find;
use crate::app::{App, Shared};
use crate::auth::Who;

/// How long an engine may take before the page reports that it has not answered yet.
const PATIENCE: Duration = Duration::from_secs(60);

/// How to run a spec. Every field is optional.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "RunAsk")]
pub struct Run {
    /// End when this phase is done.
    #[schemars(with = "Option<String>")]
    until: Option<Phase>,
    /// Begin with this phase, even if it is already done.
    #[schemars(with = "Option<String>")]
    from: Option<Phase>,
    /// The agent for all phases.
    agent: Option<String>,
    /// Let a usage limit end the run instead of waiting for it.
    no_wait: bool,
}

/// Either some specs or all of them.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "RunSeveralAsk")]
pub struct RunSeveral {
    specs: Vec<String>,
    all: bool,
    #[schemars(with = "Option<String>")]
    until: Option<Phase>,
    #[schemars(with = "Option<String>")]
    from: Option<Phase>,
    agent: Option<String>,
    no_wait: bool,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "ResumeAsk")]
pub struct Resume {
    agent: Option<String>,
    no_wait: bool,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "ReviewAsk")]
pub struct Review {
    /// Apply the fixes too.
    fix: bool,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "ApproveAsk")]
pub struct Approve {
    /// `requirements`, `design`, `tasks` or `deploy`; if left out, what waits for approval.
    #[schemars(with = "Option<String>")]
    document: Option<Phase>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "RejectAsk")]
pub struct Reject {
    #[schemars(with = "Option<String>")]
    document: Option<Document>,
    /// What is wrong with the document. The agent that writes it again is given this text.
    remark: Option<String>,
}

/// An empty body.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Nothing {}

type Changed = Result<Json<Message>, Refusal>;
type OnItsWay = Result<(StatusCode, Json<Message>), Refusal>;

pub async fn stop(
    State(app): State<Shared>,
    Extension(who): Extension<Who>,
    Path(spec): Path<String>,
    body: Bytes,
) -> Changed {
    let request = |spec, _: Nothing| Request::Stop { spec };
    ask(&app, who, "stop", spec, body, request).await
}

pub async fn pause(
    State(app): State<Shared>,
    Extension(who): Extension<Who>,
    Path(spec): Path<String>,
    body: Bytes,
) -> Changed {
    let request = |spec, _: Nothing| Request::Pause { spec };
    ask(&app, who, "pause", spec, body, request).await
}

pub async fn reset(
    State(app): State<Shared>,
    Extension(who): Extension<Who>,
    Path(spec): Path<String>,
    body: Bytes,
) -> Changed {
    let request = |spec, _: Nothing| Request::Reset { spec };
    ask(&app, who, "reset", spec, body, request).await
}

pub async fn approve(
    State(app): State<Shared>,
    Extension(who): Extension<Who>,
    Path(spec): Path<String>,
    body: Bytes,
) -> Changed {
    let request = |spec, Approve { document }| Request::Approve { spec, document };
    ask(&app, who, "approve", spec, body, request).await
}

pub async fn reject(
    State(app): State<Shared>,
    Extension(who): Extension<Who>,
    Path(spec): Path<String>,
    body: Bytes,
) -> Changed {
    let request = |spec, Reject { document, remark }| Request::Reject {
        spec,
        document,
        // A form also sends fields that nobody has filled in.
        remark: remark.filter(|remark| !remark.trim().is_empty()),
    };
    ask(&app, who, "reject", spec, body, request).await
}

/// Sends one request to the engine, which may be in this process or another.
async fn ask<T: DeserializeOwned + 'static>(
    app: &Shared,
    who: Who,
    what: &'static str,
    spec: String,
    body: Bytes,
    request: fn(String, T) -> Request,
) -> Changed {
    let act = move |app: &App, spec: &str| {
        let request = request(spec.to_owned(), asked(&body)?);
        find(app, spec)?;
        Ok(client::ask(&app.project, &request, Some(PATIENCE))?.into())
    };
    change(app, who, what, spec, act).await
}

pub async fn run(
    State(app): State<Shared>,
    Extension(who): Extension<Who>,
    Path(spec): Path<String>,
    body: Bytes,
) -> OnItsWay {
    let act = move |app: &App, spec: &str| {
        let run: Run = asked(&body)?;
        let request = RunRequest {
            specs: vec![spec.to_owned()],
            until: run.until,
            from: run.from,
            agent: run.agent,
            no_wait: run.no_wait,
            ..RunRequest::default()
        };
        order(app, request)
    };
    on_its_way(change(&app, who, "run", spec, act).await)
}

pub async fn run_several(
    State(app): State<Shared>,
    Extension(who): Extension<Who>,
    body: Bytes,
) -> OnItsWay {
    let specs = match named(&body, "specs") {
        specs if specs.is_empty() => "all".to_owned(),
        specs => specs,
    };
    let act = move |app: &App, _: &str| {
        let run: RunSeveral = asked(&body)?;
        let specs = match (run.all, run.specs.is_empty()) {
            (true, true) => all_specs(&app.project)?,
            (false, false) => run.specs,
            _ => {
                let help = "name either some \"specs\" or \"all\": true";
                return Err(Refusal::invalid(help));
            }
        };
        let request = RunRequest {
            specs,
            until: run.until,
            from: run.from,
            agent: run.agent,
            no_wait: run.no_wait,
            ..RunRequest::default()
        };
        order(app, request)
    };
    on_its_way(change(&app, who, "run", specs, act).await)
}

pub async fn resume(
    State(app): State<Shared>,
    Extension(who): Extension<Who>,
    Path(spec): Path<String>,
    body: Bytes,
) -> OnItsWay {
    let act = move |app: &App, spec: &str| {
        let Resume { agent, no_wait } = asked(&body)?;
        let request = RunRequest {
            agent,
            no_wait,
            ..RunRequest::resume(spec)
        };
        order(app, request)
    };
    on_its_way(change(&app, who, "resume", spec, act).await)
}

pub async fn review(
    State(app): State<Shared>,
    Extension(who): Extension<Who>,
    Path(spec): Path<String>,
    body: Bytes,
) -> OnItsWay {
    let act = move |app: &App, spec: &str| {
        let Review { fix } = asked(&body)?;
        order(app, RunRequest::review(spec, fix))
    };
    on_its_way(change(&app, who, "review", spec, act).await)
}

/// Hands specs to the engine, which may be in this process or another.
fn order(app: &App, request: RunRequest) -> Result<Message, Refusal> {
    let request = request.checked(&app.project)?;
    client::order(&app.project, &request)?;
    let specs = request.specs.join(", ");
    Ok(Message::from(format!("on the way: {specs}")))
}

fn on_its_way(changed: Changed) -> OnItsWay {
    changed.map(|message| (StatusCode::ACCEPTED, message))
}
