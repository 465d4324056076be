//! One agent of a try: launch, wait, and say how it ended. What that means is decided by the core
//! (`kumite_core::contest::Agents`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kumite_agents::{Adopted, Assignment, End, Handle};
use kumite_core::contest::{AgentEnd, Used};
use kumite_core::outcome::{Ended, Limit, LimitKind, Outcome, Usage};
use kumite_core::run::limit_until;
use kumite_formats::contest::Worktree as Mode;
use kumite_project::clock::{local_moment, now_ms};
use kumite_project::job::{self, GO_ON, Job};
use kumite_project::limits::{self, Account};
use kumite_project::program::of_earlier_kumite;
use kumite_project::spec_file::sentence;

use super::AgentTeam;
use crate::work::Try;

/// What an agent finds as `KUMITE_STEP`.
const STEP: &str = "contest";
/// How often a cancel is looked for while an agent works.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often the clock is looked at during a wait: it may jump.
const CLOCK_EVERY: Duration = Duration::from_millis(250);

/// One agent, and the try that it works for.
pub struct Attempt<'a> {
    pub team: &'a AgentTeam,
    pub prompt: &'a str,
    /// Its `timeout` is that of this agent.
    pub turn: &'a Try<'a>,
    /// Which agent of the try: they count from 1.
    pub number: u32,
}

impl Attempt<'_> {
    /// Works to the end of the agent. One that an earlier kumite started is waited for. A new one
    /// does not begin before `wake_ms`.
    pub fn work(&self, resume: Option<&str>, wake_ms: u64) -> AgentEnd {
        let over = match kumite_agents::adopt(&self.dir()) {
            Ok(Adopted::Ended(end)) => Ok(self.over(end, true)),
            Ok(Adopted::Running(handle)) => Ok(self.over(self.attend(&handle), true)),
            Ok(Adopted::Lost) => Ok(self.over(Handle::of(&self.dir()).wait(), true)),
            Ok(Adopted::NeverStarted) => self.begin(resume, wake_ms),
            Ok(Adopted::Foreign(owner)) => Err(format!("it has {owner}")),
            Err(error) => Err(sentence(&error)),
        };
        over.unwrap_or_else(|why| not_started(Outcome::Failed(why.clone()), why))
    }

    fn begin(&self, resume: Option<&str>, wake_ms: u64) -> Result<AgentEnd, String> {
        if self.is_cancelled_before(wake_ms) {
            return Ok(not_started(Outcome::Killed, "it was cancelled".to_owned()));
        }
        if let Some(held) = limits::held(&Account::of(&self.team.settings)) {
            let limit = Limit {
                kind: LimitKind::Held,
                until_ms: Some(held.until_ms),
                words: held.words,
            };
            let why = self.how(&Outcome::Limited(limit.clone()));
            return Ok(not_started(Outcome::Limited(limit), why));
        }
        let end = self.start(resume)?;
        Ok(self.over(end, false))
    }

    fn is_cancelled_before(&self, wake_ms: u64) -> bool {
        loop {
            let left = Duration::from_millis(wake_ms.saturating_sub(now_ms()));
            if self.turn.cancel.wait(left.min(CLOCK_EVERY)) || left.is_zero() {
                return self.turn.cancel.is_cancelled();
            }
        }
    }

    pub fn dir(&self) -> PathBuf {
        self.turn.dir.join(self.name())
    }

    fn name(&self) -> String {
        match self.number {
            1 => format!("agent-{}", self.turn.attempt),
            number => format!("agent-{}-{number}", self.turn.attempt),
        }
    }

    fn start(&self, resume: Option<&str>) -> Result<End, String> {
        if resume.is_none() {
            let prepared = match self.team.mode {
                Mode::Fresh => self.team.worktree.fresh(),
                Mode::Kept => self.team.worktree.kept(self.turn.dir),
            };
            prepared.map_err(|error| sentence(&error))?;
        }
        let (means, agent, dir) = (&self.team.means, &self.team.settings, self.dir());
        let job = self.job(&dir, resume);
        let job = job.map_err(|error| format!("cannot write to {}: {error}", dir.display()))?;
        let request = job.request(agent, &means.settings, &means.project, &means.binary);
        let launched = means.launcher.launch(&means.binary, &dir, &request);
        let handle = launched.map_err(|error| sentence(&error))?;
        if !self.turn.cancel.is_cancelled() && !handle.ends_within(LOOK_EVERY) {
            means.launcher.start_ahead(&means.binary);
        }
        Ok(self.attend(&handle))
    }

    fn job(&self, dir: &Path, resume: Option<&str>) -> io::Result<Job> {
        let (means, agent, turn) = (&self.team.means, &self.team.settings, self.turn);
        fs::create_dir_all(dir)?;
        let prompt = match resume {
            Some(_) => GO_ON,
            None => self.prompt,
        };
        let name = self.name();
        let id = format!("{}.{}.{}.{name}", turn.contest_id, turn.team_id, turn.round);
        let assignment = Assignment {
            prompt: prompt.to_owned(),
            session: uuid::Uuid::new_v4().to_string(),
            resume: resume.map(str::to_owned),
            spec: turn.contest_id.to_owned(),
            step: STEP.to_owned(),
            round: turn.round,
            prompt_file: job::prompt_file(&agent.kind, dir, prompt)?,
            cap_usd_micros: None,
        };
        Ok(Job {
            agent: id.clone(),
            assignment,
            workplace: self.team.worktree.place(),
            log: turn.dir.join(format!("{name}.log")),
            known: vec![
                ("KUMITE_CONTEST", turn.contest_id.to_owned()),
                ("KUMITE_TEAM", turn.team_id.to_owned()),
                ("KUMITE_ROUND", turn.round.to_string()),
                ("KUMITE_STEP", STEP.to_owned()),
                ("KUMITE_AGENT", id),
                (
                    "KUMITE_PROJECT",
                    means.project.to_string_lossy().into_owned(),
                ),
            ],
            timeout: turn.timeout,
        })
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

    fn over(&self, end: End, is_found: bool) -> AgentEnd {
        let started_at = Handle::of(&self.dir()).started_at();
        let worked_ms = started_at.map_or(0, |at| end.ended_at.saturating_sub(at));
        let why = self.how(&end.ended.outcome);
        AgentEnd {
            ended: match is_found {
                true => of_earlier_kumite(end),
                false => end.ended,
            },
            is_found,
            worked_ms,
            why,
        }
    }

    /// For a person: how it ended.
    fn how(&self, outcome: &Outcome) -> String {
        let settings = &self.team.means.settings;
        match outcome {
            Outcome::Finished | Outcome::TimedOut => String::new(),
            _ if self.turn.cancel.is_cancelled() => "it was cancelled".to_owned(),
            Outcome::Limited(limit) => {
                let until_ms = limit_until(limit, 1, &limits::rules(settings), now_ms());
                format!("limited until {}: {}", local_moment(until_ms), limit.words)
            }
            Outcome::Missing(why) | Outcome::OverBudget(why) => why.clone(),
            Outcome::Failed(why) | Outcome::Lost(why) | Outcome::SessionGone(why) => {
                format!("{why}; what it said is in {}", self.turn.dir.display())
            }
            Outcome::Hung => format!("it said nothing for {}", settings.agent.silence_timeout),
            Outcome::Killed => "somebody ended it".to_owned(),
        }
    }

    /// What all agents of this try used, up to this one.
    pub fn used(&self) -> Used {
        let mut used = Used::default();
        for number in 1..=self.number {
            let dir = Attempt { number, ..*self }.dir();
            if let Ok(Adopted::Ended(end)) = kumite_agents::adopt(&dir) {
                used.add(Used::of_agent(end.ended.usage));
            }
        }
        used
    }
}

/// No agent has worked.
fn not_started(outcome: Outcome, why: String) -> AgentEnd {
    AgentEnd {
        ended: Ended {
            outcome,
            session: None,
            usage: Usage::default(),
            last_words: String::new(),
        },
        is_found: false,
        worked_ms: 0,
        why,
    }
}
