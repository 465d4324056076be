//! Where a contest names things that only the outside world can check: models, agents, programs.

use std::collections::BTreeMap;

use super::problem::FileLine;

/// A kind of thing that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// A model, by its id.
    Model,
    /// One of kumite's agents.
    Agent,
    /// The first word of a command.
    Program,
    /// The class of a Python plugin.
    Plugin,
    /// `team`, `evaluator` or `judge`.
    Prompt,
}

/// The first place of each name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places(BTreeMap<(Named, String), FileLine>);

impl Places {
    pub fn of(&self, named: Named, name: &str) -> Option<&FileLine> {
        self.0.get(&(named, name.to_owned()))
    }

    pub(super) fn add(&mut self, named: Named, name: &str, at: FileLine) {
        self.0.entry((named, name.to_owned())).or_insert(at);
    }
}
