//! From a contest's file to a contest that can be played: read, checked, and its charter written.

use std::path::Path;
use std::thread;
use std::time::Duration;

use kumite_formats::contest::{Loaded, Plan, Request, Team, TeamKind, load};
use kumite_project::clock::now_ms;
use kumite_project::project::Project;
use kumite_project::settings::{self, Flags, Loader};

use crate::board::{self, Board};
use crate::check::{self, Check, CheckMeans, Status};
use crate::home::{self, Charter, Home, new_id};
use crate::place::{self, Workspace};
use crate::playable;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    File(#[from] playable::Error),
    #[error(transparent)]
    Workspace(#[from] place::Error),
    #[error("{}", check::errors(.0).join("\n"))]
    Checks(Vec<Check>),
    #[error(transparent)]
    Settings(#[from] settings::Error),
    #[error(transparent)]
    Worktree(#[from] kumite_git::Error),
    #[error(transparent)]
    Home(#[from] home::Error),
}

/// Prepares the contest of a file of the project.
pub fn in_project(project: &Path, file: &str, task: Option<&str>) -> Result<Home, Error> {
    let file = playable::checked(project, file)?;
    let mut place = Workspace::of_project(project)?;
    let named = place.named.clone();
    let request = Request {
        file: &file,
        text: None,
        workspace: named.as_deref(),
        dir: project,
        task,
        timeout: None,
        lenient: false,
    };
    let (plan, checks) = checked(&mut place, &request, false)?;
    match check::is_good(&checks) {
        true => begin(&place, plan),
        false => Err(Error::Checks(checks)),
    }
}

/// Everything that can be known before a cent is spent. The database is only read.
/// `is_database_told`: a workspace that the file names does not change the database.
pub fn checked(
    place: &mut Workspace,
    request: &Request<'_>,
    is_database_told: bool,
) -> Result<(Plan, Vec<Check>), Error> {
    let env = |name: &str| std::env::var(name).ok();
    let loaded = load(request, &|path: &Path| std::fs::read_to_string(path), &env);
    let loaded: Loaded = loaded.map_err(|problems| Error::Checks(check::refused(&problems)))?;
    place.use_workspace(is_database_told, loaded.workspace.as_deref());
    for warning in &loaded.warnings {
        tracing::warn!("warning: {warning}");
    }
    let loader = Loader::load(&Project::at(&place.project), Flags::default())?;
    let means = CheckMeans {
        project: &place.project,
        files: &loaded.files,
        places: &loaded.places,
        workspace: loaded.workspace.as_deref(),
        settings: &loader.loaded.settings,
        env: &env,
    };
    let mut checks = check::check(&loaded.plan, &means);
    let (status, message) = match usable(place) {
        Ok(message) => (Status::Ok, message.to_owned()),
        Err(error) => (Status::Error, error.to_string()),
    };
    checks.push(Check {
        category: "database",
        name: place.database.display().to_string(),
        status,
        message,
        file: None,
    });
    Ok((loaded.plan, checks))
}

/// Checks the database without creating anything. In kumite's own place, the directory is created
/// later too.
fn usable(place: &Workspace) -> Result<&'static str, board::Error> {
    let board = Board::new(&place.database)?;
    let dir = place.database.parent();
    if place.is_own_database() && dir.is_some_and(|dir| !dir.exists()) {
        return Ok("will be made");
    }
    let checked = patiently(&board);
    board.close();
    checked.map(|()| "can be used")
}

/// A database that another process has open may be free in a moment (D9: 1, 2 and 4 s).
fn patiently(board: &Board) -> Result<(), board::Error> {
    for seconds in [1, 2, 4] {
        match board.check() {
            Err(board::Error::Locked(_)) => thread::sleep(Duration::from_secs(seconds)),
            done => return done,
        }
    }
    board.check()
}

/// Writes the charter: from here on the contest exists.
pub fn begin(place: &Workspace, plan: Plan) -> Result<Home, Error> {
    let created_ms = now_ms();
    let is_agent = |team: &Team| matches!(team.kind, TeamKind::Agent(_));
    let base = match plan.teams.iter().any(is_agent) {
        true => Some(base(place)?),
        false => None,
    };
    let charter = Charter {
        id: new_id(created_ms),
        created_ms,
        plan,
        database: place.database.clone(),
        project: place.project.clone(),
        base,
    };
    let home = Home::of(&place.workspace, &charter.id);
    home.create(&charter)?;
    Ok(home)
}

/// The commit that agent teams begin with.
fn base(place: &Workspace) -> Result<String, kumite_git::Error> {
    let repository = kumite_git::Repository::of(&place.project)?;
    let head = repository.head()?;
    if repository.uncommitted()? > 0 {
        tracing::warn!(
            "warning: {} has changes that are not committed; teams begin without them",
            place.project.display()
        );
    }
    Ok(head)
}
