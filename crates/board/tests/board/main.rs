//! Real DuckDB files, written by the loop of `kumite-board serve` and read back.
//!
//! Tests that need their own processes (locks, kills, other time zones) are in
//! `crates/cli/tests/board`.

// In a test a panic is a failure, which is intended; this includes helpers of tests.
#![allow(clippy::unwrap_used)]

mod asked;
mod files;
#[path = "../../../cli/tests/common/needs_root.rs"]
mod needs_root;
mod rows;
mod schema;
mod sql;

use std::io::Cursor;
use std::path::PathBuf;

use duckdb::Connection;
use kumite_core::contest::rows::{LeaderBoard, RoundHistory, RoundKey, RoundStatus, Row, Write};
use serde_json::{Value, json};
use tempfile::TempDir;

/// 2026-11-16 05:07:00.123 UTC.
const TIME: u64 = 1_794_805_620_123;

/// A directory, with or without a database.
struct Scene {
    dir: TempDir,
}

impl Scene {
    fn new() -> Scene {
        let dir = TempDir::new().unwrap();
        Scene { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn db(&self) -> PathBuf {
        self.path("board.duckdb")
    }

    /// Serves these requests to the end; returns the replies in the order of their ids.
    fn serve(&self, requests: &[Value]) -> Vec<Value> {
        let lines: String = requests.iter().map(|line| format!("{line}\n")).collect();
        let mut output = Vec::new();
        kumite_board::serve(&self.db(), Cursor::new(lines), &mut output).unwrap();
        let lines = output.split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| !line.is_empty());
        let mut replies: Vec<Value> = lines
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect();
        replies.sort_by_key(|reply| reply["id"].as_u64());
        replies
    }

    /// Writes these rows successfully.
    #[track_caller]
    fn write(&self, rows: Vec<Row>) {
        let replies = self.serve(&[request(1, rows)]);
        assert_eq!(replies, [json!({ "id": 1, "ok": true })]);
    }

    #[track_caller]
    fn ask(&self, question: &Value) -> Value {
        let answer = kumite_board::answer(&self.db(), &question.to_string()).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    #[track_caller]
    fn select(&self, sql: &str) -> Value {
        self.ask(&json!({ "sql": sql }))
    }

    /// Opens it as another program would.
    fn open(&self) -> Connection {
        Connection::open(self.db()).unwrap()
    }

    /// The names of all files in the directory.
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.dir.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

fn request(id: u64, rows: Vec<Row>) -> Value {
    json!({ "id": id, "write": Write { rows } })
}

fn place(team: &str, round_number: u32) -> RoundKey {
    RoundKey {
        execution_id: "contest-1".to_owned(),
        team_id: team.to_owned(),
        team_name: format!("Team {team}"),
        round_number,
    }
}

fn status(team: &str, round: u32) -> RoundStatus {
    RoundStatus {
        place: place(team, round),
        should_continue: None,
        reasoning: None,
        confidence_score: None,
        round_started_at: Some(TIME),
        round_ended_at: None,
        created_at: TIME,
        updated_at: TIME,
    }
}

fn scored(team: &str, round: u32, score: f64) -> LeaderBoard {
    LeaderBoard {
        place: place(team, round),
        submission_content: format!("what {team} hands in, round {round}"),
        submission_format: "md".to_owned(),
        score,
        score_details: r#"{"overall_score": 1}"#.to_owned(),
        final_submission: false,
        exit_reason: None,
        created_at: TIME,
        updated_at: TIME,
    }
}

fn history(team: &str, round: u32) -> RoundHistory {
    RoundHistory {
        place: place(team, round),
        message_history: r#"[{"kind":"request"}]"#.to_owned(),
        member_submissions_record: r#"{"total_count":0}"#.to_owned(),
        created_at: TIME,
    }
}
