//! `documentReview`: the review and its rounds.

use std::collections::BTreeMap;

use kumite_core::facts::{Findings, RoundProgress};

use super::number;
use crate::json::Value;

/// What spec.json says about the document review.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedReview {
    /// Only the status `approved` sets this; `complete`, `resolved` and the like do not.
    pub approved: bool,
    /// The status says that a review is still to come.
    pub pending: bool,
    /// Sorted by number, each number once.
    pub rounds: Vec<RecordedRound>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedRound {
    pub number: u32,
    /// None: the file does not say, or in unknown words.
    pub progress: Option<RoundProgress>,
    /// None unless both counts are present and nothing contradicts them.
    pub findings: Option<Findings>,
    /// There are counts, but one is missing, they contradict each other, or they are not numbers.
    pub unclear: bool,
}

/// Old files only say how many rounds there were. A larger number is not believed.
const COUNTED_MAX: u32 = 100;

pub(super) const NUMBER: [&str; 2] = ["roundNumber", "round"];

pub(super) fn read(root: Value<'_>) -> RecordedReview {
    let Some(review) = root.get("documentReview") else {
        return RecordedReview::default();
    };
    let says = |word| review.text("status").is_some_and(|status| status == word);
    RecordedReview {
        approved: says("approved"),
        pending: says("pending"),
        rounds: match review.get("roundDetails").filter(|it| it.is_array()) {
            Some(details) => detailed(details),
            None => (1..=counted(review)).map(RecordedRound::bare).collect(),
        },
    }
}

/// How many rounds a file without details mentions.
pub(super) fn counted(review: Value<'_>) -> u32 {
    let names = ["roundsCompleted", "totalRounds", "rounds"];
    let count = names.iter().find_map(|name| review.get(name)?.as_count());
    count.unwrap_or(0).min(COUNTED_MAX)
}

fn detailed(details: Value<'_>) -> Vec<RecordedRound> {
    let mut rounds: BTreeMap<u32, (Option<RoundProgress>, Counts)> = BTreeMap::new();
    for (index, item) in details.items().enumerate() {
        if item.is_object() {
            let (progress, counts) = rounds.entry(number(item, index, &NUMBER)).or_default();
            *progress = further(*progress, progress_of(item));
            *counts = counts.and(Counts::of(item));
        }
    }
    let recorded = rounds
        .into_iter()
        .map(|(number, (progress, counts))| RecordedRound {
            number,
            progress,
            findings: counts.clear(),
            unclear: counts == Counts::Unclear,
        });
    recorded.collect()
}

impl RecordedRound {
    fn bare(number: u32) -> RecordedRound {
        RecordedRound {
            number,
            progress: None,
            findings: None,
            unclear: false,
        }
    }
}

pub(super) fn progress_of(round: Value<'_>) -> Option<RoundProgress> {
    match round.get("status")?.as_str()?.as_ref() {
        "incomplete" => Some(RoundProgress::Incomplete),
        "review_complete" => Some(RoundProgress::ReviewComplete),
        "reply_complete" => Some(RoundProgress::ReplyComplete),
        _ => None,
    }
}

/// No progress is less than any progress; otherwise the order of the enum holds.
fn further(one: Option<RoundProgress>, two: Option<RoundProgress>) -> Option<RoundProgress> {
    let rank = |progress: Option<RoundProgress>| progress.map(|progress| progress as u8);
    if rank(two) > rank(one) { two } else { one }
}

/// The counts of a round. Absent counts can be supplied elsewhere; a contradiction cannot be
/// repaired.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Counts {
    #[default]
    Absent,
    Clear(Findings),
    Unclear,
}

impl Counts {
    fn of(round: Value<'_>) -> Counts {
        let fix = count(round, ["fixRequiredCount", "fixRequired"]);
        let discuss = count(round, ["needsDiscussionCount", "needsDiscussion"]);
        match (fix, discuss) {
            (None, None) => Counts::Absent,
            (Some(Some(fix_required)), Some(Some(needs_discussion))) => Counts::Clear(Findings {
                fix_required,
                needs_discussion,
            }),
            _ => Counts::Unclear,
        }
    }

    fn and(self, other: Counts) -> Counts {
        match (self, other) {
            (Counts::Absent, counts) | (counts, Counts::Absent) => counts,
            (one, two) if one == two => one,
            _ => Counts::Unclear,
        }
    }

    fn clear(self) -> Option<Findings> {
        match self {
            Counts::Clear(findings) => Some(findings),
            Counts::Absent | Counts::Unclear => None,
        }
    }
}

/// None: absent. Some(None): present, but not a number, or two that differ.
fn count(round: Value<'_>, names: [&str; 2]) -> Option<Option<u32>> {
    let mut given = names.iter().filter_map(|name| round.given(name));
    let first = given.next()?.as_count();
    match given.next() {
        Some(second) if second.as_count() != first => Some(None),
        _ => Some(first),
    }
}

/// The counts of one entry, if they are clear.
pub(super) fn findings_of(round: Value<'_>) -> Option<Findings> {
    Counts::of(round).clear()
}
