//! The values of `phase`, in their order.

use kumite_core::names::{Document, Phase};

pub(super) const INITIALIZED: &str = "initialized";
pub(super) const IMPLEMENTED: &str = "implementation-complete";
pub(super) const INSPECTED: &str = "inspection-complete";
pub(super) const DEPLOYED: &str = "deploy-complete";

pub(super) fn generated(document: Document) -> &'static str {
    match document {
        Document::Requirements => "requirements-generated",
        Document::Design => "design-generated",
        Document::Tasks => "tasks-generated",
    }
}

/// The position of a value in the order; None for a word that is no longer used.
pub(super) fn rank(stage: &str) -> Option<usize> {
    const ORDER: [&str; 7] = [
        INITIALIZED,
        "requirements-generated",
        "design-generated",
        "tasks-generated",
        IMPLEMENTED,
        INSPECTED,
        DEPLOYED,
    ];
    ORDER.iter().position(|known| *known == stage)
}

pub(super) fn completed(stage: &str) -> Option<Phase> {
    match stage {
        IMPLEMENTED => Some(Phase::Impl),
        INSPECTED => Some(Phase::Inspection),
        DEPLOYED => Some(Phase::Deploy),
        _ => None,
    }
}

/// The value in the file when this phase is the next one.
pub(super) fn before(phase: Phase) -> &'static str {
    match phase {
        Phase::Requirements => INITIALIZED,
        Phase::Design => generated(Document::Requirements),
        Phase::Tasks => generated(Document::Design),
        // The review has no value of its own.
        Phase::Review | Phase::Impl => generated(Document::Tasks),
        Phase::Inspection => IMPLEMENTED,
        Phase::Deploy => INSPECTED,
    }
}
