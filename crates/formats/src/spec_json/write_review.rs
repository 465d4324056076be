//! Writes the rounds of the document review.

use kumite_core::facts::{Findings, RoundProgress};

use super::{number, rounds};
use crate::json::{Editor, New, Step, Value};

const REVIEW: Step<'static> = Step::Key("documentReview");
const ROUNDS: Step<'static> = Step::Key("roundDetails");

pub(super) fn set_status(editor: &mut Editor, status: &str) {
    editor.set(&[REVIEW, Step::Key("status")], New::Text(status));
}

pub(super) fn started(editor: &mut Editor, round: u32) {
    set_status(editor, "in_progress");
    editor.set(&[REVIEW, Step::Key("currentRound")], New::Count(round));
    for index in entries(editor, round) {
        // A round that got further keeps its progress.
        if entry(editor, index).is_none_or(|it| progress(it) < Some(Progress::Review)) {
            set(editor, index, "status", New::Text("incomplete"));
        }
    }
}

pub(super) fn written(editor: &mut Editor, round: u32, at: &str) {
    for index in entries(editor, round) {
        let before = entry(editor, index);
        let was_written = before.is_some_and(|it| progress(it) >= Some(Progress::Review));
        let has_time = before.is_some_and(|it| it.text("reviewCompletedAt").is_some());
        set(editor, index, "status", New::Text("review_complete"));
        if !(was_written && has_time) {
            set(editor, index, "reviewCompletedAt", New::Text(at));
        }
    }
}

/// `fixing`: the agent was also asked to apply its fixes.
pub(super) fn replied(editor: &mut Editor, round: u32, found: Findings, fixing: bool, at: &str) {
    for index in entries(editor, round) {
        let before = entry(editor, index);
        let was_counted = before.and_then(rounds::findings_of) == Some(found);
        let has_time = before.is_some_and(|it| it.text("replyCompletedAt").is_some());
        let fix_status = fix_status(found, fixing, before);
        set(editor, index, "status", New::Text("reply_complete"));
        if !(was_counted && has_time) {
            set(editor, index, "replyCompletedAt", New::Text(at));
        }
        // Both spellings: the predecessor reads one, and its documents use the other.
        set(editor, index, "fixRequired", New::Count(found.fix_required));
        set(
            editor,
            index,
            "needsDiscussion",
            New::Count(found.needs_discussion),
        );
        set(
            editor,
            index,
            "fixRequiredCount",
            New::Count(found.fix_required),
        );
        set(
            editor,
            index,
            "needsDiscussionCount",
            New::Count(found.needs_discussion),
        );
        set(editor, index, "fixStatus", New::Text(fix_status));
    }
}

/// If the agent was asked to apply its fixes, only the agent knows whether it did.
fn fix_status(found: Findings, fixing: bool, before: Option<Value<'_>>) -> &'static str {
    let said = before.and_then(|it| it.text("fixStatus"));
    match (found.fix_required, found.needs_discussion) {
        (0, 0) => "not_required",
        (0, _) => "pending",
        (_, _) if !fixing || said.as_deref() == Some("pending") => "pending",
        (_, _) => "applied",
    }
}

fn set(editor: &mut Editor, index: usize, key: &str, new: New<'_>) {
    editor.set(&[REVIEW, ROUNDS, Step::Item(index), Step::Key(key)], new);
}

fn details(editor: &Editor) -> Option<Value<'_>> {
    let details = editor.get(&["documentReview", "roundDetails"]);
    details.filter(|details| details.is_array())
}

fn entry(editor: &Editor, index: usize) -> Option<Value<'_>> {
    details(editor)?.items().nth(index)
}

/// The indexes of a round's entries. An entry is added if there is none.
fn entries(editor: &mut Editor, round: u32) -> Vec<usize> {
    keep_counted(editor);
    let found = find(editor, round);
    if !found.is_empty() {
        return found;
    }
    let length = details(editor).map_or(0, |details| details.items().count());
    let new = vec![
        ("roundNumber", New::Count(round)),
        ("status", New::Text("incomplete")),
    ];
    editor.set(&[REVIEW, ROUNDS, Step::Item(length)], New::Object(new));
    vec![length]
}

fn find(editor: &Editor, round: u32) -> Vec<usize> {
    let Some(details) = details(editor) else {
        return Vec::new();
    };
    let objects = details
        .items()
        .enumerate()
        .filter(|(_, item)| item.is_object());
    let same = objects.filter(|(index, item)| number(*item, *index, &rounds::NUMBER) == round);
    same.map(|(index, _)| index).collect()
}

/// Rounds that an old file only counts are kept once there are details.
fn keep_counted(editor: &mut Editor) {
    let review = editor.get(&["documentReview"]);
    let counted = review.map_or(0, rounds::counted);
    if details(editor).is_none() && counted > 0 {
        let numbered = |round| New::Object(vec![("roundNumber", New::Count(round))]);
        let all = (1..=counted).map(numbered).collect();
        editor.set(&[REVIEW, ROUNDS], New::Array(all));
    }
}

#[derive(PartialEq, PartialOrd)]
enum Progress {
    Begun,
    Review,
}

fn progress(round: Value<'_>) -> Option<Progress> {
    Some(match rounds::progress_of(round)? {
        RoundProgress::Incomplete => Progress::Begun,
        RoundProgress::ReviewComplete | RoundProgress::ReplyComplete => Progress::Review,
    })
}
