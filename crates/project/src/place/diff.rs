//! What the steps of a spec have changed.

use std::fs::File;
use std::io::{Read, Seek};

use kumite_core::run::Run;
use kumite_git::{Repository, patch};

use super::{find, history};
use crate::project::Spec;
use crate::spec_file::sentence;

/// Which changes are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Everything since impl began, until now.
    All,
    /// What the step that ended with this checkpoint changed.
    Step(u64),
    /// Everything since this checkpoint, until now.
    Since(u64),
}

/// The changes as a patch. Nothing is written, and an agent may work meanwhile.
pub fn diff(spec: &Spec, run: &Run, changes: Changes) -> Result<Vec<u8>, String> {
    let begin = run.memory.trust.site.worktree();
    let begin = begin.map(|place| place.begin.tree.clone());
    let begin = begin.ok_or_else(|| {
        "it has no worktree of its own; its changes are in the checkout: see `git diff`".to_owned()
    })?;
    let from = match changes {
        Changes::All => begin,
        Changes::Since(number) => history::checkpoint(spec, number)?.tree,
        Changes::Step(number) => {
            let to = history::checkpoint(spec, number)?.tree;
            let all = history::checkpoints(spec)?;
            let before = all.range(..number).next_back();
            let before = before.map_or(begin, |(_, before)| before.tree.clone());
            return between(spec, &before, &to);
        }
    };
    let worktree = find::worktree(spec)?.ok_or_else(|| format!("{} has no worktree", spec.name))?;
    let dir = tempfile::tempdir().map_err(|it| it.to_string())?;
    let file = dir.path().join("patch");
    worktree.diff(&from, &file).map_err(|it| sentence(&it))?;
    std::fs::read(&file).map_err(|it| it.to_string())
}

fn between(spec: &Spec, from: &str, to: &str) -> Result<Vec<u8>, String> {
    let repository = Repository::of(spec.project_root()).map_err(|it| sentence(&it))?;
    let read = || -> std::io::Result<(File, File)> {
        let file = tempfile::tempfile()?;
        Ok((file.try_clone()?, file))
    };
    let (output, mut file) = read().map_err(|it| it.to_string())?;
    patch(&repository.git(), from, to, output).map_err(|it| sentence(&it))?;
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
    read.map_err(|it| it.to_string())?;
    Ok(bytes)
}
