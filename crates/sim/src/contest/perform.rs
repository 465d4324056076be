//! Carries out the effects of a contest. `crates/contest` does this with threads, models and a
//! database.

use std::collections::BTreeMap;

use kumite_core::contest::{Contest, Effect, Event, Failed, Used};

use super::agents::{self, TeamAgent};
use super::answers::{self, Asked};
use super::database::{self, Answer, Write};
use super::{ContestHappening, Host, World, ask};
use crate::faults::Kind;

/// A thread of this process: what it does is lost with the process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Job {
    pub epoch: u64,
    number: u64,
}

/// Jobs in progress, and their teams.
#[derive(Default)]
pub struct Memory {
    jobs: BTreeMap<Job, Option<u32>>,
    last: u64,
}

impl Host {
    pub fn perform(&mut self, world: &mut World, contest: &Contest, effect: &Effect) {
        match *effect {
            Effect::Begin { team, round } => {
                let rows = database::begin(contest, team, round);
                let answer = Answer::Nobody;
                self.hand_over(world, Write { rows, answer });
            }
            Effect::Submit {
                team,
                round,
                attempt,
                wait_ms,
                timeout_ms,
            } => {
                let asked = Asked::new(team, round, attempt);
                let limits = (wait_ms, timeout_ms);
                if world.story.drawn.with_agents[team as usize] {
                    let first = TeamAgent::new(asked, 1);
                    return agents::launch(world, self, first, None, limits);
                }
                ask::submit(self, world, asked, limits);
            }
            Effect::Launch {
                team,
                round,
                attempt,
                number,
                ref resume,
                wake_ms,
                timeout_ms,
            } => {
                let agent = TeamAgent::new(Asked::new(team, round, attempt), number);
                let limits = (wake_ms.saturating_sub(world.clock_ms()), timeout_ms);
                agents::launch(world, self, agent, resume.clone(), limits);
            }
            Effect::HandIn {
                team,
                round,
                attempt,
                ..
            } => {
                let submission =
                    answers::handed_in(&world.story.drawn, Asked::new(team, round, attempt));
                let event = Event::Submitted {
                    team,
                    round,
                    attempt,
                    submission,
                    used: Used::default(),
                };
                let job = self.job(Some(team));
                let answer = ContestHappening::Answer { job, event };
                world.post_own(100, answer);
            }
            Effect::Limit { until_ms, .. } => world.note_limit(0, until_ms),
            Effect::Measure {
                team,
                round,
                metric,
                attempt,
                wait_ms,
                timeout_ms,
            } => {
                let asked = Asked::new(team, round, attempt);
                ask::measure(self, world, asked, metric, (wait_ms, timeout_ms));
            }
            Effect::Judge {
                team,
                round,
                attempt,
                wait_ms,
                timeout_ms,
            } => {
                let asked = Asked::new(team, round, attempt);
                ask::judge(self, world, asked, (wait_ms, timeout_ms));
            }
            Effect::Save {
                team,
                round,
                attempt,
                wait_ms,
            } => {
                let rows = database::save(contest, team);
                let answer = Answer::Save(Asked::new(team, round, attempt));
                self.save(world, Some(team), wait_ms, Write { rows, answer });
            }
            Effect::SaveSummary { attempt, wait_ms } => {
                let rows = database::summary(world.story.core, contest);
                let answer = Answer::Summary { attempt };
                self.save(world, None, wait_ms, Write { rows, answer });
            }
            // This also drops waiting rows: they would be older than those of the summary.
            Effect::Halt { team } => {
                self.memory.jobs.retain(|_, of| *of != Some(team));
                agents::end(world, |agent| agent.team == team);
            }
            Effect::Announce(_) => {}
            Effect::End => self.close(world),
        }
    }

    /// Nothing is left to do. An earlier kumite may have died and left its agents running.
    pub fn close(&mut self, world: &mut World) {
        agents::end(world, |_| true);
        self.done = true;
    }

    fn save(&mut self, world: &mut World, team: Option<u32>, wait_ms: u64, write: Write) {
        if wait_ms == 0 {
            return self.hand_over(world, write);
        }
        let job = self.job(team);
        let hand_over = ContestHappening::HandOver { job, write };
        world.post_own(wait_ms, hand_over);
    }

    /// The writer handles one transaction at a time.
    pub fn hand_over(&mut self, world: &mut World, write: Write) {
        let takes_ms = 10 * world.rng.between(0, 20);
        let writer = &mut world.story.writer;
        let begins_ms = writer.free_at_ms.max(world.now_ms);
        writer.free_at_ms = begins_ms + takes_ms;
        writer.queue.push_back(write);
        let due_ms = begins_ms + takes_ms - world.now_ms;
        let write = ContestHappening::Write { epoch: self.epoch };
        world.post_own(due_ms, write);
    }

    pub fn job(&mut self, team: Option<u32>) -> Job {
        self.memory.last += 1;
        let job = Job {
            epoch: self.epoch,
            number: self.memory.last,
        };
        self.memory.jobs.insert(job, team);
        job
    }

    pub fn works_for(&self, team: u32) -> bool {
        self.memory.jobs.values().any(|of| *of == Some(team))
    }

    /// Marks this job as finished, and returns whether it was in progress in this process.
    pub fn finish(&mut self, job: Job) -> bool {
        self.memory.jobs.remove(&job).is_some()
    }

    /// Posts the answer when it is due, or a timeout. An answer that is too slow may still arrive
    /// later.
    pub fn wait_for<T>(
        &mut self,
        world: &mut World,
        asked: Asked,
        limits: (u64, u64),
        answer: answers::Answer<T>,
        event: impl Fn(Result<T, Failed>, Used) -> Event,
        hung: Kind,
    ) {
        let (wait_ms, timeout_ms) = limits;
        let job = self.job(Some(asked.team));
        if answer.takes_ms <= timeout_ms {
            let event = event(answer.says, answer.used);
            let answered = ContestHappening::Answer { job, event };
            world.post_own(wait_ms + answer.takes_ms, answered);
            return;
        }
        world.tally.note(hung);
        let late = Err(answers::timed_out());
        let used = Used {
            waited_ms: 0,
            ..answer.used
        };
        let given_up = ContestHappening::Answer {
            job,
            event: event(late, used),
        };
        world.post_own(wait_ms + timeout_ms, given_up);
        // Where crashes must not change anything, a late answer must not come before the repeated
        // try either.
        let message = world.story.drawn.rates.message;
        if !world.story.drawn.is_repeatable && world.strikes(message, Kind::AnswerAfterTimeout) {
            let event = event(answer.says, answer.used);
            let late = ContestHappening::Stray(event);
            world.post_own(wait_ms + answer.takes_ms, late);
        }
    }
}
