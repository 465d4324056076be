//! One try of a team: as many agents, one after the other, as needed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kumite_agents::{Adopted, End, Handle, Order};
use kumite_core::contest::{Failed, Failure, Used};
use kumite_core::outcome::Outcome;
use kumite_formats::contest::Worktree as Mode;
use kumite_host::job::{self, GO_ON, Job};
use kumite_host::spec_file::sentence;

use super::AgentTeam;
use crate::work::{Handed, Missed, Turn};
use crate::worktree;

/// The value of an agent's `KUMITE_STEP`.
const STEP: &str = "contest";
/// How often a cancel is checked while an agent works.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// One try, with all its agents.
pub(super) struct Attempt<'a> {
    pub(super) team: &'a AgentTeam,
    pub(super) prompt: &'a str,
    pub(super) turn: &'a Turn<'a>,
    pub(super) used: Used,
    /// The working time of all agents of this try.
    worked: Duration,
    /// How often in a row the service was too busy.
    pub(super) overloads: u8,
}

/// What follows the end of an agent.
enum Next {
    HandIn,
    /// The same session continues.
    GoOn(String),
    /// Another agent starts from the same beginning.
    Anew,
}

/// The end of an agent, and whether an earlier kumite had started it.
struct Over {
    end: End,
    is_found: bool,
}

impl<'a> Attempt<'a> {
    pub(super) fn new(team: &'a AgentTeam, prompt: &'a str, turn: &'a Turn<'a>) -> Attempt<'a> {
        Attempt {
            team,
            prompt,
            turn,
            used: Used::default(),
            worked: Duration::ZERO,
            overloads: 0,
        }
    }

    pub(super) fn submit(mut self) -> Result<Handed, Missed> {
        let handed = self.work().and_then(|dir| self.hand_in(&dir));
        handed.map_err(|failed| Missed {
            failed,
            used: self.used,
        })
    }

    /// Works until an agent has finished; returns its directory.
    fn work(&mut self) -> Result<PathBuf, Failed> {
        let mut next = Next::Anew;
        for number in 1_u32.. {
            let dir = self.dir(number);
            let over = self.one(&dir, number, &next)?;
            self.count(&dir, &over.end);
            next = self.after(over, &next)?;
            if matches!(next, Next::HandIn) {
                return Ok(dir);
            }
        }
        Err(passing("no number is left for another agent".to_owned()))
    }

    fn dir(&self, number: u32) -> PathBuf {
        self.turn.dir.join(self.agent_name(number))
    }

    fn agent_name(&self, number: u32) -> String {
        match number {
            1 => format!("agent-{}", self.turn.attempt),
            _ => format!("agent-{}-{number}", self.turn.attempt),
        }
    }

    /// One agent to its end. If an earlier kumite started one, we wait for it.
    fn one(&mut self, dir: &Path, number: u32, next: &Next) -> Result<Over, Failed> {
        self.not_cancelled()?;
        let found = kumite_agents::adopt(dir).map_err(|error| passing(sentence(&error)))?;
        let (end, is_found) = match found {
            Adopted::Ended(end) => (end, true),
            Adopted::Running(handle) => (self.attend(&handle), true),
            Adopted::Lost => (Handle::of(dir).wait(), true),
            Adopted::Foreign(owner) => return Err(passing(format!("it has {owner}"))),
            Adopted::NeverStarted => {
                self.hold_back()?;
                (self.start(dir, number, next)?, false)
            }
        };
        Ok(Over { end, is_found })
    }

    fn start(&self, dir: &Path, number: u32, next: &Next) -> Result<End, Failed> {
        let timeout = self.time_left()?;
        let resume = match next {
            Next::GoOn(session) => Some(session.clone()),
            Next::Anew | Next::HandIn => {
                self.prepare().map_err(|error| passing(sentence(&error)))?;
                None
            }
        };
        let (kit, agent, turn) = (&self.team.kit, &self.team.settings, self.turn);
        let job = self.job(dir, number, resume, timeout);
        let job =
            job.map_err(|error| passing(format!("cannot write to {}: {error}", dir.display())))?;
        let driver = job::driver(&agent.kind, &kit.project, &kit.binary);
        let request = job.request(&driver, agent, &kit.settings);
        let launched = kit.launcher.launch(&kit.binary, dir, &request);
        let handle = launched.map_err(|error| passing(sentence(&error)))?;
        if !turn.cancel.is_cancelled() && !handle.ends_within(LOOK_EVERY) {
            kit.launcher.start_ahead(&kit.binary);
        }
        Ok(self.attend(&handle))
    }

    fn job(
        &self,
        dir: &Path,
        number: u32,
        resume: Option<String>,
        timeout: Duration,
    ) -> io::Result<Job> {
        let (kit, agent, turn) = (&self.team.kit, &self.team.settings, self.turn);
        fs::create_dir_all(dir)?;
        let prompt = match resume {
            Some(_) => GO_ON,
            None => self.prompt,
        };
        let name = self.agent_name(number);
        let id = format!("{}.{}.{}.{name}", turn.contest_id, turn.team_id, turn.round);
        let order = Order {
            prompt: prompt.to_owned(),
            session: uuid::Uuid::new_v4().to_string(),
            resume,
            spec: turn.contest_id.to_owned(),
            step: STEP.to_owned(),
            round: turn.round,
            prompt_file: job::prompt_file(&agent.kind, dir, prompt)?,
            cap_usd_micros: None,
        };
        Ok(Job {
            agent: id.clone(),
            order,
            workplace: self.team.worktree.place(),
            log: turn.dir.join(format!("{name}.log")),
            known: vec![
                ("KUMITE_CONTEST", turn.contest_id.to_owned()),
                ("KUMITE_TEAM", turn.team_id.to_owned()),
                ("KUMITE_ROUND", turn.round.to_string()),
                ("KUMITE_STEP", STEP.to_owned()),
                ("KUMITE_AGENT", id),
                ("KUMITE_PROJECT", kit.project.to_string_lossy().into_owned()),
            ],
            timeout,
        })
    }

    /// The same for every try of a round.
    fn prepare(&self) -> Result<(), worktree::Error> {
        match self.team.mode {
            Mode::Fresh => self.team.worktree.fresh(),
            Mode::Kept => self.team.worktree.kept(self.turn.dir),
        }
    }

    /// Waits for an agent; a cancel ends it and all that it started.
    fn attend(&self, handle: &Handle) -> End {
        let mut is_told = false;
        while !handle.ends_within(LOOK_EVERY) {
            if !is_told && self.turn.cancel.is_cancelled() {
                handle.stop();
                is_told = true;
            }
        }
        handle.wait()
    }

    fn count(&mut self, dir: &Path, end: &End) {
        let usage = end.ended.usage;
        self.used.add(Used {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            micros: usage.usd_micros,
            ..Used::default()
        });
        if let Some(started_at) = Handle::of(dir).started_at() {
            self.worked += Duration::from_millis(end.ended_at.saturating_sub(started_at));
        }
    }

    /// The time of a usage limit does not count. If no time is left, the try has timed out although
    /// the agent could go on.
    fn time_left(&self) -> Result<Duration, Failed> {
        let left = self.turn.timeout.saturating_sub(self.worked);
        // For a supervisor, 0 milliseconds means no limit.
        match left < Duration::from_millis(1) {
            true => Err(self.timed_out()),
            false => Ok(left),
        }
    }

    fn after(&mut self, over: Over, before: &Next) -> Result<Next, Failed> {
        let Over { end, is_found } = over;
        if end.ended.outcome != Outcome::Finished {
            self.not_cancelled()?;
        }
        let busy = std::mem::take(&mut self.overloads);
        let go_on = end.ended.session.map_or(Next::Anew, Next::GoOn);
        match end.ended.outcome {
            Outcome::Finished => Ok(Next::HandIn),
            Outcome::TimedOut => Err(self.timed_out()),
            Outcome::Limited(limit) => {
                self.overloads = busy;
                self.wait_out(&limit, is_found)?;
                Ok(go_on)
            }
            Outcome::SessionGone(_) if matches!(before, Next::GoOn(_)) => Ok(Next::Anew),
            // The cause that ended that kumite ended its agent too: the team is not at fault.
            Outcome::Lost(_) | Outcome::Killed if is_found => Ok(Next::Anew),
            Outcome::Failed(_) if is_found && end.signal.is_some() => Ok(Next::Anew),
            Outcome::Missing(why) | Outcome::OverBudget(why) => Err(failed(Failure::Lasting, why)),
            Outcome::Failed(why) | Outcome::Lost(why) | Outcome::SessionGone(why) => {
                let logs = self.turn.dir.display();
                Err(passing(format!("{why}; what it said is in {logs}")))
            }
            Outcome::Hung => {
                let silence = self.team.kit.settings.agent.silence_timeout;
                Err(passing(format!("it said nothing for {silence}")))
            }
            Outcome::Killed => Err(passing("somebody ended it".to_owned())),
        }
    }

    fn not_cancelled(&self) -> Result<(), Failed> {
        match self.turn.cancel.is_cancelled() {
            true => Err(cancelled()),
            false => Ok(()),
        }
    }

    fn timed_out(&self) -> Failed {
        let seconds = self.turn.timeout.as_secs_f64();
        let why = format!("the agent was not done after {seconds:.0} s");
        failed(Failure::TimedOut, why)
    }
}

pub(super) fn cancelled() -> Failed {
    passing("it was cancelled".to_owned())
}

pub(super) fn passing(why: String) -> Failed {
    failed(Failure::Passing, why)
}

pub(super) fn failed(failure: Failure, why: String) -> Failed {
    Failed {
        failure,
        why,
        retry_after_ms: None,
    }
}
