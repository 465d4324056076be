//! The journal of a contest: one line per entry.
//!
//! An entry is written before anything rests on it, and on the disk before the database is. What a
//! crash of the machine may cost is an answer that has to be asked for again, never a row.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use kumite_core::contest::{Contest, Entry, Event, VERSION, decide};
use kumite_host::crash;
use kumite_host::journal::{update, why};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot open the journal {path}")]
    Open { path: PathBuf, source: io::Error },
    #[error("cannot append to the journal {path}")]
    Append { path: PathBuf, source: io::Error },
    #[error("{path}:{line}: not an entry of a contest ({why})")]
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

#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    last_seq: u64,
    end: u64,
}

impl Journal {
    /// Opens or creates it, cuts off a line that was not finished, and replays the rest.
    pub fn open(path: &Path) -> Result<(Journal, Contest), Error> {
        let cannot = |source| Error::Open {
            path: path.to_owned(),
            source,
        };
        let mut file = File::options()
            .create(true)
            .mode(kumite_files::private_mode(path))
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)
            .map_err(cannot)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(cannot)?;
        let whole = whole_lines(&bytes);
        let entries = parse(path, whole)?;
        if whole.len() < bytes.len() {
            file.set_len(whole.len() as u64).map_err(cannot)?;
        }
        let journal = Journal {
            path: path.to_owned(),
            file,
            last_seq: entries.len() as u64,
            end: whole.len() as u64,
        };
        Ok((journal, replay(&entries)))
    }

    pub fn append(&mut self, event: Event, at_ms: u64) -> Result<Entry, Error> {
        let entry = Entry {
            version: VERSION,
            seq: self.last_seq + 1,
            at_ms,
            event,
        };
        self.write(&entry).map_err(|source| {
            // Whatever got written of it has not happened.
            let _ = self.file.set_len(self.end);
            Error::Append {
                path: self.path.clone(),
                source,
            }
        })?;
        self.last_seq = entry.seq;
        crash::point(format_args!("contest entry {}", entry.seq));
        Ok(entry)
    }

    /// Makes all entries survive a crash of the machine.
    pub fn sync(&self) -> Result<(), Error> {
        self.file.sync_data().map_err(|source| Error::Append {
            path: self.path.clone(),
            source,
        })
    }

    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&line)?;
        self.end += line.len() as u64;
        Ok(())
    }
}

/// All entries of a journal that somebody else may be writing. Changes nothing.
pub fn read(path: &Path) -> Result<Vec<Entry>, Error> {
    let bytes = std::fs::read(path).map_err(|source| Error::Open {
        path: path.to_owned(),
        source,
    })?;
    parse(path, whole_lines(&bytes))
}

pub fn replay(entries: &[Entry]) -> Contest {
    let decided = |contest, entry| decide(contest, entry).0;
    entries.iter().fold(Contest::default(), decided)
}

fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    &bytes[..end.map_or(0, |end| end + 1)]
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    let lines = (1usize..).zip(bytes.split_inclusive(|byte| *byte == b'\n'));
    // An empty line says nothing.
    for (line, text) in lines.filter(|(_, text)| !text.trim_ascii().is_empty()) {
        let path = path.to_owned();
        let entry: Entry = match serde_json::from_slice(text) {
            Ok(entry) => entry,
            Err(error) => return Err(unreadable(path, line, text, &error)),
        };
        if entry.version > VERSION {
            let version = entry.version;
            return Err(Error::Newer { path, version });
        }
        let (found, wanted) = (entry.seq, entries.len() as u64 + 1);
        if found != wanted {
            return Err(Error::Gap {
                path,
                line,
                found,
                wanted,
            });
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// An entry of a newer version may have events that we do not know.
fn unreadable(path: PathBuf, line: usize, text: &[u8], error: &serde_json::Error) -> Error {
    #[derive(serde::Deserialize)]
    struct Versioned {
        v: u32,
    }
    match serde_json::from_slice::<Versioned>(text) {
        Ok(Versioned { v }) if v > VERSION => Error::Newer { path, version: v },
        _ => Error::Broken {
            path,
            line,
            why: why(error),
        },
    }
}
