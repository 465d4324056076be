//! The page *Contest*.

use axum::response::Response;
use maud::html;

use super::layout::{Page, Place, Visit};

pub async fn contest(visit: Visit) -> Response {
    visit.show(Page {
        title: "Contest",
        place: Place::Contests,
        topics: "*",
        body: html! { h1 { "Contest" } },
    })
}

pub async fn contests(visit: Visit) -> Response {
    contest(visit).await
}
