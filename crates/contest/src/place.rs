//! Where contests and their database are, and which contest is meant.

use std::path::{Path, PathBuf};

use crate::home::{self, Home};
use crate::report::{self, Listed};

const OWN_DATABASE: &str = ".kiro/runtime/kumite/board.duckdb";

pub struct Workspace {
    /// The directory that was named, by a flag or by the environment.
    pub named: Option<PathBuf>,
    pub workspace: PathBuf,
    pub database: PathBuf,
    pub project: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the workspace {dir} is no directory", dir = .dir.display())]
    NoWorkspace { dir: PathBuf },
    #[error("{id:?} may be {one} or {other}; write more of it")]
    Several {
        id: String,
        one: String,
        other: String,
    },
    #[error("there is no contest {id:?} in {workspace}", workspace = .workspace.display())]
    NoSuch { id: String, workspace: PathBuf },
    #[error(
        "there is no contest in {workspace}; `kumite contest run FILE` plays one",
        workspace = .workspace.display()
    )]
    None { workspace: PathBuf },
    #[error(
        "contest {id} was not played by kumite: only its rows in {database} are known",
        database = .database.display()
    )]
    NotOurs { id: String, database: PathBuf },
    #[error(transparent)]
    Home(#[from] home::Error),
    #[error(transparent)]
    Report(#[from] report::Error),
}

impl Workspace {
    /// The workspace is the given one, else that of the environment, else the project.
    pub fn find(
        here: &Path,
        project: &Path,
        workspace: Option<&Path>,
        database: Option<&Path>,
    ) -> Result<Workspace, Error> {
        let variable = std::env::var_os("MIXSEEK_WORKSPACE").filter(|value| !value.is_empty());
        let variable = variable.map(PathBuf::from);
        let named = workspace.or(variable.as_deref()).map(|dir| here.join(dir));
        if let Some(dir) = named.as_ref().filter(|dir| !dir.is_dir()) {
            return Err(Error::NoWorkspace { dir: dir.clone() });
        }
        let workspace = named.clone().unwrap_or_else(|| project.to_owned());
        let database = match (database, &named) {
            (Some(path), _) => here.join(path),
            (None, Some(workspace)) => workspace.join("mixseek.db"),
            (None, None) => workspace.join(OWN_DATABASE),
        };
        Ok(Workspace {
            named,
            workspace,
            database,
            project: project.to_owned(),
        })
    }

    /// Where the contests of a project are by default.
    pub fn of_project(project: &Path) -> Result<Workspace, Error> {
        Workspace::find(project, project, None, None)
    }

    pub fn is_own_database(&self) -> bool {
        self.database == self.workspace.join(OWN_DATABASE)
    }

    /// A file may name the workspace itself. `is_database_told`: then the database stays.
    pub fn use_workspace(&mut self, is_database_told: bool, workspace: Option<&Path>) {
        if let (None, Some(dir)) = (&self.named, workspace) {
            self.named = Some(dir.to_owned());
            self.workspace = dir.to_owned();
            if !is_database_told {
                self.database = dir.join("mixseek.db");
            }
        }
    }

    /// Every contest that is known here, newest first: our own, and those in the database. An
    /// unreadable database hides no contest of ours.
    pub fn all(&self) -> Result<Vec<Listed>, Error> {
        let mut all = report::own(&self.workspace)?;
        match report::others(&self.database, &all) {
            Ok(others) => all.extend(others),
            Err(error) if all.is_empty() => return Err(error.into()),
            Err(error) => tracing::warn!("warning: {error}"),
        }
        all.sort_by(|a, b| b.created_at.cmp(&a.created_at));
        Ok(all)
    }

    /// The named contest (the beginning of its id is enough), or the newest one.
    pub fn pick(&self, id: Option<&str>) -> Result<Listed, Error> {
        let Some(id) = id else {
            let newest = self.all()?.into_iter().next();
            return newest.ok_or_else(|| self.none());
        };
        let named = |all: Vec<Listed>| -> Vec<Listed> {
            let fits = all.into_iter().filter(|it| it.id.starts_with(id));
            fits.collect()
        };
        let mut fits = named(report::own(&self.workspace)?);
        if fits.is_empty() {
            fits = named(self.all()?);
        }
        let mut fits = fits.into_iter();
        match (fits.next(), fits.next()) {
            (Some(one), None) => Ok(one),
            (Some(one), Some(_)) if one.id == id => Ok(one),
            (Some(one), Some(other)) => Err(Error::Several {
                id: id.to_owned(),
                one: one.id,
                other: other.id,
            }),
            (None, _) => Err(self.no_such(id)),
        }
    }

    /// The contest with exactly this id.
    pub fn exact(&self, id: &str) -> Result<Listed, Error> {
        // Ids are names of directories, not paths.
        let home = Home::of(&self.workspace, id);
        if !id.contains('/') && !id.starts_with('.') && home.exists() {
            return Ok(report::listed(home)?);
        }
        let mut others = report::others(&self.database, &[])?.into_iter();
        let found = others.find(|listed| listed.id == id);
        found.ok_or_else(|| self.no_such(id))
    }

    /// A contest that kumite played, with its journal.
    pub fn pick_own(&self, id: Option<&str>) -> Result<Home, Error> {
        let listed = match id {
            Some(id) => self.pick(Some(id))?,
            None => {
                let all = home::all(&self.workspace)?;
                let newest = all.into_iter().next();
                return newest.ok_or_else(|| self.none());
            }
        };
        listed.own()
    }

    fn none(&self) -> Error {
        Error::None {
            workspace: self.workspace.clone(),
        }
    }

    fn no_such(&self, id: &str) -> Error {
        Error::NoSuch {
            id: id.to_owned(),
            workspace: self.workspace.clone(),
        }
    }
}

impl Listed {
    /// The directory of a contest that kumite played.
    pub fn own(self) -> Result<Home, Error> {
        self.home.ok_or(Error::NotOurs {
            id: self.id,
            database: self.database,
        })
    }
}
