//! The loop of a project: one thread that owns all runs, and an inbox.

mod giving_up;
mod leaving;
mod recovery;
mod slots;

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use kumite_agents::Launcher;
use kumite_core::journal::{AgentId, Event};
use kumite_core::outcome::Ended;
use kumite_core::place::PlaceLook;
use kumite_core::pool::Pool;
use kumite_core::routing::{Routed, Routing};

use crate::checkout::Checkout;
use crate::contests::Hosted;
use crate::context::Context;
use crate::control::{self, Reply, Request};
use crate::feed::Feed;
use crate::held::Held;
use crate::launch::LaunchSettings;
use crate::perform::Shared;
use crate::purse::{self, Purse};
use crate::requests;
use kumite_project::clock::{Clock, now_ms};
use kumite_project::journal;
use kumite_project::lock::Lock;
use kumite_project::notify::Notifier;
use kumite_project::project::Project;
use kumite_project::settings::Loader;
use kumite_project::{crash, evidence, queue, spec_file};
use tracing::{info, info_span, warn};

pub(crate) use leaving::Ending;
pub use leaving::Left;

/// What the loop receives.
#[derive(Debug)]
pub enum Message {
    AgentEnded {
        agent: AgentId,
        ended: Ended,
        /// What its place had then.
        place: PlaceLook,
    },
    Request {
        request: Request,
        reply: Sender<Reply>,
    },
    /// An answer in a contest.
    Contest {
        contest: String,
        message: kumite_contest::Message,
    },
    /// The process was told to end: stop everything, then end.
    Interrupt,
    /// The same, but runs that other processes asked for go on in another engine.
    Leave,
    /// It was told so twice: no grace.
    Kill,
}

/// When the loop ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// As soon as nothing runs and nobody waits.
    AtRest,
    /// After nothing has run for this long.
    Quiet(Duration),
    /// When it is told to.
    Told,
    /// As soon as its one request is answered; a running agent is left running.
    Answered,
}

pub struct Engine {
    pub(crate) project: Project,
    pub(crate) loader: Loader,
    pub(crate) contexts: BTreeMap<String, Context>,
    pub(crate) contests: BTreeMap<String, Hosted>,
    /// Contests that the next engine goes on with.
    pub(crate) left_contests: Vec<String>,
    pub(crate) pool: Pool,
    pub(crate) shared: Shared,
    messages: Receiver<Message>,
    until: Until,
    pub(crate) ending: Ending,
    /// The process that asked for a spec; None: one that does not wait for it.
    pub(crate) owners: BTreeMap<String, Option<u32>>,
    /// The agents that an earlier engine was asked to use instead of the settings.
    pub agents: BTreeMap<String, String>,
    pub(crate) asked: bool,
    quiet_since: Instant,
    shown: queue::Shown,
    control: Option<control::Open>,
    /// None: it only plays contests that are their own.
    lock: Option<Lock>,
}

impl Engine {
    /// The lock guarantees that there is no other engine in this project.
    pub fn new(project: Project, lock: Lock, loader: Loader, until: Until) -> Engine {
        Engine::with(project, Some(lock), loader, until)
    }

    pub(crate) fn with(
        project: Project,
        lock: Option<Lock>,
        loader: Loader,
        until: Until,
    ) -> Engine {
        let (inbox, messages) = mpsc::channel();
        let settings = &loader.loaded.settings;
        let pool = Pool::new(settings.run.jobs as usize);
        let notifier = Notifier::new(&settings.notify, &project.runtime());
        let launcher = Launcher::new(project.runtime());
        let purse = Purse::of(&project);
        let shown = queue::Shown::new(&project.runtime());
        Engine {
            project,
            loader,
            contexts: BTreeMap::new(),
            contests: BTreeMap::new(),
            left_contests: Vec::new(),
            pool,
            shared: Shared {
                clock: Clock::default(),
                feed: Feed::default(),
                routing: Routing::default(),
                inbox,
                notifier,
                launcher,
                purse,
                checkout: Checkout::default(),
                leaving: Held::default(),
            },
            messages,
            until,
            ending: Ending::No,
            owners: BTreeMap::new(),
            agents: BTreeMap::new(),
            asked: false,
            quiet_since: Instant::now(),
            shown,
            control: None,
            lock,
        }
    }

    pub fn inbox(&self) -> Sender<Message> {
        self.shared.inbox.clone()
    }

    /// Accepts requests from other processes.
    pub fn listen(&mut self) -> std::io::Result<()> {
        let new = control::listen(&self.project, self.inbox())?;
        if let Some(old) = self.control.replace(new) {
            old.stop_listening();
        }
        Ok(())
    }

    /// Works until it may end, and returns what goes on without it.
    pub fn run(&mut self) -> Vec<Left> {
        let root = self.project.root().display().to_string();
        let _span = info_span!("project", root).entered();
        info!(pid = std::process::id(), "the engine works");
        let left = self.work();
        info!("the engine ends");
        left
    }

    fn work(&mut self) -> Vec<Left> {
        loop {
            let message = match self.messages.recv_timeout(self.patience()) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                // The engine itself holds a sender, so this cannot happen.
                Err(RecvTimeoutError::Disconnected) => return Vec::new(),
            };
            if self.lock.as_ref().is_some_and(|lock| !lock.is_ours()) {
                self.abandon();
                return Vec::new();
            }
            let more: Vec<Message> = self.messages.try_iter().collect();
            let messages = message.into_iter().chain(more);
            messages.for_each(|message| self.take(message));
            self.play_contests();
            self.tick();
            if self.lock.is_some() {
                self.shown.show(&self.pool);
            }
            if self.may_end() {
                if self.lock.is_some() {
                    control::unlink(&self.project);
                }
                self.shared.close();
                return match self.until {
                    // An engine for a single request does not wait for running agents.
                    Until::Answered => Vec::new(),
                    Until::AtRest | Until::Quiet(_) | Until::Told => self.left(),
                };
            }
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::AgentEnded { agent, .. } => {
                match self.shared.routing.route(agent, message, now_ms()) {
                    Routed::To(
                        spec,
                        Message::AgentEnded {
                            agent,
                            ended,
                            place,
                        },
                    ) => {
                        self.agent_ended(&spec, agent, ended, place);
                    }
                    Routed::To(..) | Routed::Kept => {}
                }
            }
            Message::Request { request, reply } => {
                self.asked = true;
                requests::answer(self, request, reply);
            }
            Message::Contest { contest, message } => {
                if let Some(hosted) = self.contests.get_mut(&contest) {
                    hosted.said.push(message);
                }
            }
            Message::Interrupt => self.interrupt(Ending::All),
            Message::Leave => self.interrupt(Ending::Own { said: false }),
            Message::Kill => self.kill(),
        }
    }

    fn agent_ended(&mut self, name: &str, agent: AgentId, mut ended: Ended, place: PlaceLook) {
        self.shared.routing.forget(agent);
        info!(spec = name, %agent, outcome = ?ended.outcome, "agent ended");
        let Some(context) = self.contexts.get_mut(name) else {
            return;
        };
        purse::explain(&mut ended, &context.launch_settings.project);
        let look = evidence::look(&context.spec, &context.run, place);
        let dir = context.spec.agent_dir(agent);
        let handle = context.agent().filter(|handle| handle.dir() == dir);
        crash::point(format_args!("ended {name}"));
        let recorded = self.handle(name, Event::AgentEnded { agent, ended, look });
        if recorded.is_ok() {
            crash::point(format_args!("known {name}"));
            // The end is in the journal now.
            handle.iter().for_each(|handle| {
                handle.release();
                handle.let_go();
            });
        }
    }

    /// Handles an event of a run, and gives its slot to the next run if it rests afterwards.
    pub(crate) fn handle(&mut self, name: &str, event: Event) -> Result<(), journal::Error> {
        let Some(context) = self.contexts.get_mut(name) else {
            return Ok(());
        };
        let ends_work = matches!(
            event,
            Event::AgentEnded { .. } | Event::StopRequested { .. }
        );
        let works_on = context.run.work().is_some() && !ends_work;
        let _span = info_span!("run", spec = name, run = context.run.number).entered();
        let handled = context.handle(event, &mut self.shared);
        match &handled {
            Err(error) if works_on => say(&format!("{name}: {}", spec_file::sentence(error))),
            Err(error) => self.give_up(name, error),
            Ok(()) => {}
        }
        self.hand_slots_on(name);
        handled
    }

    /// Opens the context of a spec if it is not open.
    pub(crate) fn open(&mut self, name: &str) -> Result<(), requests::Error> {
        if self.contexts.contains_key(name) {
            return Ok(());
        }
        let spec = self.project.spec(&name.parse()?)?;
        if let Some(owner) = spec.foreign_agent() {
            let spec = name.to_owned();
            return Err(requests::Error::Foreign { spec, owner });
        }
        let agent = self.agents.get(name).cloned();
        let launch_settings = LaunchSettings::new(self.loader.loaded.settings.clone(), agent);
        let (context, news) = Context::open(spec, launch_settings, &mut self.shared)?;
        news.iter().for_each(|news| say(news));
        if context.run.holds_slot() {
            self.pool.occupy(name);
        }
        self.contexts.insert(name.to_owned(), context);
        Ok(())
    }

    /// Regular work: agents that do not end, contexts that may be closed, events that nobody
    /// claims.
    fn tick(&mut self) {
        let now = Instant::now();
        for context in self.contexts.values_mut() {
            if context.force_at.is_some_and(|at| now >= at) {
                context.force();
            }
        }
        let now_ms = now_ms();
        let contexts = self.contexts.iter_mut();
        let awake = contexts.filter_map(|(name, context)| {
            let is_over = context.wait_is_over(now, now_ms);
            is_over.then(|| name.clone())
        });
        let awake: Vec<String> = awake.collect();
        awake.iter().for_each(|name| self.wake(name));
        self.contexts.retain(|_, context| !context.may_go(now));
        for agent in self.shared.routing.expire(now_ms) {
            say(&format!(
                "an event of {agent}, which nobody knows, was dropped"
            ));
        }
        if self.is_busy() {
            self.quiet_since = now;
        }
        if self.control.is_some() && !control::is_there(&self.project) {
            // Somebody removed the socket: without it nobody could stop anything.
            if let Err(error) = self.listen() {
                say(&format!("cannot listen for requests: {error}"));
            }
        }
    }

    /// Whether an answered question lets a run go on: not in a process that only answers.
    pub(crate) fn goes_on_by_itself(&self) -> bool {
        self.until != Until::Answered
    }

    /// Forces a clean-up of everything at rest (C6.5).
    pub fn clean_up(&mut self) {
        self.contexts.retain(|_, context| !context.run.is_at_rest());
    }

    pub fn context_count(&self) -> usize {
        self.contexts.len()
    }
}

/// News about the engine itself, for the person who started it.
pub(crate) fn say(news: &str) {
    warn!("{news}");
}

#[cfg(test)]
mod tests;
