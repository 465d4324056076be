//! Files of the checkout that are not committed as they are there, and how they get into a commit
//! on another branch. The person's index is read, never written or locked.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::run::{Git, word};
use crate::{Error, Repository};

/// Relative to the top of the checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncommitted {
    pub path: PathBuf,
    pub how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Untracked,
    /// Changed since the last commit, and the index does not know that.
    Modified,
    /// The index knows it; perhaps it was changed again since.
    Staged,
    /// The file was removed, staged or not.
    Removed,
    /// In the middle of a merge.
    Unmerged,
}

impl Repository {
    /// The uncommitted files in a directory, without ignored ones.
    pub fn uncommitted_in(&self, dir: &Path) -> Result<Vec<Uncommitted>, Error> {
        let ask = "status --porcelain=v1 -z --untracked-files=all --no-renames --";
        let mut args: Vec<&OsStr> = ask.split(' ').map(OsStr::new).collect();
        args.push(dir.as_os_str());
        let git = self.git().with("GIT_LITERAL_PATHSPECS", "1");
        let told = git.run(&args)?;
        let lines = told.split(|byte| *byte == 0);
        let read = |line: &[u8]| {
            let [x, y, b' ', path @ ..] = line else {
                return None;
            };
            let how = match (x, y) {
                (b'?', _) => How::Untracked,
                (b'U', _) | (_, b'U') | (b'A', b'A') | (b'D', b'D') => How::Unmerged,
                (_, b'D') | (b'D', _) => How::Removed,
                (b' ', b'M' | b'T') => How::Modified,
                _ => How::Staged,
            };
            let path = OsStr::from_bytes(path).into();
            Some(Uncommitted { path, how })
        };
        Ok(lines.filter_map(read).collect())
    }

    /// A commit on top of `parent` with these files as they are in the checkout now; `parent` itself
    /// if nothing differs. `like`: a directory is first made the same as in another commit.
    pub fn commit_files(
        &self,
        parent: &str,
        like: Option<(&str, &Path)>,
        files: &[&Path],
        words: &str,
    ) -> Result<String, Error> {
        if like.is_none() && files.is_empty() {
            return Ok(parent.to_owned());
        }
        let place = tempfile::tempdir().map_err(|source| Error::Write {
            path: std::env::temp_dir(),
            source,
        })?;
        let index = place.path().join("index");
        let git = self.git().with("GIT_INDEX_FILE", &index).durable();
        let git = git.with("GIT_LITERAL_PATHSPECS", "1");
        git.run(&["read-tree", parent])?;
        if let Some((commit, dir)) = like {
            make_like(&git, commit, dir)?;
        }
        let mut names = Vec::new();
        for file in files {
            names.extend_from_slice(file.as_os_str().as_bytes());
            names.push(0);
        }
        let update = ["update-index", "--add", "--remove", "--replace"];
        git.feed(&[&update[..], &["-z", "--stdin"]].concat(), &names)?;
        let tree = word(&git.run(&["write-tree"])?);
        match tree == self.tree_of(parent)? {
            true => Ok(parent.to_owned()),
            false => git.commit(&tree, Some(parent), words),
        }
    }

    /// The object of a file in a commit.
    pub fn object_in(&self, commit: &str, file: &Path) -> Option<String> {
        let mut name = std::ffi::OsString::from(format!("{commit}:"));
        name.push(file);
        let ask = ["rev-parse", "--verify", "--quiet", "--end-of-options"];
        let mut args: Vec<&OsStr> = ask.iter().map(OsStr::new).collect();
        args.push(&name);
        self.git().run(&args).ok().map(|told| word(&told))
    }

    /// The object that a file of the checkout would be now, through git's filters. It is not stored.
    pub fn object_of(&self, file: &Path) -> Option<String> {
        let told = match std::fs::read_link(self.top().join(file)) {
            Ok(target) => {
                let args = ["hash-object", "--stdin", "--no-filters"];
                self.git().feed(&args, target.as_os_str().as_bytes())
            }
            Err(_) => {
                let args = ["hash-object", "--"].map(OsStr::new);
                self.git().run(&[&args[..], &[file.as_os_str()]].concat())
            }
        };
        told.ok().map(|told| word(&told))
    }

    /// A file of the last commit as a checkout would have it: through git's filters.
    pub fn checked_out(&self, file: &Path) -> Result<Vec<u8>, Error> {
        let mut name = std::ffi::OsString::from("HEAD:");
        name.push(file);
        let args = [OsStr::new("cat-file"), OsStr::new("--filters"), &name];
        Ok(self.git().run(&args)?)
    }

    /// Untracked files of the project, also ignored ones, that match one of these globs. A directory
    /// is a nested repository, and ends with a slash.
    pub fn untracked(&self, glob: &str) -> Result<Vec<PathBuf>, Error> {
        let mut args: Vec<std::ffi::OsString> = Vec::new();
        args.extend(["ls-files", "--others", "-z", "--"].map(Into::into));
        args.push(crate::tree::pathspec(self.prefix(), glob));
        for own in [".kiro/worktrees", ".kiro/runtime"] {
            let mut not = std::ffi::OsString::from(":(top,exclude,literal)");
            not.push(self.prefix().join(own));
            args.push(not);
        }
        let told = self.git().run(&args)?;
        let paths = told.split(|byte| *byte == 0).filter(|it| !it.is_empty());
        Ok(paths.map(|it| OsStr::from_bytes(it).into()).collect())
    }
}

/// Makes a directory in the index the same as in a commit.
fn make_like(git: &Git, commit: &str, dir: &Path) -> Result<(), Error> {
    let there = git.run(&[
        OsStr::new("ls-tree"),
        OsStr::new("-r"),
        OsStr::new("-z"),
        OsStr::new("--full-tree"),
        OsStr::new(commit),
        OsStr::new("--"),
        dir.as_os_str(),
    ])?;
    let ask = ["ls-files", "-z", "--"].map(OsStr::new);
    let here = git.run(&[&ask[..], &[dir.as_os_str()]].concat())?;
    git.feed(&["update-index", "--force-remove", "-z", "--stdin"], &here)?;
    git.feed(&["update-index", "-z", "--index-info"], &there)?;
    Ok(())
}
