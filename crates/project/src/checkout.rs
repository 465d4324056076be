//! Where a spec lives: in the main checkout, or in a worktree of its own.

use std::io;
use std::path::{Path, PathBuf};

use kumite_core::names::Phase;
use kumite_formats::spec_json::SpecJson;

use crate::place::Record;
use crate::project::Spec;
use crate::spec_file;

/// The checkout of a spec.
pub(crate) enum Checkout {
    Main,
    /// The project's directory in it.
    Worktree(PathBuf),
    /// There should be a worktree, but it does not exist, or does not contain the spec. Working in
    /// the main checkout instead would put unfinished work on its branch.
    Gone(spec_file::Error),
}

/// `main` is the spec.json of the main checkout. The first that applies counts: the worktree that
/// kumite knows, the usual one if its own spec.json names it, the one that `main` names, and the
/// usual one if the main checkout has no spec.json.
pub(crate) fn of(spec: &Spec, main: &Result<SpecJson, spec_file::Error>) -> Checkout {
    // Such a worktree was merged, and removed.
    let is_over = || {
        let json = main.as_ref().ok();
        json.is_some_and(|json| json.completed() >= Some(Phase::Inspection))
    };
    // An agent may have damaged the spec.json there, so kumite's own record comes first.
    if let Some(known) = Record::read(spec).place {
        let root = spec.project_root().join(&known.path);
        return match root.is_dir() {
            true => Checkout::Worktree(inside(spec, &root)),
            false if is_over() => Checkout::Main,
            false => Checkout::Gone(spec_file::Error::LostWorktree {
                spec: spec.name.clone(),
                path: root,
                branch: known.branch,
            }),
        };
    }
    let usual = holding(spec, &spec.usual_worktree());
    if let Some(place) = usual.as_ref().filter(|place| names_itself(spec, place)) {
        return Checkout::Worktree(place.clone());
    }
    match main {
        Ok(json) => match json.worktree_path().map(|it| spec.project_root().join(it)) {
            None => Checkout::Main,
            Some(path) => match holding(spec, &path) {
                Some(place) => Checkout::Worktree(place),
                None if is_over() => Checkout::Main,
                None => Checkout::Gone(spec_file::Error::NoWorktree {
                    spec: spec.name.clone(),
                    path,
                }),
            },
        },
        Err(spec_file::Error::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            usual.map_or(Checkout::Main, Checkout::Worktree)
        }
        Err(_) => Checkout::Main,
    }
}

/// The project's directory in a worktree: the worktree is the repository's, and the project may be
/// below the repository's root.
pub(crate) fn inside(spec: &Spec, root: &Path) -> PathBuf {
    let prefix = prefix(spec.project_root());
    match prefix.as_os_str().is_empty() {
        // Not with a slash at its end.
        true => root.to_owned(),
        false => root.join(prefix),
    }
}

/// The project's directory in a worktree, if it contains the spec.
fn holding(spec: &Spec, root: &Path) -> Option<PathBuf> {
    // Most specs have no worktree.
    root.is_dir().then_some(())?;
    // spec.json may also name the project's directory itself.
    let places = [inside(spec, root), root.to_owned()];
    let holds = |place: &PathBuf| spec.files_in(place).join("spec.json").is_file();
    places.into_iter().find(holds)
}

fn names_itself(spec: &Spec, place: &Path) -> bool {
    let json = spec_file::read(&spec.files_in(place)).ok();
    let named = json.and_then(|json| Some(spec.project_root().join(json.worktree_path()?)));
    named.is_some_and(|named| is_same(&named, &spec.usual_worktree()))
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other
        || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// The project's directory in its repository, found as git finds it, without starting git.
fn prefix(project: &Path) -> PathBuf {
    // A link may lead to it.
    let project = project
        .canonicalize()
        .unwrap_or_else(|_| project.to_owned());
    let top = project.ancestors().find(|dir| dir.join(".git").exists());
    let prefix = top.and_then(|top| project.strip_prefix(top).ok());
    prefix.unwrap_or(Path::new("")).to_owned()
}
