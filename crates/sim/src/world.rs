//! One seed's world: virtual time that jumps to the next event, files and processes that survive a
//! crash, and an engine that does not.

use std::collections::BTreeMap;

use kumite_core::journal::{AgentId, Event};
use kumite_core::outcome::{LimitKind, Outcome};
use kumite_core::routing::Routed;
use kumite_core::run::{Finish, Halt, Run, State};

use crate::account::Account;
use crate::agents::Agent;
use crate::check::Watch;
use crate::disk::Disk;
use crate::faults::{Kind, Plan, Tally};
use crate::host::{Engine, number};
use crate::rng::Rng;
use crate::trace::{Line, What};
use crate::{patient, people};

/// A future event.
#[derive(Clone, Copy, Debug)]
pub enum Happening {
    /// An agent writes its results.
    Writes {
        spec: usize,
        agent: AgentId,
    },
    Ends {
        spec: usize,
        agent: AgentId,
    },
    /// An agent that was told to end obeys.
    Dies {
        spec: usize,
        agent: AgentId,
    },
    /// The report of an agent's end arrives at kumite.
    Message {
        agent: AgentId,
    },
    /// The spec gets its message.
    Inbox {
        epoch: u64,
        spec: usize,
        agent: AgentId,
    },
    /// A usage limit should be over for this spec.
    WaitEnds {
        epoch: u64,
        spec: usize,
        wake_ms: u64,
    },
    /// kumite looks for the agents that it waits for: right after a crash, and now and then.
    LookAround {
        epoch: u64,
    },
    Crash,
    Wake,
    Person {
        spec: usize,
    },
    FaultsEnd,
    /// A patient person makes everything go on.
    Patience,
}

pub struct World {
    pub plan: Plan,
    pub rng: Rng,
    pub now_ms: u64,
    pub disks: Vec<Disk>,
    pub account: Account,
    pub tally: Tally,
    pub watch: Watch,
    pub calm: bool,
    pub agents: Vec<Vec<Agent>>,
    future: BTreeMap<(u64, u64), Happening>,
    posted: u64,
}

/// How many events a world may need to end once faults have stopped, per spec.
const PATIENCE: u64 = 600;
const LOOK_AROUND_MS: u64 = 700;

/// Plays a world to its end.
pub fn play(seed: u64, watch: Watch) -> World {
    let mut rng = Rng::new(seed);
    let (account, limit) = Account::draw(seed);
    let plan = Plan::draw(&mut rng, limit);
    let mut world = World {
        disks: (0..plan.specs).map(|_| Disk::default()).collect(),
        agents: (0..plan.specs).map(|_| Vec::new()).collect(),
        account,
        watch,
        plan,
        rng,
        now_ms: 1_000,
        tally: Tally::default(),
        calm: false,
        future: BTreeMap::new(),
        posted: 0,
    };
    world.begin();
    world.go_on();
    world
}

impl World {
    fn begin(&mut self) {
        let Plan {
            specs, jobs, rules, ..
        } = self.plan;
        self.see(0, What::Began { specs, jobs, rules });
        for spec in 0..specs {
            people::set_up(self, spec);
            let after_ms = self.rng.between(0, 300);
            self.post(after_ms, Happening::Person { spec });
        }
        self.post(0, Happening::Wake);
        self.post_crash();
        self.post(self.plan.faults_until_ms, Happening::FaultsEnd);
    }

    fn go_on(&mut self) {
        let mut engine = None;
        let mut epoch = 0;
        let mut patience = PATIENCE * self.plan.specs as u64;
        while let Some(((at_ms, _), happening)) = self.future.pop_first() {
            self.now_ms = at_ms;
            match happening {
                Happening::Wake => {
                    epoch += 1;
                    engine = Some(Engine::wake(self, epoch));
                    let after_ms = self.rng.between(1, 40);
                    self.post(after_ms, Happening::LookAround { epoch });
                }
                Happening::Crash => self.crash(&mut engine),
                other => self.happen(&mut engine, other),
            }
            if engine.as_ref().is_some_and(|engine| engine.dying) {
                self.die(&mut engine, false);
            }
            let done = self.calm && engine.as_ref().is_some_and(|engine| all_done(&engine.runs));
            patience -= u64::from(self.calm && patience > 0);
            if done || patience == 0 {
                self.see(
                    0,
                    What::Over {
                        out_of_patience: !done,
                    },
                );
            }
            if done || patience == 0 || self.watch.broken().is_some() {
                return;
            }
        }
    }

    fn happen(&mut self, engine: &mut Option<Engine>, happening: Happening) {
        match happening {
            Happening::Writes { spec, agent } => self.writes(spec, agent),
            Happening::Ends { spec, agent } => self.ends(spec, agent, None),
            Happening::Dies { spec, agent } => self.ends(spec, agent, Some(Outcome::Killed)),
            Happening::Message { agent } => {
                if let Some(engine) = engine {
                    self.deliver(engine, agent);
                }
            }
            Happening::Inbox { epoch, spec, agent } => {
                if let Some(engine) = engine.as_mut().filter(|engine| engine.epoch == epoch) {
                    self.hear(engine, spec, agent);
                }
            }
            Happening::WaitEnds {
                epoch,
                spec,
                wake_ms,
            } => {
                if let Some(engine) = engine.as_mut().filter(|engine| engine.epoch == epoch) {
                    engine.wait_ends(self, spec, wake_ms);
                }
            }
            Happening::LookAround { epoch } => {
                if let Some(engine) = engine.as_mut().filter(|engine| engine.epoch == epoch) {
                    self.look_around(engine);
                }
            }
            Happening::Person { spec } => people::interfere(self, engine.as_mut(), spec),
            Happening::Patience => patient::be_patient(self, engine.as_mut()),
            Happening::FaultsEnd => {
                self.calm = true;
                self.see(0, What::FaultsOver);
                self.post(1, Happening::Patience);
            }
            Happening::Crash | Happening::Wake => {}
        }
    }

    pub fn see(&mut self, spec: usize, what: What) {
        let at_ms = self.now_ms;
        self.watch.see(Line { at_ms, spec, what });
    }

    pub fn post(&mut self, after_ms: u64, happening: Happening) {
        self.posted += 1;
        self.future
            .insert((self.now_ms + after_ms, self.posted), happening);
    }

    /// Whether a fault of this kind happens now.
    pub fn strikes(&mut self, per_mille: u32, kind: Kind) -> bool {
        let strikes = !self.calm && per_mille > 0 && self.rng.chance(per_mille);
        if strikes {
            self.tally.note(kind);
        }
        strikes
    }

    fn post_crash(&mut self) {
        let gap_ms = self.plan.rates.crash_gap_ms;
        if gap_ms > 0 {
            let after_ms = self.rng.between(1, 2 * gap_ms);
            self.post(after_ms, Happening::Crash);
        }
    }

    fn crash(&mut self, engine: &mut Option<Engine>) {
        if self.calm {
            return;
        }
        self.tally.note(match engine {
            Some(_) => Kind::CrashAnytime,
            None => Kind::CrashInRecovery,
        });
        let machine = self.strikes(self.plan.rates.machine, Kind::MachineCrash);
        if engine.is_some() || machine {
            self.die(engine, machine);
        }
        self.post_crash();
    }

    /// The memory is lost; the agents go on, unless the machine died.
    fn die(&mut self, engine: &mut Option<Engine>, machine: bool) {
        if engine
            .as_ref()
            .is_some_and(|engine| any_waits(&engine.runs))
        {
            self.tally.note(Kind::CrashInWait);
        }
        let was_awake = engine.take().is_some();
        self.see(0, What::Crashed { machine });
        if machine {
            for spec in 0..self.plan.specs {
                self.vanish_all(spec);
            }
        }
        if was_awake {
            let after_ms = self.rng.between(0, 200);
            self.post(after_ms, Happening::Wake);
        }
    }

    fn deliver(&mut self, engine: &mut Engine, agent: AgentId) {
        if let Routed::To(owner, ()) = engine.routing.route(agent, (), self.now_ms) {
            let after_ms = self.rng.between(0, 3);
            let (epoch, spec) = (engine.epoch, number(&owner));
            self.post(after_ms, Happening::Inbox { epoch, spec, agent });
        }
    }

    fn hear(&mut self, engine: &mut Engine, spec: usize, agent: AgentId) {
        let Some(ended) = self.agent(spec, agent).and_then(|known| known.ended()) else {
            return;
        };
        let look = self.disks[spec].look();
        let busy = is_busy(&ended.outcome);
        engine.handle(self, spec, Event::AgentEnded { agent, ended, look });
        engine.routing.forget(agent);
        if busy && has_failed(&engine.runs[spec]) {
            self.tally.note(Kind::ServiceDown);
        }
    }

    /// Finds agents again, and ends that were never reported.
    fn look_around(&mut self, engine: &mut Engine) {
        engine.routing.expire(self.now_ms);
        for spec in 0..self.plan.specs {
            let Some(agent) = engine.runs[spec].work().map(|work| work.agent) else {
                continue;
            };
            self.see(spec, What::Adopted(agent));
            engine.register(self, spec, agent);
            let ended = self.agent(spec, agent).and_then(|known| known.ended());
            if ended.is_some() {
                self.tally.note(Kind::AgentAdopted);
                self.post(
                    0,
                    Happening::Inbox {
                        epoch: engine.epoch,
                        spec,
                        agent,
                    },
                );
            }
        }
        let epoch = engine.epoch;
        let after_ms = LOOK_AROUND_MS.max(self.quiet_ms(engine));
        self.post(after_ms, Happening::LookAround { epoch });
    }

    /// How long nothing will happen, if everything unfinished waits for the end of a limit. A wait
    /// may last for days.
    pub fn quiet_ms(&self, engine: &Engine) -> u64 {
        let waits = engine.runs.iter().map(|run| match &run.state {
            State::Limited(wait) => wait.wake_ms.saturating_sub(self.now_ms),
            State::Done(Finish::AllPhasesDone) => u64::MAX,
            _ => 0,
        });
        match self.calm {
            true => waits.min().filter(|ms| *ms < u64::MAX).unwrap_or(0),
            false => 0,
        }
    }
}

fn is_busy(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Limited(limit) if limit.kind == LimitKind::Overload)
}

fn has_failed(run: &Run) -> bool {
    matches!(&run.state, State::Halted(halted) if matches!(halted.why, Halt::Failed(_)))
}

fn any_waits(runs: &[Run]) -> bool {
    runs.iter()
        .any(|run| matches!(run.state, State::Limited(_)))
}

fn all_done(runs: &[Run]) -> bool {
    runs.iter()
        .all(|run| run.state == State::Done(Finish::AllPhasesDone))
}
