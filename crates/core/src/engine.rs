//! Record, decide, act: the body of every loop, in every world.

use crate::change::Change;
use crate::effect::Effect;
use crate::journal::{AgentId, Entry, Event};
use crate::outcome::{Ended, Outcome, Usage};
use crate::run::{Run, decide};

/// Names one effect for ever: the same key is the same effect, carried out once more after a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectKey {
    pub seq: u64,
    pub index: usize,
}

/// Where a run lives: the files and processes of a machine, or a simulation of them.
pub trait World {
    type Error;

    /// Makes the event durable and gives it its number and time. Only then has it happened.
    fn record(&mut self, event: Event) -> Result<Entry, Self::Error>;

    /// Carries one effect out. It may have been carried out before.
    fn perform(&mut self, key: EffectKey, entry: &Entry, effect: &Effect) -> Result<(), Trouble>;
}

/// An effect that could not be carried out.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    Save { changes: Vec<Change>, why: String },
    Launch { agent: AgentId, outcome: Outcome },
}

/// Takes one event through the loop, and what follows from trouble on the way.
pub fn handle<W: World>(world: &mut W, run: &mut Run, event: Event) -> Result<(), W::Error> {
    let mut next = Some(event);
    while let Some(event) = next {
        let entry = world.record(event)?;
        let (after, effects) = decide(std::mem::take(run), &entry);
        *run = after;
        next = act(world, &entry, &effects);
    }
    Ok(())
}

/// Carries effects out in order. Trouble ends the list, because what follows rests on it, and
/// becomes the next event.
pub fn act<W: World>(world: &mut W, entry: &Entry, effects: &[Effect]) -> Option<Event> {
    for (index, effect) in effects.iter().enumerate() {
        let key = EffectKey {
            seq: entry.seq,
            index,
        };
        if let Err(trouble) = world.perform(key, entry, effect) {
            return Some(trouble.into_event(entry));
        }
    }
    None
}

impl Trouble {
    fn into_event(self, entry: &Entry) -> Event {
        match self {
            Trouble::Save { changes, why } => Event::SaveFailed {
                seq: entry.seq,
                changes,
                why,
            },
            Trouble::Launch { agent, outcome } => Event::AgentEnded {
                agent,
                ended: Ended {
                    outcome,
                    session: None,
                    usage: Usage::default(),
                },
                // Nobody has worked, so there is nothing to look at.
                look: crate::facts::Look::Unreadable("the agent was not started".to_owned()),
            },
        }
    }
}
