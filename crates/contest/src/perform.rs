//! Carries out effects. Work that takes time has its own thread, and its answer comes back as an
//! event.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use kumite_core::contest::judge::Case as Facts;
use kumite_core::contest::rows::Write;
use kumite_core::contest::{Effect, Event, Failed, Failure, Used};
use kumite_models::Cancel;

use crate::engine::{Engine, Message};
use crate::files;
use crate::judge::Case;
use crate::project::Projection;
use crate::prompts::Situation;
use crate::work::{Missed, Turn};

/// Enough for a call over HTTPS and for rendering.
const STACK: usize = 1024 * 1024;

pub fn perform(engine: &mut Engine, effect: &Effect) {
    match *effect {
        Effect::Begin { team, round } => {
            // Nobody waits for it: the same row comes again with the round.
            let write = projection(engine).begin(team, round);
            engine.board.write(&write, |_| {});
        }
        Effect::Submit {
            team,
            round,
            attempt,
            wait_ms,
            timeout_ms,
        } => {
            let job = Job::new(engine, team, round, attempt, wait_ms, timeout_ms);
            submit(engine, job);
        }
        Effect::Measure {
            team,
            round,
            metric,
            attempt,
            wait_ms,
            timeout_ms,
        } => {
            let job = Job::new(engine, team, round, attempt, wait_ms, timeout_ms);
            measure(engine, metric, job);
        }
        Effect::Judge {
            team,
            round,
            attempt,
            wait_ms,
            timeout_ms,
        } => {
            let job = Job::new(engine, team, round, attempt, wait_ms, timeout_ms);
            judge(engine, job);
        }
        Effect::Save {
            team,
            round,
            attempt,
            wait_ms,
        } => {
            let write = projection(engine).save(team);
            let saved = Event::Saved { team, round };
            let failed = move |why| Event::SaveFailed {
                team,
                round,
                attempt,
                why,
            };
            let cancel = engine.cancels.entry(team).or_default().clone();
            save(engine, write, wait_ms, cancel, saved, failed);
        }
        Effect::SaveSummary { attempt, wait_ms } => {
            let write = projection(engine).summary();
            let failed = move |why| Event::SummaryFailed { attempt, why };
            let stop = engine.stop.clone();
            save(engine, write, wait_ms, stop, Event::SummarySaved, failed);
        }
        Effect::Halt { team } => {
            if let Some(cancel) = engine.cancels.remove(&team) {
                cancel.cancel();
            }
        }
        Effect::End => {}
    }
}

fn projection(engine: &Engine) -> Projection<'_> {
    Projection {
        home: &engine.home,
        charter: &engine.charter,
        contest: &engine.contest,
    }
}

/// What every try needs, in a thread of its own.
struct Job {
    contest_id: String,
    team_id: String,
    team_name: String,
    team: u32,
    round: u32,
    attempt: u32,
    wait: Duration,
    timeout: Duration,
    cancel: Cancel,
    dir: std::path::PathBuf,
}

impl Job {
    fn new(
        engine: &mut Engine,
        team: u32,
        round: u32,
        attempt: u32,
        wait_ms: u64,
        timeout_ms: u64,
    ) -> Job {
        let of = &engine.contest.teams[team as usize];
        Job {
            contest_id: engine.charter.id.clone(),
            team_id: of.id.clone(),
            team_name: of.name.clone(),
            team,
            round,
            attempt,
            wait: Duration::from_millis(wait_ms),
            timeout: Duration::from_millis(timeout_ms),
            cancel: engine.cancels.entry(team).or_default().clone(),
            dir: engine.home.round(team, round),
        }
    }

    fn turn(&self) -> Turn<'_> {
        Turn {
            contest_id: &self.contest_id,
            team_id: &self.team_id,
            team_name: &self.team_name,
            round: self.round,
            attempt: self.attempt,
            timeout: self.timeout,
            cancel: &self.cancel,
            dir: &self.dir,
        }
    }
}

/// Runs `work` after the job's wait, and sends what it answers. A try that was ended by us has
/// nothing to say.
fn spawn(engine: &mut Engine, job: Job, work: impl FnOnce(&Job) -> Message + Send + 'static) {
    let sender = engine.sender.clone();
    engine.jobs.retain(|job| !job.is_finished());
    let started = thread::Builder::new()
        .name(format!("team {}", job.team))
        .stack_size(STACK)
        .spawn(move || {
            if job.cancel.wait(job.wait) {
                return;
            }
            let message = work(&job);
            if !job.cancel.is_cancelled() {
                let _ = sender.send(message);
            }
        });
    // Out of threads: the machine is at its end, and so is the contest. It can be resumed.
    engine.jobs.push(started.expect("a thread can be started"));
}

fn submit(engine: &mut Engine, job: Job) {
    let team = Arc::clone(&engine.players().teams[job.team as usize]);
    let templates = Arc::clone(&engine.players().templates);
    // The others go on: what this team is told of them is how they stand now.
    let situation = Situation::of(&engine.contest, job.team);
    let now = Timestamp::now().to_zoned(engine.players().zone.clone());
    let task = engine.charter.plan.task.clone();
    let texts = texts(engine, job.team);
    spawn(engine, job, move |job| {
        let (team_no, round, attempt) = (job.team, job.round, job.attempt);
        let kept = |error| Message::Unkept {
            team: team_no,
            error,
        };
        let failed = |missed: Missed| {
            Message::from(Event::SubmitFailed {
                team: team_no,
                round,
                attempt,
                failed: missed.failed,
                used: missed.used,
            })
        };
        let submit = || {
            let prompt = templates.team(&task, &situation, &now, &texts);
            let prompt = prompt.map_err(|error| failed(lasting(&error)))?;
            files::keep_prompt(&job.dir, &prompt).map_err(kept)?;
            let handed = team.submit(&prompt, &job.turn()).map_err(failed)?;
            let submission = files::keep(&job.dir, &handed).map_err(kept)?;
            Ok(Message::from(Event::Submitted {
                team: team_no,
                round,
                attempt,
                submission,
                used: handed.used,
            }))
        };
        submit().unwrap_or_else(|instead| instead)
    });
}

/// The submissions of a team, by round.
fn texts(engine: &Engine, team: u32) -> impl Fn(u32) -> Option<String> + Send + Sync + 'static {
    let home = engine.home.clone();
    move |round| files::read_submission(&home.round(team, round)).ok()
}

fn measure(engine: &mut Engine, metric: u32, job: Job) {
    let with = Arc::clone(&engine.players().metrics[metric as usize]);
    let task = engine.charter.plan.task.clone();
    let worktree = engine.players().teams[job.team as usize].place();
    spawn(engine, job, move |job| {
        let (team, round, attempt) = (job.team, job.round, job.attempt);
        let submission = files::submission(&job.dir);
        let measured = match with.measure(&task, &submission, worktree.as_deref(), &job.turn()) {
            Ok((measure, used)) => Event::Measured {
                team,
                round,
                metric,
                attempt,
                measure,
                used,
            },
            Err(missed) => Event::MeasureFailed {
                team,
                round,
                metric,
                attempt,
                failed: missed.failed,
                used: missed.used,
            },
        };
        measured.into()
    });
}

fn judge(engine: &mut Engine, job: Job) {
    let with = Arc::clone(&engine.players().judge);
    let facts = Facts::of(&engine.contest, job.team);
    let task = engine.charter.plan.task.clone();
    let texts = texts(engine, job.team);
    spawn(engine, job, move |job| {
        let (team, round, attempt) = (job.team, job.round, job.attempt);
        let case = Case {
            facts,
            task: &task,
            texts: &texts,
        };
        let judged = match with.judge(&case, &job.turn()) {
            Ok((judgment, used)) => Event::Judged {
                team,
                round,
                attempt,
                judgment,
                used,
            },
            Err(Missed { failed, used }) => Event::JudgeFailed {
                team,
                round,
                attempt,
                failed,
                used,
            },
        };
        judged.into()
    });
}

/// Writes rows, after a wait, and sends how that went. Rows that were to wait when the team was
/// ended are old: the summary has newer ones.
fn save(
    engine: &mut Engine,
    write: Write,
    wait_ms: u64,
    cancel: Cancel,
    saved: Event,
    failed: impl FnOnce(String) -> Event + Send + 'static,
) {
    let sender = engine.sender.clone();
    let done = move |result: Result<(), String>| {
        let event = match result {
            Ok(()) => saved,
            Err(why) => failed(why),
        };
        let _ = sender.send(event.into());
    };
    if wait_ms == 0 {
        return engine.board.write(&write, done);
    }
    let board = engine.board.clone();
    let waiting = thread::Builder::new().spawn(move || {
        if !cancel.wait(Duration::from_millis(wait_ms)) {
            board.write(&write, done);
        }
    });
    engine.jobs.push(waiting.expect("a thread can be started"));
}

/// A template that cannot be rendered will not be next time.
fn lasting(error: &dyn std::error::Error) -> Missed {
    Missed {
        failed: Failed {
            failure: Failure::Lasting,
            why: format!("cannot make the prompt: {error}"),
            retry_after_ms: None,
        },
        used: Used::default(),
    }
}
