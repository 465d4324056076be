//! The step that gives a spec its place.

use std::io;
use std::path::Path;

use kumite_core::place::{Place, Prepared};
use kumite_git::{Repository, Worktree};

use super::find::{self, Existing};
use super::make::{self, Fresh};
use super::record::{Known, Making, Record, Stage};
use super::suit::{self, Hindrance, conflict};
use super::{content, quota};
use crate::crash;
use crate::project::Spec;

/// What the settings say about worktrees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The spec's name is already in it.
    pub branch: String,
    /// Commands for a fresh worktree: program and arguments.
    pub setup: Vec<Vec<String>>,
    /// Untracked files that it needs: globs, relative to the project.
    pub copy: Vec<String>,
    /// For all worktrees together; 0: no limit.
    pub bytes_max: u64,
}

/// Prepares the place, and leaves the result in the record for the engine, under the id of this
/// step's agent.
pub fn prepare_step(
    spec: &Spec,
    wanted: &Wanted,
    base: &str,
    agent: &str,
    say: &dyn Fn(&str),
) -> io::Result<Prepared> {
    let prepared = prepare(spec, wanted, base, say);
    let record = Record {
        agent: Some(agent.to_owned()),
        prepared: Some(prepared.clone()),
        ..Record::read(spec)
    };
    record.write(spec)?;
    Ok(prepared)
}

/// Makes the worktree of a spec, goes on where an earlier try was interrupted, or takes over the one
/// that is there. `base` is the branch to begin with; empty: the one that is checked out. `say` tells
/// what is worth knowing: it becomes the log of the step.
pub fn prepare(spec: &Spec, wanted: &Wanted, base: &str, say: &dyn Fn(&str)) -> Prepared {
    match attempt(spec, wanted, base, say) {
        Ok(place) => Prepared::Ready(place),
        Err(hindrance) => hindrance.into(),
    }
}

fn attempt(
    spec: &Spec,
    wanted: &Wanted,
    base: &str,
    say: &dyn Fn(&str),
) -> Result<Place, Hindrance> {
    let repository = suit::repository(spec)?;
    let record = Record::read(spec);
    if record.making.is_none()
        && let Some(existing) = find::existing(spec, &repository, &wanted.branch)?
    {
        let base = match existing.base.clone() {
            Some(base) => base,
            None => base_of(&repository, base)?.0,
        };
        return take_over(spec, existing, base);
    }
    let (making, is_again) = match record.making {
        Some(making) => (making, true),
        None => (begin(spec, &repository, wanted, base)?, false),
    };
    let root = spec.usual_worktree();
    let fresh = Fresh {
        worktree: Worktree::new(repository, root),
        spec,
        wanted,
        is_again,
        say,
    };
    let place = fresh.finish(making)?;
    crash::point(format_args!("place ready"));
    Ok(place)
}

/// Checks everything, and records what will be made before anything is.
fn begin(
    spec: &Spec,
    repository: &Repository,
    wanted: &Wanted,
    base: &str,
) -> Result<Making, Hindrance> {
    let branch = &wanted.branch;
    let clash = repository.same_but_for_case(branch);
    let clash = clash.map_err(|error| conflict(&error))?;
    if !repository.accepts_name(branch) {
        return Err(Hindrance::Conflict(format!(
            "git does not accept {branch:?} as the name of a branch; change `branch` in [worktree]"
        )));
    }
    if let Some(other) = clash {
        return Err(Hindrance::Conflict(format!(
            "there is a branch {other}, and this disk does not distinguish it from {branch}; \
             rename it, or change `branch` in [worktree]"
        )));
    }
    let was_ours = Record::read(spec).place.map(|known| known.branch);
    let head = repository.head_of(branch);
    if head.is_some() && was_ours.as_ref() != Some(branch) {
        return Err(Hindrance::Conflict(format!(
            "there is a branch {branch} that kumite has not made; rename or remove it \
             (`git branch -m {branch} ...`), or change `branch` in [worktree]"
        )));
    }
    make::nothing_in_the_way(&spec.usual_worktree())?;
    let (base, commit) = base_of(repository, base)?;
    quota::check(spec, wanted.bytes_max)?;
    let making = Making {
        branch: branch.clone(),
        base,
        commit: head.unwrap_or(commit),
        stage: Stage::Begun,
    };
    let record = Record {
        making: Some(making.clone()),
        ..Record::default()
    };
    record.write(spec).map_err(|error| conflict(&error))?;
    crash::point(format_args!("place begun"));
    Ok(making)
}

/// The branch to begin with, and its commit.
fn base_of(repository: &Repository, wanted: &str) -> Result<(String, String), Hindrance> {
    let head = repository.head().map_err(|error| conflict(&error))?;
    let base = match wanted {
        "" => repository.branch().unwrap_or_else(|| head.clone()),
        wanted => wanted.to_owned(),
    };
    let Some(commit) = repository.commit_of(&base) else {
        return Err(Hindrance::Conflict(format!(
            "there is no branch {base}, which `base` in [worktree] names"
        )));
    };
    if !repository.is_in(&commit) {
        let place = repository.prefix().display();
        return Err(Hindrance::Checkout(format!(
            "{place} is not in {base}, and a worktree would begin with that; commit it there first"
        )));
    }
    Ok((base, commit))
}

fn take_over(spec: &Spec, existing: Existing, base: String) -> Result<Place, Hindrance> {
    let Existing {
        worktree,
        path,
        branch,
        ..
    } = existing;
    worktree.settle().map_err(|error| conflict(&error))?;
    make::name_in_spec_json(spec, &worktree.place(), &path, &branch)?;
    let known = Known { path, branch, base };
    let begin = content::of(spec, &worktree).map_err(|error| conflict(&error))?;
    let record = Record {
        place: Some(known.clone()),
        ..Record::default()
    };
    record.write(spec).map_err(|error| conflict(&error))?;
    Ok(Place {
        path: known.path,
        branch: known.branch,
        base: known.base,
        made: false,
        begin,
    })
}

/// As in spec.json: relative to the project, if it is in there.
pub(super) fn named(spec: &Spec, root: &Path) -> String {
    let project = spec.project_root();
    let inside = root.strip_prefix(project).map(Path::to_owned);
    let real = || {
        let (root, project) = (root.canonicalize().ok()?, project.canonicalize().ok()?);
        root.strip_prefix(project).ok().map(Path::to_owned)
    };
    let path = inside.ok().or_else(real);
    path.as_deref().unwrap_or(root).display().to_string()
}
