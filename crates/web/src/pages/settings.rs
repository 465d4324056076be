//! The page *Settings*.

use axum::response::Response;
use maud::html;

use super::layout::{Page, Place, Visit};

pub async fn settings(visit: Visit) -> Response {
    visit.show(Page {
        title: "Settings",
        place: Place::Settings,
        topics: "*",
        body: html! { h1 { "Settings" } },
    })
}
