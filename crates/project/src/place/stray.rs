//! Worktrees, records and checkpoints that belong to no spec. They are named, and never removed:
//! they may hold work.

use std::collections::BTreeSet;
use std::fs;

use kumite_formats::spec_name::SpecName;
use kumite_git::{Git, Repository};

use super::find::lost;
use super::record::Record;
use crate::project::Project;

/// Something without an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    pub what: String,
    pub remedy: String,
}

pub fn strays(project: &Project) -> Vec<Stray> {
    let mut strays = directories(project);
    strays.extend(records(project));
    strays.extend(checkpoints(project));
    strays
}

/// Directories where specs have their worktrees, without a spec or a record.
fn directories(project: &Project) -> Vec<Stray> {
    let entries = fs::read_dir(project.worktrees()).into_iter().flatten();
    let names = entries.flatten().map(|entry| entry.file_name());
    let mut names: BTreeSet<_> = names.collect();
    // git may know one whose directory is gone.
    let repository = Repository::of(project.root()).ok();
    let known = repository.and_then(|it| it.worktrees_in(&project.worktrees()).ok());
    for root in known.unwrap_or_default() {
        names.extend(root.file_name().map(ToOwned::to_owned));
    }
    let is_owned = |name: &str| {
        let spec = name.parse::<SpecName>().ok();
        spec.is_some_and(|name| {
            let spec = project.spec_place(&name);
            let record = Record::read(&spec);
            record.place.is_some() || record.making.is_some() || spec.exists()
        })
    };
    let names = names.iter().map(|name| name.to_string_lossy());
    let strays = names.filter(|name| !is_owned(name));
    let told = strays.map(|name| {
        let path = project.worktrees().join(&*name);
        let path = path.display();
        Stray {
            what: format!("{path} is a worktree without a spec"),
            remedy: format!(
                "look whether it holds work; `git worktree remove {path}` removes it, and `git \
                 worktree prune` forgets one whose directory is gone"
            ),
        }
    });
    told.collect()
}

/// Records whose worktree is gone.
fn records(project: &Project) -> Vec<Stray> {
    let runs = project.known_runs().into_iter();
    let specs = runs.map(|name| project.spec_place(&name));
    let told = specs.filter_map(|spec| {
        let known = Record::read(&spec).place?;
        let root = project.root().join(known.path);
        let is_merged = || spec.read().1.is_ok();
        (!root.is_dir() && !is_merged()).then(|| Stray {
            what: format!("{}: its worktree is gone", spec.name),
            remedy: lost(&spec, &root),
        })
    });
    told.collect()
}

/// Checkpoints of specs that do not exist.
fn checkpoints(project: &Project) -> Vec<Stray> {
    // Another project in the same repository may have specs of its own.
    let repository = Repository::of(project.root()).ok();
    let is_whole = |it: &Repository| it.prefix().as_os_str().is_empty();
    let Some(repository) = repository.filter(is_whole) else {
        return Vec::new();
    };
    let is_owned = |name: &str| {
        let name = name.parse::<SpecName>().ok();
        name.is_some_and(|name| project.spec(&name).is_ok())
    };
    let names = names_of(&repository.git()).into_iter();
    let told = names.filter(|name| !is_owned(name)).map(|name| Stray {
        what: format!("refs/kumite/{name} has checkpoints of a spec that does not exist"),
        remedy: format!(
            "`git for-each-ref --format='delete %(refname)' refs/kumite/{name} | git update-ref \
             --stdin` removes them"
        ),
    });
    told.collect()
}

fn names_of(git: &Git) -> BTreeSet<String> {
    let ask = [
        "for-each-ref",
        "--format=%(refname:lstrip=2)",
        "refs/kumite/",
    ];
    let told = git.run(&ask).unwrap_or_default();
    let told = String::from_utf8_lossy(&told);
    let names = told.lines().filter_map(|line| line.split_once('/'));
    names.map(|(name, _)| name.to_owned()).collect()
}
