//! The place of a spec: the worktree in which it is implemented, and what was checked there.
//!
//! The host makes places and looks at them; the rules only compare what it found.

use serde::{Deserialize, Serialize};

use crate::facts::Stamp;

/// The result of making a place. The step that makes it leaves this in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prepared {
    Ready(Place),
    /// There can be no worktree here, so the run works in the checkout. The sentence says why.
    Checkout(String),
    /// A branch or directory of that name belongs to something else, or there is no room.
    Conflict(String),
    /// A command that should set the worktree up failed.
    SetupFailed(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// As in spec.json: relative to the project.
    pub path: String,
    pub branch: String,
    /// The branch that it began with and is merged into; a commit if no branch was checked out.
    pub base: String,
    /// False: an existing worktree was taken over.
    pub made: bool,
    /// Its content when the implementation began.
    pub begin: Content,
}

/// All files of a worktree at one moment, except those that git ignores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// A commit of kumite's own.
    pub commit: String,
    pub tree: String,
    /// The same without `.kiro`: it changes whenever the code changes.
    pub code: Stamp,
}

/// A look at the place of a spec.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceLook {
    /// The spec has no worktree of its own.
    #[default]
    None,
    Seen(PlaceFacts),
    /// The worktree is damaged or gone; the sentence says what to do.
    Unreadable(String),
}

impl PlaceLook {
    pub fn is_none(&self) -> bool {
        *self == PlaceLook::None
    }

    pub fn content(&self) -> Option<&Content> {
        match self {
            PlaceLook::Seen(facts) => Some(&facts.content),
            PlaceLook::None | PlaceLook::Unreadable(_) => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceFacts {
    pub content: Content,
    /// Protected paths that are not as a person has last accepted them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<String>,
}

crate::words! {
    /// What it means if the commands of the project fail before any work has begun.
    #[derive(Default)]
    pub enum Baseline: name {
        #[default]
        Pause = "pause",
        Warn = "warn",
        /// They are not run before the work.
        Off = "off",
    }
}

crate::words! {
    /// How a command of the project ended.
    pub enum CheckOutcome: name {
        Passed = "passed",
        Failed = "failed",
        Timeout = "timeout",
        /// It failed, and passed when it was run again.
        Flaky = "flaky",
    }
}

impl CheckOutcome {
    pub fn is_good(self) -> bool {
        match self {
            CheckOutcome::Passed | CheckOutcome::Flaky => true,
            CheckOutcome::Failed | CheckOutcome::Timeout => false,
        }
    }
}

/// One command of the project, as kumite ran it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    pub name: String,
    pub outcome: CheckOutcome,
    pub ms: u64,
}

/// The commands of the project on the commit that a spec begins with, before any work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The tree of that commit.
    pub tree: String,
    pub checks: Vec<Check>,
    /// If they could not be run at all: the sentence says why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trouble: String,
}
