//! Stop stops and pause pauses: nothing starts until a person asks again.

use kumite_core::journal::Event;

use super::{Verdict, broken};
use crate::trace::{Line, What};

#[derive(Default)]
pub struct Requests {
    /// The word that forbids each spec to go on.
    held: Vec<Option<&'static str>>,
}

impl Requests {
    pub fn see(&mut self, line: &Line) -> Verdict {
        match &line.what {
            What::Began { specs, .. } => self.held.resize(*specs, None),
            What::Recorded(entry) => match entry.event {
                Event::StopRequested { .. } => self.held[line.spec] = Some("stop"),
                Event::PauseRequested => self.held[line.spec] = Some("pause"),
                Event::StartRequested { .. } => self.held[line.spec] = None,
                _ => {}
            },
            What::Started(agent, step) => {
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
