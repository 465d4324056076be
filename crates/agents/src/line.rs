//! The line between a supervisor and the kumite that started it: a socket, the supervisor's stdin.
//!
//! | who says it | what | when |
//! |---|---|---|
//! | kumite | a directory and a NUL | to a supervisor that was started ahead: that is its agent |
//! | supervisor | [`ENDED`] | `end.json` is there |
//! | kumite | [`SEEN`] | the end is in the journal, on the disk: the supervisor may go |
//!
//! Nothing rests on it. A line that breaks means that kumite died, and a supervisor that hears no
//! [`SEEN`] makes `end.json` durable itself. So an end is synced once, by whoever is there to do it.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::process::timespec;

const ENDED: u8 = b'e';
const SEEN: u8 = b's';

/// How long a supervisor waits for kumite to see an end before it syncs it itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// kumite's end.
#[derive(Debug)]
pub struct Line(UnixStream);

impl Line {
    /// Both ends; the second one becomes a supervisor's stdin.
    pub fn new() -> io::Result<(Line, UnixStream)> {
        let (ours, theirs) = UnixStream::pair()?;
        Ok((Line(ours), theirs))
    }

    /// Gives a supervisor that was started ahead its agent.
    pub fn assign(&self, dir: &Path) -> io::Result<()> {
        let mut line = dir.as_os_str().as_bytes().to_vec();
        line.push(0);
        (&self.0).write_all(&line)
    }

    /// Nothing more is said, and the supervisor sees to its end itself.
    pub fn hang_up(&self) {
        let _ = self.0.shutdown(std::net::Shutdown::Both);
    }

    pub fn say_seen(&self) {
        // Who is gone needs no word.
        let _ = send(&self.0, &[SEEN], SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
    }
}

impl AsFd for Line {
    /// Readable when the supervisor has said [`ENDED`], or is gone.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// What a supervisor that was started ahead waits for. `None`: it is not needed.
pub fn await_assignment() -> Option<PathBuf> {
    let mut dir = Vec::new();
    let mut stdin = io::stdin().lock();
    loop {
        let mut byte = [0];
        match stdin.read(&mut byte) {
            Ok(1) if byte[0] == 0 => return Some(OsString::from_vec(dir).into()),
            Ok(1) => dir.push(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => return None,
        }
    }
}

/// Says that `end.json` is there, and whether whoever heard it has put it into the journal.
pub fn is_end_seen() -> bool {
    let stdin = rustix::stdio::stdin();
    // Without a line (stdin is no socket, or nobody listens) there is nobody to wait for.
    if send(stdin, &[ENDED], SendFlags::NOSIGNAL).is_err() {
        return false;
    }
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    let mut said = [0];
    poll(&mut fds, Some(&timespec(PATIENCE))).is_ok_and(|count| count > 0)
        && recv(stdin, &mut said, RecvFlags::DONTWAIT).is_ok_and(|(count, _)| count == 1)
        && said == [SEEN]
}
