//! The few calls that have no safe form. All unsafe code of this crate is here.

use std::ffi::{CString, OsStr, c_char};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use rustix::io::retry_on_intr;
use rustix::pipe::PipeFlags;
use rustix::process::{
    Pid, Signal, WaitOptions, getpid, getppid, set_parent_process_death_signal, waitpid,
};

/// The signals that a supervisor receives. HUP and INT are received in order to be ignored: the
/// agent would inherit a disposition, but not a mask.
const HEARD: [i32; 5] = [
    libc::SIGTERM,
    libc::SIGQUIT,
    libc::SIGCHLD,
    libc::SIGHUP,
    libc::SIGINT,
];

/// Signals that may be ignored where kumite was started (`nohup`, a script's `&`), but must not be
/// in an agent that they are to end.
const DEFAULTS: [i32; 7] = [
    libc::SIGTERM,
    libc::SIGQUIT,
    libc::SIGCHLD,
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGPIPE,
    libc::SIGXFSZ,
];

/// A file that may not grow any further (`ulimit -f`) becomes an error that can be reported,
/// instead of a death.
#[allow(unsafe_code)]
pub fn survive_file_size_limit() {
    // SAFETY: ignoring a signal calls no code of ours.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Routes the signals of this process into a file descriptor that can be polled.
#[allow(unsafe_code)]
pub fn listen() -> io::Result<OwnedFd> {
    survive_file_size_limit();
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `set` is initialised by sigemptyset before anything reads it, the old mask is not
    // asked for, and a new descriptor from signalfd belongs to nobody else.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in HEARD {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        // With an inherited SIG_IGN the kernel would reap our children itself.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        // An agent that closes its stdin early must not kill us.
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        check(libc::sigprocmask(
            libc::SIG_BLOCK,
            set.as_ptr(),
            ptr::null_mut(),
        ))?;
        let fd = check(libc::signalfd(
            -1,
            set.as_ptr(),
            libc::SFD_CLOEXEC | libc::SFD_NONBLOCK,
        ))?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// What a child runs: prepared before the fork, so that only system calls are left after it.
pub struct Program {
    path: CString,
    args: Vec<CString>,
    env: Vec<CString>,
    dir: CString,
    /// Its stdin, stdout and stderr.
    stdio: [OwnedFd; 3],
}

impl Program {
    pub fn new(
        path: &Path,
        args: &[&OsStr],
        env: impl Iterator<Item = impl Into<Vec<u8>>>,
        dir: &Path,
        stdio: [OwnedFd; 3],
    ) -> io::Result<Program> {
        let args = args.iter().map(|arg| CString::new(arg.as_bytes()));
        Ok(Program {
            path: CString::new(path.as_os_str().as_bytes())?,
            args: args.collect::<Result<_, _>>()?,
            env: env
                .map(|entry| CString::new(entry))
                .collect::<Result<_, _>>()?,
            dir: CString::new(dir.as_os_str().as_bytes())?,
            stdio,
        })
    }

    /// The same program, run by a shell.
    pub fn by_shell(mut self) -> io::Result<Program> {
        let script = std::mem::replace(&mut self.path, CString::new("/bin/sh")?);
        let own_name = 0..1.min(self.args.len());
        self.args.splice(own_name, [CString::new("sh")?, script]);
        Ok(self)
    }
}

/// Runs exactly `program`: there is no search, and no shell is tried if the kernel cannot run it,
/// so that its error is reported unchanged. The child has its own process group, is in `cgroup`
/// from its first moment if possible, and dies with this process.
#[allow(unsafe_code)]
pub fn spawn(program: &Program, cgroup: Option<&OwnedFd>) -> io::Result<Pid> {
    let (args, env) = (ends(&program.args), ends(&program.env));
    let (heard, trouble) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    let parent = getpid();
    // SAFETY: the child makes only system calls until it runs another program, or ends.
    let Some(child) = (unsafe { fork(cgroup) })? else {
        // SAFETY: the arrays end with a null pointer; they and all strings outlive the call.
        let error = unsafe { become_program(program, &args, &env, parent) };
        let code = error.raw_os_error().unwrap_or(libc::EIO);
        let _ = rustix::io::write(&trouble, &code.to_ne_bytes());
        // SAFETY: ends this process without running anything of its parent's.
        unsafe { libc::_exit(127) };
    };
    drop(trouble);
    let mut code = [0; 4];
    // The pipe closes at the exec: then there was no error.
    if retry_on_intr(|| rustix::io::read(&heard, &mut code)) == Ok(code.len()) {
        let _ = waitpid(Some(child), WaitOptions::empty());
        return Err(io::Error::from_raw_os_error(i32::from_ne_bytes(code)));
    }
    Ok(child)
}

/// A child that does nothing until it is killed, to test means of containment.
#[allow(unsafe_code)]
pub fn start_probe(cgroup: Option<&OwnedFd>) -> io::Result<Pid> {
    let parent = getpid();
    // SAFETY: the child makes only system calls.
    if let Some(child) = unsafe { fork(cgroup) }? {
        return Ok(child);
    }
    let lives = prepare(parent).is_ok();
    loop {
        match lives {
            // SAFETY: it only waits; a signal other than KILL does nothing, or ends this process.
            true => unsafe { libc::pause() },
            // SAFETY: ends this process without running anything of its parent's.
            false => unsafe { libc::_exit(127) },
        };
    }
}

pub fn end_probe(probe: Pid) {
    let _ = rustix::process::kill_process(probe, Signal::KILL);
    let _ = waitpid(Some(probe), WaitOptions::empty());
}

/// `None` in the child.
///
/// # Safety
///
/// Other threads do not exist in the child, but their locks do: it must take none.
#[allow(unsafe_code)]
unsafe fn fork(cgroup: Option<&OwnedFd>) -> io::Result<Option<Pid>> {
    let born = cgroup.map_or(-1, |cgroup| {
        // Starting in a cgroup costs almost nothing; moving into one costs milliseconds.
        let args = CloneArgs {
            flags: CLONE_INTO_CGROUP,
            exit_signal: libc::SIGCHLD as u64,
            cgroup: cgroup.as_raw_fd() as u64,
            ..CloneArgs::default()
        };
        let size = size_of::<CloneArgs>();
        // SAFETY: `args` lives during the call and is as long as we say; without CLONE_VM the child
        // has memory of its own, as after a fork, and our caller promises that it takes no lock.
        (unsafe { libc::syscall(libc::SYS_clone3, &raw const args, size) }) as i32
    });
    // If that is impossible (a sandbox, an older kernel) it starts outside.
    let pid = match born {
        0.. => born,
        // SAFETY: our caller promises that the child takes no lock.
        _ => check(unsafe { libc::fork() })?,
    };
    Ok(Pid::from_raw(pid))
}

/// `struct clone_args` of linux/sched.h, as of its version with cgroups.
#[derive(Default)]
#[repr(C)]
struct CloneArgs {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// Replaces this process; returns only with the reason why it could not.
///
/// # Safety
///
/// It is called in a child after `fork`. `args` and `env` are pointers to strings that live as long
/// as the call, and end with a null pointer.
#[allow(unsafe_code)]
unsafe fn become_program(
    program: &Program,
    args: &[*const c_char],
    env: &[*const c_char],
    parent: Pid,
) -> io::Error {
    let prepared = || -> io::Result<()> {
        // SAFETY: a call with numbers only.
        check(unsafe { libc::setpgid(0, 0) })?;
        // Our descriptors are never among the first three, which are always open.
        for (target, fd) in program.stdio.iter().enumerate() {
            // SAFETY: the first three belong to nobody in this child, which becomes another program.
            check(unsafe { libc::dup2(fd.as_raw_fd(), target as i32) })?;
        }
        // SAFETY: `dir` is a string that ends with a zero byte and outlives the call.
        check(unsafe { libc::chdir(program.dir.as_ptr()) })?;
        prepare(parent)
    };
    if let Err(error) = prepared() {
        return error;
    }
    // SAFETY: `path` ends with a zero byte; the lists are as our caller promises.
    unsafe { libc::execve(program.path.as_ptr(), args.as_ptr(), env.as_ptr()) };
    io::Error::last_os_error()
}

/// A list in the kernel's form: pointers, and a null at the end.
fn ends(list: &[CString]) -> Vec<*const c_char> {
    let pointers = list.iter().map(|entry| entry.as_ptr());
    pointers.chain([ptr::null()]).collect()
}

/// The child's side of the start.
#[allow(unsafe_code)]
fn prepare(parent: Pid) -> io::Result<()> {
    let mut none = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `none` is initialised by sigemptyset; default dispositions call no code of ours.
    unsafe {
        for signal in DEFAULTS {
            libc::signal(signal, libc::SIG_DFL);
        }
        libc::sigemptyset(none.as_mut_ptr());
        check(libc::sigprocmask(
            libc::SIG_SETMASK,
            none.as_ptr(),
            ptr::null_mut(),
        ))?;
    }
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The parent may have died before that call: then nobody would end this child.
    if getppid() == Some(parent) {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(libc::ESRCH))
    }
}

fn check(result: i32) -> io::Result<i32> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}
