//! The processes of a world: agents under their supervisors, which outlive kumite.

use kumite_core::journal::AgentId;
use kumite_core::outcome::{Ended, Outcome, Usage};
use kumite_core::run::Step;

use crate::agents::{self, Agent, Life};
use crate::faults::Kind;
use crate::trace::What;
use crate::world::{Happening, World};

impl World {
    /// The machine died, and everything on it.
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

    pub fn spawn(&mut self, spec: usize, agent: AgentId, step: Step) {
        let badly = if self.calm { 0 } else { self.plan.rates.agent };
        let fate = agents::draw(&mut self.rng, &mut self.tally, step, badly, self.calm);
        self.see(spec, What::Started(agent, step));
        self.post(fate.writes_after_ms, Happening::Writes { spec, agent });
        self.post(fate.ends_after_ms, Happening::Ends { spec, agent });
        self.agents[spec].push(Agent {
            id: agent,
            life: Life::Alive,
            fate,
        });
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

    /// The process is gone: by itself, or because it was told to.
    pub fn ends(&mut self, spec: usize, agent: AgentId, told: Option<Outcome>) {
        let Some(known) = self.agent(spec, agent).filter(|known| known.is_alive()) else {
            return;
        };
        let outcome = told.or_else(|| known.fate.outcome.clone());
        known.life = match &outcome {
            None => Life::Gone,
            Some(outcome) => Life::Ended(Ended {
                outcome: outcome.clone(),
                session: known.fate.session.clone(),
                usage: Usage {
                    usd_micros: 1,
                    ..Usage::default()
                },
            }),
        };
        let recorded = outcome.is_some();
        self.see(spec, What::Ended(agent, outcome));
        if recorded {
            self.send(agent);
        }
    }

    /// The supervisor tells kumite of the end. The record is durable, the message is not.
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
