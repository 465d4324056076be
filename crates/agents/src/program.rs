//! Runs a program to its end, with the same containment as agents.
//!
//! It needs no supervisor: the caller waits for it as long as it lives. It is born in its own
//! cgroup if there are cgroups, dies with the thread that waits for it, and what it leaves comes to
//! this process, if that called [`crate::inherit_orphans`]. All of that is ended before its result
//! is returned.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{ioctl_fionbio, retry_on_intr};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Signal, WaitOptions, kill_process_group, waitpid};

use crate::contain::{self, Cgroup, Running, with_descendants};
use crate::process::{Process, raw, timespec};
use crate::protocol::Tail;
use crate::supervisor::{execute, find, read};
use crate::sweep::{end_all, find_marked};
use crate::sys;

/// What is run, where, and for how long.
pub struct Program<'a> {
    /// The program and its arguments; never empty. A program with a slash in its name is relative
    /// to `dir`, another one is looked up in `PATH`.
    pub argv: &'a [&'a OsStr],
    pub dir: &'a Path,
    /// In addition to what is inherited ([`inherited`]).
    pub env: Vec<(&'a str, OsString)>,
    /// A file, so that we never wait for a program that does not read.
    pub stdin: File,
    /// Where its stdout goes. `None`: into the result.
    pub stdout: Option<File>,
    /// How many bytes at the end of its stdout, and of its stderr, are kept.
    pub output_max: usize,
    /// What it works for: after a crash its processes are found by this ([`end_programs`]).
    pub owner: &'a str,
    pub timeout: Duration,
    pub is_cancelled: &'a dyn Fn() -> bool,
}

/// How it ended by itself, and the end of its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
pub enum Unfinished {
    #[error("it cannot be started: {0}")]
    Start(#[from] io::Error),
    #[error("it did not end in time")]
    TimedOut,
    #[error("it was cancelled")]
    Cancelled,
}

/// How often a running program is checked for a cancel.
const TICK: Duration = Duration::from_millis(20);
const BUFFER: usize = 64 << 10;
/// The most that is read after its end: more than any pipe holds.
const DRAIN_MAX: usize = 8 << 20;
/// This variable marks a program and all that it starts.
const MARK: &str = "KUMITE_TRY";

/// Runs it until it exits, its time is over, or it is cancelled. None of its processes is left
/// afterwards, however it ended.
pub fn run_to_end(program: Program<'_>) -> Result<Output, Unfinished> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    // A limit too far in the future is no limit.
    let deadline = Instant::now().checked_add(program.timeout);
    let place = contain::home().ok().and_then(|home| {
        let name = format!("{}-{number}", program.owner);
        Cgroup::create(&home, &name).ok()
    });
    let (cgroup, entrance) = place.unzip();
    let mark = format!("{MARK}={}/{}-{number}", program.owner, std::process::id());
    let started = start(&program, mark, entrance.as_ref());
    let (running, mut heard) = started.inspect_err(|_| {
        cgroup.as_ref().map(Cgroup::remove);
    })?;
    let waited = heard.wait(&running, deadline, program.is_cancelled);
    let status = end(running, cgroup.as_ref())?;
    heard.drain();
    waited.map(|()| Output {
        status,
        stdout: heard.stdout.taken(),
        stderr: heard.stderr.taken(),
    })
}

/// Ends what an earlier kumite left of the programs of `owner` when it was killed. Agents are not
/// included: they have supervisors, and are found again.
pub fn end_programs(owner: &str) {
    if let Ok(home) = contain::home() {
        for cgroup in Cgroup::all(&home, owner) {
            cgroup.end();
        }
    }
    let entry = format!("{MARK}={owner}/");
    end_all(|| {
        let marked = find_marked(&entry).into_iter();
        with_descendants(marked.map(|marked| marked.process).collect())
    });
}

/// The person's own environment, without variables that would lead git to another repository: a git
/// hook may have called kumite.
pub fn inherited() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| !name.as_bytes().starts_with(b"GIT_"))
}

/// The file of a program, found as a shell would find it, but in the given `PATH` and directory.
pub fn find_program(program: &str, dir: &Path, path: Option<&str>) -> Option<PathBuf> {
    find(OsStr::new(program), dir, path.map(OsStr::new)).ok()
}

fn start(
    program: &Program<'_>,
    mark: String,
    entrance: Option<&OwnedFd>,
) -> io::Result<(Running, Heard)> {
    let env = environment(program, &mark);
    let variable = |wanted: &str| {
        let found = env.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_os_str())
    };
    let path = find(program.argv[0], program.dir, variable("PATH"))?;
    let (stdout, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, their_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    let their_stdout = match &program.stdout {
        Some(file) => file.try_clone()?.into(),
        None => theirs,
    };
    let heard = Heard {
        stdout: Stream::new(stdout, program.output_max)?,
        stderr: Stream::new(stderr, program.output_max)?,
        buffer: vec![0; BUFFER],
    };
    let env = env.iter().map(|(name, value)| {
        let entry = [name.as_bytes(), b"=", value.as_bytes()];
        entry.concat()
    });
    let stdio = [
        program.stdin.try_clone()?.into(),
        their_stdout,
        their_stderr,
    ];
    let made = sys::Program::new(&path, program.argv, env, program.dir, stdio)?;
    let running = Running::start(mark, || execute(made, &path, entrance))?;
    Ok((running, heard))
}

/// If a variable occurs twice, the last value counts.
fn environment(program: &Program<'_>, mark: &str) -> Vec<(OsString, OsString)> {
    let own = program.env.iter();
    let own = own.map(|(name, value)| (OsString::from(name), value.clone()));
    let value = mark.strip_prefix(MARK).and_then(|it| it.strip_prefix('='));
    let mark = (MARK.into(), value.unwrap_or_default().into());
    let all = inherited().chain(own).chain([mark]);
    let last: std::collections::BTreeMap<OsString, OsString> = all.collect();
    last.into_iter().collect()
}

/// Ends all its processes. It is reaped after its group was killed: until then no other process can
/// have its id.
fn end(running: Running, cgroup: Option<&Cgroup>) -> io::Result<ExitStatus> {
    let pid = raw(running.program.pid)?;
    // An empty group is no error.
    let _ = kill_process_group(pid, Signal::KILL);
    running.program.signal(Signal::KILL);
    let reaped = retry_on_intr(|| waitpid(Some(pid), WaitOptions::empty()))?;
    if let Some(cgroup) = cgroup {
        cgroup.kill();
    }
    end_all(|| {
        let mut left = running.left();
        left.extend(cgroup.into_iter().flat_map(Cgroup::processes));
        with_descendants(left)
    });
    if let Some(cgroup) = cgroup {
        cgroup.end();
    }
    let gone = || io::Error::other("its end was seen by somebody else");
    let (_, status) = reaped.ok_or_else(gone)?;
    Ok(ExitStatus::from_raw(status.as_raw()))
}

/// The output of a program.
struct Heard {
    stdout: Stream,
    stderr: Stream,
    buffer: Vec<u8>,
}

impl Heard {
    /// Waits until it has ended, without reaping it.
    fn wait(
        &mut self,
        running: &Running,
        deadline: Option<Instant>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(), Unfinished> {
        let gone = || io::Error::other("it cannot be held");
        let process = Process::open(running.program).ok_or_else(gone)?;
        loop {
            let left = deadline.map_or(TICK, |end| end.saturating_duration_since(Instant::now()));
            let pipes = [&self.stdout, &self.stderr].map(|stream| stream.pipe.as_ref());
            let mut fds = vec![PollFd::new(&process, PollFlags::IN)];
            fds.extend(
                pipes
                    .into_iter()
                    .flatten()
                    .map(|pipe| PollFd::new(pipe, PollFlags::IN)),
            );
            let ready = poll(&mut fds, Some(&timespec(left.min(TICK))));
            let has_ended = ready.is_ok() && !fds[0].revents().is_empty();
            self.hear();
            if has_ended {
                return Ok(());
            }
            if is_cancelled() {
                return Err(Unfinished::Cancelled);
            }
            if left.is_zero() {
                return Err(Unfinished::TimedOut);
            }
        }
    }

    /// Reads once from each stream. `0`: there is nothing.
    fn hear(&mut self) -> usize {
        self.stdout.hear(&mut self.buffer) + self.stderr.hear(&mut self.buffer)
    }

    /// All writers are gone. If one of them still holds a pipe, what we have must be enough.
    fn drain(&mut self) {
        let mut total = 0;
        while total < DRAIN_MAX {
            match self.hear() {
                0 => return,
                count => total += count,
            }
        }
    }
}

struct Stream {
    pipe: Option<File>,
    tail: Tail,
    max: usize,
}

impl Stream {
    fn new(pipe: OwnedFd, max: usize) -> io::Result<Stream> {
        ioctl_fionbio(&pipe, true)?;
        Ok(Stream {
            pipe: Some(pipe.into()),
            tail: Tail::new(max),
            max,
        })
    }

    fn hear(&mut self, buffer: &mut [u8]) -> usize {
        let count = read(&mut self.pipe, buffer);
        self.tail.push(&buffer[..count]);
        count
    }

    fn taken(&self) -> Vec<u8> {
        let bytes = self.tail.bytes();
        bytes[bytes.len().saturating_sub(self.max)..].to_vec()
    }
}
