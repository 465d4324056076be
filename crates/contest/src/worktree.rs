//! A git worktree for each agent team, so that they work beside each other on the same project.
//!
//! A worktree is below the project, so git would use the project instead if the worktree's own link
//! is gone. Therefore every command here names the worktree's git directory.

mod registry;
mod repository;

use std::fs;
use std::io;
use std::path::{self, Path, PathBuf};

use kumite_files::{Access, Durable, replace};

use crate::git::{self, Git};
pub use registry::remove_all;
pub use repository::Repository;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(
        "{project} is not in a git repository with files, and agent teams work in worktrees of \
         one; run `git init` there and commit: {words}",
        project = .project.display()
    )]
    NoRepository { project: PathBuf, words: String },
    #[error(
        "git refuses the repository of {project}, because another user owns it; \
         `git config --global --add safe.directory {project}` permits it",
        project = .project.display()
    )]
    Foreign { project: PathBuf },
    #[error(
        "the git repository {top} has no commit, and agent teams begin with one; commit the \
         project first",
        top = .top.display()
    )]
    NoCommit { top: PathBuf },
    #[error(
        "{place} is not in the last commit, and agent teams begin with that; commit it first",
        place = .place.display()
    )]
    NotInCommit { place: PathBuf },
    #[error("the worktree {root} is gone", root = .root.display())]
    Gone { root: PathBuf },
    #[error("cannot write {path}", path = .path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read {path}", path = .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot remove {path}", path = .path.display())]
    Remove { path: PathBuf, source: io::Error },
}

/// The path of a team's worktree; `number` distinguishes teams with similar ids.
pub fn path_of(contest_dir: &Path, number: usize, team_id: &str) -> PathBuf {
    let letter = |letter: char| match letter.is_ascii_alphanumeric() {
        true => letter.to_ascii_lowercase(),
        false => '-',
    };
    let slug: String = team_id.chars().map(letter).take(40).collect();
    let name = format!("{number}-{slug}");
    contest_dir.join(registry::WORKTREES).join(name)
}

/// The worktree of one team.
#[derive(Clone, Debug)]
pub struct Worktree {
    repository: Repository,
    root: PathBuf,
    /// The commit that the contest began with.
    base: String,
}

/// The start of a round of [`Worktree::kept`], in the directory of the round: the commit, and the
/// changes since.
const START: &str = "start";
const START_DIFF: &str = "start.diff";

impl Worktree {
    pub fn new(repository: Repository, root: PathBuf, base: String) -> Worktree {
        Worktree {
            repository,
            // git runs in another directory.
            root: path::absolute(&root).unwrap_or(root),
            base,
        }
    }

    /// Where the team works: the project's directory in it.
    pub fn place(&self) -> PathBuf {
        self.root.join(self.repository.prefix())
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Resets it to the start of the contest, whatever is there.
    pub fn fresh(&self) -> Result<(), Error> {
        if let Some(git_dir) = registry::find(&self.repository, &self.root)?
            && registry::is_at_rest(&git_dir, &self.root)
            && self.reset(&git_dir, &self.base, "-ffdxq").is_ok()
        {
            return Ok(());
        }
        registry::renew(&self.repository, &self.root, &self.base)
    }

    /// Leaves it as the last round left it. `round` is the directory of this round: a second try
    /// finds what the first one found, except for files that git ignores.
    pub fn kept(&self, round: &Path) -> Result<(), Error> {
        let known = registry::find(&self.repository, &self.root)?;
        let git_dir = match known.filter(|_| self.root.is_dir()) {
            Some(git_dir) => git_dir,
            None => {
                registry::renew(&self.repository, &self.root, &self.base)?;
                self.git_dir()?
            }
        };
        registry::settle(&git_dir, &self.root)?;
        let (start, diff) = (round.join(START), round.join(START_DIFF));
        match fs::read_to_string(&start) {
            Ok(head) => {
                self.reset(&git_dir, head.trim(), "-ffdq")?;
                self.patch(&git_dir, &diff)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let head = self.head(&git_dir)?;
                self.diff_against(&head, &diff)?;
                // If this exists, the diff is complete.
                let written = replace(&start, head.as_bytes(), Durable::Process, Access::Private);
                written.map_err(|source| Error::Write {
                    path: start,
                    source,
                })
            }
            Err(source) => Err(Error::Read {
                path: start,
                source,
            }),
        }
    }

    /// Writes all changes since the contest began to `file`, committed or not, including new files;
    /// but not files that git ignores, nor nested repositories.
    pub fn diff(&self, file: &Path) -> Result<(), Error> {
        self.diff_against(&self.base, file)
    }

    fn diff_against(&self, commit: &str, file: &Path) -> Result<(), Error> {
        let git_dir = self.git_dir()?;
        // Our own index, so that nothing of the team is touched.
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
            .git(&git_dir)
            .with("GIT_INDEX_FILE", &index)
            .with("GIT_LITERAL_PATHSPECS", "1");
        // Then git knows what the team committed, even if it is ignored. HEAD may be invalid: see
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

    /// This moves no branch, whatever the team has checked out.
    fn reset(&self, git_dir: &Path, commit: &str, clean: &str) -> Result<(), Error> {
        let git = self.git(git_dir);
        git.run(&["checkout", "--force", "--detach", "--quiet", commit])?;
        git.run(&["clean", clean])?;
        Ok(())
    }

    fn patch(&self, git_dir: &Path, diff: &Path) -> Result<(), Error> {
        let found = fs::canonicalize(diff).and_then(|path| Ok((fs::metadata(&path)?.len(), path)));
        let (bytes, path) = found.map_err(|source| Error::Read {
            path: diff.to_owned(),
            source,
        })?;
        if bytes > 0 {
            let apply = ["apply", "--whitespace=nowarn"].map(AsRef::as_ref);
            let args = [&apply[..], &[path.as_os_str()]].concat();
            self.git(git_dir).run(&args)?;
        }
        Ok(())
    }

    fn head(&self, git_dir: &Path) -> Result<String, Error> {
        let verify = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
        Ok(match self.git(git_dir).run(&verify) {
            Ok(head) => String::from_utf8_lossy(head.trim_ascii()).into_owned(),
            Err(_) => self.base.clone(),
        })
    }

    fn git_dir(&self) -> Result<PathBuf, Error> {
        let found = registry::find(&self.repository, &self.root)?;
        found.filter(|_| self.root.is_dir()).ok_or(Error::Gone {
            root: self.root.clone(),
        })
    }

    fn git(&self, git_dir: &Path) -> Git {
        Git::at(&self.root)
            .with("GIT_DIR", git_dir)
            .with("GIT_WORK_TREE", &self.root)
    }
}

/// A copy with the time of the original: git takes a file for unchanged if it is older than the
/// index, and an agent may write a file in the same moment in which it was checked out.
fn copy_index(from: &Path, to: &Path) {
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
