//! One seed's world: virtual time that jumps to the next happening, journals and processes that
//! survive a crash, and a kumite that does not.

use std::collections::BTreeMap;
use std::rc::Rc;

use kumite_core::machine::Machine;
use kumite_core::outcome::Outcome;

use crate::check::Watch;
use crate::faults::{Kind, Rates, Tally};
use crate::host::Host;
use crate::processes::Process;
use crate::rng::Rng;
use crate::story::{Entry, Story};
use crate::trace::{TraceLine, What};

/// A future event.
pub enum Happening<S: Story> {
    Ends {
        agent: S::Agent,
    },
    /// An agent that was told to end obeys.
    Dies {
        agent: S::Agent,
    },
    /// The report of an agent's end arrives at kumite.
    Message {
        agent: S::Agent,
    },
    /// kumite looks for the agents that it waits for: right after a crash, and now and then.
    LookAround {
        epoch: u64,
    },
    Crash,
    /// A person starts kumite.
    Wake,
    FaultsEnd,
    Own(S::Happening),
}

pub struct World<S: Story> {
    pub story: S,
    pub rates: Rates,
    pub rng: Rng,
    pub now_ms: u64,
    /// How far the clock on the wall is ahead of the true time.
    pub ahead_ms: u64,
    /// By machine.
    pub journals: Vec<Vec<Rc<Entry<S>>>>,
    pub processes: BTreeMap<S::Agent, Process<S>>,
    /// kumite's note of a limit. It is a file, so it survives every crash.
    pub noted_until_ms: u64,
    pub tally: Tally,
    pub watch: Watch<S>,
    pub calm: bool,
    epoch: u64,
    future: BTreeMap<(u64, u64), Happening<S>>,
    posted: u64,
}

/// Plays a story to its end.
pub fn play<S: Story>((story, rng): (S, Rng), keep: bool) -> World<S> {
    let pace = story.pace();
    let mut world = World {
        rates: pace.rates,
        rng,
        now_ms: S::BEGINS_AT_MS,
        ahead_ms: S::AHEAD_MS,
        journals: vec![Vec::new(); story.terms().machines],
        processes: BTreeMap::new(),
        noted_until_ms: 0,
        tally: Tally::default(),
        watch: Watch::new(story.fresh(), keep),
        calm: false,
        epoch: 0,
        future: BTreeMap::new(),
        posted: 0,
        story,
    };
    world.begin(pace.faults_until_ms);
    world.go_on(pace.patience);
    world
}

impl<S: Story> World<S> {
    fn begin(&mut self, faults_until_ms: u64) {
        self.see(0, What::Began(self.story.terms()));
        S::begin(self);
        self.post(0, Happening::Wake);
        self.post_some(self.rates.crash_gap_ms, Happening::Crash);
        self.post(faults_until_ms, Happening::FaultsEnd);
    }

    fn go_on(&mut self, mut patience: u64) {
        let mut host = None;
        while let Some(((at_ms, _), happening)) = self.future.pop_first() {
            self.now_ms = at_ms;
            self.happen(&mut host, happening);
            if host.as_ref().is_some_and(|host| host.dying || host.done) {
                self.goes(&mut host, false);
            }
            patience -= u64::from(self.calm);
            if self.watch.broken().is_some() {
                return;
            }
            if S::is_over(self, host.as_ref()) {
                return self.end(false);
            }
            if patience == 0 {
                break;
            }
        }
        self.end(true);
    }

    /// What the journals say in the end is checked once more.
    fn end(&mut self, out_of_patience: bool) {
        self.replay_all();
        self.see(0, What::Over { out_of_patience });
    }

    fn happen(&mut self, host: &mut Option<Host<S>>, happening: Happening<S>) {
        match happening {
            Happening::Ends { agent } => self.ends(agent, None),
            Happening::Dies { agent } => self.ends(agent, Some(Outcome::Killed)),
            Happening::Message { agent } => {
                if let Some(host) = host {
                    S::hear(self, host, agent);
                }
            }
            Happening::LookAround { epoch } => {
                if let Some(host) = host.as_mut().filter(|host| host.epoch == epoch) {
                    self.look_around(host);
                }
            }
            Happening::Crash => self.crash(host),
            Happening::Wake => {
                self.epoch += 1;
                *host = Some(Host::wake(self, self.epoch));
                let (after_ms, epoch) = (self.rng.between(1, 40), self.epoch);
                self.post(after_ms, Happening::LookAround { epoch });
            }
            Happening::FaultsEnd => {
                self.calm = true;
                self.see(0, What::FaultsOver);
                S::faults_end(self);
            }
            Happening::Own(own) => S::happen(self, host.as_mut(), own),
        }
    }

    pub fn see(&mut self, machine: usize, what: What<S>) {
        let (at_ms, clock_ms) = (self.now_ms, self.clock_ms());
        self.watch.see(TraceLine {
            at_ms,
            clock_ms,
            machine,
            what,
        });
    }

    /// What the clock on the wall shows.
    pub fn clock_ms(&self) -> u64 {
        self.now_ms + self.ahead_ms
    }

    pub fn post(&mut self, after_ms: u64, happening: Happening<S>) {
        self.posted += 1;
        let at_ms = self.now_ms.saturating_add(after_ms);
        self.future.insert((at_ms, self.posted), happening);
    }

    pub fn post_own(&mut self, after_ms: u64, own: S::Happening) {
        self.post(after_ms, Happening::Own(own));
    }

    /// Posts a happening at a random time, if it comes at all.
    pub fn post_some(&mut self, gap_ms: u64, happening: Happening<S>) {
        if gap_ms > 0 {
            let after_ms = self.rng.between(1, 2 * gap_ms);
            self.post(after_ms, happening);
        }
    }

    /// The next happening, if it comes in this moment and fits.
    pub fn also_now(&mut self, fits: fn(&S::Happening) -> bool) -> Option<S::Happening> {
        let next = self.future.first_entry()?;
        let fits = matches!(next.get(), Happening::Own(own) if fits(own));
        match (fits && next.key().0 == self.now_ms).then(|| next.remove()) {
            Some(Happening::Own(own)) => Some(own),
            _ => None,
        }
    }

    /// How long nothing happens at all.
    pub fn idle_ms(&self) -> u64 {
        let next = self.future.first_key_value();
        next.map_or(0, |((at_ms, _), _)| at_ms - self.now_ms)
    }

    /// Whether a fault of this kind happens now.
    pub fn strikes(&mut self, per_mille: u32, kind: Kind) -> bool {
        let strikes = !self.calm && per_mille > 0 && self.rng.chance(per_mille);
        if strikes {
            self.tally.note(kind);
        }
        strikes
    }

    /// The journal alone determines every state.
    pub fn replay(&self, journal: &[Rc<Entry<S>>]) -> S::Machine {
        let decide = |state: S::Machine, entry: &Rc<Entry<S>>| state.decide(entry).0;
        journal.iter().fold(self.story.fresh(), decide)
    }

    pub fn replay_all(&mut self) -> Vec<Rc<S::Machine>> {
        let replayed = self.journals.iter().map(|journal| self.replay(journal));
        let replayed: Vec<Rc<S::Machine>> = replayed.map(Rc::new).collect();
        for (machine, state) in replayed.iter().enumerate() {
            self.see(machine, What::Replayed(Rc::clone(state)));
        }
        replayed
    }

    fn crash(&mut self, host: &mut Option<Host<S>>) {
        if self.calm {
            return;
        }
        self.tally.note(match host {
            Some(_) => Kind::CrashAnytime,
            None => Kind::CrashInRecovery,
        });
        let computer = self.strikes(self.rates.computer, Kind::ComputerCrash);
        if let Some(host) = host {
            host.dying = true;
        }
        if host.is_some() || computer {
            self.goes(host, computer);
        }
        self.post_some(self.rates.crash_gap_ms, Happening::Crash);
    }

    /// The process is gone, and its memory: it died, or had nothing left to do.
    fn goes(&mut self, host: &mut Option<Host<S>>, computer: bool) {
        let gone = host.take();
        if let Some(gone) = &gone {
            S::over(self, gone);
        }
        if computer || gone.as_ref().is_some_and(|gone| gone.dying) {
            self.see(0, What::Crashed { computer });
            self.end_with_kumite(computer);
        }
        if gone.is_some() {
            let after_ms = S::absence_ms(self);
            self.post(after_ms, Happening::Wake);
        }
    }

    /// Finds agents again, and ends that were never reported.
    fn look_around(&mut self, host: &mut Host<S>) {
        for (machine, agent) in S::awaited(self, host) {
            self.see(machine, What::Adopted(agent));
            let known = self.processes.get(&agent);
            let has_ended = known.is_some_and(|process| !process.is_alive());
            if has_ended {
                self.tally.note(Kind::AgentAdopted);
            }
            S::adopt(self, host, machine, agent, has_ended);
        }
        let epoch = host.epoch;
        let after_ms = S::LOOK_AROUND_MS.max(S::quiet_ms(self, host));
        self.post(after_ms, Happening::LookAround { epoch });
    }
}
