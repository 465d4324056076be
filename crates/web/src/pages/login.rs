//! The one-time link, and the page for those whom we do not know.

use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, html};
use serde::Deserialize;

use crate::app::Shared;

pub const LOGIN: &str = "/login";

#[derive(Deserialize)]
pub struct Link {
    #[serde(default)]
    key: String,
}

pub async fn login(State(app): State<Shared>, Query(link): Query<Link>) -> Response {
    let name = app.auth.cookie.clone();
    let redeemed = app.read(move |app| app.auth.redeem(&link.key)).await;
    match redeemed {
        Ok(Ok(Some(cookie))) => {
            let cookie = format!("{name}={cookie}; HttpOnly; SameSite=Strict; Path=/");
            let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, "/".to_owned())];
            (StatusCode::SEE_OTHER, headers).into_response()
        }
        _ => unknown(),
    }
}

pub fn unknown() -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; title { "kumite" } }
            body {
                h1 { "This link does not work any more" }
                p { "In the project, " code { "kumite serve link" } " prints a new one." }
            }
        }
    };
    (StatusCode::UNAUTHORIZED, Html(page.into_string())).into_response()
}
