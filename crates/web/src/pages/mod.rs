//! The pages. Each is rendered as a whole. An open page asks for its `<main>` again when something
//! that it shows has changed, and only the differences are applied.

mod agent;
mod contest;
mod history;
mod layout;
mod login;
mod now;
mod settings;
mod spec;

use axum::Router;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;

use crate::app::Shared;

pub use login::{LOGIN, refused};

pub fn routes() -> Router<Shared> {
    Router::new()
        .route(LOGIN, get(login::login))
        .route("/", get(now::now))
        .route("/specs/{spec}", get(spec::spec))
        .route("/specs/{spec}/documents/{document}", get(spec::document))
        .route("/specs/{spec}/agents/{agent}", get(agent::agent))
        .route("/specs/{spec}/agents/{agent}/lines", get(agent::lines))
        .route("/specs/{spec}/agents/{agent}/search", get(agent::search))
        .route("/specs/{spec}/agents/{agent}/raw", get(agent::raw))
        .merge(contest::routes())
        .route("/settings", get(settings::settings))
        .route("/history", get(history::history))
}

pub async fn not_found(visit: Result<layout::Visit, StatusCode>) -> Response {
    layout::not_found(visit.ok())
}
