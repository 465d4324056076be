//! The socket between a supervisor and the kumite that started it. It is the supervisor's stdin.
//!
//! | sender | message | meaning |
//! |---|---|---|
//! | kumite | a directory and a NUL | to a supervisor that was started ahead: this is your agent |
//! | supervisor | [`ENDED`] | `end.json` exists |
//! | kumite | [`SEEN`] | the end is in the journal, on the disk: the supervisor may exit |
//!
//! Nothing depends on it. If the connection breaks, kumite has died. A supervisor that receives no
//! [`SEEN`] makes `end.json` durable itself. So an end is synced once, by the process that is alive.

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

/// How long a supervisor waits for kumite to see an end before it syncs the file itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// kumite's end of the socket.
#[derive(Debug)]
pub struct SupervisorSocket(UnixStream);

impl SupervisorSocket {
    /// Both ends; the second one becomes a supervisor's stdin.
    pub fn new() -> io::Result<(SupervisorSocket, UnixStream)> {
        let (ours, theirs) = UnixStream::pair()?;
        Ok((SupervisorSocket(ours), theirs))
    }

    /// Gives an agent to a supervisor that was started ahead.
    pub fn give_agent(&self, dir: &Path) -> io::Result<()> {
        let mut message = dir.as_os_str().as_bytes().to_vec();
        message.push(0);
        (&self.0).write_all(&message)
    }

    /// Closes it; the supervisor then makes the end durable itself.
    pub fn hang_up(&self) {
        let _ = self.0.shutdown(std::net::Shutdown::Both);
    }

    pub fn say_seen(&self) {
        // A supervisor that is gone needs no message.
        let _ = send(&self.0, &[SEEN], SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
    }
}

impl AsFd for SupervisorSocket {
    /// Readable when the supervisor has sent [`ENDED`], or is gone.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// A supervisor that was started ahead waits here for its agent. `None`: it is not needed.
pub fn await_agent() -> Option<PathBuf> {
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

/// Reports that `end.json` exists, and returns whether kumite has put the end into its journal.
pub fn is_end_seen() -> bool {
    let stdin = rustix::stdio::stdin();
    // Without the socket (stdin is another file, or nobody reads) there is nothing to wait for.
    if send(stdin, &[ENDED], SendFlags::NOSIGNAL).is_err() {
        return false;
    }
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    let mut said = [0];
    poll(&mut fds, Some(&timespec(PATIENCE))).is_ok_and(|count| count > 0)
        && recv(stdin, &mut said, RecvFlags::DONTWAIT).is_ok_and(|(count, _)| count == 1)
        && said == [SEEN]
}
