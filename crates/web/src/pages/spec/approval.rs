//! The form that approves or rejects a document.

use kumite_core::names::{Document, Phase};
use kumite_core::run::{Halt, Halted, State, may_approve_deploy};
use maud::{Markup, html};

use super::seen::SeenSpec;

/// The document that the run waits for.
pub fn waiting(seen: &SeenSpec) -> Option<Document> {
    match &seen.run.state {
        State::Halted(Halted {
            why: Halt::Waiting(document),
            ..
        }) => Some(*document),
        _ => None,
    }
}

/// Whether the permission for deploy waits for a person.
pub fn deploy_waits(seen: &SeenSpec) -> bool {
    may_approve_deploy(&seen.run).is_ok()
}

/// The button with which a person confirms a doubted permission for deploy.
pub fn deploy_form(spec: &str) -> Markup {
    html! {
        form #approval data-post={ "/api/specs/" (spec) "/approve" } {
            input type="hidden" name="document" value=(Phase::Deploy.name());
            button.primary { "Approve deploy" }
        }
    }
}

/// Whether a person can judge this document now: it is written and nobody has approved it.
pub fn is_open(seen: &SeenSpec, document: Document) -> bool {
    let known = seen.facts.as_ref().map(|facts| facts.document(document));
    known.is_some_and(|known| known.generated && !known.approved) && seen.run.is_at_rest()
}

pub fn form(spec: &str, document: Document) -> Markup {
    let file = document.file();
    html! {
        div.card.stack #approval {
            h2 { "Your judgment" }
            p { "If you approve, the run can go on. If you reject it, an agent writes it anew and reads your remark." }
            form #approve data-post={ "/api/specs/" (spec) "/approve" } {
                input type="hidden" name="document" value=(document.name());
                button.primary { "Approve " (file) }
            }
            form.stack #reject data-post={ "/api/specs/" (spec) "/reject" } {
                input type="hidden" name="document" value=(document.name());
                label for="remark" { "What should be different" }
                textarea #remark name="remark" rows="5" maxlength="10000" {}
                button.danger { "Reject " (file) }
            }
        }
    }
}
