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
use crate::render::marks::sentence;

/// The current place in the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Now,
    Contests,
    History,
    Settings,
    Elsewhere,
}

impl Place {
    const ALL: [Place; 4] = [Place::Now, Place::Contests, Place::History, Place::Settings];

    fn path(self) -> &'static str {
        match self {
            Place::Now => "/",
            Place::Contests => "/contests",
            Place::History => "/history",
            Place::Settings => "/settings",
            Place::Elsewhere => "",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Place::Now => "Now",
            Place::Contests => "Contests",
            Place::History => "History",
            Place::Settings => "Settings",
            Place::Elsewhere => "",
        }
    }
}

/// Who looks at a page, and whether they want the whole page.
pub struct Visit {
    pub who: Who,
    /// Only `<main>`: the rest of the page is already open.
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

/// A page. `topics` names the news that makes it stale: `*`, `spec:NAME`, `contest:ID`, separated
/// by spaces.
pub struct Page<'a> {
    pub title: &'a str,
    pub place: Place,
    pub topics: &'a str,
    pub body: Markup,
}

/// Strip bidi overrides: they could make one name display as another.
pub fn forwards(html: String) -> String {
    match html.contains(OVERRIDES) {
        true => html.replace(OVERRIDES, "\u{fffd}"),
        false => html,
    }
}

const OVERRIDES: [char; 2] = ['\u{202d}', '\u{202e}'];

impl Visit {
    pub fn show(&self, page: Page<'_>) -> Response {
        let main = html! {
            main #main data-title=(page.title) data-place=(page.place.path())
                data-topics=(page.topics) tabindex="-1" {
                (page.body)
            }
        };
        let shown = match self.is_part {
            true => main,
            false => self.whole(&page, &main),
        };
        Html(forwards(shown.into_string())).into_response()
    }

    fn whole(&self, page: &Page<'_>, main: &Markup) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    (head(page.title))
                    meta name="csrf-token" content=(self.who.csrf.as_deref().unwrap_or_default());
                    script type="module" src=(assets::path("app.js")) {}
                    @for name in ["morph.js", "page.js", "stream.js", "act.js", "keys.js"] {
                        link rel="modulepreload" href=(assets::path(name));
                    }
                }
                body data-read-only[!self.who.may_change()] {
                    a.skip href="#main" { "Skip to the content" }
                    (self.header(page.place))
                    div #offline role="alert" hidden {}
                    (main)
                    div #busy aria-hidden="true" {}
                    div #toasts role="status" aria-live="polite" {}
                    (confirm())
                    (help())
                }
            }
        }
    }

    fn header(&self, place: Place) -> Markup {
        html! {
            header.top {
                a.brand href="/" {
                    img src=(assets::path("icon.svg")) alt="" width="22" height="22";
                    "kumite"
                }
                span.project title="The project" { (self.project) }
                nav aria-label="Main" {
                    @for each in Place::ALL {
                        a href=(each.path()) aria-current=[(each == place).then_some("page")] {
                            (each.name())
                        }
                    }
                }
                div.tools {
                    @if !self.who.may_change() {
                        span.badge.idle title="This link lets you look, not change anything" {
                            "read-only"
                        }
                    }
                    span #live.dot role="img" aria-label="Connecting" title="Connecting" {}
                    button.round type="button" data-open="help" aria-label="Keys and help"
                        title="Keys and help" { "?" }
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
            body: sorry(title, &refusal.message),
        });
        (refusal.status, page).into_response()
    }
}

/// The head of every document, also for visitors who are not logged in.
pub fn head(title: &str) -> Markup {
    html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        title { (title) " · kumite" }
        link rel="icon" href=(assets::path("icon.svg"));
        link rel="stylesheet" href=(assets::path("app.css"));
    }
}

fn sorry(title: &str, why: &str) -> Markup {
    html! {
        h1 { (title) }
        p.why { (sentence(why)) }
        p { a.button href="/" { "To what happens now" } }
    }
}

/// The confirmation dialog; the script fills in the sentence.
fn confirm() -> Markup {
    html! {
        dialog #confirm aria-labelledby="confirm-text" {
            p #confirm-text.why {}
            form.actions method="dialog" {
                button value="no" { "Back" }
                button.danger value="yes" { "Go ahead" }
            }
        }
    }
}

fn help() -> Markup {
    const KEYS: [(&[&str], &str); 8] = [
        (&["j", "k"], "next and previous item"),
        (&["Enter"], "open it"),
        (&["g", "n"], "go to Now"),
        (&["g", "c"], "go to Contests"),
        (&["g", "h"], "go to History"),
        (&["g", "s"], "go to Settings"),
        (&["/"], "filter the list"),
        (&["Esc"], "close, or leave a field"),
    ];
    html! {
        dialog #help aria-labelledby="help-title" {
            h2 #help-title { "Keys" }
            dl.keys {
                @for (keys, meaning) in KEYS {
                    dt { @for key in keys { kbd { (key) } } }
                    dd { (meaning) }
                }
                dt { kbd { "Ctrl" } kbd { "Enter" } }
                dd { "send what you write" }
                dt { kbd { "?" } }
                dd { "this help" }
            }
            form.actions method="dialog" { button.primary { "Close" } }
        }
    }
}

/// For unknown addresses. It tells a visitor who is not logged in nothing about the project.
pub fn not_found(visit: Option<Visit>) -> Response {
    let why = "there is no such page; the address may be old, or mistyped";
    if let Some(visit) = visit {
        return visit.refuse(&Refusal::not_found(why));
    }
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head { (head("Not found")) }
            body.alone { main.card.stack { (sorry("Not found", why)) } }
        }
    };
    (StatusCode::NOT_FOUND, Html(page.into_string())).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_reads_as_it_is_written() {
        assert_eq!(forwards("\u{202e}gnp.md".into()), "\u{fffd}gnp.md");
        assert_eq!(forwards("עברית".into()), "עברית");
    }
}
