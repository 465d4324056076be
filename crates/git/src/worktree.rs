//! One worktree of a repository.
//!
//! A worktree may be below the main checkout, so git would use that checkout instead if the
//! worktree's own link is gone. Therefore every command here names the worktree's git directory.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{self, Path, PathBuf};

use crate::run::Git;
use crate::{Error, Repository, registry};

#[derive(Clone, Debug)]
pub struct Worktree {
    repository: Repository,
    root: PathBuf,
    /// What git ignores here besides the usual.
    excludes: Option<PathBuf>,
}

impl Worktree {
    /// The worktree at `root`, whether it exists or not.
    pub fn new(repository: Repository, root: PathBuf) -> Worktree {
        Worktree {
            repository,
            // git runs in another directory.
            root: path::absolute(&root).unwrap_or(root),
            excludes: None,
        }
    }

    /// With this file in place of the person's `core.excludesFile`.
    pub fn excluding(mut self, file: PathBuf) -> Worktree {
        self.excludes = Some(file);
        self
    }

    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The project's directory in it.
    pub fn place(&self) -> PathBuf {
        self.root.join(self.repository.prefix())
    }

    /// Makes it anew at this commit, whatever is there now.
    pub fn renew(&self, commit: &str) -> Result<(), Error> {
        registry::renew(&self.repository, &self.root, commit)
    }

    /// Makes it, with this branch checked out. After a crash in between, [`Worktree::refill`] goes on.
    pub fn add(&self, branch: &str) -> Result<(), Error> {
        registry::add(&self.repository, &self.root, branch)?;
        self.refill()
    }

    /// Removes it, whatever is left of it and in it. Its branch stays.
    pub fn remove(&self) -> Result<(), Error> {
        registry::remove_whole(&self.repository, &self.root)
    }

    /// Whether a git that made it was interrupted.
    pub fn is_half_made(&self) -> bool {
        let git_dir = registry::find(&self.repository, &self.root);
        let git_dir = git_dir.ok().flatten();
        git_dir.is_some_and(|git_dir| registry::is_half_made(&git_dir, &self.root))
    }

    /// Whether the repository knows it, even if its directory is gone.
    pub fn is_known(&self) -> bool {
        registry::find(&self.repository, &self.root).is_ok_and(|found| found.is_some())
    }

    /// The branch that is checked out; `None`: HEAD is detached.
    pub fn branch(&self) -> Result<Option<String>, Error> {
        let git_dir = self.git_dir()?;
        let path = git_dir.join("HEAD");
        let head = fs::read_to_string(&path).map_err(|source| Error::Read { path, source })?;
        let branch = head.trim().strip_prefix("ref: refs/heads/");
        Ok(branch.map(str::to_owned))
    }

    /// Makes index and tracked files those of HEAD. Changes of tracked files are lost.
    pub fn refill(&self) -> Result<(), Error> {
        self.git()?.run(&["read-tree", "--reset", "-u", "HEAD"])?;
        Ok(())
    }

    /// Whether it exists, and no merge, rebase or lock is left in it.
    pub fn is_at_rest(&self) -> bool {
        let git_dir = registry::find(&self.repository, &self.root);
        let git_dir = git_dir.ok().flatten();
        git_dir.is_some_and(|git_dir| registry::is_at_rest(&git_dir, &self.root))
    }

    /// Repairs what an interruption left: locks, and a link that leads elsewhere.
    pub fn settle(&self) -> Result<(), Error> {
        registry::settle(&self.git_dir()?, &self.root)
    }

    /// Its git directory. It fails if the directory or git's knowledge of it is gone.
    pub fn git_dir(&self) -> Result<PathBuf, Error> {
        let found = registry::find(&self.repository, &self.root)?;
        found.filter(|_| self.root.is_dir()).ok_or(Error::Gone {
            root: self.root.clone(),
        })
    }

    /// git in this worktree.
    pub fn git(&self) -> Result<Git, Error> {
        let git_dir = self.git_dir()?;
        let git = Git::at(&self.root)
            .with("GIT_DIR", git_dir)
            .with("GIT_WORK_TREE", &self.root);
        Ok(match &self.excludes {
            None => git,
            Some(file) => {
                let mut setting = OsString::from("core.excludesFile=");
                setting.push(file);
                git.set(setting)
            }
        })
    }

    /// The commit that is checked out. `None`: HEAD leads to none, see `git checkout --orphan`.
    pub fn head(&self) -> Result<Option<String>, Error> {
        let verify = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
        let head = self.git()?.run(&verify).ok();
        Ok(head.map(|head| String::from_utf8_lossy(head.trim_ascii()).into_owned()))
    }

    /// Checks this commit out, without ignored files if `clean` has an `x`. This moves no branch,
    /// whatever is checked out.
    pub fn reset(&self, commit: &str, clean: &str) -> Result<(), Error> {
        let git = self.git()?;
        git.run(&["checkout", "--force", "--detach", "--quiet", commit])?;
        git.run(&["clean", clean])?;
        Ok(())
    }

    /// Writes all changes since `commit` to `file`, committed or not, including new files; but not
    /// files that git ignores, nor nested repositories.
    pub fn diff(&self, commit: &str, file: &Path) -> Result<(), Error> {
        let git_dir = self.git_dir()?;
        // Our own index, so that nobody else's is touched.
        let place = tempfile::Builder::new()
            .prefix("kumite-")
            .tempdir_in(&git_dir);
        let place = place.map_err(|source| Error::Write {
            path: git_dir.clone(),
            source,
        })?;
        let index = place.path().join("index");
        // With the old index, git need not read unchanged files.
        copy_index(&git_dir.join("index"), &index);
        let git = self
            .git()?
            .with("GIT_INDEX_FILE", &index)
            .with("GIT_LITERAL_PATHSPECS", "1");
        // Then git knows what was committed, even if it is ignored. HEAD may be invalid: see
        // `git checkout --orphan`.
        if git.run(&["read-tree", "--reset", "HEAD"]).is_err() {
            git.run(&["read-tree", "--reset", commit])?;
        }
        let untracked = git.run(&["ls-files", "--others", "--exclude-standard", "-z"])?;
        let files: Vec<&[u8]> = untracked
            .split_inclusive(|byte| *byte == 0)
            // A directory is a nested repository.
            .filter(|file| !file.ends_with(b"/\0"))
            .collect();
        if !files.is_empty() {
            let add = [
                "add",
                "--intent-to-add",
                "--pathspec-from-file=-",
                "--pathspec-file-nul",
            ];
            git.feed(&add, &files.concat())?;
        }
        // It fails if something changed, which is what we check next.
        let _ = git.run(&["update-index", "-q", "--refresh"]);
        let trouble = |source| Error::Write {
            path: file.to_owned(),
            source,
        };
        // On the same disk as the final file.
        let dir = file.parent().unwrap_or(Path::new("."));
        let partial = tempfile::NamedTempFile::new_in(dir).map_err(trouble)?;
        let output = partial.reopen().map_err(trouble)?;
        let diff = [
            "diff-index",
            "--patch",
            "--binary",
            "--full-index",
            "--no-ext-diff",
            "--no-renames",
            commit,
            "--",
        ];
        git.run_into(&diff, output)?;
        partial
            .persist(file)
            .map_err(|error| trouble(error.error))?;
        Ok(())
    }
}

/// A copy with the time of the original: git takes a file for unchanged if it is older than the
/// index, and an agent may write a file in the same moment in which it was checked out.
pub(crate) fn copy_index(from: &Path, to: &Path) {
    // Without a copy, git reads all files.
    let copied = || -> io::Result<()> {
        fs::copy(from, to)?;
        let time = fs::metadata(from)?.modified()?;
        fs::File::options().write(true).open(to)?.set_modified(time)
    };
    if copied().is_err() {
        let _ = fs::remove_file(to);
    }
}
