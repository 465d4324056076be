//! What the files of a spec say at one moment. The host collects it, the rules judge it.
//!
//! Facts are durable: they alone show how far a spec has come, so that a finished
//! phase is never run again. They contain no decisions.

use serde::{Deserialize, Serialize};

use crate::names::{Document, Phase};

/// A look at the files: facts, or why there are none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    Seen(Box<Facts>),
    /// spec.json could not be read; the sentence names the file and the place.
    Unreadable(String),
}

/// What stands in place of a look where nobody has worked.
const OF_NOBODY: &str = "the agent was not started";

impl Look {
    /// There is nothing to look at: an agent could not be started.
    pub fn of_nobody() -> Look {
        Look::Unreadable(OF_NOBODY.to_owned())
    }

    pub fn is_of_nobody(&self) -> bool {
        matches!(self, Look::Unreadable(why) if why == OF_NOBODY)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    pub permitted: Permitted,
    /// Indexed by [`Document`]; see [`Facts::document`].
    pub documents: [DocumentFacts; 3],
    pub review: ReviewFacts,
    pub tasks: TaskFacts,
    /// Sorted by number.
    pub inspections: Vec<InspectionFacts>,
    /// The furthest phase that spec.json calls complete, of impl, inspection and deploy.
    pub completed: Option<Phase>,
}

impl Facts {
    pub fn document(&self, document: Document) -> DocumentFacts {
        self.documents[document as usize]
    }
}

/// The phases that may run automatically.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Permitted(u8);

impl Permitted {
    pub const NONE: Permitted = Permitted(0);

    /// The default for a spec without permissions: everything but deploy.
    pub fn by_default() -> Permitted {
        Phase::ALL
            .into_iter()
            .filter(|phase| *phase != Phase::Deploy)
            .collect()
    }

    pub fn allows(self, phase: Phase) -> bool {
        self.0 & (1 << phase as u8) != 0
    }

    pub fn set(&mut self, phase: Phase, allowed: bool) {
        let bit = 1 << phase as u8;
        self.0 = if allowed { self.0 | bit } else { self.0 & !bit };
    }
}

impl FromIterator<Phase> for Permitted {
    fn from_iter<I: IntoIterator<Item = Phase>>(phases: I) -> Permitted {
        let mut permitted = Permitted::NONE;
        phases
            .into_iter()
            .for_each(|phase| permitted.set(phase, true));
        permitted
    }
}

/// Tells one version of a piece of evidence from another: it changes whenever its file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stamp(pub u64);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentFacts {
    pub generated: bool,
    pub approved: bool,
    /// None: the file is missing or empty.
    pub stamp: Option<Stamp>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReviewFacts {
    pub approved: bool,
    /// spec.json says that a review is still to come: older rounds settle nothing.
    #[serde(default)]
    pub pending: bool,
    /// Sorted by number; every round that spec.json or a file mentions.
    pub rounds: Vec<RoundFacts>,
}

/// What is known about one review round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundFacts {
    pub number: u32,
    /// Its progress according to spec.json, if given.
    pub recorded: Option<RoundProgress>,
    /// None: `document-review-{n}.md` is missing or empty.
    pub review: Option<Stamp>,
    /// Everything that the reply produces, as one stamp: its file and the counts in spec.json.
    /// None: neither exists.
    pub reply: Option<Stamp>,
    /// Counts from the Response Summary table of the reply.
    pub table: Option<Findings>,
    /// Counts from `roundDetails` in spec.json.
    pub counts: Option<Findings>,
    /// spec.json has counts that are incomplete or contradict each other.
    #[serde(default)]
    pub unclear: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundProgress {
    Incomplete,
    ReviewComplete,
    ReplyComplete,
}

/// What a review left open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    pub fix_required: u32,
    pub needs_discussion: u32,
}

/// The check boxes of tasks.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskFacts {
    Counted {
        done: u32,
        total: u32,
    },
    /// Missing, not a file, or not text.
    Unreadable,
}

impl Default for TaskFacts {
    fn default() -> TaskFacts {
        TaskFacts::Counted { done: 0, total: 0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Go,
    Nogo,
}

/// What is known about one inspection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InspectionFacts {
    pub number: u32,
    /// What `inspection-{n}.md` says.
    pub report: Option<Verdict>,
    /// What spec.json says.
    pub recorded: Option<Verdict>,
    /// spec.json contradicts itself, or uses an unknown word.
    #[serde(default)]
    pub unclear: bool,
    /// spec.json says that its findings were fixed.
    pub fixed: bool,
    /// The report and the record as one stamp. None: neither exists.
    pub stamp: Option<Stamp>,
}
