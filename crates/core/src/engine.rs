//! Record, decide, act: the body of every loop, in every world.

use crate::change::Change;
use crate::facts::Look;
use crate::journal::{AgentId, Entry, Event};
use crate::machine::Machine;
use crate::outcome::{Ended, Outcome, Usage};

/// Identifies one effect for ever: the same key means the same effect, repeated after a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectKey {
    pub seq: u64,
    pub index: usize,
}

/// Where a machine lives: the files and processes of a computer, or a simulation of them.
pub trait World<M: Machine> {
    type Error;

    /// Writes the event down and gives it its number and time. Only then has it happened.
    /// `state` is as it was before the event.
    fn record(&mut self, state: &M, event: M::Event) -> Result<Entry<M::Event>, Self::Error>;

    /// What was recorded survives a crash of the computer from now on. Nothing to do where
    /// `record` sees to it.
    fn sync(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Carries one effect out. It may have been carried out before. `state` is as it is after all
    /// that was decided together with it.
    fn perform(
        &mut self,
        state: &M,
        key: EffectKey,
        entry: &Entry<M::Event>,
        effect: &M::Effect,
    ) -> Result<(), M::Trouble>;
}

/// An effect that could not be carried out.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    Save {
        changes: Vec<Change>,
        why: String,
    },
    Launch {
        agent: AgentId,
        outcome: Outcome,
        /// The session that it should resume.
        session: Option<String>,
    },
    /// Another spec works in the checkout that the agent needs.
    Busy {
        agent: AgentId,
        with: String,
    },
}

/// Takes one event through the loop, and what follows from trouble on the way.
pub fn handle<M: Machine, W: World<M>>(
    world: &mut W,
    state: &mut M,
    event: M::Event,
) -> Result<(), W::Error> {
    handle_all(world, state, vec![event])
}

/// The same for events that came together: all of them are recorded before any of them is acted on.
pub fn handle_all<M: Machine, W: World<M>>(
    world: &mut W,
    state: &mut M,
    mut events: Vec<M::Event>,
) -> Result<(), W::Error> {
    while !events.is_empty() {
        let mut decided = Vec::new();
        for event in events.drain(..) {
            decided.push(record(world, state, event)?);
        }
        if decided.iter().any(|(_, effects)| M::is_lasting(effects)) {
            world.sync()?;
        }
        for (entry, effects) in &decided {
            events.extend(act(world, state, entry, effects));
        }
    }
    Ok(())
}

/// An entry, and what it asks for.
pub type Decided<M> = (Entry<<M as Machine>::Event>, Vec<<M as Machine>::Effect>);

/// Records an event and decides what it means, without acting on it.
pub fn record<M: Machine, W: World<M>>(
    world: &mut W,
    state: &mut M,
    event: M::Event,
) -> Result<Decided<M>, W::Error> {
    let entry = world.record(state, event)?;
    let (after, effects) = std::mem::take(state).decide(&entry);
    *state = after;
    Ok((entry, effects))
}

/// Carries effects out in order. Trouble ends the list, because what follows rests on it, and
/// becomes the next event.
pub fn act<M: Machine, W: World<M>>(
    world: &mut W,
    state: &M,
    entry: &Entry<M::Event>,
    effects: &[M::Effect],
) -> Option<M::Event> {
    for (index, effect) in effects.iter().enumerate() {
        let key = EffectKey {
            seq: entry.seq,
            index,
        };
        if let Err(trouble) = world.perform(state, key, entry, effect) {
            return Some(M::troubled(trouble, entry));
        }
    }
    None
}

impl Trouble {
    pub(crate) fn into_event(self, entry: &Entry) -> Event {
        match self {
            Trouble::Busy { agent, with } => Event::CheckoutBusy { agent, with },
            Trouble::Save { changes, why } => Event::SaveFailed {
                seq: entry.seq,
                changes,
                why,
            },
            Trouble::Launch {
                agent,
                outcome,
                session,
            } => Event::AgentEnded {
                agent,
                ended: Ended {
                    outcome,
                    session,
                    usage: Usage::default(),
                    last_words: String::new(),
                },
                // No agent has worked, so there is nothing to look at.
                look: Look::Nobody,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::Effect;
    use crate::facts::{Facts, Look, Permitted};
    use crate::journal::{Order, VERSION};
    use crate::names::Phase;
    use crate::notice::Notice;
    use crate::run::{Failure, Halt, Pause, Reason, Run, State};

    /// Remembers what was done, and refuses one kind of effect.
    #[derive(Default)]
    struct Paper {
        journal: Vec<Entry>,
        performed: Vec<(EffectKey, Effect)>,
        no_save: bool,
        no_launch: bool,
        full: bool,
    }

    impl World<Run> for Paper {
        type Error = &'static str;

        fn record(&mut self, _: &Run, event: Event) -> Result<Entry, &'static str> {
            if self.full {
                return Err("disk full");
            }
            let seq = self.journal.len() as u64 + 1;
            let entry = Entry {
                version: VERSION,
                seq,
                at_ms: seq * 10,
                event,
            };
            self.journal.push(entry.clone());
            Ok(entry)
        }

        fn perform(
            &mut self,
            _: &Run,
            key: EffectKey,
            entry: &Entry,
            effect: &Effect,
        ) -> Result<(), Trouble> {
            assert_eq!(key.seq, entry.seq);
            match effect {
                Effect::Save(changes) if self.no_save => Err(Trouble::Save {
                    changes: changes.clone(),
                    why: "read-only".to_owned(),
                }),
                Effect::Launch(launch) if self.no_launch => Err(Trouble::Launch {
                    agent: launch.agent,
                    outcome: Outcome::Missing("no such program".to_owned()),
                    session: None,
                }),
                _ => {
                    self.performed.push((key, effect.clone()));
                    Ok(())
                }
            }
        }
    }

    impl Paper {
        fn launches(&self) -> usize {
            let launch = |(_, effect): &&(EffectKey, Effect)| matches!(effect, Effect::Launch(_));
            self.performed.iter().filter(launch).count()
        }
    }

    /// A start whose first effect is a save (a document is approved) and whose last is a launch.
    fn start() -> Event {
        let mut facts = Facts {
            permitted: Permitted::by_default(),
            ..Facts::default()
        };
        facts.apply(Change::Generated(crate::names::Document::Requirements));
        facts.documents[0].stamp = Some(crate::facts::Stamp::Fnv(1));
        let look = Some(Look::Seen(Box::new(facts)));
        let order = Order::default();
        Event::StartRequested {
            order,
            look,
            place: None,
        }
    }

    fn why(run: &Run) -> Halt {
        match &run.state {
            State::Halted(halted) => halted.why,
            other => panic!("{other:?} is no halt"),
        }
    }

    #[test]
    fn an_event_is_recorded_before_its_effects_are_carried_out_in_order() {
        let (mut world, mut run) = (Paper::default(), Run::default());
        handle(&mut world, &mut run, start()).unwrap();
        assert_eq!(world.journal.len(), 1);
        let keys: Vec<usize> = world.performed.iter().map(|(key, _)| key.index).collect();
        let in_order: Vec<usize> = (0..keys.len()).collect();
        assert_eq!(keys, in_order);
        assert!(matches!(world.performed[0].1, Effect::Save(_)));
        assert_eq!(world.launches(), 1);
        assert_eq!(run.work().map(|work| work.agent.seq), Some(1));
    }

    #[test]
    fn what_cannot_be_recorded_has_not_happened() {
        let mut world = Paper {
            full: true,
            ..Paper::default()
        };
        let mut run = Run::default();
        assert_eq!(handle(&mut world, &mut run, start()), Err("disk full"));
        assert_eq!((run, world.performed.len()), (Run::default(), 0));
    }

    #[test]
    fn a8_a_failed_save_drops_the_launch_behind_it_and_becomes_the_next_event() {
        let mut world = Paper {
            no_save: true,
            ..Paper::default()
        };
        let mut run = Run::default();
        handle(&mut world, &mut run, start()).unwrap();
        assert_eq!(world.launches(), 0);
        let Event::SaveFailed { seq, why: said, .. } = &world.journal[1].event else {
            panic!("{:?}", world.journal);
        };
        assert_eq!((*seq, said.as_str()), (1, "read-only"));
        assert_eq!(why(&run), Halt::Paused(Pause::SpecUnwritable));
        assert_eq!(Reason::of_halt(why(&run)).word(), "spec_unwritable");
        // Nothing was announced about the failed write.
        let first = &world.performed[0];
        let key = EffectKey { seq: 2, index: 0 };
        let said = Notice::SaveFailed("read-only".to_owned());
        assert_eq!(*first, (key, Effect::Announce(said)));
    }

    #[test]
    fn an_agent_that_cannot_be_started_ends_at_once() {
        let mut world = Paper {
            no_launch: true,
            ..Paper::default()
        };
        let mut run = Run::default();
        handle(&mut world, &mut run, start()).unwrap();
        let Event::AgentEnded { agent, look, .. } = &world.journal[1].event else {
            panic!("{:?}", world.journal);
        };
        assert_eq!(*agent, world.journal[0].agent());
        assert_eq!(*look, Look::Nobody);
        // What was not started is not announced as started.
        let started =
            |effect: &Effect| matches!(effect, Effect::Announce(Notice::StepStarted { .. }));
        assert!(!world.performed.iter().any(|(_, effect)| started(effect)));
        assert_eq!(why(&run), Halt::Failed(Failure::AgentMissing));
        assert_eq!(crate::run::phase_of(&run), Some(Phase::Design));
    }
}
