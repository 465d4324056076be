//! `inspection`, in the four shapes that were in use.
//!
//! - now: `rounds: [{number, result, inspectedAt, fixedAt?}]`
//! - A: `roundDetails: [{roundNumber, passed, fixApplied?, completedAt?}]`, `rounds` a number
//! - B: `{status, date?, report?}`, one inspection, its number in the name of the report
//! - C: `{passed, inspected_at, report_file}`, the same in other words

use std::borrow::Cow;
use std::collections::BTreeMap;

use kumite_core::facts::Verdict;

use super::{NUMBER_MAX, number};
use crate::json::Value;

/// What spec.json says about one inspection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedInspection {
    pub number: u32,
    /// None: the file does not say, or says both.
    pub verdict: Option<Verdict>,
    /// There is a verdict, but it is contradictory or an unknown word.
    pub unclear: bool,
    /// Its findings were fixed.
    pub fixed: bool,
}

/// One entry, in any shape.
pub(super) struct Entry<'a> {
    /// Its index in `rounds`, if it is there.
    pub index: Option<usize>,
    pub number: u32,
    pub verdict: Option<Verdict>,
    /// Its result is an unknown word.
    pub unknown: bool,
    pub fixed: bool,
    pub when: Option<Cow<'a, str>>,
}

pub(super) fn recorded(root: Value<'_>) -> Vec<RecordedInspection> {
    let mut all: BTreeMap<u32, RecordedInspection> = BTreeMap::new();
    for entry in entries(root) {
        let number = entry.number;
        let known = all.entry(number).or_insert(RecordedInspection {
            number,
            verdict: entry.verdict,
            unclear: false,
            fixed: false,
        });
        let differs =
            entry.verdict.is_some() && known.verdict.is_some_and(|it| Some(it) != entry.verdict);
        known.fixed |= entry.fixed;
        known.unclear |= entry.unknown || differs;
        known.verdict = known.verdict.or(entry.verdict);
    }
    let recorded = all.into_values().map(|known| RecordedInspection {
        verdict: known.verdict.filter(|_| !known.unclear),
        ..known
    });
    recorded.collect()
}

pub(super) fn entries(root: Value<'_>) -> Vec<Entry<'_>> {
    let Some(inspection) = root.get("inspection") else {
        return Vec::new();
    };
    let array = |key| inspection.get(key).filter(|value| value.is_array());
    if let Some(rounds) = array("rounds") {
        return listed(rounds, true);
    }
    if let Some(details) = array("roundDetails") {
        return listed(details, false);
    }
    single(inspection).into_iter().collect()
}

fn listed(rounds: Value<'_>, current: bool) -> Vec<Entry<'_>> {
    let objects = rounds.items().enumerate();
    let objects = objects.filter(|(_, item)| item.is_object());
    let entries = objects.map(|(index, item)| Entry {
        index: current.then_some(index),
        number: number(item, index, &["number", "roundNumber", "round"]),
        verdict: match item.text("result") {
            Some(result) => verdict_of(&result),
            None => passed(item),
        },
        unknown: item.given("result").is_some_and(|result| {
            result
                .as_str()
                .is_none_or(|word| verdict_of(&word).is_none())
        }),
        fixed: item.text("fixedAt").is_some() || says_fixed(item),
        when: item
            .text("inspectedAt")
            .or_else(|| item.text("completedAt")),
    });
    entries.collect()
}

fn says_fixed(item: Value<'_>) -> bool {
    item.get("fixApplied").and_then(Value::as_bool) == Some(true)
}

/// The shapes B and C, which hold a single inspection.
fn single(inspection: Value<'_>) -> Option<Entry<'_>> {
    let report = inspection
        .text("report")
        .or_else(|| inspection.text("report_file"));
    let when = inspection
        .text("inspected_at")
        .or_else(|| inspection.text("date"));
    let verdict = match inspection.given("passed") {
        Some(_) => passed(inspection),
        None => match inspection.text("status")?.as_ref() {
            "passed" => Some(Verdict::Go),
            // The inspection has not taken place, so nothing can be fixed.
            "pending" | "in_progress" | "not_started" => return None,
            _ => Some(Verdict::Nogo),
        },
    };
    Some(Entry {
        index: None,
        number: report.and_then(|name| number_in(&name)).unwrap_or(1),
        unknown: verdict.is_none(),
        verdict,
        fixed: false,
        when,
    })
}

fn verdict_of(result: &str) -> Option<Verdict> {
    match result.to_ascii_lowercase().as_str() {
        "go" => Some(Verdict::Go),
        "nogo" | "no-go" | "no_go" => Some(Verdict::Nogo),
        _ => None,
    }
}

fn passed(value: Value<'_>) -> Option<Verdict> {
    let passed = value.get("passed")?.as_bool()?;
    Some(if passed { Verdict::Go } else { Verdict::Nogo })
}

/// 3 for `inspection-3.md` and `inspection-report-3.md`.
fn number_in(name: &str) -> Option<u32> {
    let stem = name.strip_suffix(".md").unwrap_or(name);
    let digits = stem.trim_end_matches(|character: char| character.is_ascii_digit());
    let number = stem[digits.len()..].parse().ok()?;
    (1..=NUMBER_MAX).contains(&number).then_some(number)
}
