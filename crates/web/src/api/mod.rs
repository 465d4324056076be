//! The HTTP API: what the command line can do, as JSON.

mod refusal;
mod specs;

use axum::Router;
use axum::routing::get;

use crate::app::Shared;

pub use refusal::Refusal;

pub fn routes() -> Router<Shared> {
    Router::new().route("/api/specs", get(specs::list))
}
