//! The page *Agent*.

use axum::response::Response;
use maud::html;

use super::layout::{Page, Place, Visit};

pub async fn agent(visit: Visit) -> Response {
    visit.show(Page {
        title: "Agent",
        place: Place::Elsewhere,
        topics: "*",
        body: html! { h1 { "Agent" } },
    })
}
