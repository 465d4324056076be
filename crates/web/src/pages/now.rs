//! The page *Now*.

use axum::response::Response;
use maud::html;

use super::layout::{Page, Place, Visit};

pub async fn now(visit: Visit) -> Response {
    visit.show(Page {
        title: "Now",
        place: Place::Now,
        topics: "*",
        body: html! { h1 { "Now" } },
    })
}
