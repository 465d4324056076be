//! What the files of a spec say at one moment. The host collects it, the rules judge it.
//!
//! Facts are durable: they alone show how far a spec has come, so that a finished
//! phase is never run again. They contain no decisions.

use serde::{Deserialize, Serialize};

use crate::names::{Document, Phase};
use crate::place::{Measured, PlaceLook, Prepared};

/// A look at the files: facts, or why there are none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", from = "Written")]
pub enum Look {
    Seen(Box<Facts>),
    /// spec.json could not be read; the sentence names the file and the place.
    Unreadable(String),
    /// There is nothing to look at: the agent could not be started.
    Nobody,
}

/// A look as the journal stores it. The first versions had no [`Look::Nobody`], and wrote this
/// sentence instead.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Written {
    Seen(Box<Facts>),
    Unreadable(String),
    Nobody,
}

impl From<Written> for Look {
    fn from(written: Written) -> Look {
        match written {
            Written::Seen(facts) => Look::Seen(facts),
            Written::Unreadable(why) if why == NOT_STARTED => Look::Nobody,
            Written::Unreadable(why) => Look::Unreadable(why),
            Written::Nobody => Look::Nobody,
        }
    }
}

const NOT_STARTED: &str = "the agent was not started";

impl Look {
    pub fn facts(&self) -> Option<&Facts> {
        match self {
            Look::Seen(facts) => Some(facts),
            Look::Unreadable(_) | Look::Nobody => None,
        }
    }

    /// The facts, or a sentence that says why there are none.
    pub fn seen(&self) -> Result<&Facts, &str> {
        match self {
            Look::Seen(facts) => Ok(facts),
            Look::Unreadable(why) => Err(why),
            Look::Nobody => Err(NOT_STARTED),
        }
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
    #[serde(default)]
    pub history: History,
    #[serde(default, skip_serializing_if = "PlaceLook::is_none")]
    pub place: PlaceLook,
    /// What the step that makes the place has left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepared: Option<Prepared>,
    /// What the step that measures the baseline has left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
    /// The texts of all tasks, as long as the run does not know them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub task_list: Vec<String>,
    /// The texts of tasks that the run knows, and that are neither ticked nor there any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vanished: Vec<String>,
    /// The code is not the one that the project's commands have passed. Like the fields below, the
    /// run knows that, the files do not.
    #[serde(skip)]
    pub unverified: bool,
    /// Nothing outside `.kiro` has changed since impl began.
    #[serde(skip)]
    pub untouched: bool,
    /// The permission for deploy appeared while an agent worked. The run knows that, the files do
    /// not.
    #[serde(skip)]
    pub deploy_doubted: bool,
}

/// What git says about the checkout that receives a merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// There is no repository, or it is not needed.
    #[default]
    None,
    Commits {
        /// The last commit. None: there is none yet, or git does not answer.
        head: Option<Stamp>,
        /// A commit names this spec, and contains its current tasks.md.
        merged: bool,
    },
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

/// Distinguishes versions of a piece of evidence: it changes whenever the file is written. A
/// journal outlives the program that wrote it, so a stamp names the hash that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stamp {
    /// FNV-1a, or the beginning of a commit hash: both are the same in every version.
    Fnv(u64),
    /// The hash of Rust's library, used by version 0.1.0. Another Rust version may compute another
    /// number for the same file.
    #[serde(untagged)]
    Std(u64),
}

impl Stamp {
    /// Whether the two are of different versions. `None`: they were made by different hashes, so
    /// they cannot be compared.
    pub fn differs_from(self, other: Stamp) -> Option<bool> {
        match (self, other) {
            (Stamp::Fnv(this), Stamp::Fnv(other)) | (Stamp::Std(this), Stamp::Std(other)) => {
                Some(this != other)
            }
            (Stamp::Fnv(_), Stamp::Std(_)) | (Stamp::Std(_), Stamp::Fnv(_)) => None,
        }
    }
}

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

impl TaskFacts {
    pub fn done(self) -> u32 {
        match self {
            TaskFacts::Counted { done, .. } => done,
            TaskFacts::Unreadable => 0,
        }
    }
}

impl Default for TaskFacts {
    fn default() -> TaskFacts {
        TaskFacts::Counted { done: 0, total: 0 }
    }
}

crate::words! {
    pub enum Verdict: name {
        Go = "go",
        Nogo = "nogo",
    }
}

impl Verdict {
    /// As reports write it, and people read it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Go => "GO",
            Verdict::Nogo => "NOGO",
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_older_versions_wrote_of_an_agent_that_was_not_started_is_understood() {
        let old = r#"{"unreadable":"the agent was not started"}"#;
        assert_eq!(serde_json::from_str::<Look>(old).unwrap(), Look::Nobody);
        let other = r#"{"unreadable":"spec.json:3: no comma"}"#;
        let look = Look::Unreadable("spec.json:3: no comma".to_owned());
        assert_eq!(serde_json::from_str::<Look>(other).unwrap(), look);
        for look in [Look::Nobody, look, Look::Seen(Box::default())] {
            let written = serde_json::to_string(&look).unwrap();
            assert_eq!(serde_json::from_str::<Look>(&written).unwrap(), look);
        }
    }

    #[test]
    fn facts_of_an_older_version_know_of_no_history() {
        let mut old = serde_json::to_value(Facts::default()).unwrap();
        old.as_object_mut().unwrap().remove("history");
        let facts: Facts = serde_json::from_value(old).unwrap();
        assert_eq!(facts, Facts::default());
    }
}
