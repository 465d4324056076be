//! The lines of a journal become entries.

use std::path::Path;

use kumite_core::journal::Entry;
use kumite_core::machine::Machine;

use super::{Error, Kept};
use crate::cores;

/// A shorter journal is not worth a thread.
const SHARE_MIN: usize = 256 * 1024;

type Parsed<M> = Result<Entry<<M as Machine>::Event>, Error>;

/// One line that says something: its number in the file, and the number that its entry must have.
struct NumberedLine<'a> {
    number: usize,
    wanted: u64,
    bytes: &'a [u8],
    /// Which core parses it.
    share: usize,
}

/// The entries of whole lines. An empty line says nothing. Parsing a long journal takes longer than
/// replaying it, so all cores help.
pub fn entries<M: Kept>(path: &Path, bytes: &[u8], first_seq: u64) -> Vec<Parsed<M>> {
    let share_bytes = bytes.len().div_ceil(cores::count()).max(SHARE_MIN);
    let mut from = 0;
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').map(|line| {
        let share = from / share_bytes;
        from += line.len();
        (line, share)
    });
    let said = (1..)
        .zip(lines)
        .filter(|(_, (line, _))| !line.trim_ascii().is_empty());
    let lines: Vec<NumberedLine<'_>> = said
        .zip(first_seq..)
        .map(|((number, (bytes, share)), wanted)| NumberedLine {
            number,
            wanted,
            bytes,
            share,
        })
        .collect();
    let shares = lines.chunk_by(|a, b| a.share == b.share);
    cores::read_each(shares, |line| parse::<M>(path, line))
}

fn parse<M: Kept>(path: &Path, line: &NumberedLine<'_>) -> Parsed<M> {
    let NumberedLine {
        number: line,
        wanted,
        bytes,
        ..
    } = *line;
    let path = || path.to_owned();
    let parsed = entry::<M>(bytes);
    // The version comes first: a newer kumite may write events that this one does not know.
    let version = match &parsed {
        Ok(entry) => Some(entry.version),
        Err(_) => version(bytes),
    };
    if let Some(version) = version.filter(|version| *version > M::VERSION) {
        return Err(Error::Newer {
            path: path(),
            version,
        });
    }
    let entry = parsed.map_err(|error| Error::Broken {
        path: path(),
        line,
        why: why(&error),
    })?;
    if entry.seq != wanted {
        return Err(Error::Gap {
            path: path(),
            line,
            found: entry.seq,
            wanted,
        });
    }
    Ok(entry)
}

/// In two steps: serde would copy all evidence once more to read an entry as a whole.
fn entry<M: Kept>(bytes: &[u8]) -> serde_json::Result<Entry<M::Event>> {
    #[derive(serde::Deserialize)]
    struct Head {
        v: u32,
        seq: u64,
        at_ms: u64,
    }
    let head: Head = serde_json::from_slice(bytes)?;
    Ok(Entry {
        version: head.v,
        seq: head.seq,
        at_ms: head.at_ms,
        event: serde_json::from_slice(bytes)?,
    })
}

fn version(bytes: &[u8]) -> Option<u32> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        v: u32,
    }
    let versioned: Versioned = serde_json::from_slice(bytes).ok()?;
    Some(versioned.v)
}

/// What serde says, without the place: an entry is one line, and its number is said already.
fn why(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}
