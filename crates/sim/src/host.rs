//! kumite without its core: record, decide, act, and recover after a crash. `crates/host` does this
//! with files and processes.

use std::rc::Rc;

use kumite_core::effect::{Effect, Launch};
use kumite_core::engine::{self, EffectKey, Trouble, act, handle};
use kumite_core::journal::{AgentId, Entry, Event, VERSION};
use kumite_core::notice::Notice;
use kumite_core::outcome::Outcome;
use kumite_core::pool::Pool;
use kumite_core::routing::Routing;
use kumite_core::run::{Run, State, decide};

use crate::faults::Kind;
use crate::trace::What;
use crate::world::{Happening, World};

/// The state that a crash loses.
pub struct Engine {
    pub runs: Vec<Run>,
    pub pool: Pool,
    pub routing: Routing<()>,
    /// Identifies messages for an engine that has died since.
    pub epoch: u64,
    /// The time of the last entry. Agents are named after the time and number of an entry, and the
    /// journals of two specs have the same numbers: so no two entries of an engine may have the
    /// same time.
    last_at_ms: u64,
    /// The timer of each spec: when it goes on after a limit.
    pub clocks: Vec<Option<u64>>,
    /// kumite is dying: nothing more happens.
    pub dying: bool,
}

/// The loop body's view of the world, for one spec.
struct Hand<'a> {
    world: &'a mut World,
    engine: &'a mut Engine,
    spec: usize,
}

struct Crash;

impl engine::World<Run> for Hand<'_> {
    type Error = Crash;

    fn record(&mut self, _: &Run, event: Event) -> Result<Entry, Crash> {
        self.maybe_die(Kind::CrashBeforeRecord)?;
        let at_ms = self.world.now_ms.max(self.engine.last_at_ms + 1);
        self.engine.last_at_ms = at_ms;
        let journal = &mut self.world.disks[self.spec].journal;
        let entry = Entry {
            version: VERSION,
            seq: journal.len() as u64 + 1,
            at_ms,
            event,
        };
        let shared = Rc::new(entry.clone());
        journal.push(Rc::clone(&shared));
        self.world.see(self.spec, What::Recorded(shared));
        self.maybe_die(Kind::CrashAfterRecord)?;
        Ok(entry)
    }

    fn perform(
        &mut self,
        _: &Run,
        key: EffectKey,
        _: &Entry,
        effect: &Effect,
    ) -> Result<(), Trouble> {
        let died = match effect {
            // Always the first effect: a crash before it is a crash after the record. Older stories
            // stay the same.
            Effect::Settle(_) | Effect::Announce(Notice::StepStarted { .. }) => self.engine.dying,
            // Also for the news of it, so that a seed stays the story that it was.
            Effect::Launch(_) => {
                self.maybe_die(Kind::CrashBetweenEffects).is_err()
                    || self.maybe_die(Kind::CrashBetweenEffects).is_err()
            }
            _ => self.maybe_die(Kind::CrashBetweenEffects).is_err(),
        };
        if died {
            return Ok(());
        }
        match effect {
            Effect::Save(changes) => self.save(key, changes)?,
            Effect::Announce(notice) => {
                if self.world.disks[self.spec].announce(key) {
                    let said = What::Announced(key, notice.clone());
                    self.world.see(self.spec, said);
                }
            }
            Effect::Launch(launch) => self.launch(launch)?,
            Effect::Limit(limited) => {
                let until_ms = limited.until_ms;
                self.world.account.note(until_ms);
                self.world.see(self.spec, What::Noted { until_ms });
            }
            Effect::End(agent) => self.world.kill(self.spec, *agent),
            Effect::Settle(settled) => {
                if self.world.disks[self.spec].settled.insert(settled.agent) {
                    let used = What::Settled(settled.agent, settled.usage);
                    self.world.see(self.spec, used);
                }
            }
        }
        Ok(())
    }
}

impl Hand<'_> {
    fn maybe_die(&mut self, how: Kind) -> Result<(), Crash> {
        if !self.engine.dying && self.world.strikes(self.world.plan.rates.crash, how) {
            self.engine.dying = true;
        }
        match self.engine.dying {
            true => Err(Crash),
            false => Ok(()),
        }
    }

    fn save(
        &mut self,
        key: EffectKey,
        changes: &[kumite_core::change::Change],
    ) -> Result<(), Trouble> {
        // An unreadable file cannot be changed either.
        let fails = self.world.disks[self.spec].garbled
            || self
                .world
                .strikes(self.world.plan.rates.save, Kind::SaveFailed);
        if fails {
            return Err(Trouble::Save {
                changes: changes.to_vec(),
                why: "no space left".to_owned(),
            });
        }
        self.world.disks[self.spec].save(changes);
        let saved = What::Saved(key, changes.to_vec());
        self.world.see(self.spec, saved);
        Ok(())
    }

    fn launch(&mut self, launch: &Launch) -> Result<(), Trouble> {
        let agent = launch.agent;
        self.engine.register(self.world, self.spec, agent);
        if self.world.agent(self.spec, agent).is_some() {
            return Ok(());
        }
        if let Some(outcome) = self.world.account.refuses(self.world.now_ms) {
            return Err(self.hold_back(launch, outcome));
        }
        if self
            .world
            .strikes(self.world.plan.rates.launch, Kind::AgentMissing)
        {
            return Err(Trouble::Launch {
                agent,
                outcome: self.world.account.no_start(),
                session: launch.resume.clone(),
            });
        }
        self.world.spawn(self.spec, launch);
        Ok(())
    }

    /// No agent is started if its account is limited or its money is spent.
    fn hold_back(&mut self, launch: &Launch, outcome: Outcome) -> Trouble {
        self.world.tally.note(match outcome {
            Outcome::Limited(_) => Kind::LaunchHeldBack,
            _ => Kind::LaunchOverBudget,
        });
        let (agent, session) = (launch.agent, launch.resume.clone());
        let held = What::HeldBack(agent, launch.step, session.clone(), outcome.clone());
        self.world.see(self.spec, held);
        Trouble::Launch {
            agent,
            outcome,
            session,
        }
    }
}

impl Engine {
    fn new(world: &World, epoch: u64) -> Engine {
        let last = world.disks.iter().filter_map(|disk| disk.journal.last());
        Engine {
            runs: world
                .disks
                .iter()
                .map(|disk| replay(&disk.journal))
                .collect(),
            pool: Pool::new(world.plan.jobs),
            routing: Routing::default(),
            epoch,
            last_at_ms: last.map(|entry| entry.at_ms).max().unwrap_or(0),
            clocks: vec![None; world.disks.len()],
            dying: false,
        }
    }

    /// Replays the journals, repeats the last effects, and takes the runs over.
    pub fn wake(world: &mut World, epoch: u64) -> Engine {
        let mut engine = Engine::new(world, epoch);
        for spec in 0..world.plan.specs {
            let Some(last) = world.disks[spec].journal.last().cloned() else {
                continue;
            };
            world.see(spec, What::Replayed(Box::new(engine.runs[spec].clone())));
            engine.redo(world, spec, &last);
            engine.take(world, spec, Event::EngineStarted);
        }
        if !engine.dying {
            engine.hand_slots_out(world);
        }
        engine
    }

    /// An agent is started after all other effects of its decision. If it exists, all of them were
    /// carried out, and a write that fails now must not make the run forget the running agent.
    fn redo(&mut self, world: &mut World, spec: usize, last: &Entry) {
        if world.agent(spec, last.agent()).is_some() {
            return;
        }
        let journal = &world.disks[spec].journal;
        let before = replay(&journal[..journal.len() - 1]);
        let (run, effects) = decide(before, last);
        let mut hand = Hand {
            world,
            engine: self,
            spec,
        };
        if let Some(event) = act(&mut hand, &run, last, &effects) {
            self.take(world, spec, event);
        }
    }

    /// Running agents get their slots first, then the queue in the order of requests.
    fn hand_slots_out(&mut self, world: &mut World) {
        let mut queued = Vec::new();
        for (spec, run) in self.runs.iter().enumerate() {
            match run.state {
                State::Queued { .. } => queued.push((asked_at(&world.disks[spec].journal), spec)),
                _ if run.holds_slot() => self.pool.occupy(&name(spec)),
                _ => {}
            }
        }
        queued.sort_unstable();
        for (_, spec) in queued {
            if self.pool.ask(&name(spec)) {
                let look = world.disks[spec].look();
                self.handle(world, spec, Event::Admitted { look });
            }
        }
    }

    /// Registers the spec of an agent; messages that came too early are delivered now.
    pub fn register(&mut self, world: &mut World, spec: usize, agent: AgentId) {
        for () in self.routing.register(agent, &name(spec)) {
            world.tally.note(Kind::MessageEarly);
            world.post(
                1,
                Happening::Inbox {
                    epoch: self.epoch,
                    spec,
                    agent,
                },
            );
        }
    }

    /// Handles an event, and gives a slot that became free to the next spec.
    pub fn handle(&mut self, world: &mut World, spec: usize, event: Event) {
        self.take(world, spec, event);
        self.settle(spec);
        while !self.dying
            && let Some(admitted) = self.pool.admit()
        {
            let spec = number(&admitted);
            let look = world.disks[spec].look();
            let event = match self.runs[spec].state {
                State::Limited(_) => Event::WaitOver { look },
                _ => Event::Admitted { look },
            };
            self.take(world, spec, event);
            self.settle(spec);
        }
    }

    fn take(&mut self, world: &mut World, spec: usize, event: Event) {
        if self.dying {
            return;
        }
        let mut run = std::mem::take(&mut self.runs[spec]);
        let mut hand = Hand {
            world,
            engine: self,
            spec,
        };
        let handled = handle(&mut hand, &mut run, event);
        self.runs[spec] = run;
        self.set_clock(world, spec);
        if handled.is_ok() && !self.dying {
            world.see(spec, What::Decided(Box::new(self.runs[spec].clone())));
        }
    }

    fn settle(&mut self, spec: usize) {
        let run = &self.runs[spec];
        if run.is_at_rest() || matches!(run.state, State::Limited(_)) {
            self.pool.leave(&name(spec));
        }
    }
}

/// The journal alone determines every state.
pub fn replay(journal: &[Rc<Entry>]) -> Run {
    journal
        .iter()
        .fold(Run::default(), |run, entry| decide(run, entry).0)
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

pub fn number(name: &str) -> usize {
    name[1..].parse().expect("a name of `name`")
}
