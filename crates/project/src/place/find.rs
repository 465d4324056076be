//! The worktree that a spec has already.

use std::path::{Path, PathBuf};

use kumite_core::names::Phase;
use kumite_git::{Repository, Worktree};

use super::copies;
use super::prepare::named;
use super::record::Record;
use super::suit::{Hindrance, conflict};
use crate::project::Spec;
use crate::spec_file::{self, sentence};

/// A worktree that can be taken over.
pub struct Existing {
    pub worktree: Worktree,
    /// As in spec.json.
    pub path: String,
    pub branch: String,
    /// The branch that it began with, if that is known.
    pub base: Option<String>,
}

/// The worktree of the spec, to look at it. `None`: the spec works in the checkout.
pub fn worktree(spec: &Spec) -> Result<Option<Worktree>, String> {
    let root = match Record::read(spec).place {
        Some(known) => spec.project_root().join(known.path),
        None => {
            let (place, json) = spec.read();
            match json {
                Err(error @ spec_file::Error::NoWorktree { .. }) => return Err(sentence(&error)),
                _ if place == spec.project_root() => return Ok(None),
                _ => place,
            }
        }
    };
    let open = || -> Result<Option<Worktree>, kumite_git::Error> {
        let repository = Repository::of(spec.project_root())?;
        let around = repository.worktree_around(&root)?;
        Ok(around.map(|worktree| copies::excluding(spec, worktree)))
    };
    match open() {
        Ok(Some(worktree)) if worktree.root().is_dir() => Ok(Some(worktree)),
        Ok(Some(_) | None) if Record::read(spec).place.is_some() => Err(lost(spec, &root)),
        // A directory that spec.json names, and that is no worktree: it works as before.
        Ok(_) => Ok(None),
        Err(error) => Err(sentence(&error)),
    }
}

/// Why a recorded worktree cannot be read, and what to do.
pub fn lost(spec: &Spec, root: &Path) -> String {
    let known = Record::read(spec).place;
    let branch = known.map_or_else(|| "BRANCH".to_owned(), |known| known.branch);
    let (root, name) = (root.display(), &spec.name);
    if Path::new(&root.to_string()).exists() {
        return format!(
            "git does not know the worktree {root} any more, but its files are there; move it away, \
             make it again with `git worktree add {root} {branch}`, and copy them back"
        );
    }
    format!(
        "the worktree {root} is gone; `git worktree add {root} {branch}` brings back what was \
         committed there (`git for-each-ref refs/kumite/{name}` lists what kumite has kept), and \
         `kumite worktree remove {name} --force` gives it up"
    )
}

/// The worktree that a new run takes over: the one that kumite knows, the one that spec.json names,
/// or the one at the usual place.
pub fn existing(
    spec: &Spec,
    repository: &Repository,
    wanted: &str,
) -> Result<Option<Existing>, Hindrance> {
    if let Some(known) = Record::read(spec).place {
        let root = spec.project_root().join(&known.path);
        let worktree = open(spec, repository, root.clone());
        if !root.exists() {
            // It was removed by hand: another one is made on its branch, if that is left.
            return Ok(None);
        }
        if !worktree.is_known() {
            return Err(Hindrance::Conflict(lost(spec, &root)));
        }
        on_branch(&worktree, &known.branch)?;
        return Ok(Some(Existing {
            worktree,
            path: known.path,
            branch: known.branch,
            base: Some(known.base),
        }));
    }
    let json = spec_file::read(spec.main_dir()).ok();
    let is_over =
        |json: &kumite_formats::spec_json::SpecJson| json.completed() >= Some(Phase::Inspection);
    if let Some(json) = json
        && let Some(path) = json.worktree_path()
        && (!is_over(&json) || spec.project_root().join(path).exists())
    {
        return named_by(spec, repository, &json, path, wanted).map(Some);
    }
    usual(spec, repository, wanted)
}

/// The one that the spec.json of the main checkout names.
fn named_by(
    spec: &Spec,
    repository: &Repository,
    json: &kumite_formats::spec_json::SpecJson,
    path: &str,
    wanted: &str,
) -> Result<Existing, Hindrance> {
    let root = spec.project_root().join(path);
    if let (_, Err(error @ spec_file::Error::NoWorktree { .. })) = spec.read() {
        return Err(conflict(&error));
    }
    let found = repository.worktree_around(&root);
    let Some(worktree) = found.map_err(|error| conflict(&error))? else {
        return Err(Hindrance::Checkout(format!(
            "spec.json names {path}, which is no worktree of this repository"
        )));
    };
    let checked_out = worktree.branch().map_err(|error| conflict(&error))?;
    let branch = checked_out.or_else(|| json.worktree_branch());
    Ok(Existing {
        path: path.to_owned(),
        branch: branch.unwrap_or_else(|| wanted.to_owned()),
        base: None,
        worktree: copies::excluding(spec, worktree),
    })
}

fn usual(
    spec: &Spec,
    repository: &Repository,
    wanted: &str,
) -> Result<Option<Existing>, Hindrance> {
    let root = spec.usual_worktree();
    let worktree = open(spec, repository, root.clone());
    if !worktree.is_known() || !root.exists() {
        return Ok(None);
    }
    let path = named(spec, &root);
    // Its own spec.json may name a branch of another pattern.
    let json = spec_file::read(&spec.files_in(&worktree.place())).ok();
    let branch = json.as_ref().and_then(|json| json.worktree_branch());
    let branch = branch.unwrap_or_else(|| wanted.to_owned());
    on_branch(&worktree, &branch)?;
    if json.is_none() {
        return Err(Hindrance::Conflict(format!(
            "the worktree {path} does not contain the spec's documents; commit them to {branch}, or \
             remove it with `git worktree remove {path}`"
        )));
    }
    Ok(Some(Existing {
        worktree,
        path,
        branch,
        base: None,
    }))
}

fn open(spec: &Spec, repository: &Repository, root: PathBuf) -> Worktree {
    copies::excluding(spec, Worktree::new(repository.clone(), root))
}

/// Work on another branch is not this spec's.
pub fn on_branch(worktree: &Worktree, branch: &str) -> Result<(), Hindrance> {
    let found = worktree.branch().map_err(|error| conflict(&error))?;
    if found.as_deref() == Some(branch) {
        return Ok(());
    }
    let root = worktree.root().display();
    let found = found.unwrap_or_else(|| "no branch".to_owned());
    Err(Hindrance::Conflict(format!(
        "the worktree {root} is on {found}, not on {branch}; `git -C {root} switch {branch}` \
         brings it back, or `git worktree remove {root}` removes it"
    )))
}
