//! What an engine of several runs does around the loop: slots, and which run an agent belongs to.

use std::rc::Rc;

use kumite_core::journal::{AgentId, Entry, Event};
use kumite_core::outcome::{LimitKind, Outcome};
use kumite_core::pool::Pool;
use kumite_core::routing::{Routed, Routing};
use kumite_core::run::{Halt, Run, State};

use super::{Host, SpecHappening, World};
use crate::faults::Kind;

/// What a crash loses, beside the runs.
pub struct Memory {
    pub pool: Pool,
    pub routing: Routing<()>,
    /// The timer of each spec: when it goes on after a limit.
    pub clocks: Vec<Option<u64>>,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory {
            pool: Pool::new(0),
            routing: Routing::default(),
            clocks: Vec::new(),
        }
    }
}

impl Host {
    /// Repeats the last effects of every run, and takes the runs over.
    pub fn take_over(&mut self, world: &mut World) {
        self.memory.pool = Pool::new(world.story.drawn.jobs);
        self.memory.clocks = vec![None; world.story.drawn.specs];
        for spec in 0..world.story.drawn.specs {
            let Some(last) = world.journals[spec].last() else {
                continue;
            };
            // An agent is started after all other effects of its decision. If it exists, all of
            // them were carried out, and a write that fails now must not make the run forget the
            // running agent.
            if !world.processes.contains_key(&last.agent()) {
                self.redo(world, spec);
            }
            self.take(world, spec, Event::EngineStarted);
        }
        if !self.dying {
            self.hand_slots_out(world);
        }
    }

    /// Running agents get their slots first, then the queue in the order of requests.
    fn hand_slots_out(&mut self, world: &mut World) {
        let mut queued = Vec::new();
        for (spec, run) in self.machines.iter().enumerate() {
            match run.state {
                State::Queued { .. } => queued.push((asked_at(&world.journals[spec]), spec)),
                _ if run.holds_slot() => self.memory.pool.occupy(&name(spec)),
                _ => {}
            }
        }
        queued.sort_unstable();
        for (_, spec) in queued {
            if self.memory.pool.ask(&name(spec)) {
                let look = world.story.disks[spec].look(&self.machines[spec]);
                self.handle(world, spec, Event::Admitted { look });
            }
        }
    }

    /// Registers the spec of an agent; messages that came too early are delivered now.
    pub fn register(&mut self, world: &mut World, spec: usize, agent: AgentId) {
        for () in self.memory.routing.register(agent, &name(spec)) {
            world.tally.note(Kind::MessageEarly);
            self.write_to(world, 1, spec, agent);
        }
    }

    /// A message finds its run.
    pub fn deliver(&mut self, world: &mut World, agent: AgentId) {
        if let Routed::To(owner, ()) = self.memory.routing.route(agent, (), world.now_ms) {
            let after_ms = world.rng.between(0, 3);
            self.write_to(world, after_ms, number(&owner), agent);
        }
    }

    pub fn write_to(&self, world: &mut World, after_ms: u64, spec: usize, agent: AgentId) {
        let epoch = self.epoch;
        let inbox = SpecHappening::Inbox { epoch, spec, agent };
        world.post_own(after_ms, inbox);
    }

    /// The run hears that its agent ended.
    pub fn hear(&mut self, world: &mut World, spec: usize, agent: AgentId) {
        let Some(ended) = world.processes.get(&agent).and_then(|known| known.ended()) else {
            return;
        };
        let look = world.story.disks[spec].look(&self.machines[spec]);
        let busy = is_busy(&ended.outcome);
        self.handle(world, spec, Event::AgentEnded { agent, ended, look });
        self.memory.routing.forget(agent);
        if busy && has_failed(&self.machines[spec]) {
            world.tally.note(Kind::ServiceDown);
        }
    }

    /// Handles an event, and gives a slot that became free to the next spec.
    pub fn handle(&mut self, world: &mut World, spec: usize, event: Event) {
        self.take(world, spec, event);
        self.settle(spec);
        while !self.dying
            && let Some(admitted) = self.memory.pool.admit()
        {
            let spec = number(&admitted);
            let look = world.story.disks[spec].look(&self.machines[spec]);
            let event = match self.machines[spec].state {
                State::Limited(_) => Event::WaitOver { look },
                _ => Event::Admitted { look },
            };
            self.take(world, spec, event);
            self.settle(spec);
        }
    }

    fn settle(&mut self, spec: usize) {
        let run = &self.machines[spec];
        if run.is_at_rest() || matches!(run.state, State::Limited(_)) {
            self.memory.pool.leave(&name(spec));
        }
    }
}

fn is_busy(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Limited(limit) if limit.kind == LimitKind::Overload)
}

fn has_failed(run: &Run) -> bool {
    matches!(&run.state, State::Halted(halted) if matches!(halted.why, Halt::Failed(_)))
}

fn asked_at(journal: &[Rc<Entry>]) -> u64 {
    let asked = |entry: &&Rc<Entry>| matches!(entry.event, Event::StartRequested { .. });
    journal
        .iter()
        .rev()
        .find(asked)
        .map_or(0, |entry| entry.at_ms)
}

pub fn name(spec: usize) -> String {
    format!("s{spec}")
}

fn number(name: &str) -> usize {
    name[1..].parse().expect("a name of `name`")
}
