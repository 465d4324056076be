//! The books: what was requested for each team, the answers, the time and the cost. They are kept
//! from events and requests alone, never from the state of the contest.

mod team;

use kumite_core::contest::{
    Effect, Entrant, Entry, Event, Failed, Failure, Rules, Submission, Used,
};

use super::asked::{Key, asked};
use super::crew::Crew;
use super::round::Round;

pub use self::team::Team;

#[derive(Clone, Copy, Debug)]
pub struct Try {
    pub attempt: u32,
    /// When it begins, on the contest's clock.
    pub from_ms: u64,
    pub timeout_ms: u64,
    /// What the team and the contest had left when it was requested.
    pub team_left_ms: u64,
    pub contest_left_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Good,
    Malformed,
    Failed(Failure, Option<u64>),
}

/// The meaning of an entry, by the books.
#[derive(Clone, Copy, Debug)]
pub enum Heard {
    Started,
    /// The answer to a try in progress.
    Answer {
        team: u32,
        key: Key,
        of: Try,
        how: How,
    },
    /// An agent of the try in progress ended, and the try goes on.
    Agent {
        team: u32,
    },
    Summary(bool),
    Cancelled,
    Resumed,
    /// Nobody waited for it.
    Late,
}

#[derive(Default)]
pub struct Book {
    pub rules: Rules,
    pub teams: Vec<Team>,
    pub clock_ms: u64,
    pub spent_micros: u64,
    pub house: Used,
    pub is_cancelled: bool,
    /// The number of the current or last try of the summary.
    pub summary: Option<u32>,
    at_ms: u64,
    /// How far the wall clock is from the true time, and whether that ever changed.
    ahead_ms: Option<u64>,
    pub clock_jumped: bool,
}

impl Book {
    pub fn hear(&mut self, entry: &Entry, true_ms: u64) -> Heard {
        let ahead_ms = entry.at_ms.saturating_sub(true_ms);
        self.clock_jumped |= *self.ahead_ms.get_or_insert(ahead_ms) != ahead_ms;
        let is_running = !self.teams.is_empty();
        if is_running && entry.event != Event::Resumed {
            self.clock_ms += entry.at_ms.saturating_sub(self.at_ms);
        }
        self.at_ms = entry.at_ms;
        match &entry.event {
            Event::Started { rules, teams } => {
                self.rules = rules.clone();
                let enter = |entrant: &Entrant| Team {
                    retries: entrant.retries,
                    ..Team::default()
                };
                self.teams = teams.iter().map(enter).collect();
                Heard::Started
            }
            Event::Submitted {
                team,
                round,
                attempt,
                submission,
                used,
            } => {
                let how = match submission {
                    Submission::Given { .. } => How::Good,
                    Submission::Malformed { .. } => How::Malformed,
                };
                self.pay(Some(*team), *used);
                self.answer(
                    *team,
                    *round,
                    Key::Submit,
                    Some(*attempt),
                    how,
                    used.waited_ms,
                )
            }
            Event::SubmitFailed {
                team,
                round,
                attempt,
                failed,
                used,
            } => {
                self.pay(Some(*team), *used);
                let how = how(failed);
                self.answer(
                    *team,
                    *round,
                    Key::Submit,
                    Some(*attempt),
                    how,
                    used.waited_ms,
                )
            }
            Event::AgentEnded {
                team,
                round,
                attempt,
                number,
                over,
            } => {
                self.pay(Some(*team), Used::of_agent(over.ended.usage));
                self.agent(entry.at_ms, *team, *round, (*attempt, *number), over)
            }
            Event::Measured {
                team,
                round,
                metric,
                attempt,
                measure,
                used,
            } => {
                self.pay(None, *used);
                let key = Key::Metric(*metric);
                let heard = self.answer(*team, *round, key, Some(*attempt), How::Good, 0);
                if matches!(heard, Heard::Answer { .. })
                    && let Some(round) = self.teams[*team as usize].rounds.last_mut()
                {
                    round.measures[*metric as usize] = Some(measure.clone());
                }
                heard
            }
            Event::MeasureFailed {
                team,
                round,
                metric,
                attempt,
                failed,
                used,
            } => {
                self.pay(None, *used);
                let key = Key::Metric(*metric);
                self.answer(*team, *round, key, Some(*attempt), how(failed), 0)
            }
            Event::Judged {
                team,
                round,
                attempt,
                judgment,
                used,
            } => {
                self.pay(None, *used);
                let heard = self.answer(*team, *round, Key::Judge, Some(*attempt), How::Good, 0);
                if matches!(heard, Heard::Answer { .. })
                    && let Some(round) = self.teams[*team as usize].rounds.last_mut()
                {
                    round.judged = Some(judgment.should_continue);
                }
                heard
            }
            Event::JudgeFailed {
                team,
                round,
                attempt,
                failed,
                used,
            } => {
                self.pay(None, *used);
                self.answer(*team, *round, Key::Judge, Some(*attempt), how(failed), 0)
            }
            Event::Saved { team, round } => {
                self.answer(*team, *round, Key::Save, None, How::Good, 0)
            }
            Event::SaveFailed {
                team,
                round,
                attempt,
                ..
            } => {
                let how = How::Failed(Failure::Passing, None);
                self.answer(*team, *round, Key::Save, Some(*attempt), how, 0)
            }
            Event::SummarySaved => Heard::Summary(true),
            Event::SummaryFailed { attempt, .. } if Some(*attempt) == self.summary => {
                Heard::Summary(false)
            }
            Event::SummaryFailed { .. } => Heard::Late,
            Event::CancelRequested { .. } if self.summary.is_none() => self.cancel(),
            Event::CancelRequested { .. } => Heard::Late,
            Event::Resumed => {
                for team in &mut self.teams {
                    team.counted_ms = self.clock_ms;
                    team.lost = std::mem::take(&mut team.open);
                }
                Heard::Resumed
            }
        }
    }

    fn cancel(&mut self) -> Heard {
        self.is_cancelled = true;
        for team in &mut self.teams {
            team.count(self.clock_ms, 0);
            team.lost = std::mem::take(&mut team.open);
            team.is_out = true;
        }
        Heard::Cancelled
    }

    fn pay(&mut self, team: Option<u32>, used: Used) {
        self.spent_micros += used.micros;
        match team {
            Some(team) => self.teams[team as usize].used.add(used),
            None => self.house.add(used),
        }
    }

    /// A successful save does not give `attempt`.
    pub fn answer(
        &mut self,
        team: u32,
        number: u32,
        key: Key,
        attempt: Option<u32>,
        how: How,
        waited_ms: u64,
    ) -> Heard {
        let clock_ms = self.clock_ms;
        let of = &mut self.teams[team as usize];
        if of.number() != number {
            return Heard::Late;
        }
        let Some(open) = of.open.get(&key).copied() else {
            return Heard::Late;
        };
        if attempt.is_some_and(|attempt| attempt != open.attempt) {
            return Heard::Late;
        }
        if key != Key::Save {
            of.count(clock_ms, waited_ms);
            of.last = Some((key, open, how));
        }
        if key == Key::Save {
            of.failed_save = (how != How::Good).then_some(open.attempt);
        }
        of.open.remove(&key);
        if let Some(round) = of.rounds.last_mut() {
            round.note(key, how);
        }
        Heard::Answer {
            team,
            key,
            of: open,
            how,
        }
    }

    pub fn order(&mut self, entry: &Entry, order: &Effect) {
        let clock_ms = self.clock_ms;
        let metrics = self.rules.metrics.len();
        match *order {
            Effect::Begin { team, round } => {
                let of = &mut self.teams[team as usize];
                if of.number() < round {
                    of.rounds.push(Round {
                        number: round,
                        started_at_ms: entry.at_ms,
                        measures: vec![None; metrics],
                        ..Round::default()
                    });
                }
            }
            Effect::Halt { team } => self.teams[team as usize].open.clear(),
            Effect::SaveSummary { attempt, .. } => self.summary = Some(attempt),
            Effect::Launch {
                team,
                attempt,
                wake_ms,
                timeout_ms,
                ..
            } => {
                let wait_ms = wake_ms.saturating_sub(entry.at_ms);
                self.agent_goes_on(team, attempt, wait_ms, timeout_ms);
            }
            Effect::HandIn { team, .. } => self.hands_in(team),
            Effect::Limit { .. } | Effect::Announce(_) | Effect::End => {}
            _ => {
                let Some(asked) = asked(order) else { return };
                let contest_left_ms = self.left_ms().saturating_sub(asked.wait_ms);
                let of = &mut self.teams[asked.team as usize];
                if asked.key == Key::Save && asked.attempt == 1 {
                    of.leaves_ms = clock_ms;
                }
                let open = Try {
                    attempt: asked.attempt,
                    from_ms: clock_ms + asked.wait_ms,
                    timeout_ms: asked.timeout_ms,
                    team_left_ms: of.left_ms(&self.rules),
                    contest_left_ms,
                };
                if asked.key == Key::Submit {
                    of.crew = Crew::default();
                }
                of.open.insert(asked.key, open);
            }
        }
    }

    /// A team whose last save was answered and for which nothing more is requested is out.
    pub fn close(&mut self, heard: &Heard) {
        for team in &mut self.teams {
            team.lost.clear();
        }
        if let Heard::Answer { team, key, .. } = heard {
            let of = &mut self.teams[*team as usize];
            of.is_out |= *key == Key::Save && of.open.is_empty();
        }
    }

    /// The remaining time of the contest.
    pub fn left_ms(&self) -> u64 {
        let all_ms = self.rules.contest_timeout_ms.unwrap_or(u64::MAX);
        all_ms.saturating_sub(self.clock_ms)
    }

    pub fn is_spent(&self) -> bool {
        let budgets = [self.rules.budget_micros, self.rules.day_micros];
        let mut budgets = budgets.into_iter().flatten();
        budgets.any(|all| self.spent_micros >= all)
    }
}

fn how(failed: &Failed) -> How {
    How::Failed(failed.failure, failed.retry_after_ms)
}
