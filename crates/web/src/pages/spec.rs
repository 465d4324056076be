//! The page *Spec*.

use axum::response::Response;
use maud::html;

use super::layout::{Page, Place, Visit};

pub async fn spec(visit: Visit) -> Response {
    visit.show(Page {
        title: "Spec",
        place: Place::Elsewhere,
        topics: "*",
        body: html! { h1 { "Spec" } },
    })
}

pub async fn document(visit: Visit) -> Response {
    spec(visit).await
}
