//! A short cut into a journal, so that a long one opens fast.
//!
//! A snapshot holds the state *before* an entry and the place of that entry, so that opening always
//! replays at least the last entry and knows its effects. It is only a cache: it is not synced, and
//! if it is missing, old or broken, the journal is replayed from its beginning or from there.

use std::path::Path;

use kumite_core::machine::Machine;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use kumite_files::{Access, Durable, replace};

#[derive(Debug, Serialize, Deserialize)]
pub struct Snapshot<M> {
    #[serde(rename = "v")]
    version: u32,
    /// Sequence number of the entry that follows `before`.
    pub seq: u64,
    /// Where that entry begins in the journal, in bytes.
    pub offset: u64,
    pub before: M,
}

impl<M: Machine> Snapshot<M> {
    pub fn new(seq: u64, offset: u64, before: &M) -> Snapshot<M> {
        Snapshot {
            version: M::SNAPSHOT,
            seq,
            offset,
            before: before.clone(),
        }
    }
}

const NAME: &str = "snapshot.json";

pub fn read<M: Machine + DeserializeOwned>(dir: &Path) -> Option<Snapshot<M>> {
    let bytes = std::fs::read(dir.join(NAME)).ok()?;
    let snapshot: Snapshot<M> = serde_json::from_slice(&bytes).ok()?;
    (snapshot.version == M::SNAPSHOT).then_some(snapshot)
}

/// A snapshot that cannot be written is no loss.
pub fn write<M: Serialize>(dir: &Path, snapshot: &Snapshot<M>) {
    if let Ok(bytes) = serde_json::to_vec(snapshot) {
        let _ = replace(&dir.join(NAME), &bytes, Durable::Process, Access::Private);
    }
}

pub fn remove(dir: &Path) {
    let _ = std::fs::remove_file(dir.join(NAME));
}
