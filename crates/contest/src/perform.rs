//! Carries out effects. Work that takes time has its own thread, and its answer comes back as an
//! event.

mod job;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use kumite_core::contest::judge::Case as Facts;
use kumite_core::contest::rows::Write;
use kumite_core::contest::{Contest, Effect, Event, Failure, Used};
use kumite_models::Cancel;

use crate::asked::{Asked, At};
use crate::desk::{Desk, Message};
use crate::files;
use crate::judge::Case;
use crate::project::Projection;
use crate::prompts::Situation;
use crate::teams::agent::AgentTeam;
use crate::work::{Missed, Player};

use job::{Job, kept, no_players, spawn, start};

pub fn perform(desk: &mut Desk, contest: &Contest, effect: &Effect) {
    match *effect {
        Effect::Begin { team, round } => {
            // Nobody waits for it: the same row comes again with the round.
            let write = projection(desk, contest).begin(team, round);
            desk.board.write(&write, |_| {});
        }
        Effect::Submit {
            team,
            round,
            attempt,
            wait_ms,
            timeout_ms,
        } => {
            let at = At::new(team, round, attempt);
            let job = Job::new(desk, contest, Asked::Submit(at), wait_ms, timeout_ms);
            submit(desk, contest, job);
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
            let at = At::new(team, round, attempt);
            let job = Job::new(desk, contest, Asked::Submit(at), 0, timeout_ms);
            launch(desk, job, number, resume.clone(), wake_ms);
        }
        Effect::HandIn {
            team,
            round,
            attempt,
            number,
        } => {
            let at = At::new(team, round, attempt);
            let job = Job::new(desk, contest, Asked::Submit(at), 0, 0);
            hand_in(desk, job, number);
        }
        Effect::Limit {
            team,
            until_ms,
            ref words,
        } => {
            let players = desk.parts.players.as_ref();
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
            let at = At::new(team, round, attempt);
            let job = Job::new(
                desk,
                contest,
                Asked::Measure(at, metric),
                wait_ms,
                timeout_ms,
            );
            measure(desk, metric, job);
        }
        Effect::Judge {
            team,
            round,
            attempt,
            wait_ms,
            timeout_ms,
        } => {
            let at = At::new(team, round, attempt);
            let job = Job::new(desk, contest, Asked::Judge(at), wait_ms, timeout_ms);
            judge(desk, contest, job);
        }
        Effect::Save {
            team,
            round,
            attempt,
            wait_ms,
        } => {
            let write = projection(desk, contest).save(team);
            let cancel = desk.cancels.entry(team).or_default().clone();
            let asked = Asked::Save(At::new(team, round, attempt));
            let saved = Event::Saved { team, round };
            save(desk, write, wait_ms, cancel, asked, saved);
        }
        Effect::SaveSummary { attempt, wait_ms } => {
            let write = projection(desk, contest).summary();
            let stop = desk.stop.clone();
            let asked = Asked::Summary { attempt };
            save(desk, write, wait_ms, stop, asked, Event::SummarySaved);
        }
        Effect::Halt { team } => {
            if let Some(cancel) = desk.cancels.remove(&team) {
                cancel.cancel();
            }
        }
        Effect::Announce(_) | Effect::End => {}
    }
}

fn projection<'a>(desk: &'a Desk, contest: &'a Contest) -> Projection<'a> {
    Projection {
        home: &desk.home,
        charter: &desk.charter,
        contest,
    }
}

fn submit(desk: &mut Desk, contest: &Contest, job: Job) {
    let Some(players) = &desk.parts.players else {
        return no_players(desk, job.asked);
    };
    let team = Arc::clone(&players.teams[job.at.team as usize]);
    let templates = Arc::clone(&players.templates);
    let now = Timestamp::now().to_zoned(players.zone.clone());
    // The others go on: what this team is told of them is how they stand now.
    let situation = Situation::of(contest, job.at.team);
    let task = desk.charter.plan.task.clone();
    let texts = texts(desk, job.at.team);
    spawn(desk, job, move |job| {
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
fn launch(desk: &mut Desk, job: Job, number: u32, resume: Option<String>, wake_ms: u64) {
    with_agents(desk, job, move |team, job| {
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
fn hand_in(desk: &mut Desk, job: Job, number: u32) {
    with_agents(desk, job, move |team, job| {
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
    desk: &mut Desk,
    job: Job,
    work: impl FnOnce(&AgentTeam, &Job) -> Result<Event, Message> + Send + 'static,
) {
    let Some(players) = &desk.parts.players else {
        return no_players(desk, job.asked);
    };
    let team = Arc::clone(&players.teams[job.at.team as usize]);
    spawn(desk, job, move |job| match &*team {
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
fn texts(desk: &Desk, team: u32) -> impl Fn(u32) -> Option<String> + Send + Sync + 'static {
    let home = desk.home.clone();
    move |round| files::read_submission(&home.round(team, round)).ok()
}

fn measure(desk: &mut Desk, metric: u32, job: Job) {
    let Some(players) = &desk.parts.players else {
        return no_players(desk, job.asked);
    };
    let with = Arc::clone(&players.metrics[metric as usize]);
    let worktree = players.teams[job.at.team as usize].place();
    let task = desk.charter.plan.task.clone();
    spawn(desk, job, move |job| {
        let submission = files::submission(&job.dir);
        let measured = with.measure(&task, &submission, worktree.as_deref(), &job.turn());
        let event = match measured {
            Ok((measure, used)) => job.at.measured(metric, measure, used),
            Err(missed) => job.asked.failed(missed),
        };
        event.into()
    });
}

fn judge(desk: &mut Desk, contest: &Contest, job: Job) {
    let Some(players) = &desk.parts.players else {
        return no_players(desk, job.asked);
    };
    let with = Arc::clone(&players.judge);
    let facts = Facts::of(contest, job.at.team);
    let task = desk.charter.plan.task.clone();
    let texts = texts(desk, job.at.team);
    spawn(desk, job, move |job| {
        let case = Case {
            facts,
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
fn save(desk: &mut Desk, write: Write, wait_ms: u64, cancel: Cancel, asked: Asked, saved: Event) {
    let send = Arc::clone(&desk.send);
    let done = move |result: Result<(), String>| {
        let event = match result {
            Ok(()) => saved,
            Err(why) => asked.failed(Missed::free(Failure::Passing, why)),
        };
        send(event.into());
    };
    if wait_ms == 0 {
        return desk.board.write(&write, done);
    }
    let board = desk.board.clone();
    start(desk, "board".to_owned(), asked, move || {
        if !cancel.wait(Duration::from_millis(wait_ms)) {
            board.write(&write, done);
        }
    });
}
