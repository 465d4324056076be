//! Starts the agent, or explains in a sentence why that is impossible and what would help.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::Duration;

use kumite_core::outcome::Outcome;
use rustix::fs::{Access, access};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};
use rustix::process::Pid;

use crate::files::unix_ms;
use crate::process::Identity;
use crate::request::Request;
use crate::sys::{self, Program};

const RETRY_AFTER: Duration = Duration::from_millis(200);

/// Largest pipe an unprivileged process may request (`/proc/sys/fs/pipe-max-size`).
const PIPE: usize = 1024 * 1024;

/// Where programs are if `PATH` is not set.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A child and our ends of its streams.
pub struct Child {
    pub pid: u32,
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
}

pub struct Started {
    pub child: Child,
    pub identity: Option<Identity>,
    /// Unix time in milliseconds.
    pub at: u64,
}

/// Starts the agent in `cgroup`, if there is one.
pub fn start(request: &Request, cgroup: Option<&OwnedFd>) -> Result<Started, Outcome> {
    let mut retries_left = request.spawn_retries;
    loop {
        match attempt(request, cgroup) {
            Ok(child) => {
                let identity = Identity::of(child.pid);
                return Ok(Started {
                    child,
                    identity,
                    at: unix_ms(),
                });
            }
            Err(trouble) if trouble.is_transient() && retries_left > 0 => retries_left -= 1,
            Err(trouble) => return Err(trouble.outcome(request)),
        }
        std::thread::sleep(RETRY_AFTER);
    }
}

pub enum Trouble {
    NoDirectory,
    NotFound,
    IsDirectory(PathBuf),
    NotExecutable(PathBuf),
    Refused(PathBuf, io::Error),
}

fn attempt(request: &Request, cgroup: Option<&OwnedFd>) -> Result<Child, Trouble> {
    if !request.cwd.is_dir() || access(&request.cwd, Access::EXEC_OK).is_err() {
        return Err(Trouble::NoDirectory);
    }
    let path = request.variable("PATH").map(OsStr::new);
    let path = find(OsStr::new(&request.program), &request.cwd, path)?;
    let started = spawn(request, &path, cgroup);
    started.map_err(|error| Trouble::Refused(path, error))
}

fn spawn(request: &Request, path: &Path, cgroup: Option<&OwnedFd>) -> io::Result<Child> {
    let (stdin, their_stdin) = match request.stdin {
        Some(_) => {
            let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
            (Some(ours), theirs)
        }
        None => (None, File::open("/dev/null")?.into()),
    };
    let (stdout, their_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    // Some programs exit before we have read all their output. Only what is in the pipe survives,
    // so the pipe should be large. If the system refuses, it keeps its usual size.
    let _ = fcntl_setpipe_size(&stdout, PIPE);
    let (stderr, their_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    let stdio = [their_stdin, their_stdout, their_stderr];
    let args = [request.program.as_str()].into_iter();
    let args = args.chain(request.args.iter().map(String::as_str));
    let args: Vec<&OsStr> = args.map(OsStr::new).collect();
    let program = Program::new(path, &args, request.environment(), &request.cwd, stdio)?;
    let pid = execute(program, path, cgroup)?;
    Ok(Child {
        pid: pid.as_raw_nonzero().get().unsigned_abs(),
        stdin: stdin.map(ChildStdin::from),
        stdout: Some(stdout.into()),
        stderr: Some(stderr.into()),
    })
}

/// Runs `program`, which is the file `path`. As in a shell, `sh` runs a script that has no
/// interpreter line.
pub fn execute(program: Program, path: &Path, cgroup: Option<&OwnedFd>) -> io::Result<Pid> {
    match sys::spawn(&program, cgroup) {
        Err(error) if Errno::from_io_error(&error) == Some(Errno::NOEXEC) && !is_binary(path) => {
            sys::spawn(&program.by_shell()?, cgroup)
        }
        spawned => spawned,
    }
}

/// Finds the program as a shell would, but in the given `PATH` and directory.
pub fn find(program: &OsStr, cwd: &Path, path: Option<&OsStr>) -> Result<PathBuf, Trouble> {
    if program.as_bytes().contains(&b'/') {
        return usable(cwd.join(program));
    }
    let mut trouble = Trouble::NotFound;
    let path = path.unwrap_or(OsStr::new(DEFAULT_PATH));
    for dir in std::env::split_paths(path).filter(|_| !program.is_empty()) {
        match usable(cwd.join(dir).join(program)) {
            Ok(found) => return Ok(found),
            Err(Trouble::NotExecutable(found)) => trouble = Trouble::NotExecutable(found),
            Err(_) => {}
        }
    }
    Err(trouble)
}

fn usable(path: PathBuf) -> Result<PathBuf, Trouble> {
    match fs::metadata(&path) {
        Err(_) => Err(Trouble::NotFound),
        Ok(found) if found.is_dir() => Err(Trouble::IsDirectory(path)),
        Ok(_) if access(&path, Access::EXEC_OK).is_err() => Err(Trouble::NotExecutable(path)),
        Ok(_) => Ok(path),
    }
}

fn is_binary(path: &Path) -> bool {
    let mut magic = [0; 4];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut magic))
        .is_ok()
        && magic == *b"\x7fELF"
}

impl From<Trouble> for io::Error {
    fn from(trouble: Trouble) -> io::Error {
        match trouble {
            Trouble::NoDirectory | Trouble::NotFound => ErrorKind::NotFound.into(),
            Trouble::IsDirectory(_) | Trouble::NotExecutable(_) => {
                ErrorKind::PermissionDenied.into()
            }
            Trouble::Refused(_, error) => error,
        }
    }
}

impl Trouble {
    /// Whether the same start may succeed a moment later.
    fn is_transient(&self) -> bool {
        let Trouble::Refused(_, error) = self else {
            return false;
        };
        Errno::from_io_error(error)
            .is_some_and(|errno| errno == Errno::TXTBSY || is_machine_full(errno))
    }

    /// If the machine is full, the program is not missing: it may start later.
    fn outcome(&self, request: &Request) -> Outcome {
        let sentence = self.sentence(request);
        match self.is_transient() {
            true => Outcome::Failed(sentence),
            false => Outcome::Missing(sentence),
        }
    }

    fn sentence(&self, request: &Request) -> String {
        const SETTING: &str = "or name another program in .kiro/kumite.toml";
        let (program, cwd) = (&request.program, request.cwd.display());
        match self {
            Trouble::NoDirectory => {
                format!(
                    "the directory {cwd}, where {program} should work, is gone or may not be entered; restore it and try again"
                )
            }
            Trouble::NotFound if program.contains('/') => {
                format!(
                    "the agent program {program} does not exist (looked for from {cwd}); correct its path, {SETTING}"
                )
            }
            Trouble::NotFound => {
                format!(
                    "the agent program {program:?} was not found in PATH; install it, {SETTING}"
                )
            }
            Trouble::IsDirectory(path) => {
                format!(
                    "the agent program {} is a directory; name the program inside it",
                    path.display()
                )
            }
            Trouble::NotExecutable(path) => {
                format!(
                    "the agent program {path} is not executable; run chmod +x {path}, {SETTING}",
                    path = path.display()
                )
            }
            Trouble::Refused(path, error) => refusal(path, error),
        }
    }
}

/// The machine has no room for another process; the program may be fine.
fn is_machine_full(errno: Errno) -> bool {
    [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE].contains(&errno)
}

fn refusal(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    match Errno::from_io_error(error) {
        Some(Errno::NOEXEC) => {
            let machine = std::env::consts::ARCH;
            format!(
                "the agent program {path} was built for another machine or is damaged; install the one for {machine}"
            )
        }
        Some(Errno::NOENT) => {
            format!(
                "the interpreter that {path} names in its first line was not found; install it, or correct that line"
            )
        }
        Some(Errno::TOOBIG) => {
            format!(
                "the arguments of {path} are too long for this system; pass the prompt on stdin or in a file"
            )
        }
        Some(errno) if is_machine_full(errno) => {
            format!(
                "this machine has no room for another process ({error}), so {path} was not started; end others or raise the limits (`ulimit -a`), and try again"
            )
        }
        _ => format!(
            "the agent program {path} could not be started: {error}; try again, or run it by hand"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(errno: Errno) -> Outcome {
        let request: Request = serde_json::from_value(serde_json::json!({
            "agent": "agent-1-00000001", "program": "x", "args": [], "cwd": "/", "env": [],
            "log": "/x.log", "protocol": "claude", "step_timeout_ms": 0, "silence_timeout_ms": 0,
            "exit_grace_ms": 0, "term_grace_ms": 0, "spawn_retries": 0
        }))
        .unwrap();
        Trouble::Refused("/x".into(), errno.into()).outcome(&request)
    }

    #[test]
    fn a_machine_without_room_is_not_a_missing_program() {
        for errno in [Errno::AGAIN, Errno::NOMEM, Errno::MFILE] {
            assert!(matches!(refused(errno), Outcome::Failed(_)), "{errno:?}");
        }
        assert!(matches!(refused(Errno::NOENT), Outcome::Missing(_)));
    }
}
