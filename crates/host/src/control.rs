//! The control socket: how other processes talk to the engine of a project. One JSON object per
//! line.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use kumite_core::names::{Document, Phase};
use rustix::net::Shutdown;
use serde::{Deserialize, Serialize};

use crate::engine::Message;
use crate::held::{Grip, Held};
use crate::run_request::RunRequest;
use kumite_project::announce::Announcement;
use kumite_project::project::Project;

/// The requests to an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request {
    Run(RunRequest),
    /// Plays a contest whose charter is in this directory, or goes on with it.
    Contest {
        dir: PathBuf,
        /// The process whose end also ends the playing; None: it goes on without it.
        by: Option<u32>,
    },
    Stop {
        spec: String,
    },
    Pause {
        spec: String,
    },
    Reset {
        spec: String,
        /// Its checkpoints go too.
        #[serde(default)]
        hard: bool,
    },
    /// The worktree as it was at this checkpoint.
    Undo {
        spec: String,
        to: u64,
    },
    Approve {
        spec: String,
        /// The phase whose document is approved, or deploy.
        document: Option<Phase>,
    },
    Reject {
        spec: String,
        document: Option<Document>,
        remark: Option<String>,
    },
    /// Stops, because the process that asked for these runs was interrupted.
    Interrupt {
        specs: Vec<String>,
    },
}

impl Request {
    /// Whether it makes sense only with the person's settings. Requests that end work do not need
    /// them.
    pub fn needs_settings(&self) -> bool {
        match self {
            Request::Stop { .. } | Request::Pause { .. } | Request::Interrupt { .. } => false,
            Request::Run(_)
            | Request::Contest { .. }
            | Request::Reset { .. }
            | Request::Undo { .. }
            | Request::Approve { .. }
            | Request::Reject { .. } => true,
        }
    }
}

impl From<&RunRequest> for Request {
    fn from(request: &RunRequest) -> Request {
        Request::Run(request.clone())
    }
}

/// The answers of an engine: first one answer, then news if it was requested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// These specs already work, and were started elsewhere. The answer follows.
    Others(Vec<String>),
    /// It is done, or has begun.
    Done(String),
    /// The request does not fit the current state, or is wrong.
    Refused(String),
    /// The request is right, but the machine prevents it: for example, the disk is full.
    Failed(String),
    /// Something is just ending; the same request will fit in a moment.
    Later,
    News(Announcement),
}

fn path(project: &Project) -> PathBuf {
    project.runtime().join("control.sock")
}

/// The address of a socket is limited to 108 bytes, which a path may exceed: so the directory is
/// opened, and the socket is named through it.
fn short_path(project: &Project) -> io::Result<(fs::File, PathBuf)> {
    use std::os::fd::AsRawFd;
    let dir = fs::File::open(project.runtime())?;
    let short = PathBuf::from(format!("/proc/self/fd/{}/control.sock", dir.as_raw_fd()));
    Ok((dir, short))
}

/// The socket of an engine, while it listens.
#[derive(Debug)]
pub struct Open {
    listener: OwnedFd,
    /// Held by threads that pass replies on.
    talking: Held,
}

/// How long a client may leave replies unread. Then it is dropped: the engine does not keep
/// everything for a suspended client, which asks again when it goes on.
const UNREAD_MAX: Duration = Duration::from_secs(5);
/// How long a client may take to read the last reply.
const LAST_WORD: Duration = Duration::from_secs(2);
/// How long a request may be.
const REQUEST_MAX: u64 = 4 * 1024 * 1024;

impl Open {
    /// The engine ends: every client gets the last reply, but nobody can delay this for long.
    pub fn close(self) {
        self.stop_listening();
        self.talking.wait(LAST_WORD);
    }

    /// Nobody can connect any more, because the file is gone. Existing connections go on.
    pub fn stop_listening(&self) {
        // This ends the thread that waits for the next connection.
        let _ = rustix::net::shutdown(&self.listener, Shutdown::Both);
    }
}

/// Listens, with the lock held: an existing socket belongs to a dead engine.
pub fn listen(project: &Project, inbox: Sender<Message>) -> io::Result<Open> {
    let _ = fs::remove_file(path(project));
    let (_dir, short) = short_path(project)?;
    let listener = UnixListener::bind(short)?;
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path(project), fs::Permissions::from_mode(0o600))?;
    let open = Open {
        listener: listener.try_clone()?.into(),
        talking: Held::default(),
    };
    let talking = open.talking.grip();
    thread::Builder::new()
        .name("control".into())
        .spawn(move || {
            while let Some(stream) = accept(&listener) {
                attend(stream, inbox.clone(), talking.clone());
            }
        })?;
    Ok(open)
}

/// The next connection; None: the engine no longer listens.
fn accept(listener: &UnixListener) -> Option<UnixStream> {
    loop {
        match listener.accept() {
            Ok((stream, _)) => return Some(stream),
            // The result of `stop_listening`.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => return None,
            // For example, no descriptor is free: that passes.
            Err(_) => thread::park_timeout(Duration::from_millis(50)),
        }
    }
}

/// Gives a connection its own thread, or tells the client why it gets none.
fn attend(stream: UnixStream, inbox: Sender<Message>, talking: Grip) {
    let spare = stream.try_clone();
    let serve = move || {
        // A client that goes away needs no handling.
        let _ = serve(stream, &inbox, &talking);
    };
    let started = thread::Builder::new().stack_size(256 * 1024).spawn(serve);
    if let (Err(error), Ok(mut stream)) = (started, spare) {
        let why = format!("kumite cannot answer: no thread can be started ({error})");
        // A new connection has room for one line.
        let _ = send(&mut stream, &Reply::Failed(why));
    }
}

pub fn is_there(project: &Project) -> bool {
    path(project).exists()
}

pub fn unlink(project: &Project) {
    let _ = fs::remove_file(path(project));
}

fn serve(stream: UnixStream, inbox: &Sender<Message>, talking: &Grip) -> io::Result<()> {
    let mut write = stream.try_clone()?;
    write.set_write_timeout(Some(UNREAD_MAX))?;
    let mut read = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = (&mut read).take(REQUEST_MAX).read_until(b'\n', &mut line)?;
        if length == 0 {
            return Ok(());
        }
        let request = match serde_json::from_slice(&line) {
            Ok(request) => request,
            Err(error) => {
                let why = match length as u64 == REQUEST_MAX {
                    true => format!("a request has at most {REQUEST_MAX} bytes"),
                    false => format!("not a request: {error}"),
                };
                return send(&mut write, &Reply::Refused(why));
            }
        };
        let _talking = talking.hold();
        let (send_reply, replies) = mpsc::channel();
        let asked = Message::Request {
            request,
            reply: send_reply,
        };
        if inbox.send(asked).is_err() {
            // The engine has ended: the next one can be asked in a moment.
            return send(&mut write, &Reply::Later);
        }
        let mut is_answered = false;
        for text in replies {
            is_answered = true;
            send(&mut write, &text)?;
        }
        if !is_answered {
            // The engine has ended instead: the client sees the connection close.
            return Ok(());
        }
    }
}

fn send(stream: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    stream.write_all(&line)
}

/// A connection to the engine of a project.
pub struct Connection {
    read: BufReader<UnixStream>,
    write: UnixStream,
    /// The part of the next reply that has arrived.
    line: Vec<u8>,
}

impl Connection {
    pub fn connect(project: &Project) -> io::Result<Connection> {
        let (_dir, short) = short_path(project)?;
        let write = UnixStream::connect(short)?;
        write.set_write_timeout(Some(Duration::from_secs(10)))?;
        let read = BufReader::new(write.try_clone()?);
        let line = Vec::new();
        Ok(Connection { read, write, line })
    }

    pub fn ask(&mut self, request: &Request) -> io::Result<()> {
        send(&mut self.write, request)
    }

    /// The next reply; None: the engine has ended.
    pub fn answer(&mut self) -> io::Result<Option<Reply>> {
        self.read.get_ref().set_read_timeout(None)?;
        self.next()
    }

    /// The same, if it comes within `time`; otherwise the error is `WouldBlock`.
    pub fn answer_within(&mut self, time: Duration) -> io::Result<Option<Reply>> {
        self.read.get_ref().set_read_timeout(Some(time))?;
        self.next()
    }

    fn next(&mut self) -> io::Result<Option<Reply>> {
        // After an error the partial line is kept.
        self.read.read_until(b'\n', &mut self.line)?;
        let line = std::mem::take(&mut self.line);
        match line.ends_with(b"\n") {
            true => Ok(Some(serde_json::from_slice(&line)?)),
            false => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests;
