//! A request to run a spec, with the rules that apply to it. It is part of the journal.

use serde::{Deserialize, Serialize};

use crate::change::Fixing;
use crate::names::Phase;
use crate::place::Baseline;
use crate::run::Verify;

/// A request, with the rules that apply to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    pub rules: Rules,
    /// The names of the commands that check an implementation, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verify: Vec<String>,
    /// Why no spec of this project can have a worktree, although the rules want one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_worktree: Option<String>,
    /// The branch that was checked out when the run was requested, or the one in the settings.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub base: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Phase>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Phase>,
    /// One review round by hand instead of a whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_once: Option<Fixing>,
}

impl Order {
    /// The name of a command.
    pub fn command(&self, verify: Verify) -> String {
        let name = self.verify.get(usize::from(verify.command));
        name.cloned().unwrap_or_default()
    }
}

/// The settings that decisions depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    pub rounds_max: u8,
    pub retries_max: u8,
    pub inspections_max: u8,
    pub auto_approve: bool,
    pub guard: Guard,
    #[serde(default)]
    pub limit: LimitRules,
    /// From impl on, the spec has a worktree of its own where that is possible.
    #[serde(default)]
    pub worktree: bool,
    #[serde(default)]
    pub baseline: Baseline,
    /// How often a command that failed is run again before it counts as failed.
    #[serde(default)]
    pub flaky: u8,
}

/// How a run waits for a usage limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitRules {
    /// If false, the run halts there.
    pub wait: bool,
    pub min_ms: u64,
    pub max_ms: u64,
    pub jitter_ms: u64,
}

impl Default for LimitRules {
    fn default() -> LimitRules {
        LimitRules {
            wait: true,
            min_ms: 60 * 1000,
            max_ms: 8 * 24 * 60 * 60 * 1000,
            jitter_ms: 10 * 1000,
        }
    }
}

/// At most 7 review rounds in one allowance (A2.1).
pub const ROUNDS_MAX: u8 = 7;
/// At most 7 retries of impl in one allowance (B3.1).
pub const RETRIES_MAX: u8 = 7;
/// At most 3 inspections in one allowance.
pub const INSPECTIONS_MAX: u8 = 3;

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            rounds_max: ROUNDS_MAX,
            retries_max: RETRIES_MAX,
            inspections_max: INSPECTIONS_MAX,
            auto_approve: true,
            guard: Guard::Seed,
            limit: LimitRules::default(),
            worktree: false,
            baseline: Baseline::Pause,
            flaky: 0,
        }
    }
}

crate::words! {
    /// What the completion guard does if tasks.md has no boxes or does not exist.
    #[derive(Default)]
    pub enum Guard: name {
        /// Let it pass.
        #[default]
        Seed = "seed",
        /// Ask a person.
        Strict = "strict",
    }
}
