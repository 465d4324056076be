//! Where contests and their database are, and which one is meant.

use std::path::{Path, PathBuf};

use clap::Args;
use kumite_contest::home::{self, Home};
use kumite_contest::report::{self, Listed};

use crate::args::Setting;
use crate::trouble::{Result, Trouble};

#[derive(Args, Clone, Default)]
pub struct PlaceArgs {
    /// The directory of the contests and, for mixseek's files, of what they refer to
    /// [default: $MIXSEEK_WORKSPACE, else the project]
    #[arg(long, short, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// The database of the leader board
    #[arg(long, value_name = "FILE")]
    pub db: Option<PathBuf>,
}

pub struct Place {
    /// The directory that was named, by a flag or by the environment.
    pub named: Option<PathBuf>,
    pub workspace: PathBuf,
    pub database: PathBuf,
    pub project: PathBuf,
}

const OWN_DATABASE: &str = ".kiro/runtime/kumite/board.duckdb";

impl PlaceArgs {
    pub fn find(&self, setting: &Setting) -> Result<Place> {
        let here = setting.place()?;
        let variable = std::env::var_os("MIXSEEK_WORKSPACE").filter(|value| !value.is_empty());
        let named = self
            .workspace
            .clone()
            .or(variable.map(PathBuf::from))
            .map(|dir| here.join(dir));
        if let Some(dir) = named.as_ref().filter(|dir| !dir.is_dir()) {
            return Err(Trouble::invalid(format!(
                "the workspace {} is no directory",
                dir.display()
            )));
        }
        // A contest needs no project: without one it lives where we are.
        let project = setting
            .project()
            .map_or_else(|_| here.clone(), |project| project.root().to_owned());
        let workspace = named.clone().unwrap_or_else(|| project.clone());
        let database = match (&self.db, &named) {
            (Some(path), _) => here.join(path),
            (None, Some(workspace)) => workspace.join("mixseek.db"),
            (None, None) => workspace.join(OWN_DATABASE),
        };
        Ok(Place {
            named,
            workspace,
            database,
            project,
        })
    }
}

impl Place {
    pub fn is_own_database(&self) -> bool {
        self.database == self.workspace.join(OWN_DATABASE)
    }

    /// A file may name the workspace itself.
    pub fn use_workspace(&mut self, args: &PlaceArgs, workspace: Option<&Path>) {
        if let (None, Some(dir)) = (&self.named, workspace) {
            self.named = Some(dir.to_owned());
            self.workspace = dir.to_owned();
            if args.db.is_none() {
                self.database = dir.join("mixseek.db");
            }
        }
    }

    /// Every contest that is known here, newest first: our own, and those of the database. A
    /// database that cannot be read hides no contest of ours.
    pub fn all(&self) -> Result<Vec<Listed>> {
        let mut all = report::own(&self.workspace)?;
        match report::others(&self.database, &all) {
            Ok(others) => all.extend(others),
            Err(error) if all.is_empty() => return Err(error.into()),
            Err(error) => eprintln!("kumite: warning: {error}"),
        }
        all.sort_by(|a, b| b.created_at.cmp(&a.created_at));
        Ok(all)
    }

    /// The contest that was named (the beginning of its id is enough), or the newest one.
    pub fn pick(&self, id: Option<&str>) -> Result<Listed> {
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
            (Some(one), Some(other)) => Err(Trouble::invalid(format!(
                "{id:?} may be {} or {}; write more of it",
                one.id, other.id
            ))),
            (None, _) => Err(Trouble::invalid(format!(
                "there is no contest {id:?} in {}",
                self.workspace.display()
            ))),
        }
    }

    /// One that kumite played, with its journal.
    pub fn pick_own(&self, id: Option<&str>) -> Result<Home> {
        let listed = match id {
            Some(id) => self.pick(Some(id))?,
            None => {
                let all = home::all(&self.workspace)?;
                let newest = all.into_iter().next();
                return newest.ok_or_else(|| self.none());
            }
        };
        listed.home.ok_or_else(|| {
            Trouble::invalid(format!(
                "contest {} was not played by kumite: only its rows in {} are known",
                listed.id,
                self.database.display()
            ))
        })
    }

    fn none(&self) -> Trouble {
        Trouble::invalid(format!(
            "there is no contest in {}; `kumite contest run FILE` plays one",
            self.workspace.display()
        ))
    }
}
