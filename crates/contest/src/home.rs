//! The directories of contests: one each, in the runtime directory of their workspace.
//!
//! | file | means |
//! |---|---|
//! | `plan.json` | what is played: settings, task, database; written once |
//! | `journal.jsonl` | what happened: the truth |
//! | `lock` | held while a process plays it |
//! | `cancel` | a request to end it |
//! | `teams/<n>/round-<r>/` | prompt, submission and conversation of a round |
//! | `worktrees/<n>-<id>` | where an agent team works |

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use kumite_core::contest::Contest;
use kumite_files::{Access, Durable, is_locked, replace};
use kumite_formats::contest::Plan;
use kumite_project::journal;
use kumite_project::project::Project;
use serde::{Deserialize, Serialize};

/// The directory of one contest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    dir: PathBuf,
}

/// The fixed definition of a contest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Charter {
    pub id: String,
    pub created_ms: u64,
    pub plan: Plan,
    pub database: PathBuf,
    /// Where commands run and agents' worktrees come from.
    pub project: PathBuf,
    /// The commit that agent teams begin with.
    pub base: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read {path}")]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {path}")]
    Write { path: PathBuf, source: io::Error },
    #[error("{path}:{line}: not the plan of a contest")]
    Broken {
        path: PathBuf,
        line: usize,
        source: serde_json::Error,
    },
    #[error("cannot lock {path}")]
    Lock { path: PathBuf, source: io::Error },
}

/// Held while a contest is played.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// All contests of a workspace.
pub fn contests_of(workspace: &Path) -> PathBuf {
    workspace.join(".kiro/runtime/kumite/contests")
}

/// The contests of a workspace, newest first. Ids begin with their time, so they sort by time.
pub fn all(workspace: &Path) -> Result<Vec<Home>, Error> {
    let dir = contests_of(workspace);
    let entries = match fs::read_dir(&dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(Error::Read { path: dir, source }),
    };
    let mut homes: Vec<Home> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.join(PLAN).is_file())
        .map(|dir| Home { dir })
        .collect();
    homes.sort_by(|a, b| b.dir.cmp(&a.dir));
    Ok(homes)
}

const PLAN: &str = "plan.json";

impl Home {
    pub fn of(workspace: &Path, id: &str) -> Home {
        Home {
            dir: contests_of(workspace).join(id),
        }
    }

    /// The contest whose directory this is.
    pub fn at(dir: PathBuf) -> Home {
        Home { dir }
    }

    /// Creates the directory. The plan comes last: a directory without it is not a contest.
    pub fn create(&self, charter: &Charter) -> Result<(), Error> {
        let path = self.dir.join(PLAN);
        let write = || -> io::Result<()> {
            fs::create_dir_all(&self.dir)?;
            kumite_files::make_private_dir(&self.runtime())?;
            let text = serde_json::to_vec_pretty(charter)?;
            replace(&path, &text, Durable::Machine, Access::Private)?;
            kumite_files::sync_dir_of(&path)
        };
        write().map_err(|source| Error::Write {
            path: path.clone(),
            source,
        })
    }

    pub fn charter(&self) -> Result<Charter, Error> {
        let path = self.dir.join(PLAN);
        let text = fs::read(&path).map_err(|source| Error::Read {
            path: path.clone(),
            source,
        })?;
        serde_json::from_slice(&text).map_err(|source| Error::Broken {
            line: source.line(),
            path,
            source,
        })
    }

    /// A directory without a plan is not a contest.
    pub fn exists(&self) -> bool {
        self.dir.join(PLAN).is_file()
    }

    pub fn id(&self) -> String {
        let name = self.dir.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The runtime directory of its workspace.
    pub fn runtime(&self) -> PathBuf {
        let above = self.dir.ancestors().nth(2);
        above.unwrap_or(&self.dir).to_owned()
    }

    /// Where the usage and the news of its project are kept: in the project's own runtime
    /// directory, or in that of the workspace if the project has none.
    pub fn books(&self, charter: &Charter) -> PathBuf {
        let project = Project::at(&charter.project);
        match charter.project.join(".kiro").is_dir() {
            true => project.runtime(),
            false => self.runtime(),
        }
    }

    pub fn journal(&self) -> PathBuf {
        self.dir.join("journal.jsonl")
    }

    pub fn round(&self, team: u32, round: u32) -> PathBuf {
        self.dir.join(format!("teams/{team}/round-{round}"))
    }

    /// Takes the contest. None: another process plays it.
    pub fn lock(&self) -> Result<Option<Lock>, Error> {
        let path = self.dir.join("lock");
        let opened = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path);
        let file = match opened {
            Ok(file) => file,
            Err(source) => return Err(Error::Lock { path, source }),
        };
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(Error::Lock { path, source }),
        }
    }

    /// Whether a process plays it right now.
    pub fn is_played(&self) -> bool {
        is_locked(&self.dir.join("lock"))
    }

    /// Whether it has ended, as far as its journal can be read.
    pub fn is_ended(&self) -> bool {
        let contest = journal::replay(&self.dir, |_, _: &Contest, _| {});
        contest.is_ok_and(|contest| contest.is_ended())
    }

    /// Asks the process that plays it to cancel it.
    pub fn ask_to_cancel(&self) -> Result<(), Error> {
        let path = self.dir.join(CANCEL);
        fs::write(&path, "").map_err(|source| Error::Write { path, source })
    }

    pub fn is_asked_to_cancel(&self) -> bool {
        self.dir.join(CANCEL).exists()
    }
}

const CANCEL: &str = "cancel";

/// A new id: the time, and a part that no other contest has.
pub fn new_id(now_ms: u64) -> String {
    let now = jiff::Timestamp::from_millisecond(i64::try_from(now_ms).unwrap_or(0));
    let time = now
        .map(|now| now.strftime("%Y%m%d-%H%M%S").to_string())
        .unwrap_or_default();
    let random = uuid::Uuid::new_v4().simple().to_string();
    format!("{time}-{:03}-{}", now_ms % 1000, &random[..8])
}
