//! A running agent as kumite holds it: one thread waits for it, another may stop it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kumite_core::outcome::{Ended, Outcome, Usage};
use rustix::process::Signal;

use crate::adopt::{Adopted, adopt, supervisor};
use crate::conclude::conclude_as;
use crate::contain::Remains;
use crate::files::{self, Error, RECORD};
use crate::process::{Identity, Process};
use crate::request::{End, Record};
use crate::supervisor_socket::SupervisorSocket;

#[derive(Debug)]
pub struct Handle {
    dir: PathBuf,
    /// The supervisor that we started or found. It may not be the one that has the directory: see
    /// [`Handle::current`].
    first: Option<Process>,
    /// We asked it to end, so an end without a message is no surprise.
    told: AtomicBool,
    record: OnceLock<Record>,
    /// The socket to the supervisor that we started.
    socket: Option<SupervisorSocket>,
    /// One of the two that need the directory has let go of it.
    let_go: AtomicBool,
}

impl Handle {
    pub(crate) fn new(dir: PathBuf, first: Option<Process>) -> Handle {
        Handle {
            dir,
            first,
            told: AtomicBool::new(false),
            record: OnceLock::new(),
            socket: None,
            let_go: AtomicBool::new(false),
        }
    }

    pub(crate) fn with_socket(
        dir: PathBuf,
        first: Option<Process>,
        socket: SupervisorSocket,
    ) -> Handle {
        Handle {
            socket: Some(socket),
            ..Handle::new(dir, first)
        }
    }

    /// A handle on an agent's directory, whatever the state of the agent: [`Handle::wait`] reports
    /// it.
    pub fn of(dir: &Path) -> Handle {
        Handle::new(dir.to_owned(), None)
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Blocks until the agent, all that it started and its supervisor are gone, and its end is on
    /// the disk.
    pub fn wait(&self) -> End {
        let end = self.wait_for_end();
        if let Some(socket) = &self.socket {
            socket.hang_up();
        }
        self.wait_for_supervisor();
        end
    }

    /// Blocks until the agent and all that it started are gone. Its end is not on the disk yet: its
    /// supervisor waits for [`Handle::release`], or writes it itself.
    pub fn wait_for_end(&self) -> End {
        if let Some(process) = &self.first {
            process.wait_or(self.socket.as_ref(), None);
        }
        loop {
            match adopt(&self.dir) {
                Ok(Adopted::Ended(end)) => return end,
                // Our supervisor was second: an earlier kumite's supervisor has the directory.
                Ok(Adopted::Running(other)) => self.follow(&other),
                Ok(Adopted::Lost | Adopted::NeverStarted) => {
                    match conclude_as(&self.dir, self.told.load(Ordering::Acquire)) {
                        Ok(end) => return end,
                        // A supervisor that has the lock but no claim yet: a matter of
                        // microseconds.
                        Err(Error::Busy { .. }) => std::thread::sleep(Duration::from_millis(1)),
                        Err(error) => return unknown(&error),
                    }
                }
                Ok(Adopted::Foreign(owner)) => return lost(&owner.to_string()),
                Err(error) => return unknown(&error),
            }
        }
    }

    /// Whether the agent that we started ends within `limit`. Blocks until that is known.
    pub fn ends_within(&self, limit: Duration) -> bool {
        let first = self.first.as_ref();
        first.is_none_or(|process| process.wait_or(self.socket.as_ref(), Some(limit)))
    }

    /// The end is stored elsewhere: the supervisor has nothing more to do.
    pub fn release(&self) {
        if let Some(socket) = &self.socket {
            socket.say_seen();
        }
    }

    /// The caller needs the agent's directory no longer. Two must say so: the one that has stored
    /// the end elsewhere, and the one that has waited for the supervisor. The second one removes
    /// the directory, which may take milliseconds. A directory that stays is removed when its run
    /// is opened again.
    pub fn let_go(&self) {
        if self.let_go.swap(true, Ordering::AcqRel) {
            let _ = std::fs::remove_dir_all(&self.dir);
        }
    }

    /// Blocks until the supervisor that we started is gone.
    pub fn wait_for_supervisor(&self) {
        if let Some(process) = &self.first {
            process.wait(None);
        }
    }

    /// Ends the agent and all that it started: TERM, grace, KILL. Returns at once.
    pub fn stop(&self) {
        self.tell(Signal::TERM);
    }

    /// The same without the grace.
    pub fn kill(&self) {
        self.tell(Signal::QUIT);
    }

    /// For a supervisor that does not answer: kills it and all processes of its agent. Returns when
    /// they are gone.
    pub fn force(&self) {
        self.tell(Signal::KILL);
        for process in self.everyone() {
            process.wait(Some(Duration::from_secs(1)));
        }
        Remains::of(&self.dir).end();
    }

    /// The agent's pid, once it was started.
    pub fn pid(&self) -> Option<u32> {
        self.record().map(|record| record.agent.pid)
    }

    /// When the agent was started: Unix time in milliseconds.
    pub fn started_at(&self) -> Option<u64> {
        self.record().map(|record| record.started_at)
    }

    pub fn record(&self) -> Option<Record> {
        if let Some(record) = self.record.get() {
            return Some(*record);
        }
        let record = files::read(&self.dir, RECORD).ok()??;
        Some(*self.record.get_or_init(|| record))
    }

    /// The supervisor that has the directory, or the one that is about to take it.
    pub fn supervisor(&self) -> Option<Identity> {
        self.current()
            .as_ref()
            .or(self.first.as_ref())
            .map(Process::identity)
    }

    fn follow(&self, other: &Handle) {
        if self.told.load(Ordering::Acquire) {
            other.stop();
        }
        if let Some(process) = &other.first {
            process.wait(None);
        }
    }

    fn tell(&self, signal: Signal) {
        self.told.store(true, Ordering::Release);
        for process in self.everyone() {
            process.signal(signal);
        }
    }

    /// All supervisors that may belong to this agent. A second one ends by itself, but until the
    /// directory is claimed nobody knows which one that is.
    fn everyone(&self) -> Vec<Process> {
        let first = self.first.as_ref().map(Process::identity);
        let current = self
            .current()
            .filter(|process| Some(process.identity()) != first);
        current
            .into_iter()
            .chain(first.and_then(Process::open))
            .collect()
    }

    fn current(&self) -> Option<Process> {
        supervisor(&self.dir)
    }
}

/// An unreadable end is not a good one.
fn unknown(error: &Error) -> End {
    let reason = match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    lost(&reason)
}

fn lost(reason: &str) -> End {
    let outcome = Outcome::Lost(format!("how the agent ended is not known: {reason}"));
    let ended = Ended {
        outcome,
        session: None,
        usage: Usage::default(),
        last_words: String::new(),
    };
    End {
        ended,
        exit_code: None,
        signal: None,
        ended_at: files::unix_ms(),
        left: Vec::new(),
    }
}
