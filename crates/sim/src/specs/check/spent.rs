//! The usage of agents is counted exactly once: budgets depend on it.

use kumite_core::journal::{AgentId, Event};
use kumite_core::outcome::Usage;
use kumite_core::run::{Run, State, Step};

use crate::check::{Verdict, broken};
use crate::specs::news::News;
use crate::specs::{Replica, TraceLine, What};
use crate::story::Terms;

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
    /// For all agents of all runs.
    in_all: Usage,
    /// What the last agent used whose end is in the journal, until that is recorded.
    unsettled: Option<(AgentId, Usage)>,
    /// A run goes on until it is done or reset, whatever a person answers on the way.
    walks: bool,
    was_done: bool,
    /// What kumite does itself at the moment: nobody pays for that.
    errand: Option<AgentId>,
}

impl Bill {
    fn note(&mut self, event: &Event, run: &Run) {
        // An undo belongs to no run, and begins none.
        if let Some(Step::Undo(_)) = run.work().map(|work| work.step) {
            return;
        }
        match event {
            Event::StartRequested { .. } if !self.walks => self.total = Usage::default(),
            Event::AgentEnded { agent, .. } => {
                let heard = self.unheard.take_if(|(ended, _)| ended == agent);
                self.unsettled = heard.or(self.unsettled);
                let usage = heard.map(|(_, usage)| usage).unwrap_or_default();
                self.total += usage;
                self.in_all += usage;
            }
            _ => {}
        }
        self.walks = match run.state {
            State::Idle => self.walks && *event != Event::ResetRequested,
            // An end that could not be saved does not count.
            State::Halted(_) => self.walks || self.was_done,
            State::Done(_) => run.order.review_once.is_some(),
            State::Queued { .. }
            | State::Working(_)
            | State::Finishing(_)
            | State::Stopping { .. }
            | State::Limited(_) => true,
        };
        self.was_done = matches!(run.state, State::Done(_));
    }

    /// An agent that was not started is settled too, with nothing.
    fn settle(&mut self, agent: AgentId, usage: Usage) -> Verdict {
        if self.errand == Some(agent) {
            return broken("nobody pays for what kumite does itself", agent.to_string());
        }
        let owed = self.unsettled.take_if(|(ended, _)| *ended == agent);
        let owed = owed.map(|(_, usage)| usage).unwrap_or_default();
        match owed == usage {
            true => Ok(()),
            false => broken(
                "what an agent used is recorded once, as it was",
                format!("{agent} used {owed:?}, and {usage:?} is recorded"),
            ),
        }
    }
}

impl Spent {
    pub fn see(&mut self, line: &TraceLine, replica: &Replica) -> Verdict {
        if let What::Began(Terms { machines, .. }) = &line.what {
            self.specs.resize_with(*machines, Bill::default);
        }
        let bill = &mut self.specs[line.machine];
        match &line.what {
            What::Started(agent, step, _) if step.is_errand() => bill.errand = Some(*agent),
            What::Ended(agent, Some(ended)) if bill.errand != Some(*agent) => {
                bill.unheard = Some((*agent, ended.usage));
            }
            What::Recorded(entry) => bill.note(&entry.event, &replica.machine),
            What::Own(News::Settled(agent, usage)) => bill.settle(*agent, *usage)?,
            What::Started(next, ..) if bill.unsettled.is_some() => {
                return broken(
                    "what an agent used is recorded before the next one starts",
                    format!("{:?} is not recorded, and {next} starts", bill.unsettled),
                );
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
            What::Decided(run) if run.spent_in_all() != bill.in_all => {
                return broken(
                    "what earlier walks used is not forgotten",
                    format!(
                        "{:?} was used, and the run says {:?}",
                        bill.in_all,
                        run.spent_in_all()
                    ),
                );
            }
            _ => {}
        }
        Ok(())
    }
}
