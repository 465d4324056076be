//! The lines of a journal become entries.

use std::path::Path;

use kumite_core::journal::Entry;

use super::{Error, Kept};

/// The entries of whole lines. An empty line says nothing.
pub fn entries<M: Kept>(
    path: &Path,
    bytes: &[u8],
    first_seq: u64,
) -> impl Iterator<Item = Result<Entry<M::Event>, Error>> {
    let lines = (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n'));
    let said = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    let numbered = said.zip(first_seq..);
    numbered.map(move |((line, bytes), wanted)| parse::<M>(path, line, bytes, wanted))
}

fn parse<M: Kept>(
    path: &Path,
    line: usize,
    bytes: &[u8],
    wanted: u64,
) -> Result<Entry<M::Event>, Error> {
    let path = || path.to_owned();
    let parsed = serde_json::from_slice::<Entry<M::Event>>(bytes);
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
