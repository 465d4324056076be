//! Writes inspections, always in the current shape.

use kumite_core::facts::Verdict;

use super::inspections::{self, Entry};
use crate::json::{Editor, New, Step};

const INSPECTION: Step<'static> = Step::Key("inspection");
const ROUNDS: Step<'static> = Step::Key("rounds");

pub(super) fn inspected(editor: &mut Editor, number: u32, verdict: Verdict, at: &str) {
    let recorded = inspections::recorded(editor.root());
    if recorded
        .iter()
        .any(|it| it.number == number && it.verdict == Some(verdict))
    {
        return;
    }
    for index in entries(editor, number, at) {
        let path = |key| [INSPECTION, ROUNDS, Step::Item(index), Step::Key(key)];
        editor.set(&path("result"), New::Text(verdict.name()));
        editor.set(&path("inspectedAt"), New::Text(at));
    }
}

pub(super) fn fixed(editor: &mut Editor, number: u32, at: &str) {
    let recorded = inspections::recorded(editor.root());
    if recorded.iter().any(|it| it.number == number && it.fixed) {
        return;
    }
    for index in entries(editor, number, at) {
        let path = [INSPECTION, ROUNDS, Step::Item(index), Step::Key("fixedAt")];
        editor.set(&path, New::Text(at));
    }
}

/// The indexes of an inspection's entries. An entry is added if there is none.
fn entries(editor: &mut Editor, number: u32, at: &str) -> Vec<usize> {
    modernise(editor, at);
    let all = inspections::entries(editor.root());
    let same = all.iter().filter(|entry| entry.number == number);
    let found: Vec<usize> = same.filter_map(|entry| entry.index).collect();
    if !found.is_empty() {
        return found;
    }
    let rounds = editor.get(&["inspection", "rounds"]);
    let length = rounds.map_or(0, |rounds| rounds.items().count());
    let new = New::Object(vec![("number", New::Count(number))]);
    editor.set(&[INSPECTION, ROUNDS, Step::Item(length)], new);
    vec![length]
}

/// Converts the rounds of an old shape into `rounds`; the old keys stay beside them.
fn modernise(editor: &mut Editor, at: &str) {
    let rounds = editor.get(&["inspection", "rounds"]);
    if rounds.is_some_and(|rounds| rounds.is_array()) {
        return;
    }
    let old: Vec<Owned> = inspections::entries(editor.root())
        .into_iter()
        .map(Owned::of)
        .collect();
    if !old.is_empty() {
        let rounds = old.iter().map(|entry| entry.as_new(at)).collect();
        editor.set(&[INSPECTION, ROUNDS], New::Array(rounds));
    }
}

/// A copy of an old entry, so that the text can change.
struct Owned {
    number: u32,
    verdict: Option<Verdict>,
    fixed: bool,
    when: Option<String>,
}

impl Owned {
    fn of(entry: Entry<'_>) -> Owned {
        Owned {
            number: entry.number,
            verdict: entry.verdict,
            fixed: entry.fixed,
            when: entry.when.map(|when| when.into_owned()),
        }
    }

    fn as_new<'k>(&'k self, at: &'k str) -> New<'k> {
        let mut members = vec![("number", New::Count(self.number))];
        if let Some(verdict) = self.verdict {
            members.push(("result", New::Text(verdict.name())));
        }
        if let Some(when) = &self.when {
            members.push(("inspectedAt", New::Text(when)));
        }
        if self.fixed {
            let when = self.when.as_deref().unwrap_or(at);
            members.push(("fixedAt", New::Text(when)));
        }
        New::Object(members)
    }
}
