//! The program `kumite-board` as processes: several at the same time, killed, locked out, read by
//! others.

// In a test a panic is a failure, which is intended; this includes helpers of tests.
#![allow(clippy::unwrap_used)]

mod many;
mod python;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};

use kumite_core::contest::rows::{LeaderBoard, RoundHistory, RoundKey, RoundStatus, Row};
use serde_json::{Value, json};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_kumite-board");
/// 2026-11-16 05:07:00.123 UTC.
const TIME: u64 = 1_794_805_620_123;

struct Scene(TempDir);

impl Scene {
    fn new() -> Scene {
        Scene(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn db(&self) -> PathBuf {
        self.path("board.duckdb")
    }

    fn query(&self, question: &Value) -> Output {
        query(&self.db(), question, &[])
    }

    #[track_caller]
    fn select(&self, sql: &str) -> Value {
        let output = self.query(&json!({ "sql": sql }));
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn query(db: &Path, question: &Value, env: &[(&str, &str)]) -> Output {
    let mut child = Command::new(PROGRAM)
        .arg("query")
        .arg(db)
        .envs(env.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(question.to_string().as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// A `kumite-board serve` and its client. It is killed if the test ends before it.
struct Writer {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Writer {
    fn start(db: &Path, env: &[(&str, &str)]) -> Writer {
        let mut child = Command::new(PROGRAM)
            .arg("serve")
            .arg(db)
            .envs(env.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Writer {
            child,
            stdin,
            stdout,
        }
    }

    fn send(&mut self, request: &Value) {
        let mut stdin = self.stdin.as_ref().unwrap();
        stdin.write_all(format!("{request}\n").as_bytes()).unwrap();
    }

    fn reply(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, request: &Value) -> Value {
        self.send(request);
        self.reply()
    }

    #[track_caller]
    fn write(&mut self, rows: Vec<Row>) {
        let reply = self.ask(&write(1, rows));
        assert_eq!(reply, json!({ "id": 1, "ok": true }));
    }

    /// The input ends.
    fn end(mut self) -> ExitStatus {
        self.stdin = None;
        self.child.wait().unwrap()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write(id: u64, rows: Vec<Row>) -> Value {
    json!({ "id": id, "write": { "rows": rows } })
}

fn place(contest: &str, team: &str, round_number: u32) -> RoundKey {
    RoundKey {
        execution_id: contest.to_owned(),
        team_id: team.to_owned(),
        team_name: format!("Team {team}"),
        round_number,
    }
}

fn started(contest: &str, round: u32) -> Row {
    Row::RoundStatus(RoundStatus {
        place: place(contest, "a", round),
        should_continue: None,
        reasoning: None,
        confidence_score: None,
        round_started_at: Some(TIME),
        round_ended_at: None,
        created_at: TIME,
        updated_at: TIME,
    })
}

/// All rows of a round that has ended.
fn ended(contest: &str, round: u32) -> Vec<Row> {
    let board = LeaderBoard {
        place: place(contest, "a", round),
        submission_content: "組手 \0 🥋 ".repeat(50),
        submission_format: "md".to_owned(),
        score: f64::from(round) / 3.0,
        score_details: json!({ "overall_score": 1, "comment": "\u{0} \"é\"" }).to_string(),
        final_submission: false,
        exit_reason: None,
        created_at: TIME,
        updated_at: TIME + 1,
    };
    let status = RoundStatus {
        place: place(contest, "a", round),
        should_continue: Some(true),
        reasoning: Some("it rises".to_owned()),
        confidence_score: Some(0.7),
        round_started_at: Some(TIME),
        round_ended_at: Some(TIME + 1),
        created_at: TIME,
        updated_at: TIME + 1,
    };
    let history = RoundHistory {
        place: place(contest, "a", round),
        message_history: json!([{ "kind": "request" }]).to_string(),
        member_submissions_record: json!({ "total_count": 0 }).to_string(),
        created_at: TIME,
    };
    vec![
        Row::LeaderBoard(board),
        Row::RoundStatus(status),
        Row::RoundHistory(history),
    ]
}
