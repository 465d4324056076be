//! The processes of a world: agents under their supervisors, which outlive kumite.

use kumite_core::effect::Launch;
use kumite_core::journal::AgentId;
use kumite_core::outcome::{Ended, Outcome};

use crate::account::over_budget;
use crate::agents::{self, Agent, Fate, Life};
use crate::faults::Kind;
use crate::trace::What;
use crate::world::{Happening, World};

impl World {
    /// The machine died, and all its processes.
    pub fn vanish_all(&mut self, spec: usize) {
        for index in 0..self.agents[spec].len() {
            if self.agents[spec][index].is_alive() {
                self.agents[spec][index].life = Life::Gone;
                let agent = self.agents[spec][index].id;
                self.see(spec, What::Ended(agent, None));
            }
        }
    }

    pub fn agent(&mut self, spec: usize, agent: AgentId) -> Option<&mut Agent> {
        self.agents[spec]
            .iter_mut()
            .rev()
            .find(|known| known.id == agent)
    }

    pub fn spawn(&mut self, spec: usize, launch: &Launch) {
        let agent = launch.agent;
        let badly = if self.calm { 0 } else { self.plan.rates.agent };
        let mut fate = agents::draw(&mut self.rng, &mut self.tally, launch, badly, self.calm);
        self.hinder(launch, &mut fate);
        let started = What::Started(agent, launch.step, launch.resume.clone());
        self.see(spec, started);
        self.post(fate.writes_after_ms, Happening::Writes { spec, agent });
        self.post(fate.ends_after_ms, Happening::Ends { spec, agent });
        self.agents[spec].push(Agent {
            id: agent,
            life: Life::Alive,
            fate,
        });
    }

    /// Some programs rename a resumed session; and an agent that may not work ends soon.
    fn hinder(&mut self, launch: &Launch, fate: &mut Fate) {
        let resumes = launch.resume.is_some();
        if resumes && self.account.luck.chance(200) {
            fate.session = Some(agents::own_session(launch.agent));
        }
        fate.met = self.account.meets(self.now_ms, self.calm, resumes);
        if fate.met.is_some() {
            fate.deeds.clear();
            fate.ends_after_ms = self.account.luck.between(1, 25);
            let begun = resumes || self.account.luck.chance(700);
            fate.session = fate.session.take().filter(|_| begun);
        }
    }

    pub fn kill(&mut self, spec: usize, agent: AgentId) {
        let after_ms = self.rng.between(0, 20);
        self.post(after_ms, Happening::Dies { spec, agent });
    }

    pub fn writes(&mut self, spec: usize, agent: AgentId) {
        let Some(known) = self.agent(spec, agent).filter(|known| known.is_alive()) else {
            return;
        };
        for deed in std::mem::take(&mut known.fate.deeds) {
            self.disks[spec].suffer(deed);
            self.see(spec, What::Done(Some(agent), deed));
        }
    }

    /// The process ends: by itself, or because it was told to.
    pub fn ends(&mut self, spec: usize, agent: AgentId, told: Option<Outcome>) {
        let Some(known) = self.agent(spec, agent).filter(|known| known.is_alive()) else {
            return;
        };
        let (planned, met, session) = (
            known.fate.outcome.clone(),
            known.fate.met,
            known.fate.session.clone(),
        );
        let told_to = told.is_some();
        let (now_ms, calm) = (self.now_ms, self.calm);
        let by_itself = |planned| {
            self.account
                .outcome(now_ms, calm, met, planned, &mut self.tally)
        };
        let ended = told.or_else(|| planned.map(by_itself)).map(|outcome| {
            let usage = self.account.uses();
            let broke = self.account.pays(usage) && !told_to && self.account.luck.chance(500);
            let outcome = match broke {
                true => over_budget(&mut self.tally),
                false => outcome,
            };
            Ended {
                outcome,
                session,
                usage,
                last_words: String::new(),
            }
        });
        if let Some(known) = self.agent(spec, agent) {
            known.life = ended.clone().map_or(Life::Gone, Life::Ended);
        }
        let recorded = ended.is_some();
        self.see(spec, What::Ended(agent, ended));
        if recorded {
            self.send(agent);
        }
    }

    /// The supervisor reports the end to kumite. The record is durable, the message is not.
    fn send(&mut self, agent: AgentId) {
        let rate = self.plan.rates.message;
        if self.strikes(rate, Kind::MessageLost) {
            return;
        }
        let late = self.strikes(rate, Kind::MessageLate);
        let after_ms = self.rng.between(0, if late { 3_000 } else { 5 });
        self.post(after_ms, Happening::Message { agent });
        if self.strikes(rate, Kind::MessageDoubled) {
            let again_ms = after_ms + self.rng.between(0, 3);
            self.post(again_ms, Happening::Message { agent });
        }
    }
}
