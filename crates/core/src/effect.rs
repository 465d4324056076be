//! What a decision asks of the world.

use crate::change::{Change, Fixing};
use crate::journal::AgentId;
use crate::notice::Notice;
use crate::outcome::{Outcome, Usage};
use crate::run::{Because, Step};

/// An instruction to the world. Effects of one decision are carried out in order, and may be
/// carried out again after a crash; see [`crate::engine`].
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Write to spec.json, after a fresh read. Writing the same change twice is the same as once.
    Save(Vec<Change>),
    /// Tell people.
    Announce(Notice),
    /// Start an agent. At most one process ever exists for an agent id.
    Launch(Launch),
    /// Tell all runs that use the same account that it is limited.
    Limit(Limited),
    /// End an agent and all processes that it started. Its end comes back as an event.
    End(AgentId),
    /// Record what an agent used. One line per agent, however often this is carried out.
    Settle(Settled),
    /// Remove the worktree of a merged spec, if all its work is on another branch.
    Leave,
    /// Keep the content of the worktree, which is already a commit, as checkpoint `seq`.
    Keep { seq: u64, commit: String },
}

/// An agent that has ended, and what it used.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    pub agent: AgentId,
    /// The number of the run.
    pub run: u32,
    pub step: Step,
    pub outcome: Outcome,
    pub usage: Usage,
}

/// The account of the agent for `step` is limited.
#[derive(Clone, Debug, PartialEq)]
pub struct Limited {
    pub step: Step,
    pub until_ms: u64,
    pub words: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    pub agent: AgentId,
    /// The number of the run.
    pub run: u32,
    pub step: Step,
    /// How a reply treats its findings.
    pub fixing: Fixing,
    /// Resume this session of the agent program instead of a new one.
    pub resume: Option<String>,
    /// A person's remark at the rejection of the document.
    pub remark: Option<String>,
    /// Why impl begins again, for its agent.
    pub because: Option<Because>,
    /// What the run has spent before, in millionths of a US dollar.
    pub spent: u64,
}
