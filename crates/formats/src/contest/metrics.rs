//! The metrics that have a built-in rubric.

use super::plan::Rubric;

pub(super) const RUBRICS: [(&str, Rubric); 3] = [
    ("ClarityCoherence", Rubric::ClarityCoherence),
    ("Coverage", Rubric::Coverage),
    ("Relevance", Rubric::Relevance),
];

pub(super) fn rubric(name: &str) -> Option<Rubric> {
    let known = RUBRICS.iter().find(|(known, _)| *known == name);
    known.map(|(_, rubric)| *rubric)
}
