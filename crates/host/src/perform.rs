//! Carries effects out: the real world behind the core's decisions.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

use kumite_agents::{Adopted, Handle};
use kumite_core::change::Change;
use kumite_core::effect::{Effect, Launch};
use kumite_core::engine::{EffectKey, Trouble, World};
use kumite_core::journal::{AgentId, Entry, Event};
use kumite_core::notice::Notice;
use kumite_core::outcome::Outcome;
use kumite_core::routing::Routing;
use kumite_core::run::Run;

use crate::announce::{Announcement, Feed};
use crate::clock::Clock;
use crate::engine::Message;
use crate::journal::{self, Journal};
use crate::launch::{self, Kit};
use crate::notify::Notifier;
use crate::project::Spec;
use crate::{events_log, spec_file};

/// What all runs of an engine share.
pub struct Shared {
    pub clock: Clock,
    pub feed: Feed,
    pub routing: Routing<Message>,
    pub inbox: Sender<Message>,
    pub notifier: Notifier,
}

/// One run at work: its own things, and what it shares.
pub struct Desk<'a> {
    pub spec: &'a Spec,
    pub journal: &'a mut Journal,
    pub kit: &'a Kit,
    pub agent: &'a mut Option<Arc<Handle>>,
    pub shared: &'a mut Shared,
    /// These effects may have been carried out before a crash.
    pub again: bool,
}

impl World for Desk<'_> {
    type Error = journal::Error;

    fn record(&mut self, run: &Run, event: Event) -> Result<Entry, journal::Error> {
        // Whatever follows is new, even behind an effect that is carried out again.
        self.again = false;
        let entry = self.journal.append(event, self.shared.clock.stamp(), run)?;
        crash_point("record");
        Ok(entry)
    }

    fn perform(&mut self, key: EffectKey, entry: &Entry, effect: &Effect) -> Result<(), Trouble> {
        let done = match effect {
            Effect::Save(changes) => self.save(changes, entry),
            Effect::Announce(notice) => {
                self.announce(key, notice, entry.at_ms);
                Ok(())
            }
            Effect::Launch(launch) => self.launch(launch),
            Effect::End(agent) => {
                self.end(*agent);
                Ok(())
            }
        };
        crash_point("act");
        done
    }
}

impl Desk<'_> {
    fn save(&self, changes: &[Change], entry: &Entry) -> Result<(), Trouble> {
        let dir = self.spec.files_in(&self.spec.workplace());
        spec_file::save(&dir, changes, entry.at_ms).map_err(|error| Trouble::Save {
            changes: changes.to_vec(),
            why: spec_file::sentence(&error),
        })
    }

    fn announce(&mut self, key: EffectKey, notice: &Notice, at_ms: u64) {
        let announcement = Announcement {
            at_ms,
            spec: self.spec.name.clone(),
            notice: notice.clone(),
        };
        // News that cannot be kept is no reason to stop the work.
        if let Err(error) = events_log::append(self.spec, key, &announcement, self.again) {
            eprintln!(
                "kumite: cannot append to {}: {error}",
                self.spec.events_file().display()
            );
        }
        self.shared.feed.tell(&announcement);
        self.shared.notifier.tell(&announcement);
    }

    /// At most one process per agent id: what an earlier kumite started is taken over.
    fn launch(&mut self, order: &Launch) -> Result<(), Trouble> {
        let dir = self.spec.agent_dir(order.agent);
        let handle = match kumite_agents::adopt(&dir) {
            Ok(Adopted::Running(handle)) => Ok(handle),
            Ok(Adopted::Ended(_) | Adopted::Lost) => Ok(Handle::of(&dir)),
            Ok(Adopted::NeverStarted) | Err(_) => launch::start(self.spec, self.kit, order),
        };
        match handle {
            Ok(handle) => {
                self.attend(order.agent, Arc::new(handle));
                Ok(())
            }
            Err(error) => Err(Trouble::Launch {
                agent: order.agent,
                outcome: Outcome::Missing(spec_file::sentence(&error)),
            }),
        }
    }

    /// Finds the agent that the journal says is working, after a crash.
    pub fn adopt(&mut self, agent: AgentId) {
        let dir = self.spec.agent_dir(agent);
        let handle = match kumite_agents::adopt(&dir) {
            Ok(Adopted::Running(handle)) => handle,
            _ => Handle::of(&dir),
        };
        self.attend(agent, Arc::new(handle));
    }

    /// Waits for the agent in a thread of its own. It is registered before its first word.
    fn attend(&mut self, agent: AgentId, handle: Arc<Handle>) {
        for early in self.shared.routing.register(agent, &self.spec.name) {
            let _ = self.shared.inbox.send(early);
        }
        *self.agent = Some(Arc::clone(&handle));
        let inbox = self.shared.inbox.clone();
        let wait = move || {
            let end = handle.wait();
            let _ = inbox.send(Message::AgentEnded {
                agent,
                ended: end.ended,
            });
        };
        let builder = thread::Builder::new().stack_size(128 * 1024);
        if let Err(error) = builder.name(agent.to_string()).spawn(wait) {
            let _ = self.shared.inbox.send(Message::AgentEnded {
                agent,
                ended: kumite_core::outcome::Ended {
                    outcome: Outcome::Lost(format!("no thread to wait for it: {error}")),
                    session: None,
                    usage: Default::default(),
                },
            });
        }
    }

    fn end(&mut self, agent: AgentId) {
        if self.agent.is_none() {
            self.adopt(agent);
        }
        if let Some(handle) = self.agent.as_ref() {
            handle.stop();
        }
    }
}

/// For the test that kills kumite at every point: dies when the n-th one is reached.
/// The variable is read once; without it this is one comparison.
pub fn crash_point(_what: &str) {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    static AT: OnceLock<u64> = OnceLock::new();
    static SEEN: AtomicU64 = AtomicU64::new(0);
    let at = *AT.get_or_init(|| {
        let value = std::env::var("KUMITE_CRASH_AT").ok();
        value.and_then(|value| value.parse().ok()).unwrap_or(0)
    });
    if at != 0 && SEEN.fetch_add(1, Ordering::Relaxed) + 1 == at {
        let me = rustix::process::getpid();
        let _ = rustix::process::kill_process(me, rustix::process::Signal::KILL);
    }
}
