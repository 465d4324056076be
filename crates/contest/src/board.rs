//! The leader board's own program, `kumite-board`, which alone knows DuckDB. It is beside
//! `kumite`, is started on demand, and holds the database only while it writes.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use kumite_agents::start_child;
use kumite_core::contest::rows::Write;
use kumite_project::beside;
use serde::Deserialize;
use serde_json::{Value, json};

/// Names another program, for installations that keep it elsewhere.
const VARIABLE: &str = "KUMITE_BOARD";
const PROGRAM: &str = "kumite-board";
/// Makes its allocators release unused memory at once: 3 MB of 50.
const FRUGAL: [(&str, &str); 2] = [
    ("MALLOC_ARENA_MAX", "1"),
    (
        "DUCKDB_JE_MALLOC_CONF",
        "narenas:1,dirty_decay_ms:0,muzzy_decay_ms:0",
    ),
];

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "cannot find {PROGRAM}, which keeps the leader board, at {}; \
         it is built and installed together with kumite, or {VARIABLE} names it",
        path.display()
    )]
    Missing { path: PathBuf },
    #[error("cannot start {}", path.display())]
    Start { path: PathBuf, source: io::Error },
    #[error("{0}")]
    Locked(String),
    #[error("{0}")]
    Refused(String),
}

pub fn program() -> Result<PathBuf, Error> {
    beside::find(PROGRAM, VARIABLE).map_err(|path| Error::Missing { path })
}

/// Sends one query about a database, and returns the program's answer.
pub fn query(database: &Path, request: &Value) -> Result<String, Error> {
    let path = program()?;
    let start = |source| Error::Start {
        path: path.clone(),
        source,
    };
    let mut command = Command::new(&path);
    command
        .arg("query")
        .arg(database)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = start_child(|| command.spawn()).map_err(start)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read the query explains that in its answer.
        let _ = stdin.write_all(request.to_string().as_bytes());
    }
    let output = child.wait_with_output().map_err(start)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(Error::Refused(text(&output.stderr).trim().to_owned())),
    }
}

/// Called when a request was answered, or never will be.
type Done = Box<dyn FnOnce(Result<(), Refusal>) + Send>;

/// One database, through one child process. A child that died is replaced at the next request.
#[derive(Clone)]
pub struct Board {
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    program: PathBuf,
    database: PathBuf,
    next_id: u64,
    line: Option<Connection>,
    /// Numbers the children, so that the end of an old one is not taken for the end of a new one.
    line_number: u64,
    waiting: HashMap<u64, Done>,
}

struct Connection {
    child: Child,
    stdin: ChildStdin,
}

impl Board {
    pub fn new(database: &Path) -> Result<Board, Error> {
        let shared = Shared {
            program: program()?,
            database: database.to_owned(),
            next_id: 0,
            line: None,
            line_number: 0,
            waiting: HashMap::new(),
        };
        let shared = Arc::new(Mutex::new(shared));
        Ok(Board { shared })
    }

    /// Whether the database can be used, or could be created.
    pub fn check(&self) -> Result<(), Error> {
        let (sender, answer) = std::sync::mpsc::channel();
        self.ask(json!({ "check": {} }), move |done| {
            let _ = sender.send(done);
        });
        let gone = || Error::Refused(format!("{PROGRAM} is gone"));
        let answer = answer.recv().map_err(|_| gone())?;
        answer.map_err(|refusal| match refusal.kind {
            RefusalKind::Locked => Error::Locked(refusal.message),
            RefusalKind::Other => Error::Refused(refusal.message),
        })
    }

    /// Writes all rows or none, and calls `done` in another thread.
    pub fn write(&self, write: &Write, done: impl FnOnce(Result<(), String>) + Send + 'static) {
        self.ask(json!({ "write": write }), |answer| {
            done(answer.map_err(|refusal| refusal.message));
        });
    }

    fn ask(&self, mut request: Value, done: impl FnOnce(Result<(), Refusal>) + Send + 'static) {
        let mut shared = self.lock();
        shared.next_id += 1;
        let id = shared.next_id;
        request["id"] = json!(id);
        shared.waiting.insert(id, Box::new(done));
        let sent = self.send(&mut shared, &request);
        if let Err(error) = sent {
            let done = shared.waiting.remove(&id);
            drop(shared);
            if let Some(done) = done {
                done(Err(Refusal::of(error.to_string())));
            }
        }
    }

    /// Writes with the lock held, which the receiver of answers needs too. That cannot last: the
    /// other side reads everything at once (`board/serve.rs`).
    fn send(&self, shared: &mut Shared, request: &Value) -> io::Result<()> {
        let mut text = request.to_string();
        text.push('\n');
        if let Some(line) = &mut shared.line
            && line.stdin.write_all(text.as_bytes()).is_ok()
        {
            return Ok(());
        }
        let mut line = self.start(shared)?;
        let sent = line.stdin.write_all(text.as_bytes());
        shared.line = Some(line);
        sent
    }

    fn start(&self, shared: &mut Shared) -> io::Result<Connection> {
        let mut command = Command::new(&shared.program);
        command
            .arg("serve")
            .arg(&shared.database)
            .envs(FRUGAL)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = start_child(|| command.spawn())?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        shared.line_number += 1;
        let number = shared.line_number;
        let board = self.clone();
        thread::Builder::new()
            .name("board".to_owned())
            .stack_size(128 * 1024)
            .spawn(move || board.listen(stdout, number))?;
        Ok(Connection { child, stdin })
    }

    fn listen(&self, stdout: ChildStdout, number: u64) {
        for line in BufReader::new(stdout).lines() {
            let Ok(line) = line else { break };
            let Ok(answer) = serde_json::from_str::<Answer>(&line) else {
                continue;
            };
            let done = self.lock().waiting.remove(&answer.id);
            if let Some(done) = done {
                done(answer.error.map_or(Ok(()), Err));
            }
        }
        self.lost(number);
    }

    /// The child is gone: its requests will not be answered.
    fn lost(&self, number: u64) {
        let mut shared = self.lock();
        if shared.line_number != number {
            return;
        }
        if let Some(mut line) = shared.line.take() {
            drop(line.stdin);
            let _ = line.child.wait();
        }
        let waiting = std::mem::take(&mut shared.waiting);
        drop(shared);
        for done in waiting.into_values() {
            done(Err(Refusal::of(format!(
                "{PROGRAM} ended before it had answered"
            ))));
        }
    }

    /// Ends the child, and waits until it is gone.
    pub fn close(&self) {
        let line = self.lock().line.take();
        if let Some(mut line) = line {
            drop(line.stdin);
            let _ = line.child.wait();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Deserialize)]
struct Answer {
    id: u64,
    #[serde(default)]
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    kind: RefusalKind,
    message: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RefusalKind {
    Locked,
    #[default]
    #[serde(other)]
    Other,
}

impl Refusal {
    fn of(message: String) -> Refusal {
        let kind = RefusalKind::Other;
        Refusal { kind, message }
    }
}
