//! The journal of a run or a contest: one line per entry, written before anything rests on it.

mod entries;

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use kumite_core::effect::Effect;
use kumite_core::engine::Decided;
use kumite_core::journal::Entry;
use kumite_core::machine::Machine;
use kumite_core::run::Run;
use serde::Serialize;
use serde::de::DeserializeOwned;

use self::entries::entries;
use crate::crash;
use crate::snapshot::{self, Snapshot};
use crate::user::whose;
use kumite_files::{Access, Durable, is_locked, replace, whole_lines};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot open the journal {path}{}", whose(.path, .source))]
    Open { path: PathBuf, source: io::Error },
    #[error("cannot append to the journal {path}")]
    Append { path: PathBuf, source: io::Error },
    #[error("{path}:{line}: not a journal entry ({why}); `kumite doctor` says what to do")]
    Broken {
        path: PathBuf,
        line: usize,
        why: String,
    },
    #[error("{path}:{line}: entry {found} where entry {wanted} should be")]
    Gap {
        path: PathBuf,
        line: usize,
        found: u64,
        wanted: u64,
    },
    #[error(
        "{path} was written by a newer kumite (version {version}); {}",
        update()
    )]
    Newer { path: PathBuf, version: u32 },
}

/// The remedy for a file that a newer kumite wrote.
pub fn update() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("update kumite (this is {version}); nothing was changed")
}

impl Error {
    /// Whether the journal itself may be correct, and the machine is the problem.
    pub fn is_of_the_machine(&self) -> bool {
        match self {
            Error::Open { .. } | Error::Append { .. } => true,
            Error::Broken { .. } | Error::Gap { .. } | Error::Newer { .. } => false,
        }
    }
}

/// A machine whose events and states can be written down.
pub trait Kept:
    Machine<Event: Serialize + DeserializeOwned + Send> + Serialize + DeserializeOwned
{
}

impl<M> Kept for M where
    M: Machine<Event: Serialize + DeserializeOwned + Send> + Serialize + DeserializeOwned
{
}

#[derive(Debug)]
pub struct Journal<M = Run> {
    path: PathBuf,
    file: File,
    last_seq: u64,
    /// Where the next entry will be.
    end: u64,
    /// Of the last entry, as long as it is not written.
    snapshot: Option<Box<Snapshot<M>>>,
    /// The last entry that has a snapshot on the disk.
    snapshot_seq: u64,
}

/// Replaying this many entries takes less than a millisecond, so they need no snapshot.
const FEW: u64 = 32;

/// A journal as it was found.
pub struct Opened<M: Machine = Run> {
    pub journal: Journal<M>,
    pub state: M,
    /// The last entry with its effects: they may not have been carried out.
    pub last: Option<Decided<M>>,
    /// They were.
    pub acted: bool,
    /// The size of a half-written last line that was cut off.
    pub repaired: Option<u64>,
}

impl<M: Kept> Journal<M> {
    /// Opens or creates the journal in `dir`, and replays it.
    pub fn open(dir: &Path) -> Result<Opened<M>, Error> {
        let path = dir.join(NAME);
        let cannot = |source| Error::Open {
            path: path.clone(),
            source,
        };
        let mut file = open_for_both(&path).map_err(cannot)?;
        hold(&file);
        if file.metadata().map_err(cannot)?.len() == 0 {
            // They belong to a journal that was removed, and do not apply to this one.
            snapshot::remove(dir);
            let _ = fs::remove_file(dir.join(ACTED));
            kumite_files::sync_dir_of(&path).map_err(cannot)?;
        }
        let snapshot: Option<Snapshot<M>> = snapshot::read(dir);
        let snapshot_seq = snapshot.as_ref().map_or(0, |snapshot| snapshot.seq);
        let replayed = replay_file(&path, &mut file, snapshot)?;
        let repaired = match replayed.torn {
            0 => None,
            torn => {
                file.set_len(replayed.end).map_err(cannot)?;
                Some(torn)
            }
        };
        let journal = Journal {
            last_seq: replayed.last.as_ref().map_or(0, |(entry, _)| entry.seq),
            end: replayed.end,
            path,
            file,
            snapshot: None,
            snapshot_seq,
        };
        Ok(Opened {
            journal,
            state: replayed.state,
            last: replayed.last,
            acted: acted_until(dir) == Some(replayed.end),
            repaired,
        })
    }

    /// Records that the effects of all entries were carried out. Otherwise a later process repeats
    /// the last ones, over whatever people have changed since. Like a snapshot it is not synced.
    pub fn note_acted(&self) {
        let path = self.path.with_file_name(ACTED);
        // All effects can be repeated, so a note that cannot be written costs only that repetition.
        let _ = replace(
            &path,
            self.end.to_string().as_bytes(),
            Durable::Process,
            Access::Private,
        );
    }

    /// Makes an event durable. `before` is the state as it is without it, for a snapshot.
    pub fn append(
        &mut self,
        event: M::Event,
        at_ms: u64,
        before: &M,
    ) -> Result<Entry<M::Event>, Error> {
        let offset = self.end;
        let entry = self.write(event, at_ms)?;
        crash::point(format_args!("not synced {}", self.path.display()));
        if let Err(error) = self.sync() {
            self.last_seq -= 1;
            self.take_back(offset);
            return Err(error);
        }
        self.snapshot = Some(Box::new(Snapshot::new(entry.seq, offset, before)));
        Ok(entry)
    }

    /// Writes an event down. It survives the end of this process, and with the next `sync` that of
    /// the machine.
    pub fn write(&mut self, event: M::Event, at_ms: u64) -> Result<Entry<M::Event>, Error> {
        let entry = Entry {
            version: M::VERSION,
            seq: self.last_seq + 1,
            at_ms,
            event,
        };
        let offset = self.end;
        self.write_line(&entry).map_err(|source| {
            self.take_back(offset);
            self.cannot_append(source)
        })?;
        self.last_seq = entry.seq;
        Ok(entry)
    }

    /// Makes all entries survive a crash of the machine.
    pub fn sync(&self) -> Result<(), Error> {
        let synced = self.file.sync_data();
        synced.map_err(|source| self.cannot_append(source))
    }

    /// Whatever got written of an entry has not happened.
    fn take_back(&mut self, offset: u64) {
        self.end = offset;
        // If that fails too, the line stays unfinished, and is cut off when the journal is opened.
        let _ = self.file.set_len(offset);
    }

    fn cannot_append(&self, source: io::Error) -> Error {
        Error::Append {
            path: self.path.clone(),
            source,
        }
    }

    /// Writes a snapshot of the last entry when it is worth it: when a run comes to rest, because
    /// many processes may open it later, and now and then during a long run.
    pub fn note_snapshot(&mut self, at_rest: bool) {
        if (at_rest || self.last_seq >= self.snapshot_seq + FEW)
            && let Some(snapshot) = self.snapshot.take()
            && let Some(dir) = self.path.parent()
        {
            snapshot::write(dir, &snapshot);
            self.snapshot_seq = snapshot.seq;
        }
    }

    fn write_line(&mut self, entry: &Entry<M::Event>) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&line)?;
        self.end += line.len() as u64;
        Ok(())
    }
}

const NAME: &str = "journal.jsonl";

/// Holds the length of the journal up to which everything was carried out.
const ACTED: &str = "acted";

fn acted_until(dir: &Path) -> Option<u64> {
    fs::read_to_string(dir.join(ACTED)).ok()?.parse().ok()
}

fn open_for_both(path: &Path) -> io::Result<File> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    File::options()
        .create(true)
        .mode(kumite_files::private_mode(path))
        .truncate(false)
        .read(true)
        .write(true)
        .open(path)
}

/// Shows that this process drives the run, while the journal is open. A reader that asks
/// ([`is_driven`]) blocks this for a moment.
fn hold(file: &File) {
    for _ in 0..100 {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => thread::park_timeout(Duration::from_millis(1)),
            // If nothing can be locked, nobody can tell.
            Ok(()) | Err(TryLockError::Error(_)) => return,
        }
    }
}

/// The journal in a directory.
pub fn file_in(dir: &Path) -> PathBuf {
    dir.join(NAME)
}

/// Whether an engine has this journal open: its run goes on, or is about to.
pub fn is_driven(dir: &Path) -> bool {
    is_locked(&dir.join(NAME))
}

struct Replayed<M: Machine> {
    state: M,
    last: Option<Decided<M>>,
    /// Where the good entries end.
    end: u64,
    /// Bytes after that: an unfinished line.
    torn: u64,
}

/// From the snapshot if there is one that fits, else from the beginning.
fn replay_file<M: Kept>(
    path: &Path,
    file: &mut File,
    snapshot: Option<Snapshot<M>>,
) -> Result<Replayed<M>, Error> {
    if let Some(snapshot) = snapshot
        && let Ok(replayed) =
            replay_from(path, file, snapshot.offset, snapshot.seq, snapshot.before)
        && replayed.last.is_some()
    {
        return Ok(replayed);
    }
    replay_from(path, file, 0, 1, M::default())
}

fn replay_from<M: Kept>(
    path: &Path,
    file: &mut File,
    offset: u64,
    first_seq: u64,
    before: M,
) -> Result<Replayed<M>, Error> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset))
        .and_then(|_| file.read_to_end(&mut bytes))
        .map_err(|source| Error::Open {
            path: path.to_owned(),
            source,
        })?;
    let whole = whole_lines(&bytes).len();
    let mut replayed = Replayed {
        state: before,
        last: None,
        end: offset + whole as u64,
        torn: (bytes.len() - whole) as u64,
    };
    for entry in entries::<M>(path, &bytes[..whole], first_seq) {
        let entry = entry?;
        let (state, effects) = replayed.state.decide(&entry);
        replayed.state = state;
        replayed.last = Some((entry, effects));
    }
    Ok(replayed)
}

/// The state as its journal has it. `see` is shown every entry with the state after it. Changes
/// nothing, and somebody else may be writing.
pub fn replay<M: Kept>(
    dir: &Path,
    mut see: impl FnMut(Entry<M::Event>, &M, Vec<M::Effect>),
) -> Result<M, Error> {
    let path = dir.join(NAME);
    let mut state = M::default();
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(state),
        Err(source) => return Err(Error::Open { path, source }),
    };
    for entry in entries::<M>(&path, whole_lines(&bytes), 1) {
        let entry = entry?;
        let (after, effects) = state.decide(&entry);
        state = after;
        see(entry, &state, effects);
    }
    Ok(state)
}

/// Every entry of a run with the run after it, for `kumite replay`.
pub fn history(dir: &Path) -> Result<Vec<(Entry, Run, Vec<Effect>)>, Error> {
    let mut history = Vec::new();
    replay(dir, |entry, run: &Run, effects| {
        history.push((entry, run.clone(), effects));
    })?;
    Ok(history)
}

/// The run as its journal has it, by the shortest way.
pub fn peek(dir: &Path) -> Result<Option<Run>, Error> {
    let path = dir.join(NAME);
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::Open { path, source }),
    };
    let replayed = replay_file(&path, &mut file, snapshot::read(dir))?;
    Ok(Some(replayed.state))
}
