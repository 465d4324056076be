//! The supervisor: one small single-threaded process per agent. It starts the agent, stores its
//! output, and does not exit before everything that the agent started is gone.

mod ending;
mod family;
mod log;
mod pace;
mod pump;
mod run;
mod start;
mod verdict;
mod watch;

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use kumite_core::outcome::{Ended, Outcome, Usage};
use rustix::process::{getpid, set_child_subreaper, setsid};

use crate::adopt::Claim;
use crate::contain::{self, Cgroup};
use crate::files::{
    self, CLAIM, END, Error, Filled, RECORD, REQUEST, Reserved, SUPERVISOR_LOG, unix_ms,
};
use crate::process::Identity;
use crate::request::{End, Record, Request};
use crate::supervisor_socket;
use crate::sys;
pub(crate) use log::Log;
pub(crate) use pump::read;
use start::Started;
pub(crate) use start::{execute, find};

/// What the binary does when it is called as `kumite __supervise <dir>`: everything from the start
/// of the agent to `end.json`. Call it before anything else, in a process with only one thread.
pub fn supervise(dir: &Path) -> ExitCode {
    let ready = become_supervisor();
    work(dir, ready)
}

/// The same for `kumite __supervise --ahead <home>`, which starts early and waits for its agent.
pub fn supervise_ahead() -> ExitCode {
    let ready = become_supervisor();
    match supervisor_socket::await_agent() {
        Some(dir) => work(&dir, ready),
        None => ExitCode::SUCCESS,
    }
}

fn work(dir: &Path, ready: io::Result<Ready>) -> ExitCode {
    let log = dir.join(SUPERVISOR_LOG);
    panic::set_hook(Box::new(move |panic| complain(&log, &panic.to_string())));
    match try_supervise(dir, ready) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let source = std::error::Error::source(&error).map(|source| format!(": {source}"));
            let sentence = format!("{error}{}", source.unwrap_or_default());
            complain(&dir.join(SUPERVISOR_LOG), &sentence);
            ExitCode::FAILURE
        }
    }
}

/// Writes to the supervisor's log. If the agent is lost, the message about it quotes this log.
fn complain(log: &Path, sentence: &str) {
    let log = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(log);
    if let Ok(mut log) = log {
        let _ = writeln!(log, "{sentence}");
    }
}

fn try_supervise(dir: &Path, ready: io::Result<Ready>) -> Result<(), Error> {
    let Ready { signals, home } = ready.map_err(|source| Error::Setup { source })?;
    // Held until this process ends, however it ends.
    let Some(_lock) = files::try_lock(dir)? else {
        return Ok(());
    };
    if dir.join(END).exists() || dir.join(CLAIM).exists() {
        return Ok(());
    }
    let place = home.and_then(|home| {
        let agent = dir.file_name()?.to_str()?;
        Cgroup::create(&home, agent).ok()
    });
    let (cgroup, entrance) = place.unzip();
    let done = keep(dir, signals, cgroup.as_ref(), entrance.as_ref());
    if let Some(cgroup) = &cgroup {
        // No process was started in it, or all of them are gone.
        cgroup.remove();
    }
    done
}

/// Everything from the claim to the end. `entrance` lets the agent start inside `cgroup`.
fn keep(
    dir: &Path,
    signals: OwnedFd,
    cgroup: Option<&Cgroup>,
    entrance: Option<&OwnedFd>,
) -> Result<(), Error> {
    claim(dir, cgroup)?;
    let request: Request = match files::read(dir, REQUEST) {
        Ok(Some(request)) => request,
        Ok(None) => {
            let outcome = Outcome::Missing("the agent's request is gone".to_owned());
            return finish(dir, &not_started(outcome));
        }
        Err(error) => return finish(dir, &not_started(Outcome::Missing(error.to_string()))),
    };
    match start::start(&request, entrance) {
        Ok(started) => {
            announce(dir, &request, &started);
            let reserved = Reserved::new(dir);
            let end = run::run(dir, &request, started, signals, cgroup);
            leave(reserved.fill(&end)?)
        }
        Err(outcome) => finish(dir, &not_started(outcome)),
    }
}

fn finish(dir: &Path, end: &End) -> Result<(), Error> {
    leave(Reserved::new(dir).fill(end)?)
}

/// Usually kumite's journal makes the end durable. If kumite is gone, a sync does it here.
fn leave(filled: Filled) -> Result<(), Error> {
    match supervisor_socket::is_end_seen() {
        true => Ok(()),
        false => filled.sync(),
    }
}

/// What a supervisor has before it has an agent.
struct Ready {
    signals: OwnedFd,
    /// Where it may create a cgroup.
    home: Option<PathBuf>,
}

/// Leaves kumite's terminal, handles its own signals, and inherits every orphan of the agent.
fn become_supervisor() -> io::Result<Ready> {
    let signals = sys::listen()?;
    // Fails only for a process group leader, which is already separate from the terminal's group.
    let _ = setsid();
    set_child_subreaper(Some(getpid()))?;
    let home = contain::home().ok();
    Ok(Ready { signals, home })
}

/// Makes this process the only one that ever starts an agent here, and records its cgroup.
fn claim(dir: &Path, cgroup: Option<&Cgroup>) -> Result<(), Error> {
    let supervisor = Identity::of(std::process::id()).ok_or_else(|| Error::Setup {
        source: io::Error::other("/proc does not know this process"),
    })?;
    let cgroup = cgroup.cloned();
    files::write(dir, CLAIM, &Claim { supervisor, cgroup })
}

/// Records the running processes. The agent already works, so this does not delay it.
fn announce(dir: &Path, request: &Request, started: &Started) {
    if let (Some(supervisor), Some(agent)) = (Identity::of(std::process::id()), started.identity) {
        let record = Record {
            supervisor,
            agent,
            started_at: started.at,
        };
        // If this fails, only the agent's pid cannot be shown.
        let _ = files::write(dir, RECORD, &record);
    }
    // The environment is no longer needed, and may contain keys that should not stay on the disk.
    let _ = files::write(dir, REQUEST, &request.without_secrets());
}

/// The verdict on an agent that ended by itself. Tests judge recordings with it.
#[cfg(test)]
pub fn verdict_of(
    reader: &crate::protocol::Reader,
    protocol: crate::request::Protocol,
    exit_code: Option<i32>,
    complaints: &str,
) -> Outcome {
    verdict::judge(&verdict::Evidence {
        cause: watch::Cause::Exited,
        said: reader.heard().said.as_ref(),
        exit_code,
        signal: None,
        last_line: crate::protocol::last_line(complaints.as_bytes()),
        hint: exit_code.and_then(|code| reader.exited(code, complaints)),
        protocol,
    })
}

fn not_started(outcome: Outcome) -> End {
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
        ended_at: unix_ms(),
        left: Vec::new(),
    }
}
