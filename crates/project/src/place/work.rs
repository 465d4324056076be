//! Whether a worktree holds work that is on no other branch.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kumite_core::place::Content;
use kumite_git::{Error, Worktree};
use serde_json::Value;

use super::content;
use super::suit::files_in;
use crate::project::Spec;

/// More branches than this are not compared; the base always is.
const BRANCHES_MAX: usize = 64;
/// How many files a sentence names.
const NAMED_MAX: usize = 3;

/// What would be lost with the worktree and its branch. `None`: another branch has it all.
pub fn at_stake(
    spec: &Spec,
    worktree: &Worktree,
    branch: &str,
    base: Option<&str>,
) -> Result<Option<String>, Error> {
    let content = content::as_it_is(spec, worktree)?;
    let repository = worktree.repository();
    let mut others = repository.branches()?;
    others.retain(|(name, _)| name != branch);
    // The base comes first: it most likely has everything.
    others.sort_by_key(|(name, _)| Some(name.as_str()) != base);
    let head = worktree.head()?;
    let mut least: Option<BTreeSet<PathBuf>> = None;
    for (_, other) in others.iter().take(BRANCHES_MAX) {
        let missing = missing(spec, worktree, &content, head.as_deref(), other)?;
        if missing.is_empty() {
            return Ok(None);
        }
        if least
            .as_ref()
            .is_none_or(|least| missing.len() < least.len())
        {
            least = Some(missing);
        }
    }
    Ok(Some(words(&least.unwrap_or_default())))
}

/// The files that were changed in the worktree, and are different in `other`.
fn missing(
    spec: &Spec,
    worktree: &Worktree,
    content: &Content,
    head: Option<&str>,
    other: &str,
) -> Result<BTreeSet<PathBuf>, Error> {
    let git = worktree.git()?;
    let all = Path::new("");
    let differing = git.changed(other, &content.tree, all, &[])?;
    let common = head.and_then(|head| worktree.repository().common_commit(head, other));
    let changed: Option<BTreeSet<PathBuf>> = match common {
        Some(common) => {
            let changed = git.changed(&common, &content.tree, all, &[])?;
            Some(changed.into_iter().collect())
        }
        // Without a common history, everything counts as changed here.
        None => None,
    };
    let is_changed = |path: &PathBuf| changed.as_ref().is_none_or(|it| it.contains(path));
    let own = files_in(spec, worktree.repository()).join("spec.json");
    let is_work = |path: &PathBuf| *path != own || !is_only_named(worktree, content, other, path);
    Ok(differing
        .into_iter()
        .filter(|path| is_changed(path) && is_work(path))
        .collect())
}

/// Whether the two spec.json differ only in what kumite itself wrote there when it made the
/// worktree.
fn is_only_named(worktree: &Worktree, content: &Content, other: &str, path: &Path) -> bool {
    let read = |tree: &str| {
        let name = format!("{tree}:{}", path.display());
        let bytes = worktree
            .git()
            .ok()?
            .run(&["cat-file", "blob", &name])
            .ok()?;
        let mut json: Value = serde_json::from_slice(&bytes).ok()?;
        let object = json.as_object_mut()?;
        object.remove("worktree");
        object.remove("updated_at");
        Some(json)
    };
    let (here, there) = (read(&content.tree), read(other));
    here.is_some() && here == there
}

fn words(files: &BTreeSet<PathBuf>) -> String {
    let named: Vec<String> = files
        .iter()
        .take(NAMED_MAX)
        .map(|path| path.display().to_string())
        .collect();
    let more = match files.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let count = match files.len() {
        1 => "1 file is".to_owned(),
        count => format!("{count} files are"),
    };
    format!("{count} on no other branch: {}{more}", named.join(", "))
}
