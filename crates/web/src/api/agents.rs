//! Agents that work or have worked on a spec, and what they said.

use axum::Json;
use axum::extract::{Path, Query, State};
use kumite_project::picture::Picture;
use kumite_project::project::Spec;
use kumite_project::worked::Worked;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Refusal;
use super::specs::find;
use crate::app::{App, Shared};
use crate::log::{Form, Row, agent_id};

const LINES: u64 = 200;
const LINES_MAX: u64 = 2000;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentsWorked")]
pub struct Agents {
    agents: Vec<Worked>,
}

/// Selects lines of a log.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Lines {
    /// The number of the first line; without it, the last lines are returned.
    from: Option<u64>,
    /// How many lines, at most 2000.
    count: Option<u64>,
}

/// Lines of a log. They are numbered from 1, and keep their numbers when the oldest lines are
/// removed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentLog")]
pub struct Said {
    agent: String,
    /// The oldest line that is still kept.
    first: u64,
    /// The newest line; 0 if there is none.
    last: u64,
    /// Each has its `number`, when it was heard (`at_ms`), its `kind`, and the fields of that kind.
    lines: Vec<Value>,
}

pub fn list(app: &App, spec: &Spec) -> Result<Agents, Refusal> {
    let picture = Picture::read(&app.project, spec.clone()).readable()?;
    let agents = picture.worked();
    Ok(Agents { agents })
}

pub async fn log(
    State(app): State<Shared>,
    Path((name, agent)): Path<(String, String)>,
    Query(lines): Query<Lines>,
) -> Result<Json<Said>, Refusal> {
    let read = app.read(move |app| -> Result<_, Refusal> {
        let spec = find(app, &name)?;
        let id = agent_id(&agent)?;
        let log = app.logs.look(&spec, id)?;
        let log = log.ok_or_else(|| Refusal::not_found(format!("{agent} of {name} has no log")))?;
        let count = lines.count.unwrap_or(LINES).min(LINES_MAX);
        let rows = match lines.from {
            Some(from) => log.from(from.max(log.first()), count)?,
            None => log.before(log.last() + 1, count)?,
        };
        Ok(Said {
            agent,
            first: log.first(),
            last: log.last(),
            lines: rows.iter().map(|row| line(row, log.form())).collect(),
        })
    });
    read.await?.map(Json)
}

/// A line that is not in our format, or too long, is shown as plain text.
fn line(row: &Row, form: Form) -> Value {
    let said = match form {
        Form::Transcript => serde_json::from_slice::<Value>(&row.bytes).ok(),
        Form::Raw => None,
    };
    let mut line = said.filter(Value::is_object).unwrap_or_else(|| {
        let text = String::from_utf8_lossy(&row.bytes);
        json!({"kind": "text", "text": text})
    });
    line["number"] = row.number.into();
    line
}
