//! The whole project: money, settings, agent programs, changes.

use axum::Json;
use axum::extract::{Query, State};
use kumite_check::Listed;
use kumite_project::clock::parse_day;
use kumite_project::cost::{self, Ask, By, Report};
use kumite_project::settings::{Flags, Loader, Row};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Refusal;
use crate::app::Shared;
use crate::audit::AuditLine;

const CHANGES: usize = 200;
const CHANGES_MAX: usize = 2000;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CostAsk {
    by: By,
    /// Only from this day on, such as 2026-01-31.
    since: Option<String>,
    /// Only of this spec.
    spec: Option<String>,
}

/// `kumite config show --json`.
#[derive(Serialize, JsonSchema)]
pub struct Settings {
    settings: Vec<Row>,
}

/// `kumite agent list --json`.
#[derive(Serialize, JsonSchema)]
pub struct Agents {
    agents: Vec<Listed>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AuditAsk {
    /// How many, at most 2000.
    count: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub struct Audit {
    audit: Vec<AuditLine>,
}

pub async fn cost(
    State(app): State<Shared>,
    Query(asked): Query<CostAsk>,
) -> Result<Json<Report>, Refusal> {
    let day = |text: &String| {
        let wrong = || Refusal::invalid("a day is written like 2026-01-31");
        parse_day(text).ok_or_else(wrong)
    };
    let ask = Ask {
        by: asked.by,
        specs: asked
            .spec
            .iter()
            .map(|name| name.parse())
            .collect::<Result<_, _>>()?,
        since: asked.since.as_ref().map(day).transpose()?,
    };
    let report = app.read(move |app| cost::report(&app.project, &mut app.books(), &ask));
    Ok(Json(report.await??))
}

pub async fn settings(State(app): State<Shared>) -> Result<Json<Settings>, Refusal> {
    let load = app.read(|app| Loader::load(&app.project, Flags::default()));
    let settings = load.await??.loaded.rows();
    Ok(Json(Settings { settings }))
}

pub async fn agents(State(app): State<Shared>) -> Result<Json<Agents>, Refusal> {
    let list = app.read(|app| -> Result<_, Refusal> {
        let loader = Loader::load(&app.project, Flags::default())?;
        let agents = &loader.loaded.settings.agents;
        Ok(kumite_check::list(agents, app.project.root()))
    });
    let agents = list.await??;
    Ok(Json(Agents { agents }))
}

pub async fn audit(
    State(app): State<Shared>,
    Query(asked): Query<AuditAsk>,
) -> Result<Json<Audit>, Refusal> {
    let count = asked.count.unwrap_or(CHANGES).min(CHANGES_MAX);
    let audit = app.read(move |app| app.audit.last(count)).await?;
    Ok(Json(Audit { audit }))
}
