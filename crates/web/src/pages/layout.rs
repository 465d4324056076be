//! What all pages have around their content.

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use crate::api::Refusal;
use crate::app::{App, Shared};
use crate::assets;
use crate::auth::Who;

/// Where we are, in the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Now,
    Contests,
    History,
    Settings,
    Elsewhere,
}

/// Who looks at a page, and whether the whole of it is wanted.
pub struct Visit {
    pub who: Who,
    /// Only `<main>`: the page is open already.
    pub is_part: bool,
    project: String,
}

impl FromRequestParts<Shared> for Visit {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Visit, StatusCode> {
        let who = parts.extensions.get::<Who>().cloned();
        Ok(Visit {
            who: who.ok_or(StatusCode::UNAUTHORIZED)?,
            is_part: parts.headers.contains_key("x-part"),
            project: project_name(app),
        })
    }
}

fn project_name(app: &App) -> String {
    let root = app.project.root();
    let name = root.file_name().unwrap_or(root.as_os_str());
    name.to_string_lossy().into_owned()
}

/// A page. `topics`: of whom news make it stale: `*`, `spec:NAME`, `contest:ID`, separated by spaces.
pub struct Page<'a> {
    pub title: &'a str,
    pub place: Place,
    pub topics: &'a str,
    pub body: Markup,
}

impl Visit {
    pub fn show(&self, page: Page<'_>) -> Response {
        let main = html! {
            main #main data-title=(page.title) data-topics=(page.topics) tabindex="-1" {
                (page.body)
            }
        };
        match self.is_part {
            true => Html(main.into_string()).into_response(),
            false => Html(self.whole(&page, &main).into_string()).into_response(),
        }
    }

    fn whole(&self, page: &Page<'_>, main: &Markup) -> Markup {
        let link = |place: Place, path: &str, name: &str| {
            html! { a href=(path) aria-current=[(page.place == place).then_some("page")] { (name) } }
        };
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="csrf-token" content=(self.who.csrf.as_deref().unwrap_or_default());
                    title { (page.title) " · kumite" }
                    link rel="icon" href=(assets::path("icon.svg"));
                    link rel="stylesheet" href=(assets::path("app.css"));
                    script type="module" src=(assets::path("app.js")) {}
                }
                body data-read-only[!self.who.may_change()] {
                    a.skip href="#main" { "Skip to the content" }
                    header.top {
                        a.brand href="/" { "kumite" }
                        span.project { (self.project) }
                        nav aria-label="Main" {
                            (link(Place::Now, "/", "Now"))
                            (link(Place::Contests, "/contests", "Contests"))
                            (link(Place::History, "/history", "History"))
                            (link(Place::Settings, "/settings", "Settings"))
                        }
                    }
                    (main)
                    div #toasts role="status" aria-live="polite" {}
                }
            }
        }
    }

    /// A page that cannot be shown, with the reason.
    pub fn refuse(&self, refusal: &Refusal) -> Response {
        let title = refusal.status.canonical_reason().unwrap_or("Trouble");
        let page = self.show(Page {
            title,
            place: Place::Elsewhere,
            topics: "",
            body: html! {
                h1 { (title) }
                p { (refusal.message) }
                p { a href="/" { "To what happens now" } }
            },
        });
        (refusal.status, page).into_response()
    }
}

pub fn not_found() -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; title { "Not found · kumite" } }
            body { h1 { "There is no such page" } p { a href="/" { "To what happens now" } } }
        }
    };
    (StatusCode::NOT_FOUND, Html(page.into_string())).into_response()
}
