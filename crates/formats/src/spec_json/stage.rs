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

/// How far a value is along the way; None of a word that is not in use any more.
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

/// What the file says when this phase is the next one to do.
pub(super) fn before(phase: Phase) -> &'static str {
    match phase {
        Phase::Requirements => INITIALIZED,
        Phase::Design => generated(Document::Requirements),
        Phase::Tasks => generated(Document::Design),
        // A review has no value of its own.
        Phase::Review | Phase::Impl => generated(Document::Tasks),
        Phase::Inspection => IMPLEMENTED,
        Phase::Deploy => INSPECTED,
    }
}
