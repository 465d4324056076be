//! The index that checkpoints use, beside the person's. It stays between checkpoints, because it
//! knows which files are unchanged: git then compares times and sizes, and reads no file again.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::registry::gone;
use crate::run::{Git, word};
use crate::worktree::copy_index;
use crate::{Error, Worktree};

/// In the git directory of a worktree.
const INDEX: &str = "kumite-index";

/// The index of the checkpoints of one worktree; nobody else uses it meanwhile.
pub(crate) struct OwnIndex<'a> {
    worktree: &'a Worktree,
    path: PathBuf,
    /// On a file system without locks we go on without.
    _turn: Option<File>,
}

impl OwnIndex<'_> {
    pub fn take(worktree: &Worktree) -> Result<OwnIndex<'_>, Error> {
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

    pub fn git(&self) -> Result<Git, Error> {
        let git = self.worktree.git()?.with("GIT_INDEX_FILE", &self.path);
        // What it learns about unchanged files is kept: this index is ours.
        Ok(git.with("GIT_OPTIONAL_LOCKS", "1"))
    }

    /// Brings the index to the present content, and returns the tree.
    pub fn record(&self) -> Result<String, Error> {
        self.try_record().or_else(|_| {
            // It may be damaged, or of another repository. The one of the worktree also knows which
            // files a sparse checkout leaves out.
            gone(&self.path, fs::remove_file(&self.path))?;
            copy_index(&self.worktree.git_dir()?.join("index"), &self.path);
            self.try_record().or_else(|_| {
                // Without any, git reads all files.
                gone(&self.path, fs::remove_file(&self.path))?;
                self.try_record()
            })
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
