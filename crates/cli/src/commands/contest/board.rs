//! `kumite contest board`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Args;
use kumite_contest::place::Workspace;
use kumite_contest::view::{Board, ContestState};
use kumite_contest::{board as program, report};
use serde_json::{Value, json};

use super::place::PlaceArgs;
use super::table;
use crate::args::Setting;
use crate::out::out;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct BoardArgs {
    /// The beginning of its id; by default the newest one
    id: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
    /// Follow it until it ends
    #[arg(long)]
    watch: bool,
    /// All contests, newest first
    #[arg(long, conflicts_with_all = ["watch", "id"])]
    all: bool,
    /// Query the database, which is only read
    #[arg(long, value_name = "SELECT", conflicts_with_all = ["watch", "id", "all"])]
    sql: Option<String>,
    #[command(flatten)]
    export: Export,
}

#[derive(Args)]
#[group(multiple = false)]
struct Export {
    /// All rounds of the board as CSV, into FILE or to stdout
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    csv: Option<PathBuf>,
    /// The same as a Markdown table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    md: Option<PathBuf>,
    /// The same as a Parquet file
    #[arg(long, value_name = "FILE")]
    parquet: Option<PathBuf>,
}

/// How often a watched board is refreshed.
const LOOK: Duration = Duration::from_millis(500);

pub fn board(setting: &Setting, args: &BoardArgs) -> Result {
    let place = args.place.find(setting)?;
    if let Some(sql) = &args.sql {
        let format = if setting.json() { "jsonl" } else { "table" };
        return ask(&place, &json!({ "sql": sql, "format": format }));
    }
    if let Some((format, file)) = args.export.chosen() {
        return export(setting, &place, args.id.as_deref(), format, file);
    }
    if args.all {
        return list(setting, &place);
    }
    let listed = place.pick(args.id.as_deref())?;
    let mut shown = String::new();
    loop {
        let board = report::board_of(&listed)?;
        let text = match setting.json() {
            true => json!(board).to_string(),
            false => table::lines(&board).join("\n"),
        };
        let is_over = board.state != ContestState::Running;
        if text != shown {
            if !shown.is_empty() && !setting.json() && std::io::stdout().is_terminal() {
                let lines = shown.lines().count();
                let _ = console::Term::stdout().clear_last_lines(lines);
            }
            out!("{text}");
            shown = text;
        }
        if !args.watch || is_over {
            return Ok(ExitCode::SUCCESS);
        }
        thread::sleep(LOOK);
    }
}

impl Export {
    fn chosen(&self) -> Option<(&'static str, &Path)> {
        let all = [
            ("csv", &self.csv),
            ("md", &self.md),
            ("parquet", &self.parquet),
        ];
        let mut given = all.into_iter();
        given.find_map(|(format, file)| Some((format, file.as_deref()?)))
    }
}

fn export(
    setting: &Setting,
    place: &Workspace,
    id: Option<&str>,
    format: &str,
    file: &Path,
) -> Result {
    let listed = place.pick(id)?;
    let to = match file == Path::new("-") {
        true => Value::Null,
        false => json!(setting.place()?.join(file)),
    };
    let request = json!({ "export": format, "to": to, "execution_id": listed.id });
    let place = Workspace {
        database: listed.database,
        workspace: place.workspace.clone(),
        project: place.project.clone(),
        named: place.named.clone(),
    };
    ask(&place, &request)
}

fn ask(place: &Workspace, request: &Value) -> Result {
    if !place.database.exists() {
        return Err(Trouble::invalid(format!(
            "there is no database {} yet; `kumite contest run FILE` makes it",
            place.database.display()
        )));
    }
    let answer = program::query(&place.database, request);
    let answer = answer.map_err(|error| Trouble::invalid(error.to_string()))?;
    if !answer.trim_end().is_empty() {
        out!("{}", answer.trim_end_matches('\n'));
    }
    Ok(ExitCode::SUCCESS)
}

fn list(setting: &Setting, place: &Workspace) -> Result {
    let mut boards = Vec::new();
    for listed in place.all()? {
        match report::board_of(&listed) {
            Ok(board) => boards.push((listed.created_at, board)),
            // A damaged contest hides no other.
            Err(error) => eprintln!("kumite: warning: contest {}: {error}", listed.id),
        }
    }
    let contests: Vec<&Board> = boards.iter().map(|(_, board)| board).collect();
    setting.answer(&json!({ "contests": contests }), || {
        for (created_at, board) in &boards {
            let winner = board.winner.as_deref().unwrap_or("-");
            out!(
                "{}  {created_at}  {:9}  {:2} teams  {winner:12}  {}",
                board.execution_id,
                table::contest_style(board.state).apply_to(board.state.word()),
                board.teams.len(),
                board.task.lines().next().unwrap_or_default()
            );
        }
    })
}
