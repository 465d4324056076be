//! Stop stops and pause pauses, and so do spent money and a limit for which nobody waits: nothing
//! starts until a person asks again.

use kumite_core::journal::Event;
use kumite_core::run::{Halt, Pause, State};

use super::{Replica, Verdict, broken};
use crate::trace::{Line, What};

#[derive(Default)]
pub struct Requests {
    /// The word that forbids each spec to go on.
    held: Vec<Option<&'static str>>,
}

impl Requests {
    pub fn see(&mut self, line: &Line, replica: &Replica) -> Verdict {
        match &line.what {
            What::Began { specs, .. } => self.held.resize(*specs, None),
            What::Recorded(entry) => match entry.event {
                Event::StopRequested { .. } => self.held[line.spec] = Some("stop"),
                Event::PauseRequested => self.held[line.spec] = Some("pause"),
                Event::StartRequested { .. } => self.held[line.spec] = None,
                Event::AgentEnded { .. } => {
                    if let Some(word) = asks_person(&replica.run.state) {
                        self.held[line.spec] = Some(word);
                    }
                }
                _ => {}
            },
            What::Started(agent, step, _) => {
                if let Some(word) = self.held[line.spec] {
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

/// The word of a halt that an agent's end brings about, if nobody may go on by himself then.
fn asks_person(state: &State) -> Option<&'static str> {
    match state {
        State::Halted(halted) => match halted.why {
            Halt::Paused(Pause::Budget) => Some("spent budget"),
            Halt::Limited { .. } => Some("limit for which nobody waits"),
            _ => None,
        },
        _ => None,
    }
}
