//! A team of one agent: any program of the settings, in a git worktree of its own.
//!
//! A try is an agent's directory in the directory of the round, `agent-<attempt>`. Where an agent
//! may not work for now, it goes on later in `agent-<attempt>-2`, and so on. All that is known of a
//! try lies there, so that a contest which is resumed finds the agent that works for it, or how it
//! ended.

mod limit;
mod place;
mod submission;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kumite_agents::{Adopted, End, Handle, Launcher, Order};
use kumite_core::contest::{Failed, Failure, Used};
use kumite_core::outcome::Outcome;
use kumite_formats::contest::{Agent, Source, Worktree as Mode};
use kumite_formats::settings::{AgentKind, AgentSettings, Settings};
use kumite_host::job::{self, GO_ON, Job};
use kumite_host::project::contest_agents;
use kumite_host::settings;
use kumite_host::spec_file::sentence;

use crate::work::{Handed, Missed, Team, Turn};
use crate::worktree::{Repository, Worktree};

/// What all agent teams of a contest share.
#[derive(Clone, Debug)]
pub struct Kit {
    pub settings: Arc<Settings>,
    pub project: PathBuf,
    pub repository: Repository,
    /// The commit that the contest began with.
    pub base: String,
    pub launcher: Launcher,
    /// kumite itself, which agents are started under.
    pub binary: PathBuf,
}

pub struct AgentTeam {
    kit: Arc<Kit>,
    /// Its name in the settings.
    name: String,
    settings: AgentSettings,
    source: Source,
    mode: Mode,
    worktree: Worktree,
}

/// What an agent finds as `KUMITE_STEP`.
const STEP: &str = "contest";
/// How often a cancel is looked for while an agent works.
const LOOK_EVERY: Duration = Duration::from_millis(50);

impl AgentTeam {
    /// `root` is where its worktree is, or will be.
    pub fn new(kit: Arc<Kit>, plan: &Agent, root: PathBuf) -> Result<AgentTeam, settings::Error> {
        let mut agent = settings::agent(&kit.settings, &plan.agent)?.clone();
        anchor(&mut agent.kind, &kit.project);
        Ok(AgentTeam {
            name: plan.agent.clone(),
            settings: agent,
            source: plan.submission.clone(),
            mode: plan.worktree,
            worktree: Worktree::new(kit.repository.clone(), root, kit.base.clone()),
            kit,
        })
    }
}

/// A path in the settings starts from the project; the team's copy of that program is the team's.
fn anchor(kind: &mut AgentKind, project: &Path) {
    let program = match kind {
        AgentKind::Program { program, .. } => Some(program),
        AgentKind::Acp { command } | AgentKind::Command { command, .. } => command.first_mut(),
        AgentKind::Scripted { .. } => None,
    };
    if let Some(program) = program.filter(|program| program.contains('/')) {
        *program = project.join(&*program).to_string_lossy().into_owned();
    }
}

impl Team for AgentTeam {
    fn submit(&self, prompt: &str, turn: &Turn<'_>) -> Result<Handed, Missed> {
        let mut attempt = Attempt {
            team: self,
            prompt,
            turn,
            used: Used::default(),
            worked: Duration::ZERO,
            overloads: 0,
        };
        let handed = attempt.work().and_then(|dir| attempt.hand_in(&dir));
        handed.map_err(|failed| Missed {
            failed,
            used: attempt.used,
        })
    }

    fn place(&self) -> Option<PathBuf> {
        Some(self.worktree.place())
    }
}

/// One try, with all the agents that it takes.
struct Attempt<'a> {
    team: &'a AgentTeam,
    prompt: &'a str,
    turn: &'a Turn<'a>,
    used: Used,
    /// By all agents of this try.
    worked: Duration,
    /// How often in a row the service was too busy.
    overloads: u8,
}

/// What follows the end of an agent.
enum Next {
    HandIn,
    /// The same session goes on.
    GoOn(String),
    /// Another agent begins where this one began.
    Anew,
}

/// The end of an agent, and whether an earlier kumite had started it.
struct Over {
    end: End,
    is_found: bool,
}

impl Attempt<'_> {
    /// Until an agent has finished: its directory.
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

    /// One agent to its end. One that an earlier kumite started is waited for.
    fn one(&mut self, dir: &Path, number: u32, next: &Next) -> Result<Over, Failed> {
        self.not_cancelled()?;
        let found = kumite_agents::adopt(dir).map_err(|error| passing(sentence(&error)))?;
        let (end, is_found) = match found {
            Adopted::Ended(end) => (end, true),
            Adopted::Running(handle) => (self.attend(&handle), true),
            Adopted::Lost => (Handle::of(dir).wait(), true),
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
    ) -> std::io::Result<Job> {
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
    fn prepare(&self) -> Result<(), crate::worktree::Error> {
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

    /// What a usage limit took is not counted. None is left: it could go on now, and may not.
    fn time_left(&self) -> Result<Duration, Failed> {
        let left = self.turn.timeout.saturating_sub(self.worked);
        // To a supervisor, no milliseconds are no limit.
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
            // What ended that kumite ended its agent, too: that is no fault of the team.
            Outcome::Lost(_) | Outcome::Killed if is_found => Ok(Next::Anew),
            Outcome::Failed(_) if is_found && end.signal.is_some() => Ok(Next::Anew),
            Outcome::Missing(why) | Outcome::OverBudget(why) => Err(failed(Failure::Lasting, why)),
            Outcome::Failed(why) | Outcome::Lost(why) | Outcome::SessionGone(why) => {
                Err(passing(why))
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
        let why = format!("it was not done after {seconds:.0} s");
        failed(Failure::TimedOut, why)
    }
}

/// Ends whoever still works for a contest that nobody plays. They are gone when it returns.
pub fn end_all(contest_dir: &Path) {
    let dirs = contest_agents(contest_dir).into_iter();
    let handles = dirs.filter_map(|dir| match kumite_agents::adopt(&dir) {
        Ok(Adopted::Running(handle)) => Some(handle),
        Ok(Adopted::Lost) => Some(Handle::of(&dir)),
        Ok(Adopted::Ended(_) | Adopted::NeverStarted) | Err(_) => None,
    });
    let handles: Vec<Handle> = handles.collect();
    // All are told before the first one is waited for.
    handles.iter().for_each(Handle::stop);
    for handle in handles {
        handle.wait();
    }
}

fn cancelled() -> Failed {
    passing("it was cancelled".to_owned())
}

fn passing(why: String) -> Failed {
    failed(Failure::Passing, why)
}

fn failed(failure: Failure, why: String) -> Failed {
    Failed {
        failure,
        why,
        retry_after_ms: None,
    }
}
