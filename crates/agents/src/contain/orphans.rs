//! A kumite process inherits the orphans of its supervisors, and those of its programs.
//!
//! When a supervisor is killed, the background processes of its agent go to the next subreaper
//! above. With this that is the engine, which knows the children it has started: all others are
//! such orphans. This needs no marks and no cgroup, but a running engine that has started the
//! supervisor. What a program without a supervisor ([`crate::run_to_end`]) leaves comes here at
//! once.

use std::collections::BTreeSet;
use std::io;
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, getpid, set_child_subreaper, waitid};

use crate::process::{Identity, Process};
use crate::sweep::{find_all_marked, is_marked};
use crate::tree::{self, Stat};

/// The processes that this process has started. `None`: it inherits no orphans.
static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

#[derive(Default)]
struct Known {
    /// The children that it has started itself.
    started: BTreeSet<Identity>,
    /// The children that are programs without a supervisor: this process inherits what they leave.
    programs: BTreeSet<Identity>,
}

/// Makes this process inherit the processes of a killed supervisor. Call it before anything is
/// started.
///
/// It does nothing in a process that could inherit foreign processes: one that had children before
/// it became kumite (`helper & exec kumite`), or the first one of a container, which gets all
/// orphans.
pub fn inherit_orphans() {
    let mut known = known();
    if known.is_some() || getpid().is_init() || has_children() {
        return;
    }
    if set_child_subreaper(Some(getpid())).is_ok() {
        *known = Some(Known::default());
    }
}

/// Starts a child that is never taken for an orphan.
pub fn start_child(start: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    // Held during the start: nobody may see the child before it is known.
    let mut known = known();
    let child = start()?;
    if let (Some(known), Some(identity)) = (known.as_mut(), Identity::of(child.id())) {
        known.started.insert(identity);
    }
    Ok(child)
}

/// A program that runs without a supervisor. While this value is kept, what the program leaves can
/// be distinguished from what others leave.
pub struct Running {
    pub program: Identity,
    /// The environment entry of all its processes.
    pub mark: String,
}

impl Running {
    pub fn start(mark: String, start: impl FnOnce() -> io::Result<Pid>) -> io::Result<Running> {
        let mut known = known();
        let pid = start()?.as_raw_nonzero().get().unsigned_abs();
        // It is not reaped yet, so its id is still in use.
        let program = Identity::of(pid).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        if let Some(known) = known.as_mut() {
            known.started.insert(program);
            known.programs.insert(program);
        }
        Ok(Running { program, mark })
    }

    /// Its running processes, except the program itself. An orphan without a mark may belong to any
    /// program that ran when it was born: the last of them that ends also ends the orphan.
    pub fn left(&self) -> Vec<Identity> {
        match orphans_but(Some(self)) {
            Some(orphans) => orphans,
            None => find_all_marked(std::slice::from_ref(&self.mark)),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(known) = known().as_mut() {
            known.started.remove(&self.program);
            known.programs.remove(&self.program);
        }
    }
}

/// The running orphans, except those that may belong to a program that still runs. Ended ones are
/// reaped.
pub fn orphans() -> Vec<Identity> {
    orphans_but(None).unwrap_or_default()
}

/// `None`: this process inherits no orphans. `own` is about to end, and its orphans count.
fn orphans_but(own: Option<&Running>) -> Option<Vec<Identity>> {
    let known = known();
    let known = known.as_ref()?;
    let (dead, living): (Vec<Stat>, Vec<Stat>) = tree::all()
        .into_iter()
        .filter(|stat| stat.parent == std::process::id())
        .filter(|stat| !known.started.contains(&stat.identity))
        .partition(|stat| stat.zombie);
    for process in dead.iter().filter_map(|stat| Process::open(stat.identity)) {
        process.wait(None);
    }
    let others = known.programs.iter();
    let others = others.filter(|program| own.is_none_or(|own| own.program != **program));
    let oldest = others.map(|program| program.start).min();
    let is_left = |orphan: &Identity| match own {
        Some(own) if is_marked(*orphan, &own.mark) => true,
        Some(own) if orphan.start < own.program.start => false,
        Some(_) | None => oldest.is_none_or(|oldest| orphan.start < oldest),
    };
    let living = living.iter().map(|stat| stat.identity);
    Some(living.filter(is_left).collect())
}

fn has_children() -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::All, look).err() != Some(Errno::CHILD)
}

fn known() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}
