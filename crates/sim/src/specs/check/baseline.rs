//! No agent is paid while the project's own commands fail before any work, if a person wants to be
//! asked about that; and nobody is paid before they were run.

use kumite_core::journal::{AgentId, Entry, Event, Order};
use kumite_core::names::Phase;
use kumite_core::outcome::Outcome;
use kumite_core::place::{Baseline, CheckOutcome};
use kumite_core::run::Step;

use super::proven::launched;
use crate::check::{Verdict, broken};
use crate::specs::{Replica, TraceLine, What};
use crate::story::Terms;

const BAD: &str = "no agent is paid after a bad baseline";
const UNKNOWN: &str = "no agent is paid before the baseline is known";

#[derive(Default)]
pub struct Measures {
    specs: Vec<Measure>,
}

/// The state of one spec.
#[derive(Clone, Default)]
struct Measure {
    /// The errand that measures.
    agent: Option<AgentId>,
    /// The run that was measured.
    known: Option<u32>,
    /// It was bad, and no person has asked since.
    bad: bool,
}

impl Measures {
    pub fn see(&mut self, line: &TraceLine, replica: &Replica) -> Verdict {
        match &line.what {
            What::Began(Terms { machines, .. }) => {
                self.specs.resize(*machines, Measure::default());
                Ok(())
            }
            What::Recorded(entry) => self.specs[line.machine].recorded(entry, replica),
            What::Started(_, step, _) if self.specs[line.machine].bad && is_paid(*step) => {
                broken(BAD, format!("{step:?} starts"))
            }
            _ => Ok(()),
        }
    }
}

impl Measure {
    fn recorded(&mut self, entry: &Entry, replica: &Replica) -> Verdict {
        let order = &replica.machine.order;
        let is_asked = match &entry.event {
            Event::StartRequested { .. } => {
                self.bad = false;
                true
            }
            Event::Admitted { .. } => true,
            Event::AgentEnded { agent, ended, look } => {
                if self.agent.take_if(|it| it == agent).is_some() {
                    let measured = look.facts().and_then(|facts| facts.measured.as_ref());
                    let is_good = ended.outcome == Outcome::Finished
                        && measured.is_some_and(|it| {
                            let mut all = it.checks.iter().map(|check| check.outcome);
                            let good = [CheckOutcome::Passed, CheckOutcome::Flaky];
                            it.trouble.is_empty() && all.all(|it| good.contains(&it))
                        });
                    self.bad = !is_good && order.rules.baseline == Baseline::Pause;
                    self.known = Some(replica.machine.number);
                }
                false
            }
            Event::ResetRequested if replica.machine.is_at_rest() => {
                self.known = None;
                false
            }
            _ => false,
        };
        let launched = launched(replica);
        match launched {
            Some((agent, Step::Baseline)) => {
                self.agent = Some(agent);
                self.bad = false;
            }
            Some((_, step)) if is_paid(step) && self.bad => {
                return broken(BAD, format!("{step:?} is to start"));
            }
            Some((_, step)) if is_paid(step) && is_asked => {
                let is_known = self.known == Some(replica.machine.number);
                if step.phase() <= Phase::Impl && is_wanted(order, entry) && !is_known {
                    return broken(UNKNOWN, format!("{step:?} is to start"));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn is_paid(step: Step) -> bool {
    !matches!(
        step,
        Step::Baseline | Step::Prepare(_) | Step::Verify(_) | Step::Undo(_)
    )
}

/// Whether this start leads to an implementation that the commands check.
fn is_wanted(order: &Order, entry: &Entry) -> bool {
    let look = match &entry.event {
        Event::StartRequested { look, .. } => look.as_ref(),
        Event::Admitted { look } => Some(look),
        _ => None,
    };
    let facts = look.and_then(|look| look.facts());
    order.rules.baseline != Baseline::Off
        && !order.verify.is_empty()
        && order.review_once.is_none()
        && order.until.is_none_or(|until| until >= Phase::Impl)
        && facts.is_some_and(|facts| facts.permitted.allows(Phase::Impl))
}
