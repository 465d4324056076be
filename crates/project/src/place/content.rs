//! What is in the worktree of a spec now.

use std::path::{Path, PathBuf};

use kumite_core::facts::Stamp;
use kumite_core::place::{Content, PlaceFacts, PlaceLook};
use kumite_git::{Error, Repository, Worktree};

use super::find::{self, lost};
use crate::fnv::fnv1a;
use crate::project::Spec;
use crate::spec_file::sentence;

/// Records the content of the spec's worktree, as a commit that nothing refers to yet. Damage is
/// repaired where possible; otherwise the sentence says what to do. Nobody may work there meanwhile.
pub fn content(spec: &Spec) -> Result<Content, String> {
    let worktree = find::worktree(spec)?;
    let worktree = worktree.ok_or_else(|| format!("{} has no worktree", spec.name))?;
    of(spec, &worktree).map_err(|error| words(spec, &error))
}

/// Keeps recorded content as checkpoint `number` of the spec. Doing it twice is the same as once.
pub fn keep(spec: &Spec, number: u64, commit: &str) -> Result<(), String> {
    let kept = Repository::of(spec.project_root())
        .and_then(|it| kumite_git::keep(&it.git(), &spec.name, number, commit));
    kept.map_err(|error| sentence(&error))
}

/// Looks at the place of a spec. `accepted` is the tree that a person has last accepted, and
/// `protect` are globs that may not have changed since, relative to the project. It takes a moment,
/// and needs nothing but the files, so that any thread can do it.
pub fn look(spec: &Spec, accepted: Option<&str>, protect: &[String]) -> PlaceLook {
    let seen = || -> Result<PlaceLook, String> {
        let Some(worktree) = find::worktree(spec)? else {
            return Ok(PlaceLook::None);
        };
        let facts = facts(spec, &worktree, accepted, protect);
        facts.map(PlaceLook::Seen).map_err(|it| words(spec, &it))
    };
    seen().unwrap_or_else(PlaceLook::Unreadable)
}

fn facts(
    spec: &Spec,
    worktree: &Worktree,
    accepted: Option<&str>,
    protect: &[String],
) -> Result<PlaceFacts, Error> {
    let content = of(spec, worktree)?;
    let protected = match accepted {
        Some(accepted) if !protect.is_empty() && accepted != content.tree => {
            let prefix = worktree.repository().prefix();
            let git = worktree.git()?;
            let changed = git.changed(accepted, &content.tree, prefix, protect)?;
            changed.iter().map(|path| shown(path, prefix)).collect()
        }
        Some(_) | None => Vec::new(),
    };
    Ok(PlaceFacts { content, protected })
}

/// The content of a worktree, after repairs.
pub(super) fn of(spec: &Spec, worktree: &Worktree) -> Result<Content, Error> {
    worktree.settle()?;
    as_it_is(spec, worktree)
}

/// The same without repairs: an agent may work there.
pub(super) fn as_it_is(spec: &Spec, worktree: &Worktree) -> Result<Content, Error> {
    let recorded = worktree.record(&spec.name)?;
    let kiro: PathBuf = worktree.repository().prefix().join(".kiro");
    let code = worktree.git()?.entries_without(&recorded.tree, &kiro)?;
    Ok(Content {
        commit: recorded.commit,
        tree: recorded.tree,
        code: Stamp::Fnv(fnv1a(&code)),
    })
}

/// Relative to the project, if it is in there.
fn shown(path: &Path, prefix: &Path) -> String {
    let path = path.strip_prefix(prefix).unwrap_or(path);
    path.display().to_string()
}

fn words(spec: &Spec, error: &Error) -> String {
    match error {
        Error::Gone { root } => lost(spec, root),
        error => sentence(error),
    }
}
