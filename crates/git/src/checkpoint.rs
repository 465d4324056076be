//! Checkpoints: the content of a worktree as a commit of kumite's own, under `refs/kumite/`.
//!
//! Recording and keeping are two steps: what is recorded can be compared and written down first,
//! and the reference follows.

use std::collections::BTreeMap;
use std::fs::{self, File};

use crate::own_index::OwnIndex;
use crate::run::{Git, word};
use crate::{Error, Worktree};

/// In the git directory of a worktree: the content that was recorded last.
const RECORDED: &str = "kumite-recorded";

/// They sign what kumite records, whatever the person's configuration says.
pub(crate) const SIGNATURE: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "kumite"),
    ("GIT_AUTHOR_EMAIL", "kumite@localhost"),
    ("GIT_COMMITTER_NAME", "kumite"),
    ("GIT_COMMITTER_EMAIL", "kumite@localhost"),
];

/// The content of a worktree at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    pub commit: String,
    /// Two checkpoints with the same tree have the same content.
    pub tree: String,
}

impl Worktree {
    /// Records the content of the worktree and keeps it as checkpoint `number` of `name`.
    pub fn checkpoint(&self, name: &str, number: u64) -> Result<Checkpoint, Error> {
        let checkpoint = self.record(name)?;
        keep(&self.git()?, name, number, &checkpoint.commit)?;
        Ok(checkpoint)
    }

    /// Records the content of the worktree: untracked files too, ignored ones not, nor nested
    /// repositories. Content that is already recorded costs no new object. Index, HEAD, branches
    /// and stash are not touched, and no reference is made: see [`keep`].
    pub fn record(&self, name: &str) -> Result<Checkpoint, Error> {
        let own = OwnIndex::take(self)?;
        let tree = own.record()?;
        let kept = self.checkpoints(name)?.pop_last().map(|(_, it)| it);
        if let Some(kept) = kept.as_ref().filter(|it| it.tree == tree) {
            return Ok(kept.clone());
        }
        let note = self.git_dir()?.join(RECORDED);
        if let Some(recorded) = self.recorded(&fs::read_to_string(&note).unwrap_or_default())
            && recorded.tree == tree
        {
            return Ok(recorded);
        }
        let words = format!("{name}: content of the worktree");
        let parent = match kept {
            Some(kept) => Some(kept.commit),
            None => self.head()?,
        };
        let commit = self.git()?.commit(&tree, parent.as_deref(), &words)?;
        // Without the note, the same content may get a second commit.
        let _ = fs::write(&note, &commit);
        Ok(Checkpoint { commit, tree })
    }

    /// The noted commit, if it is still there: nothing refers to it yet.
    fn recorded(&self, commit: &str) -> Option<Checkpoint> {
        let is_name = commit.len() >= 40 && commit.bytes().all(|it| it.is_ascii_hexdigit());
        let tree = format!("{commit}^{{tree}}");
        let ask = ["rev-parse", "--verify", "--quiet", &tree];
        let tree = is_name.then(|| self.git().ok()?.run(&ask).ok()).flatten()?;
        Some(Checkpoint {
            commit: commit.to_owned(),
            tree: word(&tree),
        })
    }

    /// All checkpoints of `name`, by number.
    pub fn checkpoints(&self, name: &str) -> Result<BTreeMap<u64, Checkpoint>, Error> {
        let references = references(name);
        let format = "--format=%(refname) %(objectname) %(tree)";
        let told = self.git()?.run(&["for-each-ref", format, &references])?;
        let told = String::from_utf8_lossy(&told);
        let read = |line: &str| {
            let mut words = line.strip_prefix(&references)?.split(' ');
            let number = words.next()?.parse().ok()?;
            let (commit, tree) = (words.next()?.to_owned(), words.next()?.to_owned());
            Some((number, Checkpoint { commit, tree }))
        };
        Ok(told.lines().filter_map(read).collect())
    }

    /// Makes the files those of a checkpoint. Ignored files stay, and so do index, HEAD and
    /// branches. What is there now is lost, unless it is in a checkpoint.
    pub fn restore(&self, checkpoint: &Checkpoint) -> Result<(), Error> {
        let own = OwnIndex::take(self)?;
        // Only with knowledge of the present files does git remove those that are too many.
        own.record()?;
        own.git()?
            .run(&["read-tree", "--reset", "-u", &checkpoint.tree])?;
        Ok(())
    }

    /// What changed between two commits or trees, as a patch.
    pub fn patch(&self, from: &str, to: &str, file: File) -> Result<(), Error> {
        let diff = ["diff-tree", "--patch", "--binary", "--full-index", "-r"];
        let plain = ["--no-ext-diff", "--no-textconv", "--find-renames", from, to];
        Ok(self
            .git()?
            .run_into(&[&diff[..], &plain[..]].concat(), file)?)
    }
}

impl Git {
    /// A commit of kumite's own. It depends neither on the person's name nor on their keys.
    pub fn commit(&self, tree: &str, parent: Option<&str>, words: &str) -> Result<String, Error> {
        let mut git = self.clone();
        for (name, value) in SIGNATURE {
            git = git.with(name, value);
        }
        let mut args = vec!["commit-tree", "--no-gpg-sign", "-m", words];
        args.extend(parent.iter().flat_map(|parent| ["-p", parent]));
        args.push(tree);
        Ok(word(&git.run(&args)?))
    }
}

/// Where the checkpoints of a spec or team are.
fn references(name: &str) -> String {
    format!("refs/kumite/{name}/")
}

/// Makes a recorded commit checkpoint `number` of `name`, so that git keeps it. Doing it twice is
/// the same as once.
pub fn keep(git: &Git, name: &str, number: u64, commit: &str) -> Result<(), Error> {
    let reference = format!("{}{number}", references(name));
    git.run(&["update-ref", &reference, commit])?;
    Ok(())
}

/// Removes all checkpoints of `name`.
pub fn remove_checkpoints(git: &Git, name: &str) -> Result<(), Error> {
    let format = "--format=delete %(refname)";
    let orders = git.run(&["for-each-ref", format, &references(name)])?;
    git.feed(&["update-ref", "--stdin"], &orders)?;
    Ok(())
}
