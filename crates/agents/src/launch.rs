//! Starts an agent: writes its request, then passes it to a supervisor.

use std::io;
use std::path::{Path, PathBuf, absolute};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::contain::start_child;
use crate::files::{self, Error, REQUEST};
use crate::handle::Handle;
use crate::process::{Identity, Process};
use crate::request::Request;
use crate::supervisor_socket::SupervisorSocket;

/// How many supervisors are kept waiting for an agent.
const AHEAD: usize = 4;
/// How long a waiting supervisor may take to exit when it is no longer needed.
const PATIENCE: Duration = Duration::from_secs(1);

/// Starts `binary __supervise dir`, which starts the agent. The directory must exist. It may have
/// been launched before, with an unknown result: there is only ever one agent per directory, and
/// the handle leads to whichever supervisor has it.
pub fn launch(binary: &Path, dir: &Path, request: &Request) -> Result<Handle, Error> {
    let dir = prepare(dir, request)?;
    let supervisor = Supervisor::start(binary, &[dir.as_os_str()])?;
    Ok(supervisor.handle(dir))
}

/// Starts agents without the start-up time of a supervisor: some are always started ahead, and
/// wait. They end with this value, and with its process.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// What a waiting supervisor belongs to, for people who look at their processes.
    home: PathBuf,
    ahead: Arc<Mutex<Ahead>>,
}

#[derive(Debug, Default)]
struct Ahead {
    waiting: Vec<Supervisor>,
    /// No more are wanted.
    closed: bool,
}

impl Launcher {
    pub fn new(home: PathBuf) -> Launcher {
        let ahead = Arc::default();
        Launcher { home, ahead }
    }

    /// Like [`launch`].
    pub fn launch(&self, binary: &Path, dir: &Path, request: &Request) -> Result<Handle, Error> {
        let waiting = self.ahead().waiting.pop();
        let Some(supervisor) = waiting else {
            return launch(binary, dir, request);
        };
        let dir = prepare(dir, request)?;
        match supervisor.socket.give_agent(&dir) {
            Ok(()) => Ok(supervisor.handle(dir)),
            // The waiting supervisor is gone: somebody ended it.
            Err(_) => launch(binary, &dir, request),
        }
    }

    /// Starts one more ahead if there are too few. Without it the next start is only slower.
    pub fn start_ahead(&self, binary: &Path) {
        if !self.ahead().wants_more() {
            return;
        }
        let args = ["--ahead".as_ref(), self.home.as_os_str()];
        let Ok(supervisor) = Supervisor::start(binary, &args) else {
            return;
        };
        // Another thread may have done the same meanwhile, or it was closed.
        let mut ahead = self.ahead();
        if ahead.wants_more() {
            ahead.waiting.push(supervisor);
        } else {
            drop(ahead);
            supervisor.dismiss();
        }
    }

    /// Ends the waiting supervisors, and starts no more.
    pub fn close(&self) {
        let mut ahead = self.ahead();
        ahead.closed = true;
        let waiting = std::mem::take(&mut ahead.waiting);
        drop(ahead);
        waiting.into_iter().for_each(Supervisor::dismiss);
    }

    fn ahead(&self) -> MutexGuard<'_, Ahead> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ahead {
    fn wants_more(&self) -> bool {
        !self.closed && self.waiting.len() < AHEAD
    }
}

fn prepare(dir: &Path, request: &Request) -> Result<PathBuf, Error> {
    let dir = absolute(dir).map_err(|source| Error::Read {
        path: dir.to_owned(),
        source,
    })?;
    // A claimed directory keeps the request that it was claimed with.
    if !dir.join(files::CLAIM).exists() {
        files::write(&dir, REQUEST, request)?;
    }
    Ok(dir)
}

#[derive(Debug)]
struct Supervisor {
    process: Option<Process>,
    socket: SupervisorSocket,
}

impl Supervisor {
    fn start(binary: &Path, args: &[&std::ffi::OsStr]) -> Result<Supervisor, Error> {
        let start = || -> io::Result<Supervisor> {
            let (socket, theirs) = SupervisorSocket::new()?;
            let mut command = Command::new(binary);
            command
                .arg("__supervise")
                .args(args)
                .stdin(std::os::fd::OwnedFd::from(theirs))
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let child = start_child(|| command.spawn())?;
            // Only the handle reaps this child, so the pid still belongs to it.
            let process = Identity::of(child.id()).and_then(Process::open);
            Ok(Supervisor { process, socket })
        };
        start().map_err(|source| Error::Spawn {
            binary: binary.to_owned(),
            source,
        })
    }

    /// Ends a supervisor that has no agent.
    fn dismiss(self) {
        self.socket.hang_up();
        if let Some(process) = &self.process {
            process.wait(Some(PATIENCE));
        }
    }

    fn handle(self, dir: PathBuf) -> Handle {
        Handle::with_socket(dir, self.process, self.socket)
    }
}
