//! spec.json: what a spec says about itself, in every shape that predecessors wrote, and how
//! kumite writes its changes back without touching anything else.
//!
//! Reading is forgiving: a missing value or one of an unexpected type counts as "not said". It is
//! never generous: nothing counts as approved, passed or permitted unless the file clearly says so.

mod approvals;
mod error;
mod inspections;
mod permissions;
mod rounds;
mod stage;
mod write;
mod write_inspection;
mod write_review;

use std::ops::Range;

use kumite_core::change::Change;
use kumite_core::facts::Permitted;
use kumite_core::names::{Document, Phase};

pub use error::{Error, Problem};
pub use inspections::RecordedInspection;
pub use rounds::{RecordedReview, RecordedRound};

use crate::json::{self, Editor, New, Step, Value};

/// Larger files are not specs.
pub const SIZE_MAX: usize = 10 * 1024 * 1024;

/// Larger round numbers are ignored, because they are used for counting.
const NUMBER_MAX: u32 = 1_000_000;

/// The text of a spec.json, checked to be a JSON object.
#[derive(Clone, Debug)]
pub struct SpecJson {
    text: String,
    root: Range<usize>,
    words: Words,
}

/// The plain texts, extracted once so that readers can borrow them.
#[derive(Clone, Debug, Default)]
struct Words {
    phase: Option<String>,
    language: Option<String>,
    worktree_path: Option<String>,
    feature_name: Option<String>,
    impl_mode: Option<String>,
}

impl SpecJson {
    pub fn parse(bytes: &[u8]) -> Result<SpecJson, Error> {
        if bytes.len() > SIZE_MAX {
            return Err(Error::nowhere(Problem::TooLarge));
        }
        let text = str::from_utf8(bytes)
            .map_err(|error| Error::at(bytes, error.valid_up_to(), Problem::NotUtf8))?;
        let root = json::check(text).map_err(|fault| Error::of(bytes, fault))?;
        let value = Value::new(text, root.clone());
        if !value.is_object() {
            return Err(Error::at(bytes, root.start, Problem::not_an_object(value)));
        }
        Ok(SpecJson {
            words: Words::of(value),
            text: text.to_owned(),
            root,
        })
    }

    /// The file as it was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn root(&self) -> Value<'_> {
        Value::new(&self.text, self.root.clone())
    }

    /// The phases that may run automatically.
    pub fn permitted(&self) -> Permitted {
        permissions::read(self.root())
    }

    /// Whether the document was generated, and whether it was approved.
    pub fn approval(&self, document: Document) -> (bool, bool) {
        approvals::read(self.root(), document)
    }

    pub fn review(&self) -> RecordedReview {
        rounds::read(self.root())
    }

    /// Sorted by number, each number once.
    pub fn inspections(&self) -> Vec<RecordedInspection> {
        inspections::recorded(self.root())
    }

    /// The latest of impl, inspection and deploy that the file calls complete.
    pub fn completed(&self) -> Option<Phase> {
        stage::completed(self.phase_text()?)
    }

    /// The `phase` as written; for a spec-manager file, the phase that matches its status.
    pub fn phase_text(&self) -> Option<&str> {
        self.words.phase.as_deref()
    }

    pub fn language(&self) -> Option<&str> {
        self.words.language.as_deref()
    }

    /// The path of the spec's worktree, if it has one.
    pub fn worktree_path(&self) -> Option<&str> {
        self.words.worktree_path.as_deref()
    }

    /// The branch of that worktree, if the file names it.
    pub fn worktree_branch(&self) -> Option<String> {
        let branch = self.root().get("worktree")?.text("branch")?;
        Some(branch.into_owned())
    }

    /// The new bytes of the file with this worktree, made at the time `at` (RFC 3339). Everything
    /// else stays byte for byte; a file that names it already does not change.
    pub fn with_worktree(&self, path: &str, branch: &str, at: &str) -> Vec<u8> {
        let is_named =
            self.worktree_path() == Some(path) && self.worktree_branch().as_deref() == Some(branch);
        let mut editor = Editor::new(self.text.clone(), self.root.clone());
        if !is_named {
            for (key, value) in [("path", path), ("branch", branch), ("created_at", at)] {
                editor.set(&[Step::Key("worktree"), Step::Key(key)], New::Text(value));
            }
        }
        editor.text().as_bytes().to_vec()
    }

    pub fn feature_name(&self) -> Option<&str> {
        self.words.feature_name.as_deref()
    }

    pub fn impl_mode(&self) -> Option<&str> {
        self.words.impl_mode.as_deref()
    }

    /// The new bytes of the file after `changes`, made at the time `at` (RFC 3339).
    ///
    /// Everything that the changes do not concern stays byte for byte. Changes that the file
    /// already shows change nothing, not even `updated_at`.
    pub fn apply(&self, changes: &[Change], at: &str) -> Result<Vec<u8>, Error> {
        let written = write::apply(self, changes, at);
        if written.len() > SIZE_MAX {
            return Err(Error::nowhere(Problem::TooLarge));
        }
        Ok(written.into_bytes())
    }
}

impl Words {
    fn of(root: Value<'_>) -> Words {
        let word = |value: Option<Value<'_>>, key| Some(value?.text(key)?.into_owned());
        let feature_name = word(Some(root), "feature_name");
        Words {
            phase: word(Some(root), "phase").or_else(|| approvals::old_phase(root)),
            language: word(Some(root), "language"),
            worktree_path: word(root.get("worktree"), "path"),
            feature_name: feature_name.or_else(|| word(Some(root), "feature")),
            impl_mode: word(root.get("impl"), "mode"),
        }
    }
}

/// The number of a round, under any of the names in use; its position if it has none.
fn number(item: Value<'_>, index: usize, names: &[&str]) -> u32 {
    let given = names.iter().find_map(|name| item.given(name)?.as_count());
    let believed = given.filter(|number| (1..=NUMBER_MAX).contains(number));
    believed.unwrap_or_else(|| u32::try_from(index + 1).unwrap_or(NUMBER_MAX))
}
