//! The core's loop in the simulated world, with rules that may be wrong.

use std::convert::Infallible;
use std::rc::Rc;

use kumite_core::contest::{Contest, Effect, Entry, Event, VERSION};
use kumite_core::engine::{self, EffectKey};
use kumite_core::machine::Machine;

use super::Core;
use super::faults::Kind;
use super::host::Engine;
use super::trace::What;
use super::world::World;

/// A contest under the rules that are played, which may be wrong ones.
#[derive(Clone, Default)]
pub struct Played {
    pub contest: Contest,
    pub core: Core,
}

impl Machine for Played {
    type Event = Event;
    type Effect = Effect;
    type Trouble = Infallible;

    const VERSION: u32 = VERSION;

    fn decide(self, entry: &Entry) -> (Played, Vec<Effect>) {
        let Played { contest, core } = self;
        let (contest, effects) = (core.decide)(contest, entry);
        (Played { contest, core }, effects)
    }

    fn troubled(trouble: Infallible, _: &Entry) -> Event {
        match trouble {}
    }

    fn is_lasting(effects: &[Effect]) -> bool {
        Contest::is_lasting(effects)
    }
}

/// The loop body's view of the world.
pub struct Hand<'a> {
    pub world: &'a mut World,
    pub engine: &'a mut Engine,
}

pub struct Crash;

impl engine::World<Played> for Hand<'_> {
    type Error = Crash;

    fn record(&mut self, _: &Played, event: Event) -> Result<Entry, Crash> {
        self.maybe_die(Kind::CrashBeforeRecord)?;
        let world = &mut *self.world;
        let entry = Rc::new(Entry {
            version: VERSION,
            seq: world.journal.len() as u64 + 1,
            at_ms: world.now_ms + world.ahead_ms,
            event,
        });
        world.journal.push(Rc::clone(&entry));
        world.see(What::Recorded(Rc::clone(&entry)));
        self.maybe_die(Kind::CrashAfterRecord)?;
        Ok((*entry).clone())
    }

    fn perform(
        &mut self,
        played: &Played,
        _: EffectKey,
        _: &Entry,
        effect: &Effect,
    ) -> Result<(), Infallible> {
        if self.maybe_die(Kind::CrashBetweenEffects).is_ok() {
            self.world.see(What::Performed(effect.clone()));
            self.engine.perform(self.world, &played.contest, effect);
        }
        Ok(())
    }
}

impl Hand<'_> {
    fn maybe_die(&mut self, how: Kind) -> Result<(), Crash> {
        let rate = self.world.plan.rates.crash;
        if !self.engine.is_dying && self.world.strikes(rate, how) {
            self.engine.is_dying = true;
        }
        match self.engine.is_dying {
            true => Err(Crash),
            false => Ok(()),
        }
    }
}
