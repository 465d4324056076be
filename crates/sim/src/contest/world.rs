//! One seed's world: virtual time that jumps to the next event, a journal and a database that
//! survive a crash, and an engine that does not.

use std::collections::BTreeMap;
use std::rc::Rc;

use kumite_core::contest::{Contest, Entry, Event, Failure, Stage};

use super::Core;
use super::agents::{self, Agents, Start};
use super::answers;
use super::check::Watch;
use super::database::{Answer, Write, Writer};
use super::faults::{Kind, Tally};
use super::host::Engine;
use super::plan::Plan;
use super::trace::{Line, What};
use crate::rng::Rng;

/// A future event.
pub enum Happening {
    /// A job of a process gets its answer.
    Answer {
        job: u64,
        event: Event,
    },
    /// A message that nobody may be waiting for.
    Stray(Event),
    /// An agent has waited, and begins.
    AgentBegins {
        job: u64,
        start: Start,
    },
    /// A job of a process has waited, and passes its rows on.
    HandOver {
        job: u64,
        write: Write,
    },
    /// The next transaction of this process's writer is due.
    Write {
        epoch: u64,
    },
    Crash,
    /// A person starts kumite.
    Wake,
    Cancel,
    Jump,
    Outage,
    OutageEnds,
    FaultsEnd,
}

pub struct World {
    pub core: Core,
    pub plan: Plan,
    pub rng: Rng,
    pub now_ms: u64,
    /// How far the wall clock is ahead of the true time.
    pub ahead_ms: u64,
    pub journal: Vec<Rc<Entry>>,
    pub writer: Writer,
    pub tally: Tally,
    pub watch: Watch,
    pub calm: bool,
    /// A person wants to cancel the contest.
    pub wants_cancel: bool,
    pub jobs: u64,
    pub agents: Agents,
    future: BTreeMap<(u64, u64), Happening>,
    posted: u64,
}

const DAY_MS: u64 = 86_400_000;
/// Enough that the clock can be set back.
const AHEAD_MS: u64 = 100 * DAY_MS;
/// How many events a contest may need once faults have stopped.
const PATIENCE: u64 = 50_000;

/// Plays a world to its end.
pub fn play(core: Core, plan: Plan, watch: Watch) -> World {
    let mut world = World {
        core,
        rng: Rng::new(plan.seed ^ 0x636f_6e74_6573_7400),
        plan,
        now_ms: 0,
        ahead_ms: AHEAD_MS,
        journal: Vec::new(),
        writer: Writer::default(),
        tally: Tally::default(),
        watch,
        calm: false,
        wants_cancel: false,
        jobs: 0,
        agents: Agents::default(),
        future: BTreeMap::new(),
        posted: 0,
    };
    world.begin();
    world.go_on();
    world
}

impl World {
    fn begin(&mut self) {
        self.post(0, Happening::Wake);
        self.post(self.plan.faults_until_ms, Happening::FaultsEnd);
        if let Some(at_ms) = self.plan.cancel_at_ms {
            self.post(at_ms, Happening::Cancel);
        }
        let rates = self.plan.rates;
        self.post_some(rates.crash_gap_ms, Happening::Crash);
        self.post_some(rates.outage_gap_ms, Happening::Outage);
        self.post_some(rates.jump_gap_ms, Happening::Jump);
    }

    fn go_on(&mut self) {
        let mut engine = None;
        let mut patience = PATIENCE;
        while let Some(((at_ms, _), happening)) = self.future.pop_first() {
            self.now_ms = at_ms;
            self.happen(&mut engine, happening);
            self.settle(&mut engine);
            patience -= u64::from(self.calm);
            if self.watch.broken().is_some() {
                return;
            }
            if self.is_over(engine.as_ref()) {
                return self.end(false);
            }
            if patience == 0 {
                break;
            }
        }
        self.end(true);
    }

    fn happen(&mut self, engine: &mut Option<Engine>, happening: Happening) {
        match happening {
            Happening::Answer { job, event } => self.answer(engine, job, event),
            Happening::Stray(event) => {
                if let Some(engine) = engine {
                    engine.take(self, vec![event]);
                }
            }
            Happening::AgentBegins { job, start } => {
                if let Some(engine) = engine
                    && engine.is_under_way(job)
                {
                    agents::begin(engine, self, job, start);
                }
            }
            Happening::HandOver { job, write } => {
                if let Some(engine) = engine
                    && engine.finish(job)
                {
                    engine.hand_over(self, write);
                }
            }
            Happening::Write { epoch } => {
                if let Some(engine) = engine.as_mut().filter(|engine| engine.epoch == epoch) {
                    self.write(engine);
                }
            }
            Happening::Wake if engine.is_none() => *engine = Some(Engine::wake(self)),
            Happening::Wake => {}
            Happening::Crash => self.crash(engine),
            Happening::Cancel => self.cancel(engine.as_mut()),
            Happening::Jump => self.jump(),
            Happening::Outage => self.outage(),
            Happening::OutageEnds => self.writer.is_down = false,
            Happening::FaultsEnd => {
                self.calm = true;
                self.writer.is_down = false;
                self.see(What::FaultsOver);
            }
        }
    }

    /// Handles an answer, and those that come in the same moment. An answer to a process that is
    /// gone is lost, or goes to the next one.
    fn answer(&mut self, engine: &mut Option<Engine>, job: u64, event: Event) {
        let Some(engine) = engine else {
            return;
        };
        let mut events = Vec::new();
        self.accept(engine, job, event, &mut events);
        while let Some(entry) = self.future.first_entry()
            && entry.key().0 == self.now_ms
            && matches!(entry.get(), Happening::Answer { .. })
        {
            if let Happening::Answer { job, event } = entry.remove() {
                self.accept(engine, job, event, &mut events);
            }
        }
        if events.len() > 1 {
            self.tally.note(Kind::AnswersTogether);
        }
        engine.take(self, events);
    }

    fn accept(&mut self, engine: &mut Engine, job: u64, event: Event, events: &mut Vec<Event>) {
        let message = self.plan.rates.message;
        if engine.finish(job) {
            self.maybe_double(&event);
            events.push(event);
        } else if job < engine.first_job
            && !is_given_up(&event)
            && self.strikes(message, Kind::AnswerFromLastProcess)
        {
            events.push(event);
        }
    }

    fn maybe_double(&mut self, event: &Event) {
        if self.strikes(self.plan.rates.message, Kind::AnswerDoubled) {
            let after_ms = self.rng.between(0, 1_500);
            self.post(after_ms, Happening::Stray(event.clone()));
        }
    }

    /// Writes the writer's next transaction.
    fn write(&mut self, engine: &mut Engine) {
        let Some(write) = self.writer.queue.pop_front() else {
            return;
        };
        let fails = self.write_fails(&write);
        let lands = !fails || self.strikes(150, Kind::SaveFailedButLanded);
        if lands {
            self.see(What::Wrote(write.rows.into()));
        }
        let event = match fails {
            true => write.answer.failed(),
            false => write.answer.saved(),
        };
        event.iter().for_each(|event| self.maybe_double(event));
        engine.take(self, event.into_iter().collect());
    }

    fn write_fails(&mut self, write: &Write) -> bool {
        let rate = self.plan.rates.save;
        let fails = match &write.answer {
            Answer::Nobody => self.strikes(rate, Kind::StartLost),
            Answer::Summary { .. } => self.strikes(rate, Kind::SummaryFailed),
            // Applies without faults too: the answer must not depend on the time.
            Answer::Save(asked) => answers::save_fails(&self.plan, *asked),
        };
        if fails && matches!(write.answer, Answer::Save(_)) {
            self.tally.note(Kind::SaveFailed);
        }
        fails || self.writer.is_down
    }

    fn crash(&mut self, engine: &mut Option<Engine>) {
        if self.calm {
            return;
        }
        if let Some(engine) = engine {
            self.tally.note(Kind::CrashAnytime);
            engine.is_dying = true;
        }
        self.post_some(self.plan.rates.crash_gap_ms, Happening::Crash);
    }

    fn cancel(&mut self, engine: Option<&mut Engine>) {
        self.wants_cancel = true;
        if let Some(engine) = engine {
            engine.cancel(self);
        }
    }

    fn jump(&mut self) {
        if self.calm {
            return;
        }
        let by_ms = self.rng.pick(&[500, 30_000, 3_600_000]);
        if self.rng.chance(500) {
            self.tally.note(Kind::ClockForward);
            self.ahead_ms += by_ms;
        } else {
            self.tally.note(Kind::ClockBack);
            self.ahead_ms -= by_ms;
        }
        self.post_some(self.plan.rates.jump_gap_ms, Happening::Jump);
    }

    fn outage(&mut self) {
        if self.calm {
            return;
        }
        self.tally.note(Kind::DatabaseDown);
        self.writer.is_down = true;
        let lasts_ms = self.rng.pick(&[500, 2_500, 6_000, 60_000, DAY_MS]);
        self.post(lasts_ms, Happening::OutageEnds);
        self.post_some(self.plan.rates.outage_gap_ms, Happening::Outage);
    }

    /// Handles the end of a process: it has died, or has nothing left to do.
    fn settle(&mut self, engine: &mut Option<Engine>) {
        let Some(over) = engine.take_if(|engine| engine.is_dying || engine.is_done) else {
            return;
        };
        let handed_over = self.writer.queue.len() as u64;
        let landed = match over.is_dying {
            true => self.rng.between(0, handed_over),
            false => handed_over,
        };
        for write in self
            .writer
            .queue
            .drain(..)
            .take(landed as usize)
            .collect::<Vec<_>>()
        {
            if !self.writer.is_down {
                self.see(What::Wrote(write.rows.into()));
            }
        }
        if over.is_dying {
            agents::crash(self);
            self.see(What::Crashed);
        } else if !over.played.contest.is_saved() {
            self.tally.note(Kind::EndedUnsaved);
        }
        let after_ms = match self.strikes(100, Kind::LongAbsence) {
            true => self.rng.between(1_000, DAY_MS),
            false => self.rng.between(0, 2_000),
        };
        self.post(after_ms, Happening::Wake);
    }

    /// Everything is done, and no process is left.
    fn is_over(&self, engine: Option<&Engine>) -> bool {
        engine.is_none() && self.watch.replica().is_saved()
    }

    fn end(&mut self, is_stuck: bool) {
        let contest = self.replay();
        let contest = Box::new(contest);
        self.see(What::Over { contest, is_stuck });
    }

    pub fn replay(&self) -> Contest {
        let decide = self.core.decide;
        let entries = self.journal.iter();
        entries.fold(Contest::default(), |contest, entry| {
            decide(contest, entry).0
        })
    }

    pub fn see(&mut self, what: What) {
        let at_ms = self.now_ms;
        self.watch.see(Line { at_ms, what });
    }

    pub fn post(&mut self, after_ms: u64, happening: Happening) {
        self.posted += 1;
        let at_ms = self.now_ms.saturating_add(after_ms);
        self.future.insert((at_ms, self.posted), happening);
    }

    /// Posts an event at a random time, if it happens at all.
    fn post_some(&mut self, gap_ms: u64, happening: Happening) {
        if gap_ms > 0 {
            let after_ms = self.rng.between(1, 2 * gap_ms);
            self.post(after_ms, happening);
        }
    }

    /// Whether a fault of this kind happens now.
    pub fn strikes(&mut self, per_mille: u32, kind: Kind) -> bool {
        let strikes = !self.calm && per_mille > 0 && self.rng.chance(per_mille);
        if strikes {
            self.tally.note(kind);
        }
        strikes
    }

    /// Whether a cancel is wanted and would change something.
    pub fn may_cancel(&self, contest: &Contest) -> bool {
        self.wants_cancel && contest.stage == Stage::Running
    }
}

/// A timeout is reported by the waiting process, and is lost with it.
fn is_given_up(event: &Event) -> bool {
    match event {
        Event::SubmitFailed { failed, .. }
        | Event::MeasureFailed { failed, .. }
        | Event::JudgeFailed { failed, .. } => failed.failure == Failure::TimedOut,
        _ => false,
    }
}
