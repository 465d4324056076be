//! Carries out effects. Work that takes time has its own thread, and its answer comes back as an
//! event.

mod job;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use kumite_core::contest::judge::TeamRecord;
use kumite_core::contest::rows::Write;
use kumite_core::contest::{Contest, Effect, Event, Failure, Used};
use kumite_models::Cancel;

use crate::asked::{Asked, TryKey};
use crate::files;
use crate::judge::Case;
use crate::project::Projection;
use crate::prompts::Situation;
use crate::teams::agent::AgentTeam;
use crate::work::{Missed, Player};
use crate::world::{ContestWorld, Message};

use job::{TryJob, kept, no_players, spawn, start};

pub fn perform(world: &mut ContestWorld, contest: &Contest, effect: &Effect) {
    match *effect {
        Effect::Begin { team, round } => {
            // Nobody waits for it: the same row comes again with the round.
            let write = projection(world, contest).begin(team, round);
            world.board.write(&write, |_| {});
        }
        Effect::Submit {
            team,
            round,
            attempt,
            wait_ms,
            timeout_ms,
        } => {
            let at = TryKey::new(team, round, attempt);
            let job = TryJob::new(world, contest, Asked::Submit(at), wait_ms, timeout_ms);
            submit(world, contest, job);
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
            let at = TryKey::new(team, round, attempt);
            let job = TryJob::new(world, contest, Asked::Submit(at), 0, timeout_ms);
            launch(world, job, number, resume.clone(), wake_ms);
        }
        Effect::HandIn {
            team,
            round,
            attempt,
            number,
        } => {
            let at = TryKey::new(team, round, attempt);
            let job = TryJob::new(world, contest, Asked::Submit(at), 0, 0);
            hand_in(world, job, number);
        }
        Effect::Limit {
            team,
            until_ms,
            ref words,
        } => {
            let players = world.parts.players.as_ref();
            if let Some(Player::Agents(team)) = players.map(|it| &*it.teams[team as usize]) {
                team.note_limit(until_ms, words);
            }
        }
        Effect::Measure {
            team,
            round,
            metric,
            attempt,
            wait_ms,
            timeout_ms,
        } => {
            let at = TryKey::new(team, round, attempt);
            let job = TryJob::new(
                world,
                contest,
                Asked::Measure(at, metric),
                wait_ms,
                timeout_ms,
            );
            measure(world, metric, job);
        }
        Effect::Judge {
            team,
            round,
            attempt,
            wait_ms,
            timeout_ms,
        } => {
            let at = TryKey::new(team, round, attempt);
            let job = TryJob::new(world, contest, Asked::Judge(at), wait_ms, timeout_ms);
            judge(world, contest, job);
        }
        Effect::Save {
            team,
            round,
            attempt,
            wait_ms,
        } => {
            let write = projection(world, contest).save(team);
            let cancel = world.cancels.entry(team).or_default().clone();
            let asked = Asked::Save(TryKey::new(team, round, attempt));
            let saved = Event::Saved { team, round };
            save(world, write, wait_ms, cancel, asked, saved);
        }
        Effect::SaveSummary { attempt, wait_ms } => {
            let write = projection(world, contest).summary();
            let stop = world.stop.clone();
            let asked = Asked::Summary { attempt };
            save(world, write, wait_ms, stop, asked, Event::SummarySaved);
        }
        Effect::Halt { team } => {
            if let Some(cancel) = world.cancels.remove(&team) {
                cancel.cancel();
            }
        }
        Effect::Announce(_) | Effect::End => {}
    }
}

fn projection<'a>(world: &'a ContestWorld, contest: &'a Contest) -> Projection<'a> {
    Projection {
        home: &world.home,
        charter: &world.charter,
        contest,
    }
}

fn submit(world: &mut ContestWorld, contest: &Contest, job: TryJob) {
    let Some(players) = &world.parts.players else {
        return no_players(world, job.asked);
    };
    let team = Arc::clone(&players.teams[job.at.team as usize]);
    let templates = Arc::clone(&players.templates);
    let now = Timestamp::now().to_zoned(players.zone.clone());
    // Other teams go on meanwhile: this team learns their scores of this moment.
    let situation = Situation::of(contest, job.at.team);
    let task = world.charter.plan.task.clone();
    let texts = texts(world, job.at.team);
    spawn(world, job, move |job| {
        let kept = |error| kept(job, error);
        let failed = |missed| Message::from(job.asked.failed(missed));
        let submit = || {
            let prompt = templates.team(&task, &situation, &now, &texts);
            let prompt = prompt.map_err(|error| failed(Missed::without_prompt(&error)))?;
            files::keep_prompt(&job.dir, &prompt).map_err(kept)?;
            let team = match &*team {
                Player::Agents(team) => {
                    let over = team.attempt(&prompt, &job.turn(), 1).work(None, 0);
                    return Ok(Message::from(job.at.agent_ended(1, over)));
                }
                Player::Alone(team) => team,
            };
            let handed = team.submit(&prompt, &job.turn()).map_err(failed)?;
            let submission = files::keep(&job.dir, &handed).map_err(kept)?;
            Ok(Message::from(job.at.submitted(submission, handed.used)))
        };
        submit().unwrap_or_else(|instead| instead)
    });
}

/// Another agent of the same try.
fn launch(
    world: &mut ContestWorld,
    job: TryJob,
    number: u32,
    resume: Option<String>,
    wake_ms: u64,
) {
    with_agents(world, job, move |team, job| {
        let prompt = files::read_prompt(&job.dir);
        let prompt = prompt.map_err(|error| kept(job, error))?;
        let turn = job.turn();
        let over = team
            .attempt(&prompt, &turn, number)
            .work(resume.as_deref(), wake_ms);
        Ok(job.at.agent_ended(number, over))
    });
}

/// What the agent has left becomes the submission. What it used is counted already.
fn hand_in(world: &mut ContestWorld, job: TryJob, number: u32) {
    with_agents(world, job, move |team, job| {
        let prompt = files::read_prompt(&job.dir);
        let prompt = prompt.map_err(|error| kept(job, error))?;
        match team.attempt(&prompt, &job.turn(), number).hand_in() {
            Ok(handed) => {
                let submission = files::keep(&job.dir, &handed);
                let submission = submission.map_err(|error| kept(job, error))?;
                Ok(job.at.submitted(submission, Used::default()))
            }
            Err(failed) => Ok(job.asked.failed(Missed {
                failed,
                used: Used::default(),
            })),
        }
    });
}

fn with_agents(
    world: &mut ContestWorld,
    job: TryJob,
    work: impl FnOnce(&AgentTeam, &TryJob) -> Result<Event, Message> + Send + 'static,
) {
    let Some(players) = &world.parts.players else {
        return no_players(world, job.asked);
    };
    let team = Arc::clone(&players.teams[job.at.team as usize]);
    spawn(world, job, move |job| match &*team {
        Player::Agents(team) => match work(team, job) {
            Ok(event) => event.into(),
            Err(unkept) => unkept,
        },
        Player::Alone(_) => {
            let why = "this team has no agents".to_owned();
            job.asked.failed(Missed::free(Failure::Lasting, why)).into()
        }
    });
}

/// The submissions of a team, by round.
fn texts(
    world: &ContestWorld,
    team: u32,
) -> impl Fn(u32) -> Option<String> + Send + Sync + 'static {
    let home = world.home.clone();
    move |round| files::read_submission(&home.round(team, round)).ok()
}

fn measure(world: &mut ContestWorld, metric: u32, job: TryJob) {
    let Some(players) = &world.parts.players else {
        return no_players(world, job.asked);
    };
    let with = Arc::clone(&players.metrics[metric as usize]);
    let worktree = players.teams[job.at.team as usize].place();
    let task = world.charter.plan.task.clone();
    spawn(world, job, move |job| {
        let submission = files::submission(&job.dir);
        let measured = with.measure(&task, &submission, worktree.as_deref(), &job.turn());
        let event = match measured {
            Ok((measure, used)) => job.at.measured(metric, measure, used),
            Err(missed) => job.asked.failed(missed),
        };
        event.into()
    });
}

fn judge(world: &mut ContestWorld, contest: &Contest, job: TryJob) {
    let Some(players) = &world.parts.players else {
        return no_players(world, job.asked);
    };
    let with = Arc::clone(&players.judge);
    let record = TeamRecord::of(contest, job.at.team);
    let task = world.charter.plan.task.clone();
    let texts = texts(world, job.at.team);
    spawn(world, job, move |job| {
        let case = Case {
            record,
            task: &task,
            texts: &texts,
        };
        let event = match with.judge(&case, &job.turn()) {
            Ok((judgment, used)) => job.at.judged(judgment, used),
            Err(missed) => job.asked.failed(missed),
        };
        event.into()
    });
}

/// Writes rows, after a wait, and sends how that went. Rows that were to wait when the team was
/// ended are old: the summary has newer ones.
fn save(
    world: &mut ContestWorld,
    write: Write,
    wait_ms: u64,
    cancel: Cancel,
    asked: Asked,
    saved: Event,
) {
    let send = Arc::clone(&world.send);
    let done = move |result: Result<(), String>| {
        let event = match result {
            Ok(()) => saved,
            Err(why) => asked.failed(Missed::free(Failure::Passing, why)),
        };
        send(event.into());
    };
    if wait_ms == 0 {
        return world.board.write(&write, done);
    }
    let board = world.board.clone();
    start(world, "board".to_owned(), asked, move || {
        if !cancel.wait(Duration::from_millis(wait_ms)) {
            board.write(&write, done);
        }
    });
}
