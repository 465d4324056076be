//! The usage of agents is counted exactly once: budgets depend on it.

use kumite_core::journal::{AgentId, Event};
use kumite_core::outcome::Usage;
use kumite_core::run::State;

use super::{Replica, Verdict, broken};
use crate::trace::{Line, What};

#[derive(Default)]
pub struct Spent {
    specs: Vec<Bill>,
}

/// The state of one spec.
#[derive(Default)]
struct Bill {
    /// The last agent that ended, until the run hears of it.
    unheard: Option<(AgentId, Usage)>,
    /// The usage of all agents of this run.
    total: Usage,
    /// The next start is a new run.
    walked: bool,
}

impl Spent {
    pub fn see(&mut self, line: &Line, replica: &Replica) -> Verdict {
        if let What::Began { specs, .. } = &line.what {
            self.specs.resize_with(*specs, Bill::default);
        }
        let bill = &mut self.specs[line.spec];
        match &line.what {
            What::Ended(agent, Some(ended)) => {
                bill.unheard = Some((*agent, ended.usage));
            }
            What::Recorded(entry) => {
                match &entry.event {
                    Event::StartRequested { .. } if !bill.walked => bill.total = Usage::default(),
                    Event::AgentEnded { agent, .. } => {
                        let heard = bill.unheard.take_if(|(ended, _)| ended == agent);
                        bill.total += heard.map(|(_, usage)| usage).unwrap_or_default();
                    }
                    _ => {}
                }
                bill.walked = !matches!(replica.run.state, State::Idle | State::Done(_));
            }
            What::Decided(run) if run.spent != bill.total => {
                return broken(
                    "what agents used is counted once",
                    format!(
                        "{:?} was used, and the run says {:?}",
                        bill.total, run.spent
                    ),
                );
            }
            _ => {}
        }
        Ok(())
    }
}
