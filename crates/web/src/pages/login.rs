//! The one-time link, and the page for visitors who are refused before any page is made.

use axum::Extension;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, html};
use serde::Deserialize;

use super::layout::head;
use crate::api::Refusal;
use crate::app::Shared;
use crate::guard::Ends;
use crate::render::marks::sentence;

pub const LOGIN: &str = "/login";

#[derive(Deserialize)]
pub struct Link {
    #[serde(default)]
    key: String,
}

/// Turns the key of a link into a cookie. A link cannot choose the page to go to afterwards.
pub async fn login(
    State(app): State<Shared>,
    Extension(ends): Extension<Ends>,
    method: Method,
    headers: HeaderMap,
    Query(link): Query<Link>,
) -> Response {
    // A HEAD request does not use the link up, and neither does a browser that preloads it.
    // Browsers do not keep an error for later.
    if method == Method::HEAD {
        return StatusCode::NO_CONTENT.into_response();
    }
    if is_ahead(&headers) {
        return refused(
            &Refusal {
                status: StatusCode::SERVICE_UNAVAILABLE,
                message: "a link is used when somebody opens it, not ahead of that".to_owned(),
            },
            None,
        );
    }
    let from = ends.peer.ip().to_canonical();
    let redeem = app.read(move |app| {
        let redeemed = app.auth.redeem(&link.key, from);
        if let Ok(Some((_, who))) = &redeemed {
            let may = if who.may_change() {
                "full"
            } else {
                "read-only"
            };
            app.audit.note(who, "login", may, Ok("a link was used"));
        }
        redeemed
    });
    match redeem.await {
        Ok(Ok(Some((cookie, _)))) => {
            let mut headers = HeaderMap::new();
            if let Ok(cookie) = cookie.parse() {
                headers.insert(header::SET_COOKIE, cookie);
            }
            headers.insert(header::LOCATION, header::HeaderValue::from_static("/"));
            (StatusCode::SEE_OTHER, headers).into_response()
        }
        Ok(Ok(None)) => refused(
            &Refusal {
                status: StatusCode::UNAUTHORIZED,
                message: "this link does not work, or not any more: each works once, and for a \
                    limited time; in the project, `kumite serve link` prints a new one"
                    .to_owned(),
            },
            Some("/"),
        ),
        Ok(Err(error)) => refused(
            &Refusal::broken(kumite_project::spec_file::sentence(&error)),
            None,
        ),
        Err(refusal) => refused(&refusal, None),
    }
}

/// Whether a browser preloads the page before the person goes there.
fn is_ahead(headers: &HeaderMap) -> bool {
    const PURPOSES: [&str; 4] = ["sec-purpose", "purpose", "x-purpose", "x-moz"];
    let said = PURPOSES.iter().flat_map(|name| headers.get_all(*name));
    let said = said.filter_map(|value| value.to_str().ok());
    said.map(str::to_ascii_lowercase)
        .any(|value| value.contains("prefetch") || value.contains("preview"))
}

/// `again` is a path to try with a click, for visitors who may have a cookie: they used a link
/// twice, or came from another site, in which case the browser sends our cookie only after a click
/// on our own page.
pub fn refused(refusal: &Refusal, again: Option<&str>) -> Response {
    let title = match refusal.status {
        StatusCode::UNAUTHORIZED => "A link is needed",
        status => status.canonical_reason().unwrap_or("Refused"),
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head { (head(title)) }
            body.alone {
                main #main.card.stack {
                    h1 { (title) }
                    p { (sentence(&refusal.message)) }
                    @if let Some(path) = again {
                        p { "If you were here before: " a href=(path) { "open the page" } "." }
                    }
                }
            }
        }
    };
    (refusal.status, Html(page.into_string())).into_response()
}
