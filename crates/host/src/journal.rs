//! The journal of a run: one line per entry, appended and synced before anything rests on it.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use kumite_core::effect::Effect;
use kumite_core::journal::{Entry, Event, VERSION};
use kumite_core::run::{Run, decide};

use crate::files;
use crate::snapshot::{self, Snapshot};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot open the journal {path}")]
    Open { path: PathBuf, source: io::Error },
    #[error("cannot append to the journal {path}")]
    Append { path: PathBuf, source: io::Error },
    #[error("{path}:{line}: not a journal entry; `kumite doctor` says what to do")]
    Broken {
        path: PathBuf,
        line: usize,
        source: serde_json::Error,
    },
    #[error("{path}:{line}: entry {found} where entry {wanted} should be")]
    Gap {
        path: PathBuf,
        line: usize,
        found: u64,
        wanted: u64,
    },
    #[error("{path} was written by a newer kumite (version {version}); this one reads {VERSION}")]
    Newer { path: PathBuf, version: u32 },
}

#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    last_seq: u64,
    /// Where the next entry will stand.
    end: u64,
}

/// A journal as it was found.
#[derive(Debug)]
pub struct Opened {
    pub journal: Journal,
    pub run: Run,
    /// The last entry with its effects: they may not have been carried out.
    pub last: Option<(Entry, Vec<Effect>)>,
    /// A torn last line was cut off: so many bytes.
    pub repaired: Option<u64>,
}

impl Journal {
    /// Opens or creates the journal in `dir`, and replays it.
    pub fn open(dir: &Path) -> Result<Opened, Error> {
        let path = dir.join("journal.jsonl");
        let cannot = |source| Error::Open {
            path: path.clone(),
            source,
        };
        let is_new = !path.exists();
        let mut file = open_for_both(&path).map_err(cannot)?;
        if is_new {
            files::sync_dir_of(&path).map_err(cannot)?;
        }
        let replayed = replay(&path, &mut file, snapshot::read(dir))?;
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
        };
        Ok(Opened {
            journal,
            run: replayed.run,
            last: replayed.last,
            repaired,
        })
    }

    /// Makes an event durable. `before` is the run as it is without it.
    pub fn append(&mut self, event: Event, at_ms: u64, before: &Run) -> Result<Entry, Error> {
        let entry = Entry {
            version: VERSION,
            seq: self.last_seq + 1,
            at_ms,
            event,
        };
        let offset = self.end;
        self.write(&entry).map_err(|source| {
            // Whatever got written of it has not happened.
            let _ = self.file.set_len(offset);
            Error::Append {
                path: self.path.clone(),
                source,
            }
        })?;
        self.last_seq = entry.seq;
        if let Some(dir) = self.path.parent() {
            snapshot::write(dir, &Snapshot::new(&entry, offset, before));
        }
        Ok(entry)
    }

    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&line)?;
        self.file.sync_data()?;
        self.end += line.len() as u64;
        Ok(())
    }
}

fn open_for_both(path: &Path) -> io::Result<File> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    File::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(path)
}

struct Replayed {
    run: Run,
    last: Option<(Entry, Vec<Effect>)>,
    /// Where the good entries end.
    end: u64,
    /// Bytes after that: a line that was not finished.
    torn: u64,
}

/// From the snapshot if there is one that fits, else from the beginning.
fn replay(path: &Path, file: &mut File, snapshot: Option<Snapshot>) -> Result<Replayed, Error> {
    if let Some(snapshot) = snapshot
        && let Ok(replayed) =
            replay_from(path, file, snapshot.offset, snapshot.seq, snapshot.before)
        && replayed.last.is_some()
    {
        return Ok(replayed);
    }
    replay_from(path, file, 0, 1, Run::default())
}

fn replay_from(
    path: &Path,
    file: &mut File,
    offset: u64,
    first_seq: u64,
    before: Run,
) -> Result<Replayed, Error> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset))
        .and_then(|_| file.read_to_end(&mut bytes))
        .map_err(|source| Error::Open {
            path: path.to_owned(),
            source,
        })?;
    let whole = bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let mut replayed = Replayed {
        run: before,
        last: None,
        end: offset + whole as u64,
        torn: (bytes.len() - whole) as u64,
    };
    for (index, line) in bytes[..whole]
        .split_inclusive(|byte| *byte == b'\n')
        .enumerate()
    {
        let entry = parse(path, index + 1, line, first_seq + index as u64)?;
        let (run, effects) = decide(std::mem::take(&mut replayed.run), &entry);
        replayed.run = run;
        replayed.last = Some((entry, effects));
    }
    Ok(replayed)
}

fn parse(path: &Path, line: usize, bytes: &[u8], wanted: u64) -> Result<Entry, Error> {
    let entry: Entry = serde_json::from_slice(bytes).map_err(|source| Error::Broken {
        path: path.to_owned(),
        line,
        source,
    })?;
    if entry.version > VERSION {
        return Err(Error::Newer {
            path: path.to_owned(),
            version: entry.version,
        });
    }
    if entry.seq != wanted {
        return Err(Error::Gap {
            path: path.to_owned(),
            line,
            found: entry.seq,
            wanted,
        });
    }
    Ok(entry)
}

/// Every entry of a journal with the run after it, for `kumite replay`. Changes nothing.
pub fn history(dir: &Path) -> Result<Vec<(Entry, Run, Vec<Effect>)>, Error> {
    let path = dir.join("journal.jsonl");
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(Error::Open { path, source }),
    };
    let mut run = Run::default();
    let mut history = Vec::new();
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    for (index, line) in lines.filter(|line| line.ends_with(b"\n")).enumerate() {
        let entry = parse(&path, index + 1, line, index as u64 + 1)?;
        let (after, effects) = decide(run, &entry);
        run = after;
        history.push((entry, run.clone(), effects));
    }
    Ok(history)
}

/// The run as its journal has it, without opening it for writing.
pub fn peek(dir: &Path) -> Result<Option<Run>, Error> {
    let path = dir.join("journal.jsonl");
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::Open { path, source }),
    };
    replay(&path, &mut file, snapshot::read(dir)).map(|replayed| Some(replayed.run))
}
