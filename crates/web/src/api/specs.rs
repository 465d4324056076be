//! Reading specs.

use std::io;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use kumite_formats::spec_name::SpecName;
use kumite_project::decisions::Decision;
use kumite_project::documents::{self, Document, Text};
use kumite_project::picture::Picture;
use kumite_project::project::{NotShown, Spec};
use kumite_project::status::{self, Status};
use kumite_project::{events_log, new_spec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Refusal;
use super::change::{Told, asked, change, named};
use crate::app::{App, Shared};
use crate::auth::Who;
use crate::inside;

/// Enough bytes for years of events.
const EVENTS_MAX: u64 = 64 * 1024 * 1024;

/// `kumite status --json`.
#[derive(Serialize, JsonSchema)]
pub struct Specs {
    specs: Vec<Status>,
    /// Directories whose names are not valid for specs.
    not_shown: Vec<NotShown>,
}

#[derive(Serialize, JsonSchema)]
pub struct Events {
    /// The lines of events.jsonl.
    events: Vec<Value>,
}

#[derive(Serialize, JsonSchema)]
pub struct Documents {
    documents: Vec<Document>,
}

#[derive(Serialize, JsonSchema)]
pub struct Decisions {
    decisions: Vec<Decision>,
}

/// A spec to create.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewSpec")]
pub struct New {
    /// Small letters, digits and hyphens.
    name: String,
    /// What the spec should do.
    #[serde(default)]
    description: String,
    /// The language of its documents.
    #[serde(default = "language")]
    language: String,
}

fn language() -> String {
    new_spec::LANGUAGE.to_owned()
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SpecMade")]
pub struct Made {
    message: String,
    spec: String,
}

impl Told for Made {
    fn told(&self) -> &str {
        &self.message
    }
}

/// The spec with this name, if there is one.
pub fn find(app: &App, name: &str) -> Result<Spec, Refusal> {
    let name: SpecName = name.parse()?;
    Ok(app.project.spec(&name)?)
}

pub async fn list(State(app): State<Shared>) -> Result<Json<Specs>, Refusal> {
    let (specs, not_shown) = app
        .read(|app| (app.statuses.all(&app.project), app.project.not_shown()))
        .await?;
    let specs = specs?;
    Ok(Json(Specs { specs, not_shown }))
}

pub fn one(app: &App, spec: &Spec) -> Result<Status, Refusal> {
    Ok(status::one(&app.project, spec))
}

pub fn events(_: &App, spec: &Spec) -> Result<Events, Refusal> {
    let events = match inside::read(spec.main_dir(), &spec.events_file(), EVENTS_MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return Err(Refusal::not_found(format!(
                "events.jsonl of {}: {error}",
                spec.name
            )));
        }
        read => events_log::parse(&read?),
    };
    Ok(Events { events })
}

pub fn documents(_: &App, spec: &Spec) -> Result<Documents, Refusal> {
    let documents = documents::list(spec)?;
    Ok(Documents { documents })
}

pub async fn document(
    State(app): State<Shared>,
    Path((name, document)): Path<(String, String)>,
) -> Result<Json<Text>, Refusal> {
    let read = app.read(move |app| Ok(documents::read(&find(app, &name)?, &document)?));
    read.await?.map(Json)
}

pub fn decisions(app: &App, spec: &Spec) -> Result<Decisions, Refusal> {
    let picture = Picture::read(&app.project, spec.clone()).readable()?;
    let decisions = picture.decisions().collect();
    Ok(Decisions { decisions })
}

pub async fn create(
    State(app): State<Shared>,
    Extension(who): Extension<Who>,
    body: Bytes,
) -> Result<(StatusCode, Json<Made>), Refusal> {
    let name = named(&body, "name");
    let create = move |app: &App, _: &str| {
        let new: New = asked(&body)?;
        let (name, dir) =
            new_spec::create(&app.project, &new.name, &new.description, &new.language)?;
        Ok(Made {
            message: format!("created {}", dir.display()),
            spec: name.to_string(),
        })
    };
    let made = change(&app, who, "create", name, create).await?;
    Ok((StatusCode::CREATED, made))
}
