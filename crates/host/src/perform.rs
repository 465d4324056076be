//! Carries out the effects of a run in the real world.

use std::fs;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use kumite_agents::{Adopted, End, Handle, Launcher};
use kumite_core::change::Change;
use kumite_core::effect::{Effect, Launch, Limited, Settled};
use kumite_core::engine::{EffectKey, Trouble, World};
use kumite_core::journal::{AgentId, Entry, Event};
use kumite_core::outcome::{Ended, Limit, LimitKind, Outcome};
use kumite_core::place::PlaceLook;
use kumite_core::routing::Routing;
use kumite_core::run::Run;

use crate::checkout::Checkout;
use crate::engine::Message;
use crate::errand;
use crate::feed::Feed;
use crate::held::Held;
use crate::launch::{self, LaunchSettings};
use crate::look::LookAtPlace;
use crate::purse::Purse;
use kumite_project::announce::Announcement;
use kumite_project::clock::Clock;
use kumite_project::journal::{self, Journal};
use kumite_project::limits::{self, Account};
use kumite_project::notify::{Message as Told, Notifier};
use kumite_project::place;
use kumite_project::project::Spec;
use kumite_project::{crash, events_log, news, spec_file, wording};
use kumite_project::{program, variant};
use tracing::{debug, info};

/// What all runs of an engine share.
pub struct Shared {
    pub clock: Clock,
    pub feed: Feed,
    pub routing: Routing<Message>,
    pub inbox: Sender<Message>,
    pub notifier: Notifier,
    pub launcher: Launcher,
    pub purse: Purse,
    pub checkout: Checkout,
    /// Held for every supervisor whose agent has ended, until the supervisor itself is gone.
    pub leaving: Held,
}

/// Delay before background work (pre-starting a supervisor, pruning logs), so that it does not
/// compete with a starting agent.
const BUSY: Duration = Duration::from_millis(10);
/// How long supervisors may take to exit after the end of their agents.
const LEAVING_MAX: Duration = Duration::from_secs(1);

impl Shared {
    /// Tells everybody: the spec's events, the project's news, followers, the desktop and the
    /// webhook. News that cannot be stored is no reason to stop the work.
    pub fn announce(&mut self, spec: &Spec, key: EffectKey, said: &Announcement, again: bool) {
        if let Err(error) = events_log::append(spec, key, said, again) {
            let path = spec.events_file();
            tracing::warn!("cannot append to {}: {error}", path.display());
        }
        let name = news::key(&spec.name, key);
        let runtime = spec.runtime();
        if let Err(error) = news::append(&runtime, &name, said.to_news(), again) {
            let path = runtime.display();
            tracing::warn!("cannot append to the news in {path}: {error}");
        }
        info!(seq = key.seq, "{}", wording::sentence(&said.notice));
        self.feed.tell(said);
        if let Some(message) = Told::of(said) {
            self.notifier.tell(&message);
        }
    }

    /// No process of ours outlives a normal end.
    pub fn close(&mut self) {
        self.launcher.close();
        std::mem::take(&mut self.leaving).wait(LEAVING_MAX);
    }
}

/// What the effects of a run are carried out with: its own parts, and what all runs share.
pub struct RunWorld<'a> {
    pub spec: &'a Spec,
    pub journal: &'a mut Journal,
    pub launch_settings: &'a LaunchSettings,
    pub agent: &'a mut Option<Arc<Handle>>,
    pub shared: &'a mut Shared,
    pub time: Time,
    /// Announcements for later: the next agent starts first, because the run waits for it.
    pub unsaid: Vec<(EffectKey, Announcement, bool)>,
}

/// Whether effects may have been carried out before a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    First,
    Again,
    /// Everything was carried out, but perhaps not announced.
    AgainNews,
}

impl World<Run> for RunWorld<'_> {
    type Error = journal::Error;

    fn record(&mut self, run: &Run, event: Event) -> Result<Entry, journal::Error> {
        // Everything that follows is new, even after a repeated effect.
        self.time = Time::First;
        let entry = self.journal.append(event, self.shared.clock.stamp(), run)?;
        debug!(seq = entry.seq, event = %variant(&entry.event), "recorded");
        crash::point(format_args!("recorded {}", self.spec.name));
        Ok(entry)
    }

    fn perform(
        &mut self,
        run: &Run,
        key: EffectKey,
        entry: &Entry,
        effect: &Effect,
    ) -> Result<(), Trouble> {
        debug!(seq = key.seq, index = key.index, effect = %variant(effect), "acts");
        let again = self.time != Time::First;
        let done = match effect {
            Effect::Announce(notice) => {
                let notice = wording::addressed_notice(notice, &self.spec.name);
                let said = Announcement::new(self.spec, notice, entry.at_ms);
                self.unsaid.push((key, said, again));
                Ok(())
            }
            _ if self.time == Time::AgainNews => Ok(()),
            Effect::Save(changes) => self.save(changes, entry),
            Effect::Limit(limited) => {
                self.note_limit(limited);
                Ok(())
            }
            Effect::Launch(launch) => self.launch(run, launch),
            Effect::End(agent) => {
                self.end(run, *agent);
                Ok(())
            }
            Effect::Settle(settled) => {
                self.settle(settled, entry.at_ms, again);
                Ok(())
            }
            Effect::Leave => {
                self.leave();
                Ok(())
            }
            Effect::Keep { seq, commit } => {
                self.keep(*seq, commit);
                Ok(())
            }
        };
        crash::point(format_args!("acted {}", self.spec.name));
        done
    }
}

impl RunWorld<'_> {
    /// Announces what the effects that were carried out have to say, in their order.
    pub fn announce(&mut self) {
        for (key, said, again) in self.unsaid.drain(..) {
            self.shared.announce(self.spec, key, &said, again);
        }
    }

    fn save(&self, changes: &[Change], entry: &Entry) -> Result<(), Trouble> {
        let dir = self.spec.files_in(&self.spec.workplace());
        spec_file::save(&dir, changes, entry.at_ms).map_err(|error| Trouble::Save {
            changes: changes.to_vec(),
            why: spec_file::sentence(&error),
        })
    }

    /// Money that cannot be recorded is no reason to stop the work.
    fn settle(&mut self, settled: &Settled, at_ms: u64, again: bool) {
        let purse = &mut self.shared.purse;
        if let Err(error) = purse.settle(self.spec, self.launch_settings, settled, at_ms, again) {
            tracing::warn!("cannot append to {}: {error}", purse.path().display());
        }
    }

    /// A worktree that holds work which was not merged stays.
    fn leave(&self) {
        match place::remove(self.spec, false) {
            Ok(()) | Err(place::Refusal::None) => {}
            Err(refusal) => tracing::warn!("{}: its worktree stays: {refusal}", self.spec.name),
        }
    }

    /// A checkpoint that cannot be kept is no reason to stop the work: its content is in git
    /// already, and git keeps it for weeks.
    fn keep(&self, seq: u64, commit: &str) {
        if let Err(why) = place::keep(self.spec, seq, commit) {
            tracing::warn!("checkpoint {seq} cannot be kept: {why}");
        }
    }

    /// At most one process per agent id: an agent of an earlier kumite is taken over.
    fn launch(&mut self, run: &Run, launch: &Launch) -> Result<(), Trouble> {
        let taken = self.shared.checkout.take(&self.spec.name, run, launch.step);
        taken.map_err(|with| Trouble::Busy {
            agent: launch.agent,
            with,
        })?;
        let dir = self.spec.agent_dir(launch.agent);
        let handle = match kumite_agents::adopt(&dir) {
            Ok(Adopted::Running(_) | Adopted::Ended(_) | Adopted::Lost) => {
                self.adopt(run, launch.agent);
                return Ok(());
            }
            Ok(Adopted::Foreign(owner)) => {
                return Err(Trouble::Launch {
                    agent: launch.agent,
                    outcome: Outcome::Failed(owner.to_string()),
                    session: launch.resume.clone(),
                });
            }
            Ok(Adopted::NeverStarted) | Err(_) if launch.step.is_errand() => errand::start(
                self.spec,
                run,
                self.launch_settings,
                launch,
                &self.shared.launcher,
            ),
            Ok(Adopted::NeverStarted) | Err(_) => {
                self.hold_back(launch)?;
                let cap = self.pay_for(launch)?;
                launch::start(
                    self.spec,
                    run,
                    self.launch_settings,
                    launch,
                    cap,
                    &self.shared.launcher,
                )
            }
        };
        match handle {
            Ok(handle) => {
                let launcher = self.shared.launcher.clone();
                let (agent, logs) = (launch.agent, self.spec.logs());
                let max_total = self.launch_settings.project.log.max_total.bytes();
                let meanwhile = move || {
                    launch::start_ahead(&launcher);
                    // Old logs that stay are no reason to stop the work.
                    let _ = kumite_agents::prune(&logs, max_total, &[agent]);
                };
                info!(agent = %launch.agent, step = launch.step.name(), "agent started");
                let place = self.place_of(run);
                self.attend(
                    launch.agent,
                    Arc::new(handle),
                    meanwhile,
                    |end| end.ended,
                    place,
                );
                Ok(())
            }
            Err(error) => {
                // It contains nothing that could be adopted.
                let _ = fs::remove_dir_all(dir);
                self.shared.purse.leave(launch.agent);
                Err(Trouble::Launch {
                    agent: launch.agent,
                    // The program is not at fault: the machine has no room for it.
                    outcome: Outcome::Failed(format!(
                        "it could not be started: {}",
                        spec_file::sentence(&error)
                    )),
                    session: launch.resume.clone(),
                })
            }
        }
    }

    /// No agent is started if its account is known to be limited.
    fn hold_back(&self, launch: &Launch) -> Result<(), Trouble> {
        let agent = self.launch_settings.agent(launch.step).ok();
        match agent.and_then(|agent| limits::held(&Account::of(agent))) {
            None => Ok(()),
            Some(held) => Err(Trouble::Launch {
                agent: launch.agent,
                outcome: Outcome::Limited(Limit {
                    kind: LimitKind::Held,
                    until_ms: Some(held.until_ms),
                    words: held.words,
                }),
                session: launch.resume.clone(),
            }),
        }
    }

    /// No agent is started once a budget is reached. Returns the most it may spend.
    fn pay_for(&mut self, launch: &Launch) -> Result<Option<u64>, Trouble> {
        let granted = self.shared.purse.admit(launch, self.launch_settings);
        granted.map_err(|refused| Trouble::Launch {
            agent: launch.agent,
            outcome: Outcome::OverBudget(refused.0),
            session: launch.resume.clone(),
        })
    }

    fn note_limit(&self, limited: &Limited) {
        let Ok(agent) = self.launch_settings.agent(limited.step) else {
            return;
        };
        let noted = limits::note(&Account::of(agent), limited.until_ms, &limited.words);
        if let Err(error) = noted {
            // This run waits nevertheless; the others will find out by themselves.
            let why = spec_file::sentence(&error);
            tracing::warn!("other runs cannot be told about the usage limit: {why}");
        }
    }

    /// Finds the agent that works according to the journal, after a crash.
    pub fn adopt(&mut self, run: &Run, agent: AgentId) {
        let dir = self.spec.agent_dir(agent);
        let handle = match kumite_agents::adopt(&dir) {
            Ok(Adopted::Running(handle)) => handle,
            _ => Handle::of(&dir),
        };
        let place = self.place_of(run);
        self.attend(
            agent,
            Arc::new(handle),
            || {},
            program::of_earlier_kumite,
            place,
        );
    }

    fn place_of(&self, run: &Run) -> LookAtPlace {
        LookAtPlace::of(self.spec, run, self.launch_settings)
    }

    /// Waits for the agent in a separate thread. It is registered before its first message.
    fn attend(
        &mut self,
        agent: AgentId,
        handle: Arc<Handle>,
        meanwhile: impl FnOnce() + Send + 'static,
        ended: fn(End) -> Ended,
        place: LookAtPlace,
    ) {
        for early in self.shared.routing.register(agent, &self.spec.name) {
            let _ = self.shared.inbox.send(early);
        }
        *self.agent = Some(Arc::clone(&handle));
        let inbox = self.shared.inbox.clone();
        let leaving = self.shared.leaving.grip();
        let wait = move || {
            if !handle.ends_within(BUSY) {
                meanwhile();
            }
            let end = handle.wait_for_end();
            let _leaving = leaving.hold();
            let _ = inbox.send(Message::AgentEnded {
                agent,
                ended: ended(end),
                place: place.look(),
            });
            handle.wait_for_supervisor();
            handle.let_go();
        };
        let builder = thread::Builder::new().stack_size(128 * 1024);
        if let Err(error) = builder.name(agent.to_string()).spawn(wait) {
            let _ = self.shared.inbox.send(Message::AgentEnded {
                agent,
                ended: Ended {
                    outcome: Outcome::Lost(format!("no thread to wait for it: {error}")),
                    session: None,
                    usage: Default::default(),
                    last_words: String::new(),
                },
                place: PlaceLook::None,
            });
        }
    }

    fn end(&mut self, run: &Run, agent: AgentId) {
        if self.agent.is_none() {
            self.adopt(run, agent);
        }
        if let Some(handle) = self.agent.as_ref() {
            handle.stop();
        }
    }
}
