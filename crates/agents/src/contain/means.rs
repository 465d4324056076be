//! Tries out which means of containment this machine has.

use std::path::PathBuf;

use rustix::process::{
    PidfdFlags, Signal, child_subreaper, getpid, pidfd_open, pidfd_send_signal, set_child_subreaper,
};

use super::cgroup::{self, Cgroup};
use crate::process::Identity;
use crate::sys;

/// Each means, or why it is missing.
#[derive(Clone, Debug)]
pub struct Means {
    /// A supervisor inherits all processes that its agent leaves in the background.
    pub subreaper: Result<(), String>,
    /// A process with an open pidfd cannot be confused with a later one that has the same pid.
    pub pidfd: Result<(), String>,
    /// Where the cgroups of agents are created.
    pub cgroup: Result<PathBuf, String>,
}

/// Tries all means. No process and no cgroup remains.
pub fn means() -> Means {
    Means {
        subreaper: try_subreaper().map_err(|error| error.to_string()),
        pidfd: try_pidfd().map_err(|error| error.to_string()),
        cgroup: try_cgroup(),
    }
}

fn try_subreaper() -> std::io::Result<()> {
    let before = child_subreaper()?;
    set_child_subreaper(Some(getpid()))?;
    set_child_subreaper(before)?;
    Ok(())
}

fn try_pidfd() -> std::io::Result<()> {
    let probe = sys::start_probe(None)?;
    let killed = pidfd_open(probe, PidfdFlags::empty())
        .and_then(|pidfd| pidfd_send_signal(&pidfd, Signal::KILL));
    sys::end_probe(probe);
    Ok(killed?)
}

/// Starts a process in a cgroup, and ends it only through the cgroup.
fn try_cgroup() -> Result<PathBuf, String> {
    let home = cgroup::home()?;
    let trouble =
        |error: std::io::Error| format!("no cgroup can be used in {}: {error}", home.display());
    let (cgroup, dir) = Cgroup::create(&home, "doctor").map_err(trouble)?;
    let probe = sys::start_probe(Some(&dir)).map_err(|error| {
        cgroup.remove();
        trouble(error)
    })?;
    let pid = probe.as_raw_nonzero().get().unsigned_abs();
    let held = Identity::of(pid).is_some_and(|it| cgroup.processes() == [it]);
    let ended = cgroup.end();
    sys::end_probe(probe);
    match (held, ended) {
        (true, true) => Ok(home),
        (true, false) => Err("a process did not end with its cgroup".to_owned()),
        (false, _) => Err("this kernel starts no process in a cgroup".to_owned()),
    }
}
