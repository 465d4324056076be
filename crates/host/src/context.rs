//! One spec in the engine: its run, its journal, its agent (C1).

use std::fs;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use kumite_agents::{Adopted, Handle};
use kumite_core::effect::Effect;
use kumite_core::engine::{act, handle};
use kumite_core::facts::Look;
use kumite_core::journal::Event;
use kumite_core::place::PlaceLook;
use kumite_core::run::{Halt, Halted, Run, State};

use crate::beside::beside;
use crate::control::Reply;
use crate::launch::LaunchSettings;
use crate::look::LookAtPlace;
use crate::perform::{RunWorld, Shared, Time};
use kumite_project::evidence;
use kumite_project::journal::{self, Journal};
use kumite_project::limits::{self, Account};
use kumite_project::project::Spec;

/// How long a finished context stays (C6.1).
pub const LINGER: Duration = Duration::from_secs(2);

pub struct Context {
    pub spec: Spec,
    pub run: Run,
    pub launch_settings: LaunchSettings,
    journal: Journal,
    agent: Option<Arc<Handle>>,
    /// Since when nothing happens.
    pub at_rest_since: Option<Instant>,
    /// Clients that wait until it rests, and what they are told then.
    pub waiting: Vec<(Sender<Reply>, String)>,
    /// When an agent that was told to end is killed.
    pub force_at: Option<Instant>,
    /// The wait for a usage limit: when it should end, and since when this process has seen it.
    waits_since: Option<(u64, Instant)>,
}

impl Context {
    /// Opens a run, repairs what a crash left, and finds its agent again.
    pub fn open(
        spec: Spec,
        launch_settings: LaunchSettings,
        shared: &mut Shared,
    ) -> Result<(Context, Vec<String>), journal::Error> {
        let opened = Journal::<Run>::open(spec.run_dir())?;
        let mut news = Vec::new();
        if let Some(bytes) = opened.repaired {
            news.push(format!(
                "{}: the last journal entry was cut off ({bytes} bytes); it has been removed",
                spec.name
            ));
        }
        let mut context = Context {
            spec,
            run: opened.state,
            launch_settings,
            journal: opened.journal,
            agent: None,
            at_rest_since: None,
            waiting: Vec::new(),
            force_at: None,
            waits_since: None,
        };
        if let Some((entry, effects)) = opened.last {
            shared.clock.after(entry.at_ms);
            if !opened.acted {
                let time = match context.has_launched(&effects) {
                    true => Time::AgainNews,
                    false => Time::Again,
                };
                let (mut world, run) = context.world(shared, time);
                let trouble = act(&mut world, run, &entry, &effects);
                world.announce();
                if let Some(event) = trouble {
                    context.handle(event, shared)?;
                }
            }
            context.handle(Event::EngineStarted, shared)?;
        }
        if let Some(work) = context.run.work().cloned() {
            if !work.step.is_errand() {
                let settings = &context.launch_settings;
                shared.purse.hold(work.agent, work.step, settings);
            }
            if context.agent.is_none() {
                let (mut world, run) = context.world(shared, Time::First);
                world.adopt(run, work.agent);
                news.push(format!("{}: found its agent again", context.spec.name));
            }
        }
        context.remove_old_records();
        Ok((context, news))
    }

    /// A crash can happen between the end of an agent and the removal of its record. A running
    /// agent that the journal does not know (somebody moved the journal away) is ended.
    fn remove_old_records(&self) {
        let current = self.run.work().map(|work| self.spec.agent_dir(work.agent));
        for dir in self.spec.agent_dirs() {
            if Some(&dir) == current.as_ref() {
                continue;
            }
            match kumite_agents::adopt(&dir) {
                Ok(Adopted::Running(unknown)) => unknown.stop(),
                Ok(Adopted::Lost) => {
                    // The record tells how to find the processes that its supervisor could not end.
                    let _ = kumite_agents::conclude(&dir);
                    drop(fs::remove_dir_all(dir));
                }
                Ok(Adopted::Foreign(_)) => {}
                Ok(Adopted::Ended(_) | Adopted::NeverStarted) | Err(_) => {
                    drop(fs::remove_dir_all(dir))
                }
            }
        }
    }

    /// Whether the effects of an entry were carried out. An agent is started last, so nothing is
    /// repeated over what it wrote; only the news may be missing.
    fn has_launched(&self, effects: &[Effect]) -> bool {
        effects.iter().any(|effect| match effect {
            Effect::Launch(launch) => {
                let known = kumite_agents::adopt(&self.spec.agent_dir(launch.agent));
                !matches!(known, Ok(Adopted::NeverStarted) | Err(_))
            }
            _ => false,
        })
    }

    /// A person does not want to wait for the end of a usage limit.
    pub fn forget_limit(&self) {
        let step = match &self.run.state {
            State::Limited(wait) => wait.resume.step,
            State::Halted(halted) => halted.resume.step,
            _ => None,
        };
        if let Some(Ok(agent)) = step.map(|step| self.launch_settings.agent(step)) {
            limits::forget(&Account::of(agent));
        }
    }

    /// What the files say now, without a look at the place.
    pub fn files(&self) -> Look {
        evidence::look(&self.spec, &self.run, PlaceLook::None)
    }

    /// What the files and the place say now.
    pub fn look(&self) -> Look {
        let place = LookAtPlace::of(&self.spec, &self.run, &self.launch_settings);
        evidence::look(&self.spec, &self.run, place.look())
    }

    /// The current agent, or the last one.
    pub fn agent(&self) -> Option<Arc<Handle>> {
        self.agent.clone()
    }

    /// Handles one event: record, decide, act.
    pub fn handle(&mut self, event: Event, shared: &mut Shared) -> Result<(), journal::Error> {
        let (mut world, run) = self.world(shared, Time::First);
        let handled = handle(&mut world, run, event);
        world.announce();
        self.settle();
        if handled.is_ok() && self.run.is_at_rest() {
            self.journal.note_acted();
        }
        self.journal.note_snapshot(self.run.is_at_rest());
        handled
    }

    fn world<'a>(&'a mut self, shared: &'a mut Shared, time: Time) -> (RunWorld<'a>, &'a mut Run) {
        let world = RunWorld {
            spec: &self.spec,
            journal: &mut self.journal,
            launch_settings: &self.launch_settings,
            agent: &mut self.agent,
            shared,
            time,
            unsaid: Vec::new(),
        };
        (world, &mut self.run)
    }

    /// Notes whether the run rests now, and since when an agent is being ended.
    fn settle(&mut self) {
        if self.run.is_at_rest() {
            self.agent = None;
            self.at_rest_since.get_or_insert_with(Instant::now);
        } else {
            self.at_rest_since = None;
        }
        self.force_at = match &self.run.state {
            State::Stopping { .. } => self.force_at.or_else(|| {
                let grace = self.launch_settings.project.agent.term_grace.duration();
                Some(Instant::now() + grace + Duration::from_secs(5))
            }),
            _ => None,
        };
    }

    /// Kills an agent that did not end when told.
    pub fn force(&mut self) {
        self.force_at = None;
        if let Some(agent) = self.agent.clone() {
            // This may have to wait for the kernel; the other runs must not.
            beside("forcing", move || agent.force());
        }
    }

    /// A person is in a hurry: no grace.
    pub fn kill(&self) {
        if let Some(agent) = &self.agent {
            agent.kill();
        }
    }

    /// Ends the agent at once, and waits until it is gone, but not for ever.
    pub fn end_now(&self) {
        self.kill();
        let supervisor = self.agent.as_ref().and_then(|agent| agent.supervisor());
        let deadline = Instant::now() + Duration::from_secs(5);
        while supervisor.is_some_and(|it| it.is_alive()) && Instant::now() < deadline {
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }

    /// Whether a wait for a usage limit is over: by the clock, or by a time that never runs back.
    /// If the clock ran ahead when the wait began, its end is hours away once the clock is
    /// corrected.
    pub fn wait_is_over(&mut self, now: Instant, now_ms: u64) -> bool {
        let State::Limited(wait) = &self.run.state else {
            return false;
        };
        let since = match self.waits_since {
            Some((wake_ms, since)) if wake_ms == wait.wake_ms => since,
            Some(_) | None => now,
        };
        self.waits_since = Some((wait.wake_ms, since));
        let waited = now.duration_since(since);
        wait.wake_ms <= now_ms || waited >= Duration::from_millis(wait.longest_ms())
    }

    /// Whether it has nothing more to do here: a finished context after a moment, a stopped one at
    /// once; a failed one stays for a retry (C6).
    pub fn may_go(&self, now: Instant) -> bool {
        let Some(since) = self.at_rest_since else {
            return false;
        };
        match &self.run.state {
            State::Done(_) => now.duration_since(since) >= LINGER,
            State::Idle => true,
            State::Halted(Halted { why, .. }) => match why {
                Halt::Stopped(_) => true,
                Halt::Waiting(_)
                | Halt::DeployDoubted
                | Halt::Limited { .. }
                | Halt::Paused(_)
                | Halt::Failed(_) => false,
            },
            State::Queued { .. }
            | State::Working(_)
            | State::Finishing(_)
            | State::Stopping { .. }
            | State::Limited(_) => false,
        }
    }
}
