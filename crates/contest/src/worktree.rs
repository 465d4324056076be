//! A git worktree for each agent team, so that they work beside each other on the same project.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kumite_files::{Access, Durable, replace};
use kumite_git::{Error, Repository, Worktree};

/// In the directory of a contest.
const WORKTREES: &str = "worktrees";

/// The path of a team's worktree; `number` distinguishes teams with similar ids.
pub fn path_of(contest_dir: &Path, number: usize, team_id: &str) -> PathBuf {
    let letter = |letter: char| match letter.is_ascii_alphanumeric() {
        true => letter.to_ascii_lowercase(),
        false => '-',
    };
    let slug: String = team_id.chars().map(letter).take(40).collect();
    let name = format!("{number}-{slug}");
    contest_dir.join(WORKTREES).join(name)
}

/// Removes all worktrees of a contest, including those that a crash left half made.
pub fn remove_all(repository: &Repository, contest_dir: &Path) -> Result<(), Error> {
    kumite_git::remove_below(repository, &contest_dir.join(WORKTREES))
}

/// The worktree of one team.
#[derive(Clone, Debug)]
pub struct TeamWorktree {
    worktree: Worktree,
    /// The commit that the contest began with.
    base: String,
}

/// The start of a round of [`TeamWorktree::kept`], in the directory of the round: the commit, and the
/// changes since.
const START: &str = "start";
const START_DIFF: &str = "start.diff";

impl TeamWorktree {
    pub fn new(repository: Repository, root: PathBuf, base: String) -> TeamWorktree {
        TeamWorktree {
            worktree: Worktree::new(repository, root),
            base,
        }
    }

    /// Where the team works: the project's directory in it.
    pub fn place(&self) -> PathBuf {
        self.worktree.place()
    }

    pub fn root(&self) -> &Path {
        self.worktree.root()
    }

    /// Resets it to the start of the contest, whatever is there.
    pub fn fresh(&self) -> Result<(), Error> {
        if self.worktree.is_at_rest() && self.worktree.reset(&self.base, "-ffdxq").is_ok() {
            return Ok(());
        }
        self.worktree.renew(&self.base)
    }

    /// Leaves it as the last round left it. `round` is the directory of this round: a second try
    /// finds what the first one found, except for files that git ignores.
    pub fn kept(&self, round: &Path) -> Result<(), Error> {
        if self.worktree.git_dir().is_err() {
            self.worktree.renew(&self.base)?;
        }
        self.worktree.settle()?;
        let (start, diff) = (round.join(START), round.join(START_DIFF));
        match fs::read_to_string(&start) {
            Ok(head) => {
                self.worktree.reset(head.trim(), "-ffdq")?;
                self.patch(&diff)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let head = self.worktree.head()?;
                let head = head.unwrap_or_else(|| self.base.clone());
                self.worktree.diff(&head, &diff)?;
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

    /// Writes all changes since the contest began to `file`; see [`Worktree::diff`].
    pub fn diff(&self, file: &Path) -> Result<(), Error> {
        self.worktree.diff(&self.base, file)
    }

    fn patch(&self, diff: &Path) -> Result<(), Error> {
        let found = fs::canonicalize(diff).and_then(|path| Ok((fs::metadata(&path)?.len(), path)));
        let (bytes, path) = found.map_err(|source| Error::Read {
            path: diff.to_owned(),
            source,
        })?;
        if bytes > 0 {
            let apply = ["apply", "--whitespace=nowarn"].map(AsRef::as_ref);
            let args = [&apply[..], &[path.as_os_str()]].concat();
            self.worktree.git()?.run(&args)?;
        }
        Ok(())
    }
}
