//! `[worktree]`: the place in which a spec is implemented.

use super::value::{Allowed, Plain, quoted_list};
use super::{Size, paths};

kumite_core::words! {
    /// Where a spec is implemented.
    #[derive(Default)]
    pub enum WorktreeMode: name {
        /// In a git worktree of its own, where there can be one.
        #[default]
        Auto = "auto",
        /// In the checkout.
        Off = "off",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorktreeSettings {
    pub mode: WorktreeMode,
    /// The name of a spec's branch; it contains `{spec}`.
    pub branch: String,
    /// The branch that a spec begins with and is merged into; empty: the one that was checked out
    /// when the run began.
    pub base: String,
    /// Commands for a fresh worktree: program and arguments.
    pub setup: Vec<Vec<String>>,
    /// Untracked files that a worktree needs: globs, relative to the project.
    pub copy: Vec<String>,
    /// For all worktrees together; 0: no limit.
    pub max: Size,
}

impl WorktreeSettings {
    pub fn branch_of(&self, spec: &str) -> String {
        self.branch.replace(SPEC, spec)
    }
}

impl Default for WorktreeSettings {
    fn default() -> WorktreeSettings {
        WorktreeSettings {
            mode: WorktreeMode::Auto,
            branch: "feature/{spec}".to_owned(),
            base: String::new(),
            setup: Vec::new(),
            copy: Vec::new(),
            max: Size::from_mb(20_000),
        }
    }
}

const SPEC: &str = "{spec}";

impl Plain {
    /// A branch for each spec: without `{spec}`, all specs would share one.
    pub(super) fn spec_branch(&self) -> Result<String, Allowed> {
        let branch = self.text()?;
        if !branch.contains(SPEC) {
            return Err("a name that contains {spec}, such as \"feature/{spec}\"".to_owned());
        }
        // The name of a spec has small letters, digits and hyphens, which git accepts anywhere.
        let example = branch.replace(SPEC, "spec");
        match example.contains(['{', '}']) {
            true => Err("free of braces, except for those of {spec}".to_owned()),
            false => accepted(&example).map(|()| branch),
        }
    }

    /// A branch, or nothing.
    pub(super) fn base_branch(&self) -> Result<String, Allowed> {
        let branch = self.text()?;
        match branch.is_empty() {
            true => Ok(branch),
            false => accepted(&branch).map(|()| branch),
        }
    }

    /// Commands that are run without a shell.
    pub(super) fn argument_lists(&self) -> Result<Vec<Vec<String>>, Allowed> {
        let Plain::List(items) = self else {
            return Err(ARGUMENT_LISTS.to_owned());
        };
        let command = |value: &Plain| value.command().map_err(|_| ARGUMENT_LISTS.to_owned());
        items.iter().map(|item| command(&item.value)).collect()
    }

    pub(super) fn globs(&self) -> Result<Vec<String>, Allowed> {
        let globs = self.texts().ok();
        let inside = |globs: &Vec<String>| globs.iter().all(|glob| paths::is_inside(glob));
        globs.filter(inside).ok_or_else(|| {
            "a list of patterns for paths inside the project, such as [\"tests/**\"]; \
             none of them is empty, begins with `/` or contains `..`"
                .to_owned()
        })
    }
}

const ARGUMENT_LISTS: &str =
    "a list of commands, each of them a list of words, such as [[\"npm\", \"ci\"]]";

pub(super) fn show_commands(commands: &[Vec<String>]) -> String {
    let shown: Vec<String> = commands.iter().map(|words| quoted_list(words)).collect();
    format!("[{}]", shown.join(", "))
}

/// The rules of `git check-ref-format --branch`.
fn accepted(branch: &str) -> Result<(), Allowed> {
    match fault(branch) {
        None => Ok(()),
        Some(fault) => Err(format!("a name that git accepts for a branch; it {fault}")),
    }
}

fn fault(branch: &str) -> Option<String> {
    let bad = |it: char| it.is_ascii_control() || " ~^:?*[\\".contains(it);
    if let Some(bad) = branch.chars().find(|it| bad(*it)) {
        return Some(match bad {
            ' ' => "contains a space".to_owned(),
            bad if bad.is_ascii_control() => "contains a control character".to_owned(),
            bad => format!("contains `{bad}`"),
        });
    }
    if let Some(bad) = ["..", "//", "@{"].iter().find(|it| branch.contains(**it)) {
        return Some(format!("contains `{bad}`"));
    }
    if let Some(first) = branch.chars().next().filter(|it| matches!(it, '-' | '/')) {
        return Some(format!("begins with `{first}`"));
    }
    if let Some(last) = branch.chars().last().filter(|it| matches!(it, '.' | '/')) {
        return Some(format!("ends with `{last}`"));
    }
    if branch.split('/').any(|part| part.starts_with('.')) {
        return Some("has a part that begins with `.`".to_owned());
    }
    if branch.split('/').any(|part| part.ends_with(".lock")) {
        return Some("has a part that ends with `.lock`".to_owned());
    }
    matches!(branch, "@" | "HEAD").then(|| format!("is `{branch}`"))
}
