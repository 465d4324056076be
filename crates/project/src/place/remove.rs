//! Removes the worktree of a spec, with its branch and its checkpoints.

use kumite_agents::Adopted;
use kumite_git::{Error, Repository, Worktree, remove_checkpoints};

use super::record::Record;
use super::{copies, find, work};
use crate::crash;
use crate::project::Spec;
use crate::spec_file::sentence;

/// Why a worktree was not removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The spec has none.
    None,
    /// Somebody works there.
    Busy(String),
    /// It holds work that would be lost; the sentence says what.
    Work(String),
    Failed(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::None => f.write_str("it has no worktree"),
            Refusal::Busy(why) | Refusal::Work(why) | Refusal::Failed(why) => f.write_str(why),
        }
    }
}

/// Removes worktree, branch and checkpoints of a spec. Without `force`, only if nothing is lost with
/// them.
pub fn remove(spec: &Spec, force: bool) -> Result<(), Refusal> {
    let works = |dir: &std::path::PathBuf| match kumite_agents::adopt(dir) {
        Ok(Adopted::Running(_) | Adopted::Foreign(_)) => true,
        Ok(Adopted::Lost | Adopted::Ended(_) | Adopted::NeverStarted) | Err(_) => false,
    };
    if spec.agent_dirs().iter().any(works) {
        let why = format!("an agent works there; `kumite stop {}` ends it", spec.name);
        return Err(Refusal::Busy(why));
    }
    let failed = |error: &Error| Refusal::Failed(sentence(error));
    let repository = match Repository::of(spec.project_root()) {
        Ok(repository) => repository,
        Err(Error::NoRepository { .. }) => return Err(Refusal::None),
        Err(error) => return Err(failed(&error)),
    };
    let target = Target::of(spec, &repository).ok_or(Refusal::None)?;
    if !force && let Some(stake) = target.at_stake(spec).map_err(|it| failed(&it))? {
        return Err(Refusal::Work(stake));
    }
    target.remove(spec).map_err(|error| failed(&error))
}

/// What belongs to the place of a spec.
struct Target {
    worktree: Worktree,
    branch: Option<String>,
    base: Option<String>,
}

impl Target {
    fn of(spec: &Spec, repository: &Repository) -> Option<Target> {
        let record = Record::read(spec);
        let at = |root| Worktree::new(repository.clone(), root);
        if let Some(known) = record.place {
            return Some(Target {
                worktree: at(spec.project_root().join(known.path)),
                branch: Some(known.branch),
                base: Some(known.base),
            });
        }
        if let Some(making) = record.making {
            return Some(Target {
                worktree: at(spec.usual_worktree()),
                branch: Some(making.branch),
                base: Some(making.base),
            });
        }
        // One that kumite has not made, or whose record is lost.
        let usual = at(spec.usual_worktree());
        let named = || find::worktree(spec).ok().flatten();
        let worktree = usual.is_known().then_some(usual).or_else(named)?;
        Some(Target {
            branch: worktree.branch().ok().flatten(),
            base: None,
            worktree,
        })
    }

    /// What would be lost.
    fn at_stake(&self, spec: &Spec) -> Result<Option<String>, Error> {
        let worktree = copies::excluding(spec, self.worktree.clone());
        let branch = self.branch.as_deref().unwrap_or_default();
        match worktree.git_dir() {
            Ok(_) => worktree
                .settle()
                .and_then(|()| work::at_stake(spec, &worktree, branch, self.base.as_deref())),
            // The directory is gone, and the branch may still have commits.
            Err(Error::Gone { root }) => Ok(match root.exists() {
                true => Some(format!("git does not know {}", root.display())),
                false => self.unmerged()?,
            }),
            Err(error) => Err(error),
        }
    }

    fn unmerged(&self) -> Result<Option<String>, Error> {
        let Some(branch) = &self.branch else {
            return Ok(None);
        };
        let repository = self.worktree.repository();
        if repository.head_of(branch).is_none() {
            return Ok(None);
        }
        let (name, not) = (
            format!("refs/heads/{branch}"),
            format!("--exclude={branch}"),
        );
        let ask = ["rev-list", "--count", &name, "--not", &not];
        let others = ["--branches", "--remotes", "--tags"];
        let told = repository.git().run(&[&ask[..], &others[..]].concat())?;
        let count = String::from_utf8_lossy(told.trim_ascii()).into_owned();
        let words = format!("commits of {branch} that no other branch has: {count}");
        Ok((count != "0").then_some(words))
    }

    /// The record goes last: until then, a repetition finds everything that is left.
    fn remove(&self, spec: &Spec) -> Result<(), Error> {
        let repository = self.worktree.repository();
        remove_checkpoints(&repository.git(), &spec.name)?;
        crash::point(format_args!("place without checkpoints"));
        self.worktree.remove()?;
        crash::point(format_args!("place without worktree"));
        if let Some(branch) = &self.branch {
            let is_kept = Some(branch) == self.base.as_ref() || self.is_elsewhere(branch)?;
            if !is_kept {
                repository.remove_branch(branch)?;
            }
        }
        crash::point(format_args!("place without branch"));
        copies::remove(spec);
        let path = spec.run_dir().join("place.json");
        Record::remove(spec).map_err(|source| Error::Remove { path, source })
    }

    /// Whether the branch is checked out in the main checkout or another worktree.
    fn is_elsewhere(&self, branch: &str) -> Result<bool, Error> {
        let told = self.worktree.repository().git();
        let told = told.run(&["worktree", "list", "--porcelain"])?;
        let line = format!("branch refs/heads/{branch}");
        Ok(String::from_utf8_lossy(&told).lines().any(|it| it == line))
    }
}
