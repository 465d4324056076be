//! Work that takes time: a thread of its own, whose answer comes back as a message.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use kumite_core::contest::{Contest, Failure};
use kumite_models::Cancel;

use crate::asked::{Asked, TryKey};
use crate::work::{Missed, Try};
use crate::world::{ContestWorld, Message};

/// Enough for a call over HTTPS and for rendering.
const STACK: usize = 1024 * 1024;

/// A job in a thread of its own.
pub struct TryJob {
    pub asked: Asked,
    pub at: TryKey,
    contest_id: String,
    team_id: String,
    team_name: String,
    wait: Duration,
    timeout: Duration,
    cancel: Cancel,
    pub dir: PathBuf,
}

impl TryJob {
    pub fn new(
        world: &mut ContestWorld,
        contest: &Contest,
        asked: Asked,
        wait_ms: u64,
        timeout_ms: u64,
    ) -> TryJob {
        let at = asked.at();
        let of = &contest.teams[at.team as usize];
        TryJob {
            asked,
            at,
            contest_id: world.charter.id.clone(),
            team_id: of.id.clone(),
            team_name: of.name.clone(),
            wait: Duration::from_millis(wait_ms),
            timeout: Duration::from_millis(timeout_ms),
            cancel: world.cancels.entry(at.team).or_default().clone(),
            dir: world.home.round(at.team, at.round),
        }
    }

    pub fn turn(&self) -> Try<'_> {
        Try {
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
pub fn spawn(
    world: &mut ContestWorld,
    job: TryJob,
    work: impl FnOnce(&TryJob) -> Message + Send + 'static,
) {
    let asked = job.asked;
    let name = format!("team {}", job.at.team);
    let send = Arc::clone(&world.send);
    start(world, name, asked, move || {
        if job.cancel.wait(job.wait) {
            return;
        }
        let message = work(&job);
        if !job.cancel.is_cancelled() {
            send(message);
        }
    });
}

/// A machine that is out of threads fails what was asked for. It may have some again later.
pub fn start(
    world: &mut ContestWorld,
    name: String,
    asked: Asked,
    work: impl FnOnce() + Send + 'static,
) {
    world.jobs.retain(|job| !job.is_finished());
    let thread = thread::Builder::new().name(name).stack_size(STACK);
    match thread.spawn(work) {
        Ok(job) => world.jobs.push(job),
        Err(error) => refuse(
            world,
            asked,
            Failure::Passing,
            format!("cannot start a thread: {error}"),
        ),
    }
}

/// Answers for a team, metric or judge that cannot be asked.
fn refuse(world: &ContestWorld, asked: Asked, failure: Failure, why: String) {
    let event = asked.failed(Missed::free(failure, why));
    (world.send)(event.into());
}

/// A contest that is only being closed has no teams, metrics or judge.
pub fn no_players(world: &ContestWorld, asked: Asked) {
    refuse(
        world,
        asked,
        Failure::Lasting,
        "nobody plays in this contest any more".to_owned(),
    );
}

pub fn kept(job: &TryJob, error: std::io::Error) -> Message {
    Message::Unkept {
        team: job.at.team,
        error,
    }
}
