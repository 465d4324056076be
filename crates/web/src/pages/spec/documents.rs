//! The documents of a spec, as links and tabs.

use kumite_project::documents::{Document, Half, Kind};
use maud::{Markup, html};

use super::seen::SeenSpec;
use crate::render::marks::segment;

/// A short title: `review 2`, `reply 2`, `inspection 1`.
fn short_title(document: &Document) -> String {
    match document.kind {
        Kind::Round(round, Half::Review) => format!("review {round}"),
        Kind::Round(round, Half::Reply) => format!("reply {round}"),
        Kind::Inspection(number) => format!("inspection {number}"),
        Kind::Phase(_) | Kind::Other | Kind::Steering => document.title(),
    }
}

/// The address of a document's page.
pub fn path_of(spec: &str, document: &str) -> String {
    format!("/specs/{spec}/documents/{}", segment(document))
}

/// A link to a document, if that document exists.
pub fn link(seen: &SeenSpec, document: &str, words: &str) -> Markup {
    html! {
        @match seen.has(document) {
            true => a href=(path_of(&seen.spec.name, document)) { (words) },
            false => span.muted { "no " (words) },
        }
    }
}

/// The first half of a long list of tabs shows the documents of the phases, the second half the
/// newest ones; the page of a document leads to its neighbours.
const TABS_MAX: usize = 40;

pub fn tabs(seen: &SeenSpec, current: Option<&str>) -> Markup {
    let all = &seen.documents;
    let left_out = all.len().saturating_sub(TABS_MAX);
    let is_shown = |(index, document): &(usize, &Document)| {
        let is_middle = *index >= TABS_MAX / 2 && *index < TABS_MAX / 2 + left_out;
        !is_middle || current == Some(&document.name)
    };
    html! {
        @if !all.is_empty() {
            nav.tabs.wrap #documents aria-label="Documents" {
                @for (_, document) in all.iter().enumerate().filter(is_shown) {
                    a href=(path_of(&seen.spec.name, &document.name)) title=(document.title())
                        aria-current=[(current == Some(&document.name)).then_some("page")] {
                        (short_title(document))
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_name_is_one_segment_of_an_address() {
        assert_eq!(
            path_of("a", "x\" onclick=\"/../%2e.md"),
            "/specs/a/documents/x%22%20onclick%3D%22%2F..%2F%252e.md"
        );
    }
}
