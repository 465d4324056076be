//! Runs a program to its end, and ends whatever it leaves behind.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kumite_agents::{Identity, find_marked, start_child};
use kumite_models::Cancel;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal};
use uuid::Uuid;

pub struct Program<'a> {
    /// Never empty. A program with a slash in its name is looked for in `home`, not in `dir`: a
    /// team must not replace what measures it.
    pub argv: &'a [String],
    pub home: &'a Path,
    pub dir: &'a Path,
    pub env: Vec<(&'static str, OsString)>,
    /// Its standard input. A file, so that nobody has to write while it reads, or does not.
    pub input: File,
    pub timeout: Duration,
    pub cancel: &'a Cancel,
}

/// The end of what it said; at most [`OUTPUT_MAX`] bytes of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
}

#[derive(Debug)]
pub enum Trouble {
    Start(io::Error),
    TimedOut,
    Cancelled,
    Failed { how: String, output: Output },
}

pub const OUTPUT_MAX: usize = 1 << 20;

/// How often a program that runs is looked at for a cancel.
const TICK: Duration = Duration::from_millis(20);
/// How long killed processes may take to go.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often nobody has to be found: a process in the middle of an exec has no environment to read.
const LOOKS: u32 = 2;
/// By this variable a program and all that it starts are found again.
const MARK: &str = "KUMITE_TRY";

/// Runs it until it exits, its time is over, or it is cancelled. Nothing of it is left afterwards,
/// however it ended.
pub fn run(program: Program<'_>) -> Result<Output, Trouble> {
    let contest = program
        .env
        .iter()
        .find(|(name, _)| *name == "KUMITE_CONTEST");
    let contest = contest.map(|(_, id)| id.to_string_lossy());
    let mark = format!("{}/{}", contest.unwrap_or_default(), Uuid::new_v4());
    // A limit beyond all times is none.
    let deadline = Instant::now().checked_add(program.timeout);
    let cancel = program.cancel;
    let mut command = command(program, &mark);
    let mut child = start_child(|| command.spawn()).map_err(Trouble::Start)?;
    // Its ends of the pipes would keep them open.
    drop(command);
    let (stdout, stderr) = (
        Listener::new(child.stdout.take()),
        Listener::new(child.stderr.take()),
    );
    let waited = wait(&child, deadline, cancel);
    let status = end(&mut child, &mark);
    let output = Output {
        stdout: stdout.heard(),
        stderr: stderr.heard(),
    };
    waited?;
    match status.map_err(Trouble::Start)? {
        status if status.success() => Ok(output),
        status => Err(Trouble::Failed {
            how: status.to_string(),
            output,
        }),
    }
}

fn command(program: Program<'_>, mark: &str) -> Command {
    let name = &program.argv[0];
    let path = match name.contains('/') {
        true => program.home.join(name),
        false => PathBuf::from(name),
    };
    let mut command = Command::new(path);
    command
        .args(&program.argv[1..])
        .current_dir(program.dir)
        .envs(program.env)
        .env(MARK, mark)
        .stdin(program.input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    // Where kumite itself was called from a hook of git, these would point to another repository.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    command
}

/// Until it has ended; it is not reaped.
fn wait(child: &Child, deadline: Option<Instant>, cancel: &Cancel) -> Result<(), Trouble> {
    let pid = pid(child.id()).map_err(Trouble::Start)?;
    let process = pidfd_open(pid, PidfdFlags::empty());
    let process = process.map_err(|error| Trouble::Start(error.into()))?;
    loop {
        let left = deadline.map_or(TICK, |end| end.saturating_duration_since(Instant::now()));
        if has_ended(&process, left.min(TICK)) {
            return Ok(());
        }
        if cancel.is_cancelled() {
            return Err(Trouble::Cancelled);
        }
        if left.is_zero() {
            return Err(Trouble::TimedOut);
        }
    }
}

/// Ends it, its process group, and those who left the group. It is reaped after its group was
/// killed: until then nobody else can have its number.
fn end(child: &mut Child, mark: &str) -> io::Result<ExitStatus> {
    if let Ok(pid) = pid(child.id()) {
        // Nobody is left in it: all the better.
        let _ = kill_process_group(pid, Signal::KILL);
    }
    let status = child.wait();
    end_marked(&format!("{MARK}={mark}"));
    status
}

/// Ends what an earlier kumite left of a contest when it was killed. Agents are not meant: they have
/// supervisors, and are found again.
pub fn end_left(contest: &str) {
    end_marked(&format!("{MARK}={contest}/"));
}

/// Ends all processes with an environment entry that starts like this.
fn end_marked(entry: &str) {
    let deadline = Instant::now() + PATIENCE;
    let mut empty_looks = 0;
    while empty_looks < LOOKS && Instant::now() < deadline {
        let found = find_marked(entry);
        empty_looks = if found.is_empty() { empty_looks + 1 } else { 0 };
        for marked in found {
            kill(marked.process);
        }
    }
}

fn kill(process: Identity) {
    let opened = pid(process.pid).and_then(|pid| Ok(pidfd_open(pid, PidfdFlags::empty())?));
    let Ok(opened) = opened else {
        return;
    };
    // Only now is the number pinned; before, it could have changed hands.
    if Identity::of(process.pid) == Some(process) {
        let _ = pidfd_send_signal(&opened, Signal::KILL);
        has_ended(&opened, PATIENCE);
    }
}

fn has_ended(process: &impl std::os::fd::AsFd, limit: Duration) -> bool {
    let limit = Timespec {
        tv_sec: i64::try_from(limit.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(limit.subsec_nanos()),
    };
    let mut fds = [PollFd::new(process, PollFlags::IN)];
    poll(&mut fds, Some(&limit)).is_ok_and(|count| count > 0)
}

fn pid(number: u32) -> io::Result<Pid> {
    let raw = i32::try_from(number).ok().and_then(Pid::from_raw);
    raw.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
}

/// Reads a pipe to its end and keeps the last part, so that the program never has to wait for us.
struct Listener {
    tail: Arc<Mutex<Vec<u8>>>,
    ended: Receiver<()>,
}

impl Listener {
    fn new(pipe: Option<impl Read + Send + 'static>) -> Listener {
        let tail = Arc::new(Mutex::new(Vec::new()));
        let (sender, ended) = mpsc::channel();
        if let Some(pipe) = pipe {
            let tail = Arc::clone(&tail);
            thread::spawn(move || listen(pipe, &tail, &sender));
        }
        Listener { tail, ended }
    }

    /// All writers are gone, so its end is near. Should somebody hold the pipe all the same, what
    /// is there has to do.
    fn heard(self) -> String {
        let _ = self.ended.recv_timeout(PATIENCE);
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let from = tail.len().saturating_sub(OUTPUT_MAX);
        String::from_utf8_lossy(&tail[from..]).into_owned()
    }
}

fn listen(mut pipe: impl Read, tail: &Mutex<Vec<u8>>, _ended: &Sender<()>) {
    let mut piece = [0; 16 << 10];
    loop {
        let count = match pipe.read(&mut piece) {
            Ok(0) => return,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(&piece[..count]);
        // Twice the limit, so that bytes are moved seldom.
        if tail.len() > 2 * OUTPUT_MAX {
            let old = tail.len() - OUTPUT_MAX;
            tail.drain(..old);
        }
    }
}
