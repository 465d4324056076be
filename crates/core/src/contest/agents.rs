//! What the end of an agent means for its team.
//!
//! One try of a submission may need several agents, one after the other: the account reaches a
//! limit, a session is gone, or kumite dies together with its agent. The team is not to blame.

use serde::{Deserialize, Serialize};

use super::effect::Effect;
use super::event::{Failed, Failure};
use super::state::{Limit as TryLimit, Phase};
use super::team::{NO_TIME, TeamAtWork};
use crate::journal::LimitRules;
use crate::outcome::{Ended, Limit, LimitKind, Outcome};
use crate::run::{OVERLOADS_MAX, jitter, limit_until};

/// The agents of one try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agents {
    /// The number of the current agent, beginning with 1.
    pub number: u32,
    /// The session that the current agent resumes.
    pub resume: Option<String>,
    /// The current agent does not begin before this time (of the wall clock).
    pub wake_ms: u64,
    /// How long all earlier agents of this try have worked.
    pub worked_ms: u64,
    /// The current agent has finished; its work can be handed in.
    pub is_done: bool,
    /// How often in a row the service was too busy.
    overloads: u8,
    /// Has another name in snapshots of earlier versions.
    #[serde(rename = "spare")]
    losses_left: LossesLeft,
}

/// How many more agents of this try may die together with kumite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct LossesLeft(u8);

impl LossesLeft {
    const ALL: LossesLeft = LossesLeft(7);

    fn next(self) -> Option<LossesLeft> {
        Some(LossesLeft(self.0.checked_sub(1)?))
    }
}

impl Default for Agents {
    fn default() -> Agents {
        Agents {
            number: 1,
            resume: None,
            wake_ms: 0,
            worked_ms: 0,
            is_done: false,
            overloads: 0,
            losses_left: LossesLeft::ALL,
        }
    }
}

/// The end of one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentEnd {
    pub ended: Ended,
    /// An earlier kumite started the agent; this one found it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_found: bool,
    pub worked_ms: u64,
    /// For a person: how it ended. Empty if it ended well.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// What follows the end of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The agent hands in, or the next agent begins.
    Go(Agents),
    /// The next agent begins later. A limit that concerns the whole account is noted for others.
    Wait(Agents, Option<Noted>),
    Fail(Failed),
}

/// A usage limit that everyone who uses the account should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    pub until_ms: u64,
    pub words: String,
}

impl Agents {
    /// `seed` gives each team of a contest a different delay after a limit.
    pub fn after(self, over: &AgentEnd, rules: &LimitRules, seed: u64, now_ms: u64) -> Next {
        let fail = |failure| Next::Fail(failed(failure, over.why.clone()));
        let session = over.ended.session.clone();
        let (overloads, losses_left) = (self.overloads, self.losses_left);
        let agents = Agents {
            worked_ms: self.worked_ms.saturating_add(over.worked_ms),
            wake_ms: 0,
            overloads: 0,
            ..self
        };
        match &over.ended.outcome {
            Outcome::Finished => Next::Go(Agents {
                is_done: true,
                ..agents
            }),
            Outcome::TimedOut => fail(Failure::TimedOut),
            Outcome::Limited(limit) => {
                let agents = Agents {
                    overloads,
                    ..agents
                };
                agents.wait(limit, session, &over.why, rules, seed, now_ms)
            }
            Outcome::SessionGone(_) if agents.resume.is_some() => Next::Go(agents.next(None)),
            // The earlier kumite and its agent died together: the agent did not fail.
            Outcome::Lost(_) if over.is_found => match losses_left.next() {
                Some(losses_left) => Next::Go(
                    Agents {
                        losses_left,
                        ..agents
                    }
                    .next(None),
                ),
                None => fail(Failure::Passing),
            },
            Outcome::Missing(_) | Outcome::OverBudget(_) => fail(Failure::Lasting),
            Outcome::Failed(_)
            | Outcome::Lost(_)
            | Outcome::SessionGone(_)
            | Outcome::Hung
            | Outcome::Killed => fail(Failure::Passing),
        }
    }

    /// A limit is reached: the next agent begins later, or the try fails.
    fn wait(
        self,
        limit: &Limit,
        session: Option<String>,
        why: &str,
        rules: &LimitRules,
        seed: u64,
        now_ms: u64,
    ) -> Next {
        let busy = u8::from(limit.kind == LimitKind::Overload);
        let overloads = self.overloads.saturating_add(busy);
        let words = &limit.words;
        if overloads > OVERLOADS_MAX {
            let why = format!("its service has been too busy or out of reach for hours: {words}");
            return Next::Fail(failed(Failure::Passing, why));
        }
        if !rules.wait {
            return Next::Fail(failed(Failure::Lasting, why.to_owned()));
        }
        let until_ms = limit_until(limit, overloads, rules, now_ms);
        let agents = match limit.kind {
            // This agent has not begun, so no other one has to replace it.
            LimitKind::Held => self,
            LimitKind::Usage | LimitKind::Overload => self.next(session),
        };
        let noted = (limit.kind == LimitKind::Usage).then(|| Noted {
            until_ms,
            words: words.clone(),
        });
        let agents = Agents {
            wake_ms: until_ms.saturating_add(jitter(seed, rules.jitter_ms)),
            overloads,
            ..agents
        };
        Next::Wait(agents, noted)
    }

    fn next(self, resume: Option<String>) -> Agents {
        Agents {
            number: self.number.saturating_add(1),
            resume,
            ..self
        }
    }
}

fn failed(failure: Failure, why: String) -> Failed {
    Failed {
        failure,
        why,
        retry_after_ms: None,
    }
}

fn timed_out(limit: TryLimit) -> Failed {
    let seconds = limit.ms.saturating_add(500) / 1000;
    let why = format!("the agent was not done after {seconds} s");
    failed(Failure::TimedOut, why)
}

impl TeamAtWork<'_> {
    pub fn agent_ended(&mut self, attempt: u32, limit: TryLimit, agents: Agents, over: &AgentEnd) {
        self.clock_out();
        let seed = self.now_ms ^ u64::from(self.index).rotate_left(32);
        match agents.after(over, &self.rules.limit, seed, self.now_ms) {
            Next::Go(agents) => self.go_on(attempt, limit, agents),
            Next::Wait(agents, noted) => {
                self.effects.extend(noted.map(|noted| Effect::Limit {
                    team: self.index,
                    until_ms: noted.until_ms,
                    words: noted.words,
                }));
                self.go_on(attempt, limit, agents);
            }
            Next::Fail(failed) if failed.failure == Failure::TimedOut => {
                self.submit_failed(attempt, limit, &timed_out(limit));
            }
            Next::Fail(failed) => self.submit_failed(attempt, limit, &failed),
        }
    }

    /// The current agent begins, or hands in. The work of earlier agents counts against the time
    /// limit of the try; waiting does not.
    fn go_on(&mut self, attempt: u32, limit: TryLimit, agents: Agents) {
        let (team, round, number) = (self.index, self.team.round(), agents.number);
        let timeout_ms = limit.ms.saturating_sub(agents.worked_ms);
        if !agents.is_done && timeout_ms == 0 {
            return self.submit_failed(attempt, limit, &timed_out(limit));
        }
        let wait_ms = agents.wake_ms.saturating_sub(self.now_ms);
        self.clock_in(self.clock_ms.saturating_add(wait_ms));
        self.effects.push(match agents.is_done {
            true => Effect::HandIn {
                team,
                round,
                attempt,
                number,
            },
            false => Effect::Launch {
                team,
                round,
                attempt,
                number,
                resume: agents.resume.clone(),
                wake_ms: agents.wake_ms,
                timeout_ms,
            },
        });
        self.team.phase = Phase::Submitting {
            attempt,
            limit,
            agents,
        };
    }

    /// Begins with the current agent again, in the time that is left.
    pub fn submit_again(&mut self, attempt: u32, limit: TryLimit, agents: Agents) {
        // Handing in takes no time of the try.
        if agents.is_done {
            return self.go_on(attempt, limit, agents);
        }
        if agents == Agents::default() {
            return self.submit(attempt, 0);
        }
        let own_ms = self.rules.submission_timeout_ms;
        match self.limit(own_ms.saturating_sub(agents.worked_ms), 0) {
            Ok(left) => {
                let ms = left.ms.saturating_add(agents.worked_ms);
                self.go_on(attempt, TryLimit { ms, ..left }, agents);
            }
            Err(reason) => self.fail(reason, NO_TIME),
        }
    }
}
