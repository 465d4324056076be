//! The few calls that have no safe form. Everything unsafe of this crate is here.

use std::ffi::{CString, OsStr, c_char};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::ptr;

use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal};

/// What a supervisor wants to hear about. HUP and INT are listened to in order to be ignored:
/// a disposition would be inherited by the agent, a mask is not.
const HEARD: [i32; 5] = [
    libc::SIGTERM,
    libc::SIGQUIT,
    libc::SIGCHLD,
    libc::SIGHUP,
    libc::SIGINT,
];

/// What may have been ignored where kumite was started (`nohup`, a script's `&`) and must not be
/// in an agent that is to be ended by it.
const DEFAULTS: [i32; 6] = [
    libc::SIGTERM,
    libc::SIGQUIT,
    libc::SIGCHLD,
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGPIPE,
];

/// Routes the signals of this process into a file descriptor that can be polled.
#[allow(unsafe_code)]
pub fn listen() -> io::Result<OwnedFd> {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `set` is initialised by sigemptyset before anything reads it, the old mask is not
    // asked for, and a new descriptor from signalfd belongs to nobody else.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in HEARD {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        // An inherited SIG_IGN would have the kernel reap our children behind our back.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        // An agent that closes its stdin early must not take us with it.
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

/// Makes `command` run `program` itself, with nothing between: no search, and no shell that is
/// tried when the kernel cannot run it, so that its error is reported as it is. The child dies
/// with this process. `command` still says where, and with which stdio.
#[allow(unsafe_code)]
pub fn execute(
    command: &mut Command,
    program: &Path,
    args: &[&OsStr],
    env: Vec<String>,
) -> io::Result<()> {
    let path = CString::new(program.as_os_str().as_bytes())?;
    let args = args
        .iter()
        .map(|arg| CString::new(arg.as_bytes()))
        .collect::<Result<Vec<_>, _>>()?;
    let env = env
        .into_iter()
        .map(CString::new)
        .collect::<Result<Vec<_>, _>>()?;
    let parent = getpid();
    let run = move || {
        prepare(parent)?;
        Err(execve(&path, &args, &env))
    };
    // SAFETY: the closure runs between fork and exec. A supervisor has one thread only, so no
    // lock (of the allocator, say) can be held by a thread that does not exist in the child.
    unsafe { command.pre_exec(run) };
    Ok(())
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
        Err(io::Error::other("the supervisor is gone"))
    }
}

/// Replaces this process; returns only with the reason why it could not.
#[allow(unsafe_code)]
fn execve(path: &CString, args: &[CString], env: &[CString]) -> io::Error {
    let ends = |list: &[CString]| -> Vec<*const c_char> {
        list.iter()
            .map(|entry| entry.as_ptr())
            .chain([ptr::null()])
            .collect()
    };
    let (args, env) = (ends(args), ends(env));
    // SAFETY: both arrays end with a null pointer and point to strings that outlive the call.
    unsafe { libc::execve(path.as_ptr(), args.as_ptr(), env.as_ptr()) };
    io::Error::last_os_error()
}

fn check(result: i32) -> io::Result<i32> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}
