//! How much room all worktrees take.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::suit::Hindrance;
use crate::project::Spec;

/// Refuses another worktree if those that exist take more than `bytes_max`; 0: no limit.
pub fn check(spec: &Spec, bytes_max: u64) -> Result<(), Hindrance> {
    if bytes_max == 0 {
        return Ok(());
    }
    let all = spec.project_root().join(".kiro/worktrees");
    let taken = bytes_in(&all);
    match taken > bytes_max {
        false => Ok(()),
        true => Err(Hindrance::Conflict(format!(
            "all worktrees in {} take {}, and `max` in [worktree] is {}; `kumite worktree list` \
             shows them, and `kumite worktree remove SPEC` removes one",
            all.display(),
            shown(taken),
            shown(bytes_max)
        ))),
    }
}

/// What a directory takes on the disk. A file with several names counts once.
pub fn bytes_in(dir: &Path) -> u64 {
    let mut seen = BTreeSet::new();
    let mut dirs = vec![dir.to_owned()];
    let mut bytes = 0;
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            // What vanishes meanwhile takes no room.
            let Ok(found) = entry.metadata() else {
                continue;
            };
            if found.is_dir() {
                dirs.push(entry.path());
            }
            let mut is_new = || seen.insert((found.dev(), found.ino()));
            if found.is_dir() || found.nlink() < 2 || is_new() {
                bytes += found.blocks() * 512;
            }
        }
    }
    bytes
}

/// `1.5 GB`
pub fn shown(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    let unit = units.into_iter().find(|(size, _)| bytes >= *size);
    match unit {
        Some((size, name)) => format!("{}.{} {name}", bytes / size, bytes % size * 10 / size),
        None => format!("{bytes} bytes"),
    }
}
