//! `kumite contest run`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Args;
use kumite_contest::board::{self, Board};
use kumite_contest::check::{self, Check, Status, World};
use kumite_contest::home::{Charter, Home, new_id};
use kumite_contest::place::Place;
use kumite_contest::worktree::{self, Repository};
use kumite_formats::contest::{Loaded, Plan, Request, Team, TeamKind, load};
use kumite_project::clock::now_ms;
use kumite_project::project::Project;
use kumite_project::settings::Flags;

use super::place::PlaceArgs;
use super::play::{Summary, play};
use crate::args::Setting;
use crate::exit;
use crate::out::out;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct RunArgs {
    /// contest.toml, or mixseek's orchestrator file
    file: PathBuf,
    /// What the teams have to do, if the file does not say it; `-` reads it from stdin
    task: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
    /// Check everything that costs nothing, and play nothing
    #[arg(long)]
    dry_run: bool,
    /// How many seconds a team may use, instead of the value in the file
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
    /// Only warn about unknown keys
    #[arg(long)]
    lenient: bool,
    /// What is printed at the end
    #[arg(long, value_name = "FORM", default_value = "kumite")]
    summary: Summary,
}

pub fn run(setting: &Setting, args: &RunArgs) -> Result {
    let mut place = args.place.find(setting)?;
    let loaded = match read(setting, args, &place) {
        Ok(loaded) => loaded,
        Err(Refused::Trouble(trouble)) => return Err(trouble),
        Err(Refused::Checks(checks)) if args.dry_run && setting.json() => {
            return Ok(shown(setting, &checks));
        }
        Err(Refused::Checks(checks)) => return Err(first_error(&checks)),
    };
    place.use_workspace(args.place.db.is_some(), loaded.workspace.as_deref());
    for warning in &loaded.warnings {
        eprintln!("kumite: warning: {warning}");
    }
    let checks = checked(setting, &place, &loaded)?;
    if args.dry_run {
        return Ok(shown(setting, &checks));
    }
    if !check::is_good(&checks) {
        return Err(first_error(&checks));
    }
    let home = begin(&place, loaded.plan)?;
    play(setting, home, args.summary)
}

enum Refused {
    Trouble(Trouble),
    Checks(Vec<Check>),
}

impl<E: Into<Trouble>> From<E> for Refused {
    fn from(error: E) -> Refused {
        Refused::Trouble(error.into())
    }
}

fn read(setting: &Setting, args: &RunArgs, place: &Place) -> std::result::Result<Loaded, Refused> {
    let task = match args.task.as_deref() {
        Some("-") => {
            let text = std::io::read_to_string(std::io::stdin());
            Some(text.map_err(|error| {
                Trouble::invalid(format!("cannot read the task from stdin: {error}"))
            })?)
        }
        Some(task) => Some(task.to_owned()),
        None => None,
    };
    let dir = setting.place()?;
    let request = Request {
        file: &args.file,
        text: None,
        workspace: place.named.as_deref(),
        dir: &dir,
        task: task.as_deref(),
        timeout: args.timeout.map(Duration::from_secs),
        lenient: args.lenient,
    };
    let read = |path: &std::path::Path| std::fs::read_to_string(path);
    load(&request, &read, &env).map_err(|problems| Refused::Checks(check::refused(&problems)))
}

fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Everything that can be known before a cent is spent. The database is only read.
fn checked(setting: &Setting, place: &Place, loaded: &Loaded) -> Result<Vec<Check>> {
    let loader = setting.loader(&Project::at(&place.project), Flags::default())?;
    let settings = &loader.loaded.settings;
    let world = World {
        project: &place.project,
        files: &loaded.files,
        places: &loaded.places,
        workspace: loaded.workspace.as_deref(),
        settings,
        env: &env,
    };
    let mut checks = check::check(&loaded.plan, &world);
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
    Ok(checks)
}

/// Checks the database without creating anything. In kumite's own place, the directory is created
/// later too.
fn usable(place: &Place) -> std::result::Result<&'static str, board::Error> {
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
fn patiently(board: &Board) -> std::result::Result<(), board::Error> {
    for seconds in [1, 2, 4] {
        match board.check() {
            Err(board::Error::Locked(_)) => thread::sleep(Duration::from_secs(seconds)),
            done => return done,
        }
    }
    board.check()
}

fn first_error(checks: &[Check]) -> Trouble {
    let wrong = checks.iter().filter(|it| it.status == Status::Error);
    let lines: Vec<&str> = wrong.map(|it| it.message.as_str()).collect();
    Trouble::invalid(lines.join("\nkumite: "))
}

fn shown(setting: &Setting, checks: &[Check]) -> ExitCode {
    if setting.json() {
        out!("{}", check::to_json(checks));
    } else {
        for it in checks {
            let mark = match it.status {
                Status::Ok => console::style("ok     ").green(),
                Status::Error => console::style("error  ").red(),
                Status::Skipped => console::style("skipped").dim(),
            };
            out!("{mark}  {:12} {}: {}", it.category, it.name, it.message);
        }
    }
    match check::is_good(checks) {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(exit::INVALID),
    }
}

/// Writes the charter: from here on the contest exists.
pub fn begin(place: &Place, plan: Plan) -> Result<Home> {
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
fn base(place: &Place) -> Result<String> {
    let invalid = |error: worktree::Error| Trouble::invalid(error.to_string());
    let repository = Repository::of(&place.project).map_err(invalid)?;
    let head = repository.head().map_err(invalid)?;
    if repository.uncommitted().map_err(invalid)? > 0 {
        eprintln!(
            "kumite: warning: {} has changes that are not committed; teams begin without them",
            place.project.display()
        );
    }
    Ok(head)
}
