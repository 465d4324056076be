//! Reads the logs of agents, however long they are: a page of lines from anywhere, and the number
//! of lines, without reading the whole file each time.
//!
//! Lines are numbered from 1. A line keeps its number as long as this process lives, even when the
//! log is rotated and its oldest lines are removed.

mod find;
mod index;
mod kind;
mod rows;

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use kumite_agents::{Adopted, AgentLogs, rotated};
use kumite_core::journal::AgentId;
use kumite_project::project::Spec;

use crate::api::Refusal;
use crate::inside;
use index::Index;
use rows::each_line;

pub use find::{Found, Wanted};
pub use kind::{EntryKind, is_bad};
pub use rows::{LINE_MAX, Row};

/// How many logs are remembered.
const KNOWN_MAX: usize = 64;

/// The most bytes returned at once.
const ROWS_BYTES_MAX: usize = 1024 * 1024;

#[derive(Debug, thiserror::Error)]
#[error("cannot read the log {path}: {source}")]
pub struct Error {
    pub path: PathBuf,
    pub source: io::Error,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        match error.source.kind() {
            // A link that leads outside, or something that is not a plain file.
            io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput => {
                Refusal::not_found(error.to_string())
            }
            _ => Refusal::broken(error.to_string()),
        }
    }
}

/// What is known about logs that were read before.
#[derive(Default)]
pub struct Logs {
    known: Mutex<HashMap<PathBuf, Known>>,
}

#[derive(Clone)]
struct Known {
    log: Arc<Mutex<Vec<Indexed>>>,
    looked_at: SystemTime,
}

/// One file of a log, identified by inode and not by its name, which changes.
#[derive(Clone)]
struct Indexed {
    identity: Identity,
    index: Arc<Index>,
    /// The number of its first line.
    first: u64,
}

/// The inode number of a removed file can be used again, so the creation time is part of the
/// identity.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    made: Option<SystemTime>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON lines: [`kumite_agents::TranscriptLine`].
    Transcript,
    /// The output of a program, unchanged.
    Raw,
}

/// Parses an agent id, written as kumite writes it.
pub fn agent_id(text: &str) -> Result<AgentId, Refusal> {
    let agent = text.parse::<AgentId>().ok();
    let agent = agent.filter(|agent| agent.to_string() == text);
    agent.ok_or_else(|| Refusal::invalid(format!("{text:?} is not the id of an agent")))
}

impl Logs {
    /// The log of an agent as it is now. None: there is no log, or it was removed.
    pub fn look(&self, spec: &Spec, agent: AgentId) -> Result<Option<Log>, Error> {
        let logs = AgentLogs::new(&spec.logs(), agent);
        let root = spec.main_dir();
        let is_over = || {
            !matches!(
                kumite_agents::adopt(&spec.agent_dir(agent)),
                Ok(Adopted::Running(_))
            )
        };
        match self.look_at(root, Form::Transcript, logs.transcript(), is_over)? {
            None => self.look_at(root, Form::Raw, logs.raw(), is_over),
            found => Ok(found),
        }
    }

    /// The same for an agent of a contest: `agent` is its directory, with its logs beside it,
    /// inside
    /// `root`.
    pub fn look_in(&self, root: &Path, agent: &Path) -> Result<Option<Log>, Error> {
        let is_over = || !matches!(kumite_agents::adopt(agent), Ok(Adopted::Running(_)));
        let (transcript, raw) = (agent.with_extension("jsonl"), agent.with_extension("log"));
        match self.look_at(root, Form::Transcript, transcript, is_over)? {
            None => self.look_at(root, Form::Raw, raw, is_over),
            found => Ok(found),
        }
    }

    /// `is_over`: nobody writes to the log any more.
    fn look_at(
        &self,
        root: &Path,
        form: Form,
        path: PathBuf,
        is_over: impl Fn() -> bool,
    ) -> Result<Option<Log>, Error> {
        let found = open(root, &path).and_then(|files| {
            if files.is_empty() {
                return Ok(None);
            }
            let known = self.known(&path);
            let parts = update(&mut locked(&known), files, is_over)?;
            Ok(Some(Log { form, parts }))
        });
        found.map_err(|source| Error { path, source })
    }

    fn known(&self, path: &Path) -> Arc<Mutex<Vec<Indexed>>> {
        let mut all = locked(&self.known);
        if all.len() >= KNOWN_MAX && !all.contains_key(path) {
            let oldest = all.iter().min_by_key(|(_, known)| known.looked_at);
            let oldest = oldest.map(|(path, _)| path.clone());
            oldest.and_then(|path| all.remove(&path));
        }
        let known = all.entry(path.to_owned()).or_insert_with(|| Known {
            log: Arc::default(),
            looked_at: SystemTime::now(),
        });
        known.looked_at = SystemTime::now();
        Arc::clone(&known.log)
    }
}

/// A panic does no harm: the content is always brought up to date from the files.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Opened {
    file: File,
    found: Metadata,
}

impl Opened {
    fn at(root: &Path, path: &Path) -> io::Result<Option<Opened>> {
        match inside::open(root, path) {
            Ok(file) => {
                let found = file.metadata()?;
                Ok(Some(Opened { file, found }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn identity(&self) -> Identity {
        Identity {
            device: self.found.dev(),
            inode: self.found.ino(),
            made: self.found.created().ok(),
        }
    }
}

/// The files of a log, the older one first. The older file no longer changes once it has its new
/// name.
fn open(root: &Path, path: &Path) -> io::Result<Vec<Opened>> {
    loop {
        let newer = Opened::at(root, path)?;
        let older = Opened::at(root, &rotated(path))?;
        match (older, newer) {
            // The file was renamed between the two looks.
            (Some(older), Some(newer)) if older.identity() == newer.identity() => {}
            (older, newer) => return Ok(older.into_iter().chain(newer).collect()),
        }
    }
}

/// Reads what is new in `files`, and remembers it.
fn update(
    known: &mut Vec<Indexed>,
    files: Vec<Opened>,
    is_over: impl Fn() -> bool,
) -> io::Result<Vec<Part>> {
    let mut before = std::mem::take(known).into_iter();
    let mut next = 1;
    let mut parts = Vec::new();
    let count = files.len();
    for (at, opened) in files.into_iter().enumerate() {
        let identity = opened.identity();
        let bytes = opened.found.len();
        let mut rest = before.clone();
        let same = rest.find(|it| it.identity == identity && it.index.seen() <= bytes);
        let mut indexed = match same {
            Some(indexed) => {
                before = rest;
                indexed
            }
            // A new file continues after the last known line.
            None => Indexed {
                identity,
                index: Arc::default(),
                first: before.clone().fold(next, |next, it| next.max(it.next())),
            },
        };
        let index = Arc::make_mut(&mut indexed.index);
        index.extend(&opened.file, bytes)?;
        let is_older = at + 1 < count;
        index.close(index.has_rest() && (is_older || is_over()));
        next = indexed.next();
        known.push(indexed.clone());
        parts.push(Part {
            file: opened.file,
            index: indexed.index,
            first: indexed.first,
        });
    }
    Ok(parts)
}

impl Indexed {
    /// The number after its last line.
    fn next(&self) -> u64 {
        self.first + self.index.count()
    }
}

/// A log as it was when we looked.
pub struct Log {
    form: Form,
    /// The older one first; there is at least one.
    parts: Vec<Part>,
}

struct Part {
    file: File,
    index: Arc<Index>,
    first: u64,
}

impl Part {
    fn next(&self) -> u64 {
        self.first + self.index.count()
    }

    /// Passes its lines, starting at `from`, to `each`.
    fn each(
        &self,
        from: u64,
        mut each: impl FnMut(u64, &[u8], bool) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let (line, offset) = self.index.near(from.saturating_sub(self.first));
        let mut number = self.first + line;
        let mut file = &self.file;
        file.seek(SeekFrom::Start(offset))?;
        let counted = file.take(self.index.end().saturating_sub(offset));
        each_line(
            BufReader::with_capacity(256 * 1024, counted),
            |line, is_cut| {
                number += 1;
                match number <= from {
                    true => ControlFlow::Continue(()),
                    false => each(number - 1, line, is_cut),
                }
            },
        )
    }
}

impl Log {
    pub fn form(&self) -> Form {
        self.form
    }

    /// The oldest line that is still kept.
    pub fn first(&self) -> u64 {
        self.parts.first().map_or(1, |part| part.first)
    }

    /// The newest line. 0: there is none yet.
    pub fn last(&self) -> u64 {
        self.parts.last().map_or(0, |part| part.next() - 1)
    }

    /// Passes lines from `from` to before `until` to `each`.
    fn each(
        &self,
        from: u64,
        until: u64,
        mut each: impl FnMut(u64, &[u8], bool) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let mut flow = ControlFlow::Continue(());
        for part in &self.parts {
            if flow.is_break() || part.first >= until {
                break;
            }
            if part.next() <= from {
                continue;
            }
            part.each(from.max(part.first), |number, line, is_cut| {
                flow = match number < until {
                    true => each(number, line, is_cut),
                    false => ControlFlow::Break(()),
                };
                flow
            })?;
        }
        Ok(())
    }

    /// At most `count` lines starting at `from`; fewer if they are long.
    pub fn from(&self, from: u64, count: u64) -> io::Result<Vec<Row>> {
        let mut rows = Vec::new();
        let mut bytes = 0;
        self.each(from, from.saturating_add(count), |number, line, is_cut| {
            bytes += line.len();
            if bytes > ROWS_BYTES_MAX && !rows.is_empty() {
                return ControlFlow::Break(());
            }
            rows.push(row(number, line, is_cut));
            ControlFlow::Continue(())
        })?;
        Ok(rows)
    }

    /// At most `count` lines that end just before `before`; fewer if they are long.
    pub fn before(&self, before: u64, count: u64) -> io::Result<Vec<Row>> {
        let before = before.min(self.last() + 1);
        let from = before.saturating_sub(count).max(self.first());
        let mut rows = std::collections::VecDeque::new();
        let mut bytes = 0;
        self.each(from, before, |number, line, is_cut| {
            bytes += line.len();
            rows.push_back(row(number, line, is_cut));
            while bytes > ROWS_BYTES_MAX && rows.len() > 1 {
                bytes -= rows.pop_front().map_or(0, |row| row.bytes.len());
            }
            ControlFlow::Continue(())
        })?;
        Ok(rows.into())
    }
}

fn row(number: u64, line: &[u8], is_cut: bool) -> Row {
    Row {
        number,
        bytes: line.to_vec(),
        is_cut,
    }
}

#[cfg(test)]
mod tests;
