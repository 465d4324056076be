//! All contests of the project, and the form that starts one.

use kumite_contest::home::{self, Home};
use kumite_contest::playable;
use kumite_contest::report::replayed;
use kumite_contest::view::{self, Board, ContestState};
use kumite_project::clock::rfc3339;
use kumite_project::spec_file::sentence;
use maud::{Markup, html};

use super::board::{name, score};
use super::foreign;
use super::seen::{broken, place};
use crate::api::Refusal;
use crate::app::App;
use crate::render::marks::segment;
use crate::render::words::{badge, cut, moment, money, since, took};
use crate::render::{
    self,
    Column::{Number, Text},
};

/// Only this many contests are listed, the newest; a link shows more.
const NEWEST: usize = 50;
pub const ALL_MAX: usize = 1_000;
const TASK_CHARS: usize = 110;

/// A contest that kumite played. If its files cannot be read, its row says so, and the other rows
/// are still shown.
struct Row {
    id: String,
    created_at: String,
    since: Option<String>,
    board: Result<Board, String>,
}

pub fn page(app: &App, may_change: bool, wants_all: bool) -> Result<(String, Markup), Refusal> {
    let place = place(app)?;
    let homes = home::all(&place.workspace).map_err(broken)?;
    let count = homes.len();
    let shown = if wants_all { ALL_MAX } else { NEWEST };
    let mut rows: Vec<Row> = homes.iter().take(shown).map(Row::read).collect();
    // Running contests come first; the rest keeps its order, the newest first.
    rows.sort_by_key(|row| !row.is_running());
    // A query of the database takes a moment, so it runs only if needed.
    let foreign = match wants_all || homes.is_empty() {
        true => foreign::read(&place.database, &homes),
        false => Ok(Vec::new()),
    };
    let has_foreign = foreign.as_ref().map_or(true, |rows| !rows.is_empty());
    let body = html! {
        div.row {
            h1.grow { "Contests" }
            @if place.database.exists() || count > shown {
                @match wants_all {
                    true => a.small href="/contests" { "Only the newest of this project" },
                    false => a.small href="/contests?all=1" { "All, also those of mixseek" },
                }
            }
        }
        @if may_change { (start(app)) }
        section {
            @if !rows.is_empty() { (table(&rows)) } @else if !has_foreign { (empty()) }
            @if count > shown {
                p.muted.small { "The newest " (shown) " of " (count) "." }
            }
        }
        @if has_foreign {
            section {
                h2 { "Only in the database" }
                (foreign::table(&place.database, foreign))
            }
        } @else if wants_all {
            p.muted.small { "The database knows of no other contest." }
        }
    };
    Ok(("Contests".to_owned(), body))
}

fn empty() -> Markup {
    html! {
        p.empty {
            "No contest has been played here yet. "
            code { "kumite contest init" } " writes a contest.toml to begin with, "
            code { "kumite contest demo" } " shows one without any key."
        }
    }
}

fn start(app: &App) -> Markup {
    let files = playable::all(app.project.root());
    html! {
        details.fold #start-contest {
            summary { "Start a contest" }
            @if files.is_empty() {
                p {
                    "There is no contest file in this project. "
                    code { "kumite contest init" } " writes one that explains itself."
                }
            } @else {
                form.stack data-post="/api/contests" {
                    label.field {
                        "File"
                        select name="file" required {
                            @for file in &files {
                                option value=(file.path) {
                                    (file.path)
                                    @if !file.has_task { " (needs a task)" }
                                }
                            }
                        }
                    }
                    label.field {
                        "Task"
                        textarea name="task" placeholder="What the teams have to do. Leave it empty if the file says it." {}
                    }
                    div.actions { button.primary type="submit" { "Start" } }
                }
            }
        }
    }
}

/// The contests that have ended, the newest first, for the page *History*.
pub fn ended(app: &App, count: usize) -> Result<Option<Markup>, Refusal> {
    let homes = home::all(&place(app)?.workspace).map_err(broken)?;
    let rows = homes.iter().map(Row::read).filter(Row::is_ended);
    let rows: Vec<Row> = rows.take(count).collect();
    Ok((!rows.is_empty()).then(|| table(&rows)))
}

impl Row {
    fn read(home: &Home) -> Row {
        let is_played = home.is_played();
        match replayed(home) {
            Ok((charter, contest)) => {
                let board = view::board(&charter.id, &charter.plan.task, &contest, is_played);
                let since_ms = contest.now_ms.saturating_sub(contest.elapsed_ms);
                let is_running = board.state == ContestState::Running && since_ms > 0;
                Row {
                    id: home.id(),
                    created_at: rfc3339(charter.created_ms),
                    since: is_running.then(|| rfc3339(since_ms)),
                    board: Ok(board),
                }
            }
            Err(error) => Row {
                id: home.id(),
                created_at: String::new(),
                since: None,
                board: Err(sentence(&error)),
            },
        }
    }

    fn is_running(&self) -> bool {
        let board = self.board.as_ref();
        board.is_ok_and(|board| board.state == ContestState::Running)
    }

    fn is_ended(&self) -> bool {
        self.board.as_ref().is_ok_and(|board| match board.state {
            ContestState::Done | ContestState::Failed | ContestState::Cancelled => true,
            ContestState::Running | ContestState::Stopped => false,
        })
    }
}

fn table(rows: &[Row]) -> Markup {
    html! {
        (render::table(&[Text("State"), Text("Task"), Number("Teams"), Text("Winner"), Number("Rounds"), Number("Took"), Number("Cost"), Text("Began")], &html! {
            @for row in rows {
                tr #{ "contest-" (row.id) } data-item { (cells(row)) }
            }
        }))
    }
}

fn cells(row: &Row) -> Markup {
    let path = format!("/contests/{}", segment(&row.id));
    let board = match &row.board {
        Ok(board) => board,
        Err(why) => {
            return html! {
                td { (badge(ContestState::Failed)) }
                td colspan="7" { (row.id) " cannot be read: " (why) }
            };
        }
    };
    html! {
        td { (badge(board.state)) }
        td.wide { a href=(path) { (task(&board.task, &row.id)) } }
        td.num { (board.teams.len()) }
        td.nowrap { (leader(board)) }
        td.num {
            (board.teams.iter().map(|it| it.rounds).max().unwrap_or(0))
            @if let Some(max) = board.rounds_max { "/" (max) }
        }
        td.num {
            @match &row.since {
                Some(at) => (since(at, board.elapsed_seconds)),
                None => (took(board.elapsed_seconds)),
            }
        }
        td.num { (money(board.cost_usd)) }
        td.nowrap { (moment(&row.created_at)) }
    }
}

pub fn task(task: &str, id: &str) -> String {
    match cut(task, TASK_CHARS) {
        empty if empty.is_empty() => id.to_owned(),
        short => short,
    }
}

/// The winner, or the team that leads.
fn leader(board: &Board) -> Markup {
    let won = board.winner.as_ref();
    let line = match won {
        Some(id) => board.teams.iter().find(|it| it.team_id == *id),
        None => board.teams.first().filter(|it| it.rank.is_some()),
    };
    html! {
        @match line {
            None => "–",
            Some(line) => {
                @if won.is_none() {
                    span.muted { @if board.state == ContestState::Running { "leads: " } @else { "best: " } }
                }
                (cut(name(line), 40)) " " span.muted { (score(line.score)) }
            }
        }
    }
}
