//! What a directory tells about its agent, for a kumite that did not start it.

use std::fs::File;
use std::io;
use std::path::{Path, absolute};

use serde::{Deserialize, Serialize};

use crate::contain::Cgroup;
use crate::files::{self, CLAIM, END, Error, REQUEST};
use crate::handle::Handle;
use crate::owner::Owner;
use crate::process::{Identity, Process};
use crate::request::{End, Request};

/// `claim`: the supervisor of the directory, and the agent's cgroup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    #[serde(flatten)]
    pub supervisor: Identity,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cgroup: Option<Cgroup>,
}

#[derive(Debug)]
pub enum Adopted {
    /// Its supervisor is alive: wait for it, or stop it.
    Running(Handle),
    Ended(End),
    /// An agent may have been started, but its supervisor is gone and left no end.
    /// [`crate::conclude()`] ends what remains and reports how it ended.
    Lost,
    /// Nothing was started here yet; [`crate::launch()`] is safe.
    NeverStarted,
    /// It belongs to another user. That we may not look does not mean that it is gone.
    Foreign(Owner),
}

/// The id of the agent of `dir`, if one was ever requested.
pub fn agent_of(dir: &Path) -> Option<String> {
    let request: Request = files::read(dir, REQUEST).ok()??;
    Some(request.agent)
}

/// Finds out the state of the agent of `dir`. Changes nothing.
pub fn adopt(dir: &Path) -> Result<Adopted, Error> {
    let dir = absolute(dir).map_err(|source| Error::Read {
        path: dir.to_owned(),
        source,
    })?;
    // The usual case when an agent is started: one look instead of six.
    if is_absent(&dir) {
        return Ok(Adopted::NeverStarted);
    }
    if is_forbidden(&dir, END) || is_forbidden(&dir, CLAIM) {
        return Ok(Adopted::Foreign(Owner::of(&dir)));
    }
    if let Some(end) = files::read(&dir, END)? {
        return Ok(Adopted::Ended(end));
    }
    if let Some(supervisor) = supervisor(&dir) {
        return Ok(Adopted::Running(Handle::new(dir, Some(supervisor))));
    }
    // It may have ended between the two looks; a supervisor writes the end before it exits.
    if let Some(end) = files::read(&dir, END)? {
        return Ok(Adopted::Ended(end));
    }
    let claimed = dir.join(CLAIM).exists();
    Ok(if claimed {
        Adopted::Lost
    } else {
        Adopted::NeverStarted
    })
}

fn is_absent(dir: &Path) -> bool {
    let found = std::fs::symlink_metadata(dir);
    found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

fn is_forbidden(dir: &Path, name: &str) -> bool {
    let opened = File::open(dir.join(name));
    opened.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}

/// The running supervisor that has claimed `dir`.
pub fn supervisor(dir: &Path) -> Option<Process> {
    // An unreadable claim names no running supervisor.
    let claim: Claim = files::read(dir, CLAIM).ok()??;
    Process::open(claim.supervisor).filter(|process| process.identity().is_alive())
}
