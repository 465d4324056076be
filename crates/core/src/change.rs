//! What kumite writes into spec.json.

use serde::{Deserialize, Serialize};

use crate::facts::{Findings, Verdict};
use crate::names::{Document, Phase};

/// One change to spec.json, in kumite's words. `formats` knows what it means for the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The document was written; it is not approved.
    Generated(Document),
    Approved(Document),
    /// The document must be written again.
    Rejected(Document),
    /// A review round begins.
    ReviewStarted(u32),
    ReviewWritten(u32),
    Replied(u32, Findings),
    /// Like `Replied`, but nobody was asked to apply the fixes.
    Judged(u32, Findings),
    ReviewApproved,
    Implemented,
    Inspected(u32, Verdict),
    /// The findings of this inspection were fixed.
    Fixed(u32),
    InspectionPassed,
    Deployed,
    /// This phase and all later ones must be done again.
    Reopened(Phase),
}

/// Whether the fixes of a review are applied, and who asked for that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fixing {
    /// Auto-execution: `--autofix`.
    #[default]
    Auto,
    /// A person, by hand: `--fix`.
    Person,
    /// Nobody: judge only.
    Nobody,
}
