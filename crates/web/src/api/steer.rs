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
use super::route::Later;
use super::specs::find;
use crate::app::{App, Shared};
use crate::auth::Who;

/// How long an engine may take before the page reports that it has not answered yet.
const PATIENCE: Duration = Duration::from_secs(60);

/// How to run a spec. Every field is optional.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RunAsk {
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
pub struct RunSeveralAsk {
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
pub struct ResumeAsk {
    agent: Option<String>,
    no_wait: bool,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewAsk {
    /// Apply the fixes too.
    fix: bool,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ApproveAsk {
    /// `requirements`, `design`, `tasks` or `deploy`; if left out, what waits for approval.
    #[schemars(with = "Option<String>")]
    document: Option<Phase>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RejectAsk {
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

pub fn stop(spec: String, _: Nothing) -> Request {
    Request::Stop { spec }
}

pub fn pause(spec: String, _: Nothing) -> Request {
    Request::Pause { spec }
}

pub fn reset(spec: String, _: Nothing) -> Request {
    Request::Reset { spec, hard: false }
}

pub fn approve(spec: String, ApproveAsk { document }: ApproveAsk) -> Request {
    Request::Approve { spec, document }
}

pub fn reject(spec: String, RejectAsk { document, remark }: RejectAsk) -> Request {
    Request::Reject {
        spec,
        document,
        // A form also sends fields that nobody has filled in.
        remark: remark.filter(|remark| !remark.trim().is_empty()),
    }
}

pub fn run(spec: String, ask: RunAsk) -> RunRequest {
    RunRequest {
        specs: vec![spec],
        until: ask.until,
        from: ask.from,
        agent: ask.agent,
        no_wait: ask.no_wait,
        ..RunRequest::default()
    }
}

pub fn resume(spec: String, ResumeAsk { agent, no_wait }: ResumeAsk) -> RunRequest {
    RunRequest {
        agent,
        no_wait,
        ..RunRequest::resume(&spec)
    }
}

pub fn review(spec: String, ReviewAsk { fix }: ReviewAsk) -> RunRequest {
    RunRequest::review(&spec, fix)
}

/// The handler of a request to the engine, which may be in this process or another. It answers when
/// the engine has.
pub fn asks<T: DeserializeOwned + 'static>(
    what: &'static str,
    request: fn(String, T) -> Request,
) -> impl Fn(State<Shared>, Extension<Who>, Path<String>, Bytes) -> Later<Changed> + Clone {
    move |State(app), Extension(who), Path(spec), body| {
        let act = move |app: &App, spec: &str| {
            let request = request(spec.to_owned(), asked(&body)?);
            find(app, spec)?;
            Ok(client::ask(&app.project, &request, Some(PATIENCE))?.into())
        };
        Box::pin(async move { change(&app, who, what, spec, act).await })
    }
}

/// The handler of an order: the work goes on after the answer.
pub fn orders<T: DeserializeOwned + 'static>(
    what: &'static str,
    request: fn(String, T) -> RunRequest,
) -> impl Fn(State<Shared>, Extension<Who>, Path<String>, Bytes) -> Later<OnItsWay> + Clone {
    move |State(app), Extension(who), Path(spec), body| {
        let act = move |app: &App, spec: &str| order(app, request(spec.to_owned(), asked(&body)?));
        Box::pin(async move { on_its_way(change(&app, who, what, spec, act).await) })
    }
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
        let ask: RunSeveralAsk = asked(&body)?;
        let specs = match (ask.all, ask.specs.is_empty()) {
            (true, true) => all_specs(&app.project)?,
            (false, false) => ask.specs,
            (true, false) | (false, true) => {
                let help = "name either some \"specs\" or \"all\": true";
                return Err(Refusal::invalid(help));
            }
        };
        let request = RunRequest {
            specs,
            until: ask.until,
            from: ask.from,
            agent: ask.agent,
            no_wait: ask.no_wait,
            ..RunRequest::default()
        };
        order(app, request)
    };
    on_its_way(change(&app, who, "run", specs, act).await)
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
