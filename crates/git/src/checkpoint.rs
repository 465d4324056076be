//! Checkpoints: the content of a worktree as a commit of kumite's own, under `refs/kumite/`.
//!
//! They use an index of their own, beside the person's. It stays between checkpoints, because it
//! knows which files are unchanged: git then compares times and sizes, and reads no file again.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::registry::gone;
use crate::run::Git;
use crate::worktree::copy_index;
use crate::{Error, Worktree};

/// In the git directory of a worktree.
const INDEX: &str = "kumite-index";

/// They sign what kumite records, whatever the person's configuration says.
const SIGNATURE: [(&str, &str); 4] = [
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
    /// Records the content of the worktree as checkpoint `number` of `name`: untracked files too,
    /// ignored ones not, nor nested repositories. Content that is already in the last checkpoint
    /// costs no new object. Index, HEAD, branches and stash are not touched.
    pub fn checkpoint(&self, name: &str, number: u64) -> Result<Checkpoint, Error> {
        let own = OwnIndex::take(self)?;
        let tree = own.record()?;
        let before = self.checkpoints(name)?;
        let before = before.range(..number).next_back().map(|(_, it)| it.clone());
        let checkpoint = match before {
            Some(before) if before.tree == tree => before,
            before => Checkpoint {
                commit: self.commit(&tree, before, &format!("{name}: checkpoint {number}"))?,
                tree,
            },
        };
        let reference = format!("{}{number}", references(name));
        let update = ["update-ref", &reference, &checkpoint.commit];
        self.git()?.run(&update)?;
        Ok(checkpoint)
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

    fn commit(&self, tree: &str, before: Option<Checkpoint>, words: &str) -> Result<String, Error> {
        let parent = match before {
            Some(before) => Some(before.commit),
            None => self.head()?,
        };
        let mut git = self.git()?;
        for (name, value) in SIGNATURE {
            git = git.with(name, value);
        }
        let mut args = vec!["commit-tree", "--no-gpg-sign", "-m", words];
        args.extend(parent.iter().flat_map(|parent| ["-p", parent.as_str()]));
        args.push(tree);
        Ok(word(&git.run(&args)?))
    }
}

/// Where the checkpoints of a spec or team are.
fn references(name: &str) -> String {
    format!("refs/kumite/{name}/")
}

/// The index of the checkpoints of one worktree; nobody else uses it meanwhile.
struct OwnIndex<'a> {
    worktree: &'a Worktree,
    path: PathBuf,
    /// On a file system without locks we go on without.
    _turn: Option<File>,
}

impl OwnIndex<'_> {
    fn take(worktree: &Worktree) -> Result<OwnIndex<'_>, Error> {
        let git_dir = worktree.git_dir()?;
        let turn = File::open(&git_dir).ok();
        let turn = turn.filter(|dir| dir.lock().is_ok());
        let path = git_dir.join(INDEX);
        // A git that was killed leaves its lock, and now nobody else is here.
        let lock = git_dir.join(format!("{INDEX}.lock"));
        gone(&lock, fs::remove_file(&lock))?;
        if !path.exists() {
            copy_index(&git_dir.join("index"), &path);
        }
        Ok(OwnIndex {
            worktree,
            path,
            _turn: turn,
        })
    }

    fn git(&self) -> Result<Git, Error> {
        let git = self.worktree.git()?.with("GIT_INDEX_FILE", &self.path);
        // What it learns about unchanged files is kept: this index is ours.
        Ok(git.with("GIT_OPTIONAL_LOCKS", "1"))
    }

    /// Brings the index to the present content, and returns the tree.
    fn record(&self) -> Result<String, Error> {
        self.try_record().or_else(|_| {
            // It may be damaged, or of another repository. Without it, git reads all files.
            gone(&self.path, fs::remove_file(&self.path))?;
            self.try_record()
        })
    }

    fn try_record(&self) -> Result<String, Error> {
        let git = self.git()?;
        let status = git.run(&[
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=dirty",
        ])?;
        let changes = Changes::read(&status, self.worktree.root());
        let update = |how: &[&str], files: &[u8]| match files.is_empty() {
            true => Ok(Vec::new()),
            false => git.feed(
                &[&["update-index"], how, &["-z", "--stdin"]].concat(),
                files,
            ),
        };
        update(&["--force-remove"], &changes.removed)?;
        update(&["--add", "--remove", "--replace"], &changes.written)?;
        Ok(word(&git.run(&["write-tree"])?))
    }
}

/// The files that differ from the index, each with a final zero byte.
#[derive(Default)]
struct Changes {
    /// There may be a directory of that name now.
    removed: Vec<u8>,
    written: Vec<u8>,
}

impl Changes {
    fn read(status: &[u8], root: &Path) -> Changes {
        let mut changes = Changes::default();
        for line in status.split_inclusive(|byte| *byte == 0) {
            let [in_index, in_worktree, b' ', path @ ..] = line else {
                continue;
            };
            // Committed although it is ignored: the commit knows it, the index does not yet.
            let is_unknown = || {
                let path = OsStr::from_bytes(path.strip_suffix(b"\0").unwrap_or(path));
                *in_index == b'D'
                    && fs::symlink_metadata(root.join(path)).is_ok_and(|it| !it.is_dir())
            };
            match in_worktree {
                // A directory is a nested repository.
                _ if path.ends_with(b"/\0") => {}
                b'D' => changes.removed.extend_from_slice(path),
                b' ' if !is_unknown() => {}
                _ => changes.written.extend_from_slice(path),
            }
        }
        changes
    }
}

fn word(output: &[u8]) -> String {
    String::from_utf8_lossy(output.trim_ascii()).into_owned()
}

/// Removes all checkpoints of `name`.
pub fn remove_checkpoints(git: &Git, name: &str) -> Result<(), Error> {
    let format = "--format=delete %(refname)";
    let orders = git.run(&["for-each-ref", format, &references(name)])?;
    git.feed(&["update-ref", "--stdin"], &orders)?;
    Ok(())
}
