//! Specs.

use axum::Json;
use axum::extract::State;
use kumite_host::status::{self, Status};
use serde::Serialize;

use super::Refusal;
use crate::app::Shared;

#[derive(Serialize)]
pub struct Specs {
    specs: Vec<Status>,
}

pub async fn list(State(app): State<Shared>) -> Result<Json<Specs>, Refusal> {
    let specs = app.read(|app| status::all(&app.project)).await??;
    Ok(Json(Specs { specs }))
}
