//! A run that meets a limit tells the others, waits for as long as it should, and has not failed.

use kumite_core::journal::{AgentId, Entry, Event, LimitRules};
use kumite_core::notice::Notice;
use kumite_core::outcome::{Ended, Limit, LimitKind, Outcome};
use kumite_core::run::{Halt, Rest, State, Step};

use super::follows::same;
use super::proven::launched;

use crate::check::limits::{begins, lasts, wakes};
use crate::check::{Verdict, broken};
use crate::specs::news::News;
use crate::specs::{Replica, TraceLine, What};
use crate::story::Terms;

/// How often in a row a service may be too busy before it counts as down.
const OVERLOADS_MAX: u8 = 24;

#[derive(Default)]
pub struct Waits {
    rules: LimitRules,
    specs: Vec<Waiter>,
}

/// The state of one spec.
#[derive(Default)]
struct Waiter {
    /// The limit that ended its agent or prevented its start, until the run hears of it.
    met: Option<(AgentId, Limit)>,
    /// The run goes on by itself, but not before this time.
    until_ms: Option<u64>,
    /// A person does not want to wait for that.
    cut: bool,
    /// Its limit also holds for the other runs, which were not told yet.
    untold: bool,
    /// It is at a limit: an end now is not a failure.
    limited: bool,
    /// How often in a row the service was too busy for this step.
    overloads: u8,
    step: Option<Step>,
    rests: bool,
    /// What kumite does itself at the moment: its end says nothing about the service.
    errand: Option<AgentId>,
}

impl Waits {
    pub fn see(&mut self, line: &TraceLine, replica: &Replica) -> Verdict {
        if let What::Began(Terms {
            machines, rules, ..
        }) = &line.what
        {
            self.rules = rules.limit;
            self.specs.resize_with(*machines, Waiter::default);
        }
        let waiter = &mut self.specs[line.machine];
        match &line.what {
            What::Ended(agent, Some(ended)) => waiter.meets(*agent, ended),
            What::HeldBack(agent, _, _, Outcome::Limited(limit)) => {
                waiter.met = Some((*agent, limit.clone()));
            }
            What::Recorded(entry) => {
                return waiter.recorded(line.at_ms, entry, replica, &self.rules);
            }
            What::Noted { .. } => waiter.untold = false,
            What::CutShort => waiter.cut = true,
            What::Crashed { .. } => self.specs.iter_mut().for_each(Waiter::forget),
            What::Decided(_) if waiter.untold => {
                let sentence = "an agent reached a limit, and nobody else knows";
                return broken("who reaches a limit tells the others", sentence);
            }
            What::Own(News::Announced(
                _,
                Notice::RunEnded {
                    rest: Rest::Halted(Halt::Failed(why)),
                    ..
                },
            )) if waiter.limited => {
                return broken("a limit is no failure", format!("it failed: {why:?}"));
            }
            What::Started(_, step, _) => waiter.begins(*step),
            _ => {}
        }
        Ok(())
    }
}

impl Waiter {
    /// A person's request and the answer to a launch are lost with the process; the end of an agent
    /// is recorded on disk.
    fn forget(&mut self) {
        self.cut = false;
        self.met.take_if(|(_, limit)| limit.kind == LimitKind::Held);
    }

    /// A person's start may lead to another step, or commands that fail to another attempt. Both
    /// count from the beginning.
    fn begins(&mut self, step: Step) {
        (self.limited, self.cut) = (false, false);
        if step.is_errand() {
            return;
        }
        let left = self.step.replace(step);
        if left.is_some_and(|left| !same(left, step) || is_retry(left, step)) {
            self.overloads = 0;
        }
    }

    fn meets(&mut self, agent: AgentId, ended: &Ended) {
        if let Outcome::Limited(limit) = &ended.outcome {
            self.met = Some((agent, limit.clone()));
        }
    }

    fn recorded(
        &mut self,
        now_ms: u64,
        entry: &Entry,
        replica: &Replica,
        rules: &LimitRules,
    ) -> Verdict {
        let awaited_ms = self.until_ms.take();
        if let State::Limited(wait) = &replica.machine.state {
            self.until_ms = Some(wait.until_ms);
        }
        let errand = self.errand.take();
        let next = launched(replica).filter(|(_, step)| step.is_errand());
        self.errand = next.map(|(agent, _)| agent).or(errand);
        let rested = std::mem::replace(&mut self.rests, replica.machine.is_at_rest());
        match &entry.event {
            // What a person begins anew counts from the beginning.
            Event::ResetRequested | Event::DocumentRejected { .. } if rested => {
                self.overloads = 0;
                Ok(())
            }
            Event::AgentEnded { agent, .. } => {
                let met = self.met.take_if(|(met, _)| met == agent);
                match met {
                    Some((_, limit)) => self.limited(&limit, entry.at_ms, replica, rules),
                    None if errand == Some(*agent) => {
                        self.limited = false;
                        Ok(())
                    }
                    None => {
                        // A late message that the run ignores has no effects.
                        if !replica.effects.is_empty() {
                            (self.limited, self.overloads) = (false, 0);
                        }
                        Ok(())
                    }
                }
            }
            Event::WaitOver { .. } if !self.cut => match awaited_ms {
                Some(until_ms) => begins("the run", now_ms, until_ms),
                None => Ok(()),
            },
            Event::StartRequested { order, .. } => {
                self.limited &= !replica.machine.is_at_rest();
                if rested && order.from.is_some() {
                    self.overloads = 0;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The run hears of a limit.
    fn limited(
        &mut self,
        limit: &Limit,
        at_ms: u64,
        replica: &Replica,
        rules: &LimitRules,
    ) -> Verdict {
        self.cut = false;
        self.overloads = match limit.kind {
            LimitKind::Overload => self.overloads.saturating_add(1),
            LimitKind::Usage | LimitKind::Held => 0,
        };
        let down = self.overloads > OVERLOADS_MAX;
        self.limited = !down;
        self.untold = limit.kind == LimitKind::Usage && !is_stopped(&replica.machine.state);
        let Some(until_ms) = replica.machine.limited_until_ms() else {
            return Ok(());
        };
        if down {
            let sentence = format!("it was too busy {} times", self.overloads);
            return broken("a busy service is not waited for for ever", sentence);
        }
        lasts(limit, until_ms, at_ms, rules)?;
        match &replica.machine.state {
            State::Limited(wait) => wakes(until_ms, wait.wake_ms, rules),
            _ => Ok(()),
        }
    }
}

fn is_retry(left: Step, step: Step) -> bool {
    match (left, step) {
        (Step::Implement(left), Step::Implement(attempt)) => attempt.retry > left.retry,
        _ => false,
    }
}

fn is_stopped(state: &State) -> bool {
    matches!(state, State::Halted(halted) if matches!(halted.why, Halt::Stopped(_)))
}
