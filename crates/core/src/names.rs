//! The words that files, the command line and people use for phases, documents and steps.

use serde::{Deserialize, Serialize};

/// The progress of a spec as people see it, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Phase {
    #[serde(rename = "requirements")]
    Requirements,
    #[serde(rename = "design")]
    Design,
    #[serde(rename = "tasks")]
    Tasks,
    #[serde(rename = "document-review")]
    Review,
    #[serde(rename = "impl")]
    Impl,
    #[serde(rename = "inspection")]
    Inspection,
    #[serde(rename = "deploy")]
    Deploy,
}

impl Phase {
    pub const ALL: [Phase; 7] = [
        Phase::Requirements,
        Phase::Design,
        Phase::Tasks,
        Phase::Review,
        Phase::Impl,
        Phase::Inspection,
        Phase::Deploy,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Phase::Requirements => "requirements",
            Phase::Design => "design",
            Phase::Tasks => "tasks",
            Phase::Review => "document-review",
            Phase::Impl => "impl",
            Phase::Inspection => "inspection",
            Phase::Deploy => "deploy",
        }
    }

    pub fn from_name(name: &str) -> Option<Phase> {
        Phase::ALL.into_iter().find(|phase| phase.name() == name)
    }

    /// The phase after this one, in the order of a spec.
    pub fn next(self) -> Option<Phase> {
        Phase::ALL.into_iter().find(|phase| *phase > self)
    }
}

/// A document that a phase writes and a person may have to approve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Document {
    Requirements,
    Design,
    Tasks,
}

impl Document {
    pub const ALL: [Document; 3] = [Document::Requirements, Document::Design, Document::Tasks];

    pub fn name(self) -> &'static str {
        self.phase().name()
    }

    pub fn from_name(name: &str) -> Option<Document> {
        Document::ALL
            .into_iter()
            .find(|document| document.name() == name)
    }

    pub fn phase(self) -> Phase {
        match self {
            Document::Requirements => Phase::Requirements,
            Document::Design => Phase::Design,
            Document::Tasks => Phase::Tasks,
        }
    }

    /// Name of the file in the spec's directory.
    pub fn file(self) -> &'static str {
        match self {
            Document::Requirements => "requirements.md",
            Document::Design => "design.md",
            Document::Tasks => "tasks.md",
        }
    }
}
