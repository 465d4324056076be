//! The engine inherits the orphans of its supervisors.
//!
//! When a supervisor is killed, what its agent left in the background goes to the next subreaper
//! above. With this that is the engine, which knows whom it has started: everyone else is such an
//! orphan. It needs no marks and no cgroup, but an engine that lives and has started the supervisor.

use std::collections::BTreeSet;
use std::io;
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;
use rustix::process::{WaitId, WaitIdOptions, getpid, set_child_subreaper, waitid};

use crate::process::{Identity, Process};
use crate::tree::{self, Stat};

/// The children that this process has started itself. `None`: it inherits nobody.
static STARTED: Mutex<Option<BTreeSet<Identity>>> = Mutex::new(None);

/// Makes this process inherit what a killed supervisor leaves. Call it before anything is started.
///
/// Not for a process that could be given strangers: one that has children from before it became
/// kumite (`helper & exec kumite`), or the first one of a container, whom everybody's orphans go to.
pub fn inherit_orphans() {
    let mut started = started();
    if started.is_some() || getpid().is_init() || has_children() {
        return;
    }
    if set_child_subreaper(Some(getpid())).is_ok() {
        *started = Some(BTreeSet::new());
    }
}

/// Starts a child that is never taken for an orphan.
pub fn start_child(start: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    // Held while it starts: nobody may see it before it is known.
    let mut started = started();
    let child = start()?;
    if let (Some(started), Some(identity)) = (started.as_mut(), Identity::of(child.id())) {
        started.insert(identity);
    }
    Ok(child)
}

/// The orphans that live. Those that have ended are buried.
pub fn orphans() -> Vec<Identity> {
    let started = started();
    let Some(started) = started.as_ref() else {
        return Vec::new();
    };
    let (dead, living): (Vec<Stat>, Vec<Stat>) = tree::all()
        .into_iter()
        .filter(|stat| stat.parent == std::process::id())
        .filter(|stat| !started.contains(&stat.identity))
        .partition(|stat| stat.zombie);
    for process in dead.iter().filter_map(|stat| Process::open(stat.identity)) {
        process.wait(None);
    }
    living.iter().map(|stat| stat.identity).collect()
}

fn has_children() -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::All, look).err() != Some(Errno::CHILD)
}

fn started() -> MutexGuard<'static, Option<BTreeSet<Identity>>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}
