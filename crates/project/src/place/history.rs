//! The checkpoints of a spec, and the way back to one of them.

use std::collections::BTreeMap;

use kumite_git::{Checkpoint, Repository, remove_checkpoints};

use super::find;
use crate::project::Spec;
use crate::spec_file::sentence;

/// All checkpoints, by number.
pub fn checkpoints(spec: &Spec) -> Result<BTreeMap<u64, Checkpoint>, String> {
    let repository = Repository::of(spec.project_root()).map_err(|it| sentence(&it))?;
    let all = kumite_git::checkpoints(&repository.git(), &spec.name);
    all.map_err(|it| sentence(&it))
}

/// One checkpoint; the error names those that exist.
pub fn checkpoint(spec: &Spec, number: u64) -> Result<Checkpoint, String> {
    let mut all = checkpoints(spec)?;
    all.remove(&number).ok_or_else(|| {
        let numbers: Vec<String> = all.keys().map(u64::to_string).collect();
        match numbers.is_empty() {
            true => "it has no checkpoints".to_owned(),
            false => format!(
                "there is no checkpoint {number}; there are {}",
                numbers.join(", ")
            ),
        }
    })
}

/// Makes the files of the worktree those of a checkpoint. Ignored files stay, and so do index, HEAD
/// and branches.
pub fn restore(spec: &Spec, number: u64) -> Result<(), String> {
    let checkpoint = checkpoint(spec, number)?;
    let worktree = find::worktree(spec)?.ok_or_else(|| format!("{} has no worktree", spec.name))?;
    worktree.settle().map_err(|it| sentence(&it))?;
    worktree.restore(&checkpoint).map_err(|it| sentence(&it))
}

pub fn forget_checkpoints(spec: &Spec) -> Result<(), String> {
    // Without a repository there are none.
    let Ok(repository) = Repository::of(spec.project_root()) else {
        return Ok(());
    };
    remove_checkpoints(&repository.git(), &spec.name).map_err(|it| sentence(&it))
}
