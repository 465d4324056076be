//! kumite without its core: record, decide, act, and recover after a crash. `crates/host` does this
//! with files and processes.

use std::rc::Rc;

use kumite_core::engine::{self, EffectKey, act, handle_all, record};
use kumite_core::machine::Machine;

use crate::faults::Kind;
use crate::story::{Effect, EffectOrigin, Entry, Event, Story, Trouble};
use crate::trace::What;
use crate::world::World;

/// The state that a crash loses.
pub struct Host<S: Story> {
    /// Shared with the trace, so that nothing is copied while nobody keeps the trace.
    pub machines: Vec<Rc<S::Machine>>,
    pub memory: S::Memory,
    /// Identifies messages for a process that has died since.
    pub epoch: u64,
    /// The time of the last entry.
    last_at_ms: u64,
    /// kumite is dying: nothing more happens.
    pub dying: bool,
    /// Nothing is left to do.
    pub done: bool,
}

/// The loop body's view of the world, for one machine.
struct Hand<'a, S: Story> {
    world: &'a mut World<S>,
    host: &'a mut Host<S>,
    machine: usize,
}

struct Crash;

impl<S: Story> engine::World<S::Machine> for Hand<'_, S> {
    type Error = Crash;

    fn record(&mut self, _: &S::Machine, event: Event<S>) -> Result<Entry<S>, Crash> {
        self.maybe_die(Kind::CrashBeforeRecord)?;
        let mut at_ms = self.world.clock_ms();
        if S::TIMES_DIFFER {
            at_ms = at_ms.max(self.host.last_at_ms + 1);
        }
        self.host.last_at_ms = at_ms;
        let journal = &mut self.world.journals[self.machine];
        let entry = Rc::new(Entry::<S> {
            version: S::Machine::VERSION,
            seq: journal.len() as u64 + 1,
            at_ms,
            event,
        });
        journal.push(Rc::clone(&entry));
        self.see(What::Recorded(Rc::clone(&entry)));
        self.maybe_die(Kind::CrashAfterRecord)?;
        Ok((*entry).clone())
    }

    fn perform(
        &mut self,
        state: &S::Machine,
        key: EffectKey,
        _: &Entry<S>,
        effect: &Effect<S>,
    ) -> Result<(), Trouble<S>> {
        let dies = match S::may_die_before(effect) {
            true => self.maybe_die(Kind::CrashBetweenEffects).is_err(),
            false => self.host.dying,
        };
        // Who has died does nothing any more, and says nothing.
        if dies {
            return Ok(());
        }
        self.see(What::Performed(key, effect.clone()));
        let origin = EffectOrigin {
            machine: self.machine,
            state,
            key,
        };
        let performed = S::perform(self.world, self.host, origin, effect);
        if performed.is_err() {
            self.see(What::Refused(key));
        }
        performed
    }
}

impl<S: Story> Hand<'_, S> {
    fn see(&mut self, what: What<S>) {
        self.world.see(self.machine, what);
    }

    fn maybe_die(&mut self, how: Kind) -> Result<(), Crash> {
        let rate = self.world.rates.crash;
        if !self.host.dying && self.world.strikes(rate, how) {
            self.host.dying = true;
        }
        match self.host.dying {
            true => Err(Crash),
            false => Ok(()),
        }
    }
}

impl<S: Story> Host<S> {
    /// Replays the journals, and takes over what they tell.
    pub fn wake(world: &mut World<S>, epoch: u64) -> Host<S> {
        let last = world.journals.iter().filter_map(|journal| journal.last());
        let mut host = Host {
            last_at_ms: last.map(|entry| entry.at_ms).max().unwrap_or(0),
            machines: world.replay_all(),
            memory: S::Memory::default(),
            epoch,
            dying: false,
            done: false,
        };
        S::wake(world, &mut host);
        host
    }

    pub fn take(&mut self, world: &mut World<S>, machine: usize, event: Event<S>) {
        self.take_all(world, machine, vec![event]);
    }

    /// Events that came together are recorded before any effect is carried out.
    pub fn take_all(&mut self, world: &mut World<S>, machine: usize, events: Vec<Event<S>>) {
        if self.dying || events.is_empty() {
            return;
        }
        let handled = self.lend(world, machine, |hand, state| {
            handle_all(hand, state, events).is_ok()
        });
        S::handled(world, self, machine);
        if handled && !self.dying {
            let live = Rc::clone(&self.machines[machine]);
            world.see(machine, What::Decided(live));
        }
    }

    /// Records an event, and drops what it asks for: the next one makes it moot.
    pub fn record_only(&mut self, world: &mut World<S>, machine: usize, event: Event<S>) {
        let recorded = self.lend(world, machine, |hand, state| {
            record(hand, state, event).is_ok()
        });
        if recorded {
            world.see(machine, What::Dropped);
        }
    }

    /// Repeats the effects of the last entry.
    pub fn redo(&mut self, world: &mut World<S>, machine: usize) {
        let Some((last, before)) = world.journals[machine].split_last() else {
            return;
        };
        let last = Rc::clone(last);
        let (state, effects) = world.replay(before).decide(&last);
        let trouble = self.lend(world, machine, |hand, _| act(hand, &state, &last, &effects));
        if let Some(event) = trouble {
            self.take(world, machine, event);
        }
    }

    fn lend<T>(
        &mut self,
        world: &mut World<S>,
        machine: usize,
        body: impl FnOnce(&mut Hand<'_, S>, &mut S::Machine) -> T,
    ) -> T {
        let mut state = Rc::unwrap_or_clone(std::mem::take(&mut self.machines[machine]));
        let mut hand = Hand {
            world,
            host: self,
            machine,
        };
        let result = body(&mut hand, &mut state);
        self.machines[machine] = Rc::new(state);
        result
    }
}
