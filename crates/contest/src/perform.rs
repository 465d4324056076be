//! Carries out effects. Work that takes time has its own thread, and its answer comes back as an
//! event.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use kumite_core::contest::judge::Case as Facts;
use kumite_core::contest::rows::Write;
use kumite_core::contest::{Contest, Effect, Event, Failed, Failure, Used};
use kumite_models::Cancel;

use crate::asked::{Asked, At};
use crate::engine::{Desk, Message};
use crate::files;
use crate::judge::Case;
use crate::project::Projection;
use crate::prompts::Situation;
use crate::teams::agent::AgentTeam;
use crate::work::{Missed, Player, Turn};

/// Enough for a call over HTTPS and for rendering.
const STACK: usize = 1024 * 1024;

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
            let at = At {
                team,
                round,
                attempt,
            };
            let job = Job::new(desk, contest, at, Asked::Submit(at), wait_ms, timeout_ms);
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
            let at = At {
                team,
                round,
                attempt,
            };
            let job = Job::new(desk, contest, at, Asked::Submit(at), 0, timeout_ms);
            launch(desk, job, number, resume.clone(), wake_ms);
        }
        Effect::HandIn {
            team,
            round,
            attempt,
            number,
        } => {
            let at = At {
                team,
                round,
                attempt,
            };
            let job = Job::new(desk, contest, at, Asked::Submit(at), 0, 0);
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
            let at = At {
                team,
                round,
                attempt,
            };
            let job = Job::new(
                desk,
                contest,
                at,
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
            let at = At {
                team,
                round,
                attempt,
            };
            let job = Job::new(desk, contest, at, Asked::Judge(at), wait_ms, timeout_ms);
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
            let asked = Asked::Save(At {
                team,
                round,
                attempt,
            });
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

/// A job in a thread of its own.
struct Job {
    asked: Asked,
    at: At,
    contest_id: String,
    team_id: String,
    team_name: String,
    wait: Duration,
    timeout: Duration,
    cancel: Cancel,
    dir: std::path::PathBuf,
}

impl Job {
    fn new(
        desk: &mut Desk,
        contest: &Contest,
        at: At,
        asked: Asked,
        wait_ms: u64,
        timeout_ms: u64,
    ) -> Job {
        let of = &contest.teams[at.team as usize];
        Job {
            asked,
            at,
            contest_id: desk.charter.id.clone(),
            team_id: of.id.clone(),
            team_name: of.name.clone(),
            wait: Duration::from_millis(wait_ms),
            timeout: Duration::from_millis(timeout_ms),
            cancel: desk.cancels.entry(at.team).or_default().clone(),
            dir: desk.home.round(at.team, at.round),
        }
    }

    fn turn(&self) -> Turn<'_> {
        Turn {
            contest_id: &self.contest_id,
            team_id: &self.team_id,
            team_name: &self.team_name,
            round: self.at.round,
            attempt: self.at.attempt,
            timeout: self.timeout,
            cancel: &self.cancel,
            dir: &self.dir,
        }
    }
}

/// Runs `work` after the job's wait, and sends what it answers. A try that was ended by us has
/// nothing to say.
fn spawn(desk: &mut Desk, job: Job, work: impl FnOnce(&Job) -> Message + Send + 'static) {
    let asked = job.asked;
    let name = format!("team {}", job.at.team);
    let sender = desk.sender.clone();
    start(desk, name, asked, move || {
        if job.cancel.wait(job.wait) {
            return;
        }
        let message = work(&job);
        if !job.cancel.is_cancelled() {
            let _ = sender.send(message);
        }
    });
}

/// A machine that is out of threads fails what was asked for. It may have some again later.
fn start(desk: &mut Desk, name: String, asked: Asked, work: impl FnOnce() + Send + 'static) {
    desk.jobs.retain(|job| !job.is_finished());
    let thread = thread::Builder::new().name(name).stack_size(STACK);
    match thread.spawn(work) {
        Ok(job) => desk.jobs.push(job),
        Err(error) => refuse(
            desk,
            asked,
            Failure::Passing,
            format!("cannot start a thread: {error}"),
        ),
    }
}

/// Answers in the place of somebody who cannot be asked.
fn refuse(desk: &Desk, asked: Asked, failure: Failure, why: String) {
    let event = asked.failed(missed(failure, why));
    let _ = desk.sender.send(event.into());
}

/// A contest that is only closed has nobody to ask.
fn no_players(desk: &Desk, asked: Asked) {
    refuse(
        desk,
        asked,
        Failure::Lasting,
        "nobody plays in this contest any more".to_owned(),
    );
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
            let prompt = prompt.map_err(|error| failed(lasting(&error)))?;
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
            job.asked.failed(missed(Failure::Lasting, why)).into()
        }
    });
}

fn kept(job: &Job, error: std::io::Error) -> Message {
    Message::Unkept {
        team: job.at.team,
        error,
    }
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
    let sender = desk.sender.clone();
    let done = move |result: Result<(), String>| {
        let event = match result {
            Ok(()) => saved,
            Err(why) => asked.failed(missed(Failure::Passing, why)),
        };
        let _ = sender.send(event.into());
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

/// A template that cannot be rendered will not be next time.
fn lasting(error: &dyn std::error::Error) -> Missed {
    missed(Failure::Lasting, format!("cannot make the prompt: {error}"))
}

fn missed(failure: Failure, why: String) -> Missed {
    Missed {
        failed: Failed {
            failure,
            why,
            retry_after_ms: None,
        },
        used: Used::default(),
    }
}
