//! All worktrees of specs.

use kumite_git::{Repository, Worktree};
use serde::Serialize;

use super::record::Record;
use super::{copies, find, quota, work};
use crate::project::{Error, Project, Spec};
use crate::spec_file::sentence;
use crate::status;

/// One worktree, for `kumite worktree list`.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub spec: String,
    pub path: String,
    /// `None`: no branch is checked out there.
    pub branch: Option<String>,
    /// The branch that it began with, if kumite made it.
    pub base: Option<String>,
    /// The state of the spec.
    pub state: &'static str,
    /// What it takes on the disk.
    pub bytes: u64,
    /// What is on no other branch, if anything is.
    pub work: Option<String>,
    /// Why it cannot be read.
    pub trouble: Option<String>,
}

/// The worktrees of all specs of a project, sorted by name.
pub fn list(project: &Project) -> Result<Vec<Row>, Error> {
    let specs = project.all_specs()?;
    let rows = specs.iter().filter_map(|spec| row(project, spec));
    Ok(rows.collect())
}

fn row(project: &Project, spec: &Spec) -> Option<Row> {
    let record = Record::read(spec);
    let known = record.place.clone();
    let (worktree, trouble) = match find::worktree(spec) {
        Ok(Some(worktree)) => (Some(worktree), None),
        Ok(None) => (half_made(spec, &record), None),
        Err(trouble) => (None, Some(trouble)),
    };
    if worktree.is_none() && trouble.is_none() {
        return None;
    }
    let path = match (&worktree, &known) {
        (_, Some(known)) => known.path.clone(),
        (Some(worktree), None) => super::prepare::named(spec, worktree.root()),
        (None, None) => super::prepare::named(spec, &spec.usual_worktree()),
    };
    let found = worktree.as_ref().and_then(|it| it.branch().ok().flatten());
    let base = known.as_ref().map(|known| known.base.clone());
    let branch = found.or_else(|| known.map(|known| known.branch));
    let stake = worktree.as_ref().map(|worktree| {
        let branch = branch.as_deref().unwrap_or_default();
        work::at_stake(spec, worktree, branch, base.as_deref())
    });
    let (work, trouble) = match stake {
        None => (None, trouble),
        Some(Ok(work)) => (work, trouble),
        Some(Err(error)) => (None, Some(sentence(&error))),
    };
    Some(Row {
        spec: spec.name.clone(),
        bytes: worktree.map_or(0, |it| quota::bytes_in(it.root())),
        path,
        branch,
        base,
        state: status::one(project, spec).state.word(),
        work,
        trouble,
    })
}

/// One that is being made, or whose set-up failed.
fn half_made(spec: &Spec, record: &Record) -> Option<Worktree> {
    record.making.as_ref()?;
    let repository = Repository::of(spec.project_root()).ok()?;
    let worktree = Worktree::new(repository, spec.usual_worktree());
    let is_there = worktree.is_known() && worktree.root().is_dir();
    is_there.then(|| copies::excluding(spec, worktree))
}
