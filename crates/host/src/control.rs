//! The control socket: how other processes talk to the engine of a project. One JSON object a line.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use kumite_core::change::Fixing;
use kumite_core::names::{Document, Phase};
use serde::{Deserialize, Serialize};

use crate::announce::Announcement;
use crate::engine::Message;
use crate::project::Project;

/// What can be asked of an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request {
    Run(RunRequest),
    Stop {
        spec: String,
    },
    Pause {
        spec: String,
    },
    Reset {
        spec: String,
    },
    Approve {
        spec: String,
        document: Option<Document>,
    },
    Reject {
        spec: String,
        document: Option<Document>,
        remark: Option<String>,
    },
    /// Stop, because whoever asked for these was interrupted.
    Interrupt {
        specs: Vec<String>,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRequest {
    pub specs: Vec<String>,
    pub until: Option<Phase>,
    pub from: Option<Phase>,
    pub review_once: Option<Fixing>,
    /// An agent for all phases, in place of the settings.
    pub agent: Option<String>,
    /// A usage limit ends the run instead of being waited for.
    #[serde(default)]
    pub no_wait: bool,
    /// A usage limit is not waited for any longer: it is tried again now.
    #[serde(default)]
    pub at_once: bool,
    /// Whether everything that happens is sent too.
    pub follow: Follow,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Follow {
    #[default]
    No,
    /// Until all of them have ended.
    UntilEnded,
    /// As long as the engine lives.
    Always,
}

/// What an engine answers: an answer first, then news if they were asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// It is done, or on its way.
    Done(String),
    /// It does not fit the state it met, or is wrong.
    Refused(String),
    /// It is right, but the machine does not let us: no room on the disk, say.
    Failed(String),
    /// Something is just ending; the same request fits in a moment.
    Later,
    News(Announcement),
}

fn path(project: &Project) -> PathBuf {
    project.runtime().join("control.sock")
}

/// The address of a socket is short (108 bytes), paths are not: the directory is opened, and the
/// socket is named through it.
fn short_path(project: &Project) -> io::Result<(fs::File, PathBuf)> {
    use std::os::fd::AsRawFd;
    let dir = fs::File::open(project.runtime())?;
    let short = PathBuf::from(format!("/proc/self/fd/{}/control.sock", dir.as_raw_fd()));
    Ok((dir, short))
}

/// The socket of an engine. It goes when everybody has heard the last word, or after a moment.
#[derive(Debug)]
pub struct Open {
    /// Whoever passes replies on holds one, too.
    talking: Arc<()>,
}

/// How long a client may take to read the last word.
const LAST_WORD: Duration = Duration::from_secs(2);

impl Drop for Open {
    fn drop(&mut self) {
        let deadline = Instant::now() + LAST_WORD;
        while Arc::strong_count(&self.talking) > 1 && Instant::now() < deadline {
            thread::park_timeout(Duration::from_millis(1));
        }
    }
}

/// Listens, with the lock held: a socket that is there is a dead engine's.
pub fn listen(project: &Project, inbox: Sender<Message>) -> io::Result<Open> {
    let _ = fs::remove_file(path(project));
    let (_dir, short) = short_path(project)?;
    let listener = UnixListener::bind(short)?;
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path(project), fs::Permissions::from_mode(0o600))?;
    let open = Open {
        talking: Arc::default(),
    };
    let talking = Arc::downgrade(&open.talking);
    thread::Builder::new()
        .name("control".into())
        .spawn(move || {
            for stream in listener.incoming().flatten() {
                let (inbox, talking) = (inbox.clone(), talking.clone());
                let serve = move || {
                    // A client that goes away is its own business.
                    let _ = serve(stream, &inbox, &talking);
                };
                let _ = thread::Builder::new().stack_size(256 * 1024).spawn(serve);
            }
        })?;
    Ok(open)
}

pub fn is_there(project: &Project) -> bool {
    path(project).exists()
}

pub fn unlink(project: &Project) {
    let _ = fs::remove_file(path(project));
}

fn serve(stream: UnixStream, inbox: &Sender<Message>, talking: &Weak<()>) -> io::Result<()> {
    let mut write = stream.try_clone()?;
    for line in BufReader::new(stream).lines() {
        let reply = |text: Reply| -> io::Result<()> { send(&mut &write, &text) };
        let request = match serde_json::from_str(&line?) {
            Ok(request) => request,
            Err(error) => return reply(Reply::Refused(format!("not a request: {error}"))),
        };
        let _talking = talking.upgrade();
        let (send_reply, replies) = mpsc::channel();
        let asked = Message::Request {
            request,
            reply: send_reply,
        };
        if inbox.send(asked).is_err() {
            // The engine has ended: the next one can be asked in a moment.
            return reply(Reply::Later);
        }
        for text in replies {
            send(&mut write, &text)?;
        }
    }
    Ok(())
}

fn send(stream: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    stream.write_all(&line)
}

/// A connection to the engine of a project.
pub struct Client {
    read: BufReader<UnixStream>,
    write: UnixStream,
}

impl Client {
    pub fn connect(project: &Project) -> io::Result<Client> {
        let (_dir, short) = short_path(project)?;
        let write = UnixStream::connect(short)?;
        write.set_write_timeout(Some(Duration::from_secs(10)))?;
        let read = BufReader::new(write.try_clone()?);
        Ok(Client { read, write })
    }

    pub fn ask(&mut self, request: &Request) -> io::Result<()> {
        send(&mut self.write, request)
    }

    /// The next reply; None: the engine has ended.
    pub fn answer(&mut self) -> io::Result<Option<Reply>> {
        let mut line = String::new();
        if self.read.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        serde_json::from_str(&line)
            .map(Some)
            .map_err(io::Error::from)
    }
}
