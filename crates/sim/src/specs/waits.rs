//! Runs that wait for the end of a usage limit: each goes on by its timer, or when a person does
//! not want to wait any longer, as soon as a slot is free.

use kumite_core::journal::Event;
use kumite_core::run::{Finish, State};

use super::engine::name;
use super::{Host, SpecHappening, World};
use crate::faults::Kind;

/// How often a run asks for a slot after a limit.
const TICK_MS: u64 = 100;

/// How long nothing will happen, if everything unfinished waits for the end of a limit. A wait may
/// last for days.
pub fn quiet_ms(world: &World, host: &Host) -> u64 {
    let waits = host.machines.iter().map(|run| match &run.state {
        State::Limited(wait) => wait.wake_ms.saturating_sub(world.now_ms),
        State::Done(Finish::AllPhasesDone) => u64::MAX,
        _ => 0,
    });
    match world.calm {
        true => waits.min().filter(|ms| *ms < u64::MAX).unwrap_or(0),
        false => 0,
    }
}

impl Host {
    /// Sets the timer of a waiting run, also after a restart.
    pub fn set_clock(&mut self, world: &mut World, spec: usize) {
        let wake_ms = match &self.machines[spec].state {
            State::Limited(wait) => Some(wait.wake_ms),
            _ => None,
        };
        let was = std::mem::replace(&mut self.memory.clocks[spec], wake_ms);
        if let Some(wake_ms) = wake_ms.filter(|_| was != wake_ms) {
            self.ring_after(world, wake_ms.saturating_sub(world.now_ms), spec, wake_ms);
        }
    }

    fn ring_after(&self, world: &mut World, after_ms: u64, spec: usize, wake_ms: u64) {
        let epoch = self.epoch;
        let rings = SpecHappening::WaitEnds {
            epoch,
            spec,
            wake_ms,
        };
        world.post_own(after_ms, rings);
    }

    /// The timer fires for a wait until `wake_ms`.
    pub fn wait_ends(&mut self, world: &mut World, spec: usize, wake_ms: u64) {
        match &self.machines[spec].state {
            State::Limited(wait) if wait.wake_ms == wake_ms => {
                self.wake_up(world, spec);
                if !self.dying && self.memory.clocks[spec] == Some(wake_ms) {
                    // No slot is free. Any event meanwhile may cost the run its place in the queue,
                    // so it asks again.
                    world.tally.note(Kind::WakeQueued);
                    self.ring_after(world, TICK_MS, spec, wake_ms);
                }
            }
            // A later wait has its own timer.
            State::Limited(_) => {}
            // The rules must hold for a timer that nobody stopped.
            _ if !world.calm && world.story.account.luck.chance(300) => {
                world.tally.note(Kind::WakeLate);
                let look = world.story.disks[spec].look(&self.machines[spec]);
                self.handle(world, spec, Event::WaitOver { look });
            }
            _ => {}
        }
    }

    /// A limit is over, or a person does not want to wait any longer.
    pub fn wake_up(&mut self, world: &mut World, spec: usize) {
        let limited = matches!(self.machines[spec].state, State::Limited(_));
        if limited && self.memory.pool.ask(&name(spec)) {
            let look = world.story.disks[spec].look(&self.machines[spec]);
            self.handle(world, spec, Event::WaitOver { look });
        }
    }
}
