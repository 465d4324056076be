//! A short cut into a journal, so that a long one opens fast.
//!
//! A snapshot holds the run *before* an entry and the place of that entry, so that opening always
//! replays at least the last entry and knows its effects. It is only a cache: it is not synced, and
//! if it is missing, old or broken, the journal is replayed from its beginning or from there.

use std::path::Path;

use kumite_core::journal::{Entry, VERSION};
use kumite_core::run::Run;
use serde::{Deserialize, Serialize};

use crate::files::{self, Durable};

#[derive(Debug, Serialize, Deserialize)]
pub struct Snapshot {
    #[serde(rename = "v")]
    version: u32,
    /// Sequence number of the entry that follows `before`.
    pub seq: u64,
    /// Where that entry stands in the journal.
    pub offset: u64,
    pub before: Run,
}

impl Snapshot {
    pub fn new(entry: &Entry, offset: u64, before: &Run) -> Snapshot {
        Snapshot {
            version: VERSION,
            seq: entry.seq,
            offset,
            before: before.clone(),
        }
    }
}

const NAME: &str = "snapshot.json";

pub fn read(dir: &Path) -> Option<Snapshot> {
    let bytes = std::fs::read(dir.join(NAME)).ok()?;
    let snapshot: Snapshot = serde_json::from_slice(&bytes).ok()?;
    (snapshot.version == VERSION).then_some(snapshot)
}

/// A snapshot that cannot be written is no loss.
pub fn write(dir: &Path, snapshot: &Snapshot) {
    if let Ok(bytes) = serde_json::to_vec(snapshot) {
        let _ = files::replace(&dir.join(NAME), &bytes, Durable::Process);
    }
}

pub fn remove(dir: &Path) {
    let _ = std::fs::remove_file(dir.join(NAME));
}
