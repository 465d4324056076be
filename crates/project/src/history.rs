//! What git says about the checkout that receives a merge.

use std::fs;
use std::path::Path;

use kumite_core::facts::{History, Stamp};
use kumite_git::Git;

use crate::project::Spec;

/// The evidence of a merge: the last commit of the main checkout, and whether a commit names the
/// spec.
/// `files` is where the spec's own files are now.
pub fn history(spec: &Spec, files: &Path) -> History {
    let root = spec.project_root();
    if !root.ancestors().any(|dir| dir.join(".git").exists()) {
        return History::None;
    }
    let head = git(root, &["rev-parse", "--verify", "--quiet", "HEAD"]);
    History::Commits {
        head: head.as_deref().and_then(stamp),
        merged: is_merged(spec, root, files),
    }
}

/// A commit with the line that kumite's own command asks for, and nothing newer in tasks.md.
fn is_merged(spec: &Spec, root: &Path, files: &Path) -> bool {
    let line = format!("--grep=^Kumite-Spec: {}$", spec.name);
    let named = git(root, &["log", "-1", "--format=%H", &line, "HEAD"]);
    if named.is_none_or(|commit| commit.trim_ascii().is_empty()) {
        return false;
    }
    let path = format!("HEAD:./.kiro/specs/{}/tasks.md", spec.name);
    let committed = git(root, &["cat-file", "blob", &path]);
    committed.is_some() && committed == fs::read(files.join("tasks.md")).ok()
}

/// The beginning of a commit's hash: enough to distinguish two commits.
fn stamp(commit: &[u8]) -> Option<Stamp> {
    let digits = str::from_utf8(commit.get(..16)?).ok()?;
    u64::from_str_radix(digits, 16).ok().map(Stamp::Fnv)
}

/// The output of git. `None`: it failed, or is not installed.
fn git(root: &Path, words: &[&str]) -> Option<Vec<u8>> {
    Git::at(root).run(words).ok()
}
