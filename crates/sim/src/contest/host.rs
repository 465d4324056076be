//! kumite without its core: record, decide, act, and recover after a crash. `crates/contest` does
//! this with threads, models and a database.

use std::collections::BTreeMap;

use kumite_core::contest::{By, Contest, Effect, Entrant, Event, Failed, Used};
use kumite_core::engine::{handle_all, record};

use super::agents::{self, Start};
use super::answers::{self, Asked};
use super::ask;
use super::database::{self, Answer, Write};
use super::faults::Kind;
use super::hand::{Hand, Played};
use super::trace::What;
use super::world::{Happening, World};

/// The state that a crash loses.
pub struct Engine {
    pub played: Played,
    /// Identifies messages for a process that has died since.
    pub epoch: u64,
    /// Jobs are numbered consecutively; earlier ones belong to earlier processes.
    pub first_job: u64,
    /// Jobs in progress, and their teams.
    jobs: BTreeMap<u64, Option<u32>>,
    /// kumite is dying: nothing more happens.
    pub is_dying: bool,
    pub is_done: bool,
}

impl Engine {
    /// Replays the journal and takes the contest over, or starts it.
    pub fn wake(world: &mut World) -> Engine {
        let contest = world.replay();
        world.see(What::Replayed(Box::new(contest.clone())));
        let mut engine = Engine {
            epoch: world.jobs,
            first_job: world.jobs + 1,
            jobs: BTreeMap::new(),
            is_dying: false,
            // A contest that is over needs nobody.
            is_done: contest.is_saved(),
            played: Played {
                contest,
                core: world.core,
            },
        };
        world.jobs += 1;
        world.writer.free_at_ms = world.now_ms;
        if engine.is_done {
            return engine;
        }
        if world.journal.is_empty() {
            engine.take(world, vec![start(world)]);
        } else if world.may_cancel(&engine.played.contest) {
            engine.end_at_once(world);
        } else {
            engine.take(world, vec![Event::Resumed]);
        }
        engine
    }

    /// Nothing is started again only to be ended.
    fn end_at_once(&mut self, world: &mut World) {
        world.tally.note(Kind::CancelledWhileAway);
        let mut played = std::mem::take(&mut self.played);
        let mut hand = Hand {
            world,
            engine: self,
        };
        let recorded = record(&mut hand, &mut played, Event::Resumed);
        self.played = played;
        if recorded.is_ok() {
            world.see(What::Dropped);
            self.take(world, vec![cancel()]);
        }
    }

    pub fn cancel(&mut self, world: &mut World) {
        if world.may_cancel(&self.played.contest) {
            world.tally.note(Kind::Cancelled);
            self.take(world, vec![cancel()]);
        }
    }

    /// All events that came together are recorded before any effect is carried out.
    pub fn take(&mut self, world: &mut World, events: Vec<Event>) {
        let mut played = std::mem::take(&mut self.played);
        let mut hand = Hand {
            world,
            engine: self,
        };
        // Who has died has nothing more to say.
        let _ = handle_all(&mut hand, &mut played, events);
        self.played = played;
    }

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
                if world.plan.with_agents[team as usize] {
                    let start = Start {
                        asked,
                        number: 1,
                        is_resumed: false,
                        timeout_ms,
                    };
                    return agents::launch(self, world, start, wait_ms);
                }
                ask::submit(self, world, asked, wait_ms, timeout_ms);
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
                let start = Start {
                    asked: Asked::new(team, round, attempt),
                    number,
                    is_resumed: resume.is_some(),
                    timeout_ms,
                };
                let wait_ms = wake_ms.saturating_sub(world.now_ms + world.ahead_ms);
                agents::launch(self, world, start, wait_ms);
            }
            Effect::HandIn {
                team,
                round,
                attempt,
                ..
            } => {
                let submission = answers::handed_in(&world.plan, Asked::new(team, round, attempt));
                let event = Event::Submitted {
                    team,
                    round,
                    attempt,
                    submission,
                    used: Used::default(),
                };
                let job = self.job(world, Some(team));
                world.post(100, Happening::Answer { job, event });
            }
            Effect::Limit { .. } => {}
            Effect::Measure {
                team,
                round,
                metric,
                attempt,
                wait_ms,
                timeout_ms,
            } => {
                let asked = Asked::new(team, round, attempt);
                ask::measure(self, world, asked, metric, wait_ms, timeout_ms);
            }
            Effect::Judge {
                team,
                round,
                attempt,
                wait_ms,
                timeout_ms,
            } => {
                let asked = Asked::new(team, round, attempt);
                ask::judge(self, world, asked, wait_ms, timeout_ms);
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
                let rows = database::summary(world.core, contest);
                let answer = Answer::Summary { attempt };
                self.save(world, None, wait_ms, Write { rows, answer });
            }
            // This also drops waiting rows: they would be older than those of the summary.
            Effect::Halt { team } => {
                self.jobs.retain(|_, of| *of != Some(team));
                agents::end(world, team);
            }
            Effect::Announce(_) => {}
            Effect::End => self.is_done = true,
        }
    }

    fn save(&mut self, world: &mut World, team: Option<u32>, wait_ms: u64, write: Write) {
        if wait_ms == 0 {
            return self.hand_over(world, write);
        }
        let job = self.job(world, team);
        world.post(wait_ms, Happening::HandOver { job, write });
    }

    /// The writer handles one transaction at a time.
    pub fn hand_over(&mut self, world: &mut World, write: Write) {
        let takes_ms = 10 * world.rng.between(0, 20);
        let begins_ms = world.writer.free_at_ms.max(world.now_ms);
        world.writer.free_at_ms = begins_ms + takes_ms;
        world.writer.queue.push_back(write);
        let epoch = self.epoch;
        world.post(
            begins_ms + takes_ms - world.now_ms,
            Happening::Write { epoch },
        );
    }

    pub fn job(&mut self, world: &mut World, team: Option<u32>) -> u64 {
        world.jobs += 1;
        self.jobs.insert(world.jobs, team);
        world.jobs
    }

    pub fn is_under_way(&self, job: u64) -> bool {
        self.jobs.contains_key(&job)
    }

    /// Marks this job as finished, and returns whether it was in progress in this process.
    pub fn finish(&mut self, job: u64) -> bool {
        self.jobs.remove(&job).is_some()
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
        let job = self.job(world, Some(asked.team));
        if answer.takes_ms <= timeout_ms {
            let event = event(answer.says, answer.used);
            world.post(wait_ms + answer.takes_ms, Happening::Answer { job, event });
            return;
        }
        world.tally.note(hung);
        let late = Err(answers::timed_out());
        let used = Used {
            waited_ms: 0,
            ..answer.used
        };
        let given_up = Happening::Answer {
            job,
            event: event(late, used),
        };
        world.post(wait_ms + timeout_ms, given_up);
        // Where crashes must not change anything, a late answer must not come before the repeated
        // try either.
        let message = world.plan.rates.message;
        if !world.plan.is_repeatable && world.strikes(message, Kind::AnswerAfterTimeout) {
            let event = event(answer.says, answer.used);
            world.post(wait_ms + answer.takes_ms, Happening::Stray(event));
        }
    }
}

fn start(world: &World) -> Event {
    let enter = |(index, retries): (usize, &Option<u32>)| Entrant {
        id: format!("t{index}"),
        name: format!("team {index}"),
        retries: *retries,
    };
    Event::Started {
        rules: world.plan.rules.clone(),
        teams: world.plan.teams.iter().enumerate().map(enter).collect(),
    }
}

fn cancel() -> Event {
    Event::CancelRequested { by: By::User }
}
