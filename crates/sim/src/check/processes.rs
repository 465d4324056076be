//! Processes: one per spec or team, one per agent, no more than there are slots, and none left behind.

use std::collections::{BTreeMap, BTreeSet};

use super::{Verdict, broken};
use crate::story::Story;
use crate::trace::{TraceLine, What};

pub struct Processes<S: Story> {
    slots: usize,
    /// The running agent of each spec or team.
    living: BTreeMap<usize, S::Agent>,
    known: BTreeSet<S::Agent>,
}

impl<S: Story> Default for Processes<S> {
    fn default() -> Processes<S> {
        Processes {
            slots: 0,
            living: BTreeMap::new(),
            known: BTreeSet::new(),
        }
    }
}

impl<S: Story> Processes<S> {
    pub fn see(&mut self, line: &TraceLine<S>) -> Verdict {
        match &line.what {
            What::Began(terms) => {
                self.slots = terms.slots;
                Ok(())
            }
            What::Started(agent, ..) => self.started(S::spec_or_team(line.machine, *agent), *agent),
            What::Ended(agent, _) => {
                let spec_or_team = S::spec_or_team(line.machine, *agent);
                if self.living.get(&spec_or_team) == Some(agent) {
                    self.living.remove(&spec_or_team);
                }
                Ok(())
            }
            What::Adopted(agent) => self.adopted(S::spec_or_team(line.machine, *agent), *agent),
            What::Over { .. } => match self.living.values().next() {
                None => Ok(()),
                Some(left) => broken("no process is left behind", format!("{left} still lives")),
            },
            _ => Ok(()),
        }
    }

    fn started(&mut self, spec_or_team: usize, agent: S::Agent) -> Verdict {
        if let Some(living) = self.living.get(&spec_or_team) {
            return broken(
                "at most one agent works for a spec or a team",
                format!("{agent} starts while {living} lives"),
            );
        }
        if !self.known.insert(agent) {
            return broken(
                "one process per agent",
                format!("{agent} starts a second time"),
            );
        }
        self.living.insert(spec_or_team, agent);
        let living = self.living.len();
        match living <= self.slots {
            true => Ok(()),
            false => broken(
                "no more agents than slots",
                format!("{living} agents live, {} may", self.slots),
            ),
        }
    }

    fn adopted(&mut self, spec_or_team: usize, agent: S::Agent) -> Verdict {
        let other = self
            .living
            .get(&spec_or_team)
            .filter(|living| **living != agent);
        if let Some(other) = other {
            let sentence = format!("it waits for {agent}, but {other} lives");
            return broken("a machine waits for the agent that works", sentence);
        }
        match self.known.contains(&agent) {
            true => Ok(()),
            false => broken(
                "a machine waits for an agent that was started",
                format!("nobody ever started {agent}"),
            ),
        }
    }
}
