//! The page of one document.

use axum::extract::{Path, State};
use axum::response::Response;
use kumite_core::names::Document;
use kumite_project::documents;
use maud::{Markup, html};

use super::documents::{path_of, tabs};
use super::seen::SeenSpec;
use super::{Refusal, Shared, Visit, approval};
use crate::render::markdown;
use crate::render::words::badge;

pub async fn document(
    State(app): State<Shared>,
    visit: Visit,
    Path((name, document)): Path<(String, String)>,
) -> Response {
    let may_change = visit.who.may_change();
    let topics = format!("spec:{name}");
    let read = app.render(move |app| {
        let seen = SeenSpec::glance(&app.project, &name)?;
        let body = body(&seen, &document, may_change)?;
        Ok::<_, Refusal>((format!("{document} of {}", seen.spec.name), body))
    });
    visit.answer("", &topics, read.await.flatten())
}

pub(super) fn body(seen: &SeenSpec, name: &str, may_change: bool) -> Result<Markup, Refusal> {
    let missing = || {
        Refusal::not_found(format!(
            "there is no document {name:?} in {}",
            seen.spec.name
        ))
    };
    let index = seen.documents.iter().position(|listed| listed.name == name);
    let index = index.ok_or_else(missing)?;
    let text = seen.text(name).ok_or_else(missing)?;
    let judged = Document::ALL.into_iter().find(|it| it.file() == name);
    let judged = judged.filter(|it| may_change && approval::is_open(seen, *it));
    let shown = html! {
        div.card {
            article.doc #document {
                @if name.ends_with(".md") { (markdown(&text)) } @else { pre.wrap { (text) } }
            }
        }
    };
    Ok(html! {
        header.stack #head {
            div.row {
                a href=(seen.path("")) { (seen.spec.name) }
                (badge(seen.status.state))
            }
            h1 { (seen.documents[index].title()) }
        }
        (tabs(seen, Some(name)))
        @match judged {
            Some(document) => div.split { (shown) (approval::form(&seen.spec.name, document)) },
            None => (shown),
        }
        (neighbours(seen, index))
    })
}

fn neighbours(seen: &SeenSpec, index: usize) -> Markup {
    let before = index
        .checked_sub(1)
        .and_then(|index| seen.documents.get(index));
    let after = seen.documents.get(index + 1);
    let link = |listed: &documents::Document, rel: &str, words: &str| {
        html! {
            a rel=(rel) href=(path_of(&seen.spec.name, &listed.name)) { (words) ": " (listed.title()) }
        }
    };
    html! {
        nav.row #neighbours aria-label="Next documents" {
            @if let Some(before) = before { (link(before, "prev", "Before")) }
            span.grow {}
            @if let Some(after) = after { (link(after, "next", "Next")) }
        }
    }
}
