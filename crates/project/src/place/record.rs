//! `runs/<spec>/place.json`: what kumite knows about the place of a spec, whatever an agent does
//! there. The result of the last step that prepared it is in the same file.

use std::io;
use std::path::PathBuf;

use kumite_core::place::Prepared;
use kumite_files::{Access, Durable, make_private_dir, replace, sync_dir_of};
use serde::{Deserialize, Serialize};

use crate::project::Spec;

const NAME: &str = "place.json";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The step that left `prepared`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepared: Option<Prepared>,
    /// A worktree that is not finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub making: Option<Making>,
    /// A worktree that is finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Known>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Making {
    pub branch: String,
    /// The branch that it begins with.
    pub base: String,
    /// The commit of `base` when it began.
    pub commit: String,
    #[serde(default)]
    pub stage: Stage,
}

/// How far a worktree is. Until `Carried`, nobody has worked in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    #[default]
    Begun,
    /// The documents are on the branch, and no longer uncommitted in the checkout.
    Carried,
    /// The commands that set it up have succeeded.
    SetUp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Relative to the project, as in spec.json.
    pub path: String,
    pub branch: String,
    pub base: String,
}

impl Record {
    /// A file that cannot be read says nothing.
    pub fn read(spec: &Spec) -> Record {
        let bytes = std::fs::read(path(spec)).ok();
        let record = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        record.unwrap_or_default()
    }

    /// It is on the disk when this returns.
    pub fn write(&self, spec: &Spec) -> io::Result<()> {
        make_private_dir(spec.run_dir())?;
        let bytes = serde_json::to_vec(self)?;
        replace(&path(spec), &bytes, Durable::Machine, Access::Private)?;
        sync_dir_of(&path(spec))
    }

    pub fn remove(spec: &Spec) -> io::Result<()> {
        match std::fs::remove_file(path(spec)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

fn path(spec: &Spec) -> PathBuf {
    spec.run_dir().join(NAME)
}
