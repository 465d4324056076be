//! The agents of a world: processes under their supervisors, which outlive kumite or die with it.

use kumite_core::outcome::{Ended, Limit, LimitKind, Outcome, Usage};

use crate::faults::Kind;
use crate::story::Story;
use crate::trace::What;
use crate::world::{Happening, World};

/// One agent.
pub struct Process<S: Story> {
    pub machine: usize,
    /// The kumite that started it.
    pub epoch: u64,
    pub life: Life,
    pub behaviour: S::Behaviour,
    /// The session that it leaves, whatever happens to it.
    pub session: Option<String>,
    pub began_ms: u64,
    pub worked_ms: u64,
}

#[derive(Debug)]
pub enum Life {
    Alive,
    /// Its supervisor left a durable record of its end.
    Ended(Ended),
    /// The computer or the supervisor died: there is no record.
    Gone,
}

/// An agent that is to begin.
pub struct Start<S: Story> {
    pub machine: usize,
    pub agent: S::Agent,
    pub task: S::Task,
    /// The session that it resumes.
    pub session: Option<String>,
}

impl<S: Story> Process<S> {
    pub fn is_alive(&self) -> bool {
        matches!(self.life, Life::Alive)
    }

    /// How it ended, according to its record. None: it is alive.
    pub fn ended(&self) -> Option<Ended> {
        match &self.life {
            Life::Alive => None,
            Life::Ended(ended) => Some(ended.clone()),
            Life::Gone => Some(ended(
                Outcome::Lost("there is no record of its end".to_owned()),
                self.session.clone(),
                Usage::default(),
            )),
        }
    }
}

pub fn ended(outcome: Outcome, session: Option<String>, usage: Usage) -> Ended {
    Ended {
        outcome,
        session,
        usage,
        last_words: String::new(),
    }
}

impl<S: Story> World<S> {
    /// kumite's note of a limit, by which it holds agents back. Of two notes the later end wins.
    pub fn note_limit(&mut self, machine: usize, until_ms: u64) {
        self.noted_until_ms = self.noted_until_ms.max(until_ms);
        self.see(machine, What::Noted { until_ms });
    }

    /// Why no agent is started now: a limit holds.
    pub fn limit_noted(&self) -> Option<Outcome> {
        let until_ms = Some(self.noted_until_ms).filter(|until_ms| self.clock_ms() < *until_ms)?;
        Some(Outcome::Limited(Limit {
            kind: LimitKind::Held,
            until_ms: Some(until_ms),
            words: "limit reached".to_owned(),
        }))
    }

    pub fn hold_back(&mut self, start: Start<S>, kind: Kind, why: Outcome) {
        self.tally.note(kind);
        let held = What::HeldBack(start.agent, start.task, start.session, why);
        self.see(start.machine, held);
    }

    /// It ends by itself after `ends_after_ms`.
    pub fn spawn(
        &mut self,
        start: Start<S>,
        epoch: u64,
        behaviour: S::Behaviour,
        session: Option<String>,
        ends_after_ms: u64,
    ) {
        let (machine, agent) = (start.machine, start.agent);
        self.see(machine, What::Started(agent, start.task, start.session));
        self.post(ends_after_ms, Happening::Ends { agent });
        let process = Process {
            machine,
            epoch,
            life: Life::Alive,
            behaviour,
            session,
            began_ms: self.now_ms,
            worked_ms: 0,
        };
        self.processes.insert(agent, process);
    }

    /// An agent that is told to end obeys in a moment.
    pub fn kill(&mut self, agent: S::Agent) {
        let after_ms = self.rng.between(0, 20);
        self.post(after_ms, Happening::Dies { agent });
    }

    pub fn living(&mut self, agent: S::Agent) -> Option<&mut Process<S>> {
        let known = self.processes.get_mut(&agent);
        known.filter(|known| known.is_alive())
    }

    /// The process ends: by itself, or because it was told to.
    pub fn ends(&mut self, agent: S::Agent, told: Option<Outcome>) {
        if self.living(agent).is_none() {
            return;
        }
        let ended = S::ends(self, agent, told);
        let has_record = ended.is_some();
        self.leaves(agent, ended);
        if has_record {
            self.send(agent);
        }
    }

    /// Ends the processes that do not outlive this crash of kumite.
    pub fn end_with_kumite(&mut self, computer: bool) {
        let all = self.processes.iter();
        let living = all.filter(|(_, process)| process.is_alive());
        let living: Vec<S::Agent> = living.map(|(agent, _)| *agent).collect();
        for agent in living {
            if computer || self.strikes(self.rates.lost, Kind::AgentLost) {
                self.leaves(agent, None);
            }
        }
    }

    fn leaves(&mut self, agent: S::Agent, ended: Option<Ended>) {
        let now_ms = self.now_ms;
        let Some(process) = self.processes.get_mut(&agent) else {
            return;
        };
        process.worked_ms = now_ms - process.began_ms;
        process.life = ended.clone().map_or(Life::Gone, Life::Ended);
        let machine = process.machine;
        self.see(machine, What::Ended(agent, ended));
    }

    /// The supervisor reports the end to kumite. The record is durable, the message is not.
    fn send(&mut self, agent: S::Agent) {
        if self.strikes(self.rates.late, Kind::MessageLost) {
            return;
        }
        let late = self.strikes(self.rates.late, Kind::MessageLate);
        let after_ms = self.rng.between(0, if late { 3_000 } else { 5 });
        self.post(after_ms, Happening::Message { agent });
        if self.strikes(self.rates.doubled, Kind::MessageDoubled) {
            let again_ms = after_ms + self.rng.between(0, 3);
            self.post(again_ms, Happening::Message { agent });
        }
    }
}
