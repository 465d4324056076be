//! What all pages have around their content.

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse, Response};
use kumite_project::news::Position;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::api::Refusal;
use crate::app::{App, Shared};
use crate::assets;
use crate::auth::Who;
use crate::render::later::Haste;
use crate::render::marks::sentence;

/// A page that the navigation leads to. Navigation, help and keys are made from [`NAVIGATION`].
struct NavLink {
    path: &'static str,
    name: &'static str,
    /// `g` and this key open it.
    key: char,
}

const NAVIGATION: [NavLink; 4] = [
    link("/", "Now", 'n'),
    link("/contests", "Contests", 'c'),
    link("/history", "History", 'h'),
    link("/settings", "Settings", 's'),
];

const fn link(path: &'static str, name: &'static str, key: char) -> NavLink {
    NavLink { path, name, key }
}

/// Who looks at a page, and whether they want the whole page.
pub struct Visit {
    pub who: Who,
    /// Only `<main>`: the rest of the page is already open.
    pub is_part: bool,
    project: String,
    /// The news up to here is in the page.
    news: Position,
}

impl FromRequestParts<Shared> for Visit {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Visit, StatusCode> {
        let who = parts.extensions.get::<Who>().cloned();
        Ok(Visit {
            who: who.ok_or(StatusCode::UNAUTHORIZED)?,
            is_part: parts.headers.contains_key("x-part"),
            project: project_name(app),
            // Taken before anything is read, so that no change in between is missed.
            news: app.hub.position(),
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
    /// The path of the place in the navigation that it belongs to, if any.
    pub place: &'static str,
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
    /// A whole page is painted for the first time; a part changes a page that a person looks at.
    pub fn haste(&self) -> Haste {
        match self.is_part {
            true => Haste::None,
            false => Haste::FirstPaint,
        }
    }

    pub fn show(&self, page: Page<'_>) -> Response {
        let is_known = |it: &str| it.is_empty() || NAVIGATION.iter().any(|link| link.path == it);
        debug_assert!(is_known(page.place), "{} is in no row", page.place);
        let main = html! {
            main #main data-title=(page.title) data-place=(page.place)
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
                    // The page is painted without scripts.
                    script type="module" fetchpriority="low" src=(assets::path("app.js")) {}
                    @for name in ["morph.js", "page.js", "stream.js", "act.js", "keys.js"] {
                        link rel="modulepreload" fetchpriority="low" href=(assets::path(name));
                    }
                }
                body data-news=(self.news) data-read-only[!self.who.may_change()] {
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

    fn header(&self, current: &str) -> Markup {
        html! {
            header.top {
                a.brand href="/" {
                    img src=(assets::path("icon.svg")) alt="" width="22" height="22";
                    "kumite"
                }
                span.project title="The project" { (self.project) }
                nav aria-label="Main" {
                    @for NavLink { path, name, key } in NAVIGATION {
                        a href=(path) data-key=(key) aria-current=[(path == current).then_some("page")] {
                            (name)
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

    /// A page with its title, or the reason why there is none.
    pub fn answer(
        &self,
        place: &'static str,
        topics: &str,
        page: Result<(String, Markup), Refusal>,
    ) -> Response {
        match page {
            Ok((title, body)) => self.show(Page {
                title: &title,
                place,
                topics,
                body,
            }),
            Err(refusal) => self.refuse(&refusal),
        }
    }

    /// A page that cannot be shown, with the reason.
    pub fn refuse(&self, refusal: &Refusal) -> Response {
        let title = refusal.status.canonical_reason().unwrap_or("Trouble");
        let page = self.show(Page {
            title,
            place: "",
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
        style { (PreEscaped(assets::STYLE)) }
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
    html! {
        dialog #help aria-labelledby="help-title" {
            h2 #help-title { "Keys" }
            dl.keys {
                dt { kbd { "j" } kbd { "k" } }
                dd { "next and previous item" }
                dt { kbd { "Enter" } }
                dd { "open it" }
                @for NavLink { name, key, .. } in NAVIGATION {
                    dt { kbd { "g" } kbd { (key) } }
                    dd { "go to " (name) }
                }
                dt { kbd { "/" } }
                dd { "filter the list" }
                dt { kbd { "Esc" } }
                dd { "close, or leave a field" }
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
