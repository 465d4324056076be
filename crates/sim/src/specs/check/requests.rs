//! After a stop, a pause, a spent budget or a limit that nobody waits for, nothing starts until a
//! person asks again.

use kumite_core::journal::Event;
use kumite_core::outcome::{Ended, Outcome};
use kumite_core::run::{State, Step};

use crate::check::{Verdict, broken};
use crate::specs::{Replica, TraceLine, What};
use crate::story::Terms;

const UNWANTED: &str = "limit for which nobody waits";

#[derive(Default)]
pub struct Requests {
    /// For each spec: why nothing may start, if nothing may.
    held: Vec<Option<&'static str>>,
}

impl Requests {
    pub fn see(&mut self, line: &TraceLine, replica: &Replica) -> Verdict {
        match &line.what {
            What::Began(Terms { machines, .. }) => self.held.resize(*machines, None),
            What::Recorded(entry) => match &entry.event {
                Event::StopRequested { .. } => self.held[line.machine] = Some("stop"),
                Event::PauseRequested => self.held[line.machine] = Some("pause"),
                // While a run is being stopped, the core ignores a request to start it.
                Event::StartRequested { .. }
                    if matches!(replica.machine.state, State::Stopping { .. }) => {}
                Event::StartRequested { .. } => {
                    let waits_no_more = replica.machine.limited_until_ms().is_some()
                        && replica.machine.is_at_rest();
                    self.held[line.machine] = waits_no_more.then_some(UNWANTED);
                }
                Event::AgentEnded { ended, .. } => {
                    let held = &mut self.held[line.machine];
                    *held = held.or(asks_person(ended, replica));
                }
                _ => {}
            },
            // A person asked for an undo, and it starts nothing else.
            What::Started(_, Step::Undo(_), _) => {}
            What::Started(agent, step, _) => {
                if let Some(word) = self.held[line.machine] {
                    return broken(
                        "nothing starts after a stop or a pause until a person asks again",
                        format!("{agent} starts ({step:?}) after a {word}"),
                    );
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Why the run needs a person after this end of its agent. `None`: it may go on by itself.
fn asks_person(ended: &Ended, replica: &Replica) -> Option<&'static str> {
    // A late message that the run ignores has no effects.
    if replica.effects.is_empty() {
        return None;
    }
    match ended.outcome {
        Outcome::OverBudget(_) => Some("spent budget"),
        Outcome::Limited(_) if !replica.machine.order.rules.limit.wait => Some(UNWANTED),
        _ => None,
    }
}
