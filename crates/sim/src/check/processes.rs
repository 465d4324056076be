//! Processes: one per spec, one per agent, no more than there are slots, and none left behind.

use std::collections::BTreeSet;

use kumite_core::journal::AgentId;

use super::{Verdict, broken};
use crate::trace::{Line, What};

#[derive(Default)]
pub struct Processes {
    jobs: usize,
    /// The running agent of each spec.
    living: Vec<Option<AgentId>>,
    known: BTreeSet<AgentId>,
}

impl Processes {
    pub fn see(&mut self, line: &Line) -> Verdict {
        match &line.what {
            What::Began { specs, jobs, .. } => {
                self.jobs = *jobs;
                self.living.resize(*specs, None);
                Ok(())
            }
            What::Started(agent, ..) => self.started(line.spec, *agent),
            What::Ended(agent, _) => {
                if self.living[line.spec] == Some(*agent) {
                    self.living[line.spec] = None;
                }
                Ok(())
            }
            What::Adopted(agent) => self.adopted(line.spec, *agent),
            What::Over { .. } => match self.living.iter().flatten().next() {
                None => Ok(()),
                Some(left) => broken("no process is left behind", format!("{left} still lives")),
            },
            _ => Ok(()),
        }
    }

    fn started(&mut self, spec: usize, agent: AgentId) -> Verdict {
        if let Some(living) = self.living[spec] {
            return broken(
                "at most one agent works on a spec",
                format!("{agent} starts while {living} lives"),
            );
        }
        if !self.known.insert(agent) {
            return broken(
                "one process per agent",
                format!("{agent} starts a second time"),
            );
        }
        self.living[spec] = Some(agent);
        let living = self.living.iter().flatten().count();
        match living <= self.jobs {
            true => Ok(()),
            false => broken(
                "no more agents than slots",
                format!("{living} agents live, {} may", self.jobs),
            ),
        }
    }

    fn adopted(&mut self, spec: usize, agent: AgentId) -> Verdict {
        let other = self.living[spec].filter(|living| *living != agent);
        if let Some(other) = other {
            let sentence = format!("it waits for {agent}, but {other} lives");
            return broken("a run waits for the agent that works", sentence);
        }
        match self.known.contains(&agent) {
            true => Ok(()),
            false => broken(
                "a run waits for an agent that was started",
                format!("nobody ever started {agent}"),
            ),
        }
    }
}
