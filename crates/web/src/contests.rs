//! The contests that this server has started. They are separate processes; when the server ends it
//! interrupts them, and they can be resumed.

use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// Agents have a grace period of their own before they are killed.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Default)]
pub struct Contests {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    played: Mutex<Played>,
    one_ended: Condvar,
}

#[derive(Default)]
struct Played {
    next: u64,
    /// Process handles, because an id may belong to another process by now.
    processes: Vec<(u64, OwnedFd)>,
}

impl Contests {
    /// Watches a contest until it ends.
    pub fn keep(&self, mut child: Child) -> std::io::Result<()> {
        let handle = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
        let number = {
            let mut played = self.shared.enter();
            played.next += 1;
            let number = played.next;
            played.processes.push((number, handle));
            number
        };
        let shared = Arc::clone(&self.shared);
        let wait = move || {
            let _ = child.wait();
            let mut played = shared.enter();
            played.processes.retain(|(known, _)| *known != number);
            shared.one_ended.notify_all();
        };
        let waiting = thread::Builder::new()
            .name("contest".into())
            .stack_size(64 * 1024);
        waiting.spawn(wait).map(drop)
    }

    /// Does what Ctrl-C does: each contest ends its agents, keeps what is finished, and exits.
    pub fn interrupt(&self) {
        for (_, process) in &self.shared.enter().processes {
            // A contest that has just ended needs no signal.
            let _ = pidfd_send_signal(process, Signal::INT);
        }
    }

    /// Waits until all of them have ended.
    pub fn wait(&self) {
        let played = self.shared.enter();
        let is_played = |played: &mut Played| !played.processes.is_empty();
        let _ = self
            .shared
            .one_ended
            .wait_timeout_while(played, PATIENCE, is_played);
    }
}

impl Shared {
    fn enter(&self) -> MutexGuard<'_, Played> {
        self.played.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
