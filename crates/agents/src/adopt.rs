//! What a directory says about its agent, to a kumite that did not start it.

use std::path::{Path, absolute};

use serde::{Deserialize, Serialize};

use crate::contain::Cgroup;
use crate::files::{self, CLAIM, END, Error, REQUEST};
use crate::handle::Handle;
use crate::process::{Identity, Process};
use crate::request::{End, Request};

/// `claim`: who has the directory, and where its agent is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    #[serde(flatten)]
    pub supervisor: Identity,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cgroup: Option<Cgroup>,
}

#[derive(Debug)]
pub enum Adopted {
    /// Its supervisor lives: wait for it, or stop it.
    Running(Handle),
    Ended(End),
    /// An agent may have been started, but its supervisor is gone and left no end.
    /// [`crate::conclude()`] sweeps what remains and says how it ended.
    Lost,
    /// Nothing was started here yet; [`crate::launch()`] is safe.
    NeverStarted,
}

/// The id of the agent of `dir`, if one was ever asked for.
pub fn agent_of(dir: &Path) -> Option<String> {
    let request: Request = files::read(dir, REQUEST).ok()??;
    Some(request.agent)
}

/// Finds out how the agent of `dir` stands. Changes nothing.
pub fn adopt(dir: &Path) -> Result<Adopted, Error> {
    let dir = absolute(dir).map_err(|source| Error::Read {
        path: dir.to_owned(),
        source,
    })?;
    if let Some(end) = files::read(&dir, END)? {
        return Ok(Adopted::Ended(end));
    }
    if let Some(supervisor) = supervisor(&dir) {
        return Ok(Adopted::Running(Handle::new(dir, Some(supervisor))));
    }
    // It may have ended between the two looks; a supervisor writes the end before it goes.
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

/// The living supervisor that has claimed `dir`.
pub fn supervisor(dir: &Path) -> Option<Process> {
    // A claim that cannot be read names nobody who lives.
    let claim: Claim = files::read(dir, CLAIM).ok()??;
    Process::open(claim.supervisor).filter(|process| process.identity().is_alive())
}
