//! `GET /api/events`: everything that happens, as it happens. A client that was away names the last
//! event it saw, and gets exactly what it missed.

mod follower;
mod streams;

use std::convert::Infallible;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use kumite_project::news::Position;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Refusal;
use super::specs::find;
use crate::app::Shared;
use crate::auth::Who;
use crate::log::agent_id;
use follower::{Follower, Watched};

pub use streams::Streams;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "EventsAsk")]
pub struct Ask {
    /// The id of the last event seen. The header `Last-Event-ID` takes precedence.
    after: Option<String>,
    /// `SPEC/AGENT`: report growth of the log of this agent too.
    log: Option<String>,
}

pub async fn events(
    State(app): State<Shared>,
    Extension(who): Extension<Who>,
    Query(ask): Query<Ask>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let open = match app.hub.streams.enter(&who) {
        Ok(open) => open,
        Err(full) => return Ok(full.into_response()),
    };
    let told = headers
        .get("last-event-id")
        .and_then(|id| id.to_str().ok())
        .map(str::to_owned);
    // Browsers send an empty header if they have seen no event.
    let after = told.or(ask.after).filter(|after| !after.is_empty());
    let watched = match ask.log {
        Some(log) => Some(watched(&app, log).await?),
        None => None,
    };
    let after = after.map(|after| position(&after));
    let follower = Follower::new(&app, after, watched, who, open);
    let pieces = stream::unfold(follower.await?, |mut follower| async {
        let piece = follower.next().await?;
        Some((Ok::<Bytes, Infallible>(piece), follower))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // A proxy that buffers would delay the news.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, Body::from_stream(pieces)).into_response())
}

/// An unparsable position is treated like one that is no longer kept.
fn position(text: &str) -> Option<Position> {
    text.parse().ok()
}

async fn watched(app: &Shared, log: String) -> Result<Watched, Refusal> {
    let find = app.read(move |app| -> Result<_, Refusal> {
        let wrong = || Refusal::invalid("log is written SPEC/AGENT");
        let (name, agent) = log.split_once('/').ok_or_else(wrong)?;
        let spec = find(app, name)?;
        Ok(Watched::new(spec, agent_id(agent)?))
    });
    find.await?
}
