//! The words that files, the command line and people use for phases, documents and steps.

use serde::{Deserialize, Serialize};

crate::words! {
    /// The progress of a spec as people see it, in order.
    pub enum Phase: name {
        Requirements = "requirements",
        Design = "design",
        Tasks = "tasks",
        Review = "document-review",
        Impl = "impl",
        Inspection = "inspection",
        Deploy = "deploy",
    }
}

impl Phase {
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
