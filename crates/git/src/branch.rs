//! Branches and commits of a repository.

use crate::registry::gone;
use crate::run::word;
use crate::{Error, Repository};

impl Repository {
    /// The branch that is checked out here. `None`: HEAD is detached.
    pub fn branch(&self) -> Option<String> {
        let ask = ["symbolic-ref", "--quiet", "--short", "HEAD"];
        self.git().run(&ask).ok().map(|told| word(&told))
    }

    /// The commit that a branch, or any other name of a commit, leads to.
    pub fn commit_of(&self, name: &str) -> Option<String> {
        let names = [format!("refs/heads/{name}"), name.to_owned()];
        names.iter().find_map(|name| self.resolved(name))
    }

    /// The commit of a branch, if it exists.
    pub fn head_of(&self, branch: &str) -> Option<String> {
        self.resolved(&format!("refs/heads/{branch}"))
    }

    fn resolved(&self, name: &str) -> Option<String> {
        let commit = format!("{name}^{{commit}}");
        let ask = ["rev-parse", "--verify", "--quiet", "--end-of-options"];
        let told = self.git().run(&[&ask[..], &[&commit]].concat()).ok()?;
        Some(word(&told))
    }

    pub fn tree_of(&self, commit: &str) -> Result<String, Error> {
        let tree = format!("{commit}^{{tree}}");
        let ask = ["rev-parse", "--verify", "--quiet", "--end-of-options"];
        Ok(word(&self.git().run(&[&ask[..], &[&tree]].concat())?))
    }

    /// Whether the directory of the project is in this commit.
    pub fn is_in(&self, commit: &str) -> bool {
        let place = format!("{commit}:{}", self.prefix().display());
        let ask = ["cat-file", "-e", place.trim_end_matches('/')];
        self.git().run(&ask).is_ok()
    }

    pub fn accepts_name(&self, branch: &str) -> bool {
        let full = format!("refs/heads/{branch}");
        !branch.starts_with('-') && self.git().run(&["check-ref-format", &full]).is_ok()
    }

    /// All branches of this repository, with their commits.
    pub fn branches(&self) -> Result<Vec<(String, String)>, Error> {
        let ask = [
            "for-each-ref",
            "--format=%(objectname) %(refname:lstrip=2)",
            "refs/heads/",
        ];
        let told = self.git().run(&ask)?;
        let told = String::from_utf8_lossy(&told);
        let lines = told.lines().filter_map(|line| line.split_once(' '));
        Ok(lines
            .map(|(commit, name)| (name.to_owned(), commit.to_owned()))
            .collect())
    }

    /// A branch whose name differs only in capital letters, where the disk does not distinguish
    /// them: the two would be one file.
    pub fn same_but_for_case(&self, branch: &str) -> Result<Option<String>, Error> {
        let ask = ["config", "--type=bool", "--get", "core.ignorecase"];
        if self.git().run(&ask).map(|told| word(&told)).ok().as_deref() != Some("true") {
            return Ok(None);
        }
        let mut names = self.branches()?.into_iter().map(|(name, _)| name);
        Ok(names.find(|name| name != branch && name.to_lowercase() == branch.to_lowercase()))
    }

    /// Makes a branch. It fails if there is one of that name.
    pub fn create_branch(&self, branch: &str, commit: &str) -> Result<(), Error> {
        self.move_branch(branch, commit, &"0".repeat(commit.len()))
    }

    /// Moves a branch from one commit to another. It fails if it is elsewhere.
    pub fn move_branch(&self, branch: &str, to: &str, from: &str) -> Result<(), Error> {
        let name = format!("refs/heads/{branch}");
        let git = self.git().durable();
        git.run(&["update-ref", "--no-deref", &name, to, from])?;
        Ok(())
    }

    /// Removes a branch, wherever it is. A missing one is no error.
    pub fn remove_branch(&self, branch: &str) -> Result<(), Error> {
        let name = format!("refs/heads/{branch}");
        self.git().run(&["update-ref", "--no-deref", "-d", &name])?;
        Ok(())
    }

    /// Removes the lock that a killed git has left on a branch.
    pub fn clear_lock_of(&self, branch: &str) -> Result<(), Error> {
        let lock = self.common().join(format!("refs/heads/{branch}.lock"));
        gone(&lock, std::fs::remove_file(&lock))
    }

    /// The nearest commit that both have; `None`: their histories have nothing in common.
    pub fn common_commit(&self, one: &str, other: &str) -> Option<String> {
        let told = self.git().run(&["merge-base", one, other]).ok()?;
        Some(word(&told))
    }
}
