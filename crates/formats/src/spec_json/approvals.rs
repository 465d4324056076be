//! `approvals`, and the `status` of the older spec-manager format.

use kumite_core::names::Document;

use super::stage;
use crate::json::{Editor, New, Step, Value};

/// (generated, approved)
pub(super) fn read(root: Value<'_>, document: Document) -> (bool, bool) {
    if let Some(status) = old_status(root) {
        return old_approval(status, document);
    }
    let approval = root
        .get("approvals")
        .and_then(|all| all.get(document.name()));
    let says = |key| approval.and_then(|approval| approval.get(key)?.as_bool()) == Some(true);
    (says("generated"), says("approved"))
}

/// The status of a file in the spec-manager format, which has no `approvals`.
fn old_status(root: Value<'_>) -> Option<Value<'_>> {
    let status = root.get("status").filter(|status| status.is_object());
    status.filter(|_| root.given("approvals").is_none())
}

/// A document counts as generated once it is no longer `pending`, as approved once it is
/// `completed`, and as both when a later phase is current.
fn old_approval(status: Value<'_>, document: Document) -> (bool, bool) {
    let passed = old_rank(status).is_some_and(|rank| rank > document as usize);
    let own = status.text(document.name());
    let began = own.as_ref().is_some_and(|own| own != "pending");
    let completed = own.is_some_and(|own| own == "completed");
    (passed || began, passed || completed)
}

/// Which phase is current: 0 to 2 for the documents, 3 for anything after them.
fn old_rank(status: Value<'_>) -> Option<usize> {
    let phase = status.text("phase")?;
    let word = phase.split('-').next().unwrap_or_default();
    let document = Document::from_name(word).map(|document| document as usize);
    let later = [
        "impl",
        "implementation",
        "inspection",
        "deploy",
        "complete",
        "completed",
    ];
    document.or_else(|| later.contains(&word).then_some(3))
}

/// The equivalent of `phase` in a spec-manager file.
pub(super) fn old_phase(root: Value<'_>) -> Option<String> {
    let status = old_status(root)?;
    let phase = status.text("phase").unwrap_or_default();
    if stage::rank(&phase).is_some() {
        return Some(phase.into_owned());
    }
    let written = Document::ALL.into_iter().rev();
    let mut written = written.filter(|document| old_approval(status, *document).0);
    Some(
        written
            .next()
            .map_or(stage::INITIALIZED, stage::generated)
            .to_owned(),
    )
}

/// Gives a spec-manager file the keys of the current format, beside its own.
pub(super) fn adopt(editor: &mut Editor) {
    let root = editor.root();
    if old_status(root).is_none() {
        return;
    }
    let text = |value: Option<Value<'_>>, key| Some(value?.text(key)?.into_owned());
    let missing = [
        ("feature_name", text(Some(root), "feature")),
        ("created_at", text(root.get("metadata"), "created")),
        ("phase", old_phase(root)),
    ];
    let approvals = Document::ALL.map(|document| (document, read(root, document)));
    for (key, text) in missing {
        let absent = editor.get(&[key]).is_none();
        if let Some(text) = text.filter(|_| absent) {
            editor.set(&[Step::Key(key)], New::Text(&text));
        }
    }
    for (document, (generated, approved)) in approvals {
        set(editor, document, "generated", generated);
        set(editor, document, "approved", approved);
    }
}

pub(super) fn set(editor: &mut Editor, document: Document, key: &str, yes: bool) {
    let path = ["approvals", document.name(), key].map(Step::Key);
    editor.set(&path, New::Bool(yes));
}

/// Sets an existing key to false; an absent key stays absent.
pub(super) fn clear(editor: &mut Editor, document: Document, key: &str) {
    if editor.get(&["approvals", document.name(), key]).is_some() {
        set(editor, document, key, false);
    }
}
