//! How each change is written to the file.

use kumite_core::change::Change;
use kumite_core::names::{Document, Phase};

use super::{SpecJson, approvals, stage, write_inspection, write_review};
use crate::json::{Editor, New, Step};

pub(super) fn apply(spec: &SpecJson, changes: &[Change], at: &str) -> String {
    let mut editor = Editor::new(spec.text.clone(), spec.root.clone());
    approvals::adopt(&mut editor);
    let before = editor.text().to_owned();
    for change in changes {
        write(&mut editor, *change, at);
    }
    if editor.text() == before {
        // Nothing is new, so an old format is left alone too.
        return spec.text.clone();
    }
    editor.set(&[Step::Key("updated_at")], New::Text(at));
    editor.text().to_owned()
}

fn write(editor: &mut Editor, change: Change, at: &str) {
    match change {
        Change::Generated(document) => {
            approvals::set(editor, document, "generated", true);
            approvals::set(editor, document, "approved", false);
            withdraw_review(editor);
            set_stage(editor, stage::generated(document));
        }
        Change::Approved(document) => {
            approvals::set(editor, document, "generated", true);
            approvals::set(editor, document, "approved", true);
        }
        Change::Rejected(document) => reject(editor, document),
        Change::ReviewStarted(number) => write_review::started(editor, number),
        Change::ReviewWritten(number) => write_review::written(editor, number, at),
        Change::Replied(number, found) => write_review::replied(editor, number, found, true, at),
        Change::Judged(number, found) => write_review::replied(editor, number, found, false, at),
        Change::ReviewApproved => write_review::set_status(editor, "approved"),
        Change::Implemented => forward(editor, stage::IMPLEMENTED),
        Change::Inspected(number, verdict) => {
            write_inspection::inspected(editor, number, verdict, at);
        }
        Change::Fixed(number) => write_inspection::fixed(editor, number, at),
        Change::InspectionPassed => forward(editor, stage::INSPECTED),
        Change::Deployed => set_stage(editor, stage::DEPLOYED),
        Change::Reopened(phase) => reopen(editor, phase),
    }
}

/// The document will be written again; documents that build on it stay, but lose their approval.
fn reject(editor: &mut Editor, document: Document) {
    approvals::clear(editor, document, "generated");
    for later in Document::ALL.into_iter().filter(|it| *it >= document) {
        approvals::clear(editor, later, "approved");
    }
    withdraw_review(editor);
    back(editor, stage::before(document.phase()));
}

/// The reviewed text is no longer the current one.
fn withdraw_review(editor: &mut Editor) {
    if editor.get(&["documentReview", "status"]).is_some() {
        write_review::set_status(editor, "pending");
    }
}

fn reopen(editor: &mut Editor, phase: Phase) {
    for document in Document::ALL.into_iter().filter(|it| it.phase() >= phase) {
        approvals::clear(editor, document, "generated");
        approvals::clear(editor, document, "approved");
    }
    if phase <= Phase::Review {
        withdraw_review(editor);
    }
    back(editor, stage::before(phase));
}

fn set_stage(editor: &mut Editor, stage: &str) {
    editor.set(&[Step::Key("phase")], New::Text(stage));
}

fn rank(editor: &Editor) -> Option<usize> {
    stage::rank(&editor.get(&["phase"])?.as_str()?)
}

/// A word that is no longer used is always replaced.
fn forward(editor: &mut Editor, stage: &str) {
    if rank(editor).is_none_or(|now| Some(now) < stage::rank(stage)) {
        set_stage(editor, stage);
    }
}

fn back(editor: &mut Editor, stage: &str) {
    if rank(editor).is_none_or(|now| Some(now) > stage::rank(stage)) {
        set_stage(editor, stage);
    }
}
