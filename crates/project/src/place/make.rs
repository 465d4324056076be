//! Makes a worktree in steps that can be repeated: after a crash, the next try goes on.

use std::fs;
use std::path::Path;

use kumite_core::place::Place;
use kumite_files::{Access, Durable, replace};
use kumite_git::Worktree;

use super::prepare::{Wanted, named};
use super::record::{Known, Making, Record, Stage};
use super::suit::{Hindrance, conflict};
use super::{carry, content, copies, find, setup};
use crate::clock::{now_ms, rfc3339};
use crate::crash;
use crate::project::Spec;
use crate::spec_file;

/// A worktree that is being made.
pub struct Fresh<'a> {
    pub worktree: Worktree,
    pub spec: &'a Spec,
    pub wanted: &'a Wanted,
    /// An earlier try was interrupted.
    pub is_again: bool,
    pub say: &'a dyn Fn(&str),
}

impl Fresh<'_> {
    pub fn finish(self, mut making: Making) -> Result<Place, Hindrance> {
        if making.stage < Stage::Carried {
            self.with_documents(&making)?;
            self.reached(&mut making, Stage::Carried)?;
        }
        let spec = self.spec;
        let worktree = self.worktree.clone();
        worktree.settle().map_err(|error| conflict(&error))?;
        if making.stage < Stage::SetUp {
            self.note_submodules();
            copies::copy(spec, &worktree, &self.wanted.copy, self.say)?;
            crash::point(format_args!("place copied"));
            setup::run(spec, &worktree.place(), &self.wanted.setup, self.say)?;
            self.reached(&mut making, Stage::SetUp)?;
        }
        let worktree = copies::excluding(spec, worktree);
        let begin = content::of(spec, &worktree).map_err(|error| conflict(&error))?;
        let known = Known {
            path: named(spec, &spec.usual_worktree()),
            branch: making.branch,
            base: making.base,
        };
        let record = Record {
            place: Some(known.clone()),
            ..Record::default()
        };
        record.write(spec).map_err(|error| conflict(&error))?;
        Ok(Place {
            path: known.path,
            branch: known.branch,
            base: known.base,
            made: true,
            begin,
        })
    }

    /// Branch, worktree, and the documents in it; only then they leave the checkout.
    fn with_documents(&self, making: &Making) -> Result<(), Hindrance> {
        let spec = self.spec;
        let repository = self.worktree.repository();
        if self.is_again {
            let cleared = repository.clear_lock_of(&making.branch);
            cleared.map_err(|error| conflict(&error))?;
        }
        let documents = carry::Documents::find(spec, repository)?;
        documents.commit(spec, repository, making)?;
        crash::point(format_args!("place branch"));
        self.checked_out(&making.branch)?;
        crash::point(format_args!("place added"));
        let commit = repository.head_of(&making.branch).unwrap_or_default();
        documents.leave_checkout(spec, repository, &commit, self.say)?;
        crash::point(format_args!("place left"));
        let path = named(spec, &spec.usual_worktree());
        name_in_spec_json(spec, &self.worktree.place(), &path, &making.branch)?;
        crash::point(format_args!("place named"));
        Ok(())
    }

    /// A complete worktree on the branch. One that git has not finished is made again.
    fn checked_out(&self, branch: &str) -> Result<(), Hindrance> {
        let worktree = &self.worktree;
        let is_whole = worktree.is_known() && worktree.root().is_dir() && !worktree.is_half_made();
        if is_whole {
            find::on_branch(worktree, branch)?;
            let refilled = worktree.settle().and_then(|()| worktree.refill());
            return refilled.map_err(|error| conflict(&error));
        }
        if !worktree.is_known() {
            nothing_in_the_way(worktree.root())?;
        }
        let made = worktree.remove().and_then(|()| worktree.add(branch));
        made.map_err(|error| conflict(&error))
    }

    fn reached(&self, making: &mut Making, stage: Stage) -> Result<(), Hindrance> {
        making.stage = stage;
        let record = Record {
            making: Some(making.clone()),
            ..Record::default()
        };
        record.write(self.spec).map_err(|error| conflict(&error))?;
        crash::point(format_args!("place {stage:?}"));
        Ok(())
    }

    fn note_submodules(&self) {
        if self.worktree.root().join(".gitmodules").exists() {
            (self.say)(
                "submodules are not initialised in a worktree; if they are needed, add \
                 [\"git\", \"submodule\", \"update\", \"--init\"] to `setup` in [worktree]",
            );
        }
    }
}

/// git accepts an empty directory.
pub fn nothing_in_the_way(root: &Path) -> Result<(), Hindrance> {
    let is_free = match fs::symlink_metadata(root) {
        Err(_) => true,
        Ok(found) => {
            let is_empty = || fs::read_dir(root).is_ok_and(|mut dir| dir.next().is_none());
            found.is_dir() && is_empty()
        }
    };
    match is_free {
        true => Ok(()),
        false => Err(Hindrance::Conflict(format!(
            "{} is in the way of the spec's worktree, and git knows no worktree there; move it away",
            root.display()
        ))),
    }
}

/// The spec.json in the worktree says where the spec lives. The one in the checkout does not.
pub fn name_in_spec_json(
    spec: &Spec,
    place: &Path,
    path: &str,
    branch: &str,
) -> Result<(), Hindrance> {
    let dir = spec.files_in(place);
    let json = spec_file::read(&dir).map_err(|error| conflict(&error))?;
    let bytes = json.with_worktree(path, branch, &rfc3339(now_ms()));
    if bytes == json.text().as_bytes() {
        return Ok(());
    }
    let file = dir.join("spec.json");
    let written = replace(&file, &bytes, Durable::Machine, Access::Everybody);
    written.map_err(|source| conflict(&spec_file::Error::Write { path: file, source }))
}
