//! The page *History*.

use axum::response::Response;
use maud::html;

use super::layout::{Page, Place, Visit};

pub async fn history(visit: Visit) -> Response {
    visit.show(Page {
        title: "History",
        place: Place::History,
        topics: "*",
        body: html! { h1 { "History" } },
    })
}
