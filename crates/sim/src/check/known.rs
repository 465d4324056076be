//! Weaknesses of the core that are known and not mended yet. They are counted, not failed on, unless
//! `--strict` is given: one open question must not hide the next bug. Whoever mends one deletes it here.

use super::Broken;

/// What the sentence of a broken rule contains, and where it is seen well.
pub const KNOWN: [(&str, u64); 4] = [
    (EXTRA_ROUND, 32_153),
    (NEWER_THAN_INSPECTION, 13_629),
    (NEWER_THAN_REVIEW, 35_234),
    (BY_WORD_ALONE, 16_280),
];

/// A reply that was complete when its agent was stopped or failed, in the last round of an
/// allowance: the next start begins one round more instead of asking a person.
pub const EXTRA_ROUND: &str = "begins after a halt that grants none";

/// An older GO passes newer work if the run ended (not permitted, until, reset) before the
/// inspection that was due.
pub const NEWER_THAN_INSPECTION: &str = "it was changed after the inspection";

/// A document that was rejected or reopened and written anew keeps the approval of its old review
/// if the run halted (approval needed) or ended in between.
pub const NEWER_THAN_REVIEW: &str = "a document is newer than its review";

/// An agent that writes `approved` into spec.json and then fails, is stopped or leaves unclear
/// counts is believed at the next start.
pub const BY_WORD_ALONE: &str =
    "only an agent's word in spec.json says that the review is approved";

/// Which one it is.
pub fn which(broken: &Broken) -> Option<usize> {
    KNOWN
        .iter()
        .position(|(words, _)| broken.sentence.contains(words))
}
