//! All contests of the project, and the form that starts one.

use std::path::Path;

use kumite_contest::home::{self, Home};
use kumite_contest::playable;
use kumite_contest::report::replayed;
use kumite_contest::view::{self, Board};
use kumite_host::clock::rfc3339;
use kumite_host::spec_file::sentence;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::board::{name, score};
use super::seen::{broken, place};
use crate::api::Refusal;
use crate::app::App;
use crate::render::marks::segment;
use crate::render::words::{badge, cut, moment, money, since, took};

/// The newest ones; the rest is behind a link.
const NEWEST: usize = 50;
const ALL_MAX: usize = 1_000;
const TASK_CHARS: usize = 110;

/// A contest of ours; one that cannot be read hides no other.
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
    // Those that run come first; otherwise the newest, as they are.
    rows.sort_by_key(|row| !row.is_running());
    let foreign = match wants_all {
        true => Some(foreign(&place.database, &homes)),
        false => None,
    };
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
            @if rows.is_empty() { (empty()) } @else { (table(&rows)) }
            @if count > shown {
                p.muted.small { "The newest " (shown) " of " (count) "." }
            }
        }
        @if let Some(foreign) = foreign {
            section {
                h2 { "Known by their rows alone" }
                (foreign_table(&place.database, foreign))
            }
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

/// The contests that have ended, the newest first, for those who look back.
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
                let is_running = board.state == "running" && since_ms > 0;
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

    fn state(&self) -> &str {
        self.board.as_ref().map_or("failed", |it| it.state.as_str())
    }

    fn is_running(&self) -> bool {
        self.state() == "running"
    }

    fn is_ended(&self) -> bool {
        self.board.is_ok() && !["running", "stopped"].contains(&self.state())
    }
}

fn table(rows: &[Row]) -> Markup {
    html! {
        div.scroll {
            table.list {
                thead {
                    tr {
                        th scope="col" { "State" }
                        th scope="col" { "Task" }
                        th.num scope="col" { "Teams" }
                        th scope="col" { "Winner" }
                        th.num scope="col" { "Rounds" }
                        th.num scope="col" { "Took" }
                        th.num scope="col" { "Cost" }
                        th scope="col" { "Began" }
                    }
                }
                tbody {
                    @for row in rows {
                        tr #{ "contest-" (row.id) } { (cells(row)) }
                    }
                }
            }
        }
    }
}

fn cells(row: &Row) -> Markup {
    let path = format!("/contests/{}", segment(&row.id));
    let board = match &row.board {
        Ok(board) => board,
        Err(why) => {
            return html! {
                td { (badge("failed")) }
                td colspan="7" { (row.id) " cannot be read: " (why) }
            };
        }
    };
    html! {
        td { (badge(&board.state)) }
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

fn task(task: &str, id: &str) -> String {
    match cut(task, TASK_CHARS) {
        empty if empty.is_empty() => id.to_owned(),
        short => short,
    }
}

/// Who won, or who leads.
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
                @if won.is_none() { span.muted { "leads: " } }
                (cut(name(line), 40)) " " span.muted { (score(line.score)) }
            }
        }
    }
}

/// A contest of which a database has rows, and nobody a journal.
#[derive(Deserialize)]
struct Foreign {
    execution_id: String,
    status: Option<String>,
    created_at: Option<String>,
    task: Option<String>,
    best_team_id: Option<String>,
    teams: Option<u64>,
}

fn foreign(database: &Path, own: &[Home]) -> Result<Vec<Foreign>, String> {
    if !database.exists() {
        return Ok(Vec::new());
    }
    let answer = kumite_contest::board::query(database, &json!({ "contests": {} }));
    let answer = answer.map_err(|error| sentence(&error))?;
    let rows: Vec<Foreign> = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
    let own: std::collections::BTreeSet<String> = own.iter().map(Home::id).collect();
    let unknown = rows.into_iter().filter(|it| !own.contains(&it.execution_id));
    Ok(unknown.take(ALL_MAX).collect())
}

fn foreign_table(database: &Path, foreign: Result<Vec<Foreign>, String>) -> Markup {
    let rows = match foreign {
        Ok(rows) => rows,
        Err(why) => {
            return html! { p.why { "The database " (database.display()) " cannot be asked: " (why) } };
        }
    };
    html! {
        @if rows.is_empty() {
            p.empty { (database.display()) " has no other contest." }
        } @else {
            div.scroll {
                table.list {
                    thead {
                        tr {
                            th scope="col" { "State" }
                            th scope="col" { "Task" }
                            th.num scope="col" { "Teams" }
                            th scope="col" { "Best team" }
                            th scope="col" { "Ended" }
                        }
                    }
                    tbody {
                        @for row in &rows {
                            tr {
                                td { (badge(foreign_state(row.status.as_deref()))) }
                                td.wide {
                                    a href={ "/contests/" (segment(&row.execution_id)) } {
                                        (task(row.task.as_deref().unwrap_or_default(), &row.execution_id))
                                    }
                                }
                                td.num { (row.teams.unwrap_or(0)) }
                                td { (row.best_team_id.as_deref().unwrap_or("–")) }
                                td.nowrap { (moment(row.created_at.as_deref().unwrap_or_default())) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn foreign_state(status: Option<&str>) -> &'static str {
    match status {
        Some("completed" | "partial_failure") => "done",
        Some(_) => "failed",
        None => "stopped",
    }
}
