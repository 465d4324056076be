//! Starting an agent: its request is written down, then a supervisor is started for it.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, absolute};
use std::process::{Command, Stdio};

use crate::files::{self, Error, REQUEST, SUPERVISOR_LOG};
use crate::handle::Handle;
use crate::process::{Identity, Process};
use crate::request::Request;

/// Starts `binary __supervise dir`, which starts the agent. The directory must exist. It may have
/// been launched before, when it is not known how far that got: there is one agent per directory
/// for ever, and the handle leads to whichever supervisor has it.
pub fn launch(binary: &Path, dir: &Path, request: &Request) -> Result<Handle, Error> {
    let dir = absolute(dir).map_err(|source| Error::Read {
        path: dir.to_owned(),
        source,
    })?;
    // A directory that was claimed keeps the request that it was claimed with.
    if !dir.join(files::CLAIM).exists() {
        files::write(&dir, REQUEST, request)?;
    }
    let log = dir.join(SUPERVISOR_LOG);
    let opened = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(&log);
    let stderr = opened.map_err(|source| Error::Write { path: log, source })?;
    let child = Command::new(binary)
        .arg("__supervise")
        .arg(&dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(stderr)
        .spawn()
        .map_err(|source| Error::Spawn {
            binary: binary.to_owned(),
            source,
        })?;
    // Nobody but the handle reaps this child, so its pid is still its own.
    Ok(Handle::new(
        dir,
        Identity::of(child.id()).and_then(Process::open),
    ))
}
