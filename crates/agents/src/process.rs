//! One process, identified so that it is never confused with a later one that has the same id.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid,
};
use serde::{Deserialize, Serialize};

use crate::tree;

/// A pid alone is reused; pid and start time identify one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Identity {
    pub pid: u32,
    /// Clock ticks since boot, field 22 of `/proc/<pid>/stat`.
    pub start: u64,
}

impl Identity {
    /// The process that has this pid now.
    pub fn of(pid: u32) -> Option<Identity> {
        tree::stat(pid).map(|stat| stat.identity)
    }

    /// Whether it is still running; a zombie is not.
    pub fn is_alive(self) -> bool {
        tree::stat(self.pid).is_some_and(|stat| stat.identity == self && !stat.zombie)
    }

    /// Sends `signal` to exactly this process, and to no other if it is gone.
    pub(crate) fn signal(self, signal: Signal) {
        if let Some(process) = Process::open(self) {
            process.signal(signal);
        }
    }
}

/// A process held by its pidfd: from now on no other process can take its place.
#[derive(Debug)]
pub struct Process {
    identity: Identity,
    pidfd: OwnedFd,
}

impl Process {
    /// `None` if it is gone.
    pub fn open(identity: Identity) -> Option<Process> {
        let pid = Pid::from_raw(i32::try_from(identity.pid).ok()?)?;
        let pidfd = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        // Only now is the id pinned; before, it could have passed to another process.
        (Identity::of(identity.pid) == Some(identity)).then_some(Process { identity, pidfd })
    }

    pub fn identity(&self) -> Identity {
        self.identity
    }

    pub fn signal(&self, signal: Signal) {
        // It may be gone, or belong to another user; later checks show both.
        let _ = pidfd_send_signal(&self.pidfd, signal);
    }

    /// Waits for its end, or until `other` is readable. `false`: neither happened within `limit`.
    pub fn wait_or(&self, other: Option<impl AsFd>, limit: Option<Duration>) -> bool {
        let limit = limit.map(timespec);
        let fds = [Some(self.pidfd.as_fd()), other.as_ref().map(AsFd::as_fd)];
        let fds = fds.into_iter().flatten();
        let mut fds: Vec<_> = fds
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        loop {
            match poll(&mut fds, limit.as_ref()) {
                Err(rustix::io::Errno::INTR) => {}
                polled => return polled != Ok(0),
            }
        }
    }

    /// Waits for its end, and reaps it if it is our child. `false`: it was still running after
    /// `limit`.
    pub fn wait(&self, limit: Option<Duration>) -> bool {
        let limit = limit.map(timespec);
        let ended = loop {
            let mut fds = [PollFd::new(&self.pidfd, PollFlags::IN)];
            match poll(&mut fds, limit.as_ref()) {
                Err(rustix::io::Errno::INTR) => {}
                Ok(count) => break count > 0,
                // Without poll we cannot wait; the files on the disk decide then.
                Err(_) => break true,
            }
        };
        if ended {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
            let _ = waitid(WaitId::PidFd(self.pidfd.as_fd()), options);
        }
        ended
    }
}

impl AsFd for Process {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }
}

pub fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}

/// The pid in the form of the kernel's calls.
pub fn raw(pid: u32) -> io::Result<Pid> {
    let raw = i32::try_from(pid).ok().and_then(Pid::from_raw);
    raw.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
}
