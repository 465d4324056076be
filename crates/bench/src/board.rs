//! How quickly rounds get into the leader board.

use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use kumite_core::contest::rows::{LeaderBoard, RoundHistory, RoundKey, RoundStatus, Row, Write};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Result;
use crate::scene::beside;
use crate::table::{Part, goal};

const MEANING: &str = "\
A round is three rows (scored submission of 2 kB, judgment, messages) that `kumite-board serve` has committed when it
answers. Naive is what a simple program does, here with the same statements: each row a transaction, the next one when it is answered.
kumite makes a transaction of a round, and one of all rounds that wait: here all teams hand in their round at once, and
the next when all are answered. Each figure is the best of three, in a new database, closed at the end. *Peak* is
VmHWM; most of it are pages of the library.";

const TURNS: usize = 3;

pub fn measure() -> Result<Part> {
    let rows = [(1, 100, "-"), (5, 20, "-"), (50, 10, "5x")];
    let rows = rows.into_iter().map(|(teams, rounds, wanted)| {
        let (mut naive, mut ours) = (Duration::MAX, Duration::MAX);
        let mut peak = 0;
        for _ in 0..TURNS {
            naive = naive.min(play(teams, rounds, one_by_one)?.0);
            let (time, memory) = play(teams, rounds, together)?;
            ours = ours.min(time);
            peak = peak.max(memory);
        }
        let count = f64::from(teams * rounds * 3);
        let ratio = naive.as_secs_f64() / ours.as_secs_f64();
        Ok(vec![
            format!("{teams} x {rounds}"),
            format!("{:.0} rows/s", count / ours.as_secs_f64()),
            format!("{:.0} rows/s", count / naive.as_secs_f64()),
            format!("{ratio:.1}"),
            match wanted {
                "5x" => goal(wanted, ratio >= 5.0),
                none => none.to_owned(),
            },
            format!("{:.1} MB", f64::from(peak) / 1e3),
        ])
    });
    Ok(Part {
        title: "Leader board",
        meaning: MEANING.to_owned(),
        head: vec!["teams x rounds", "kumite", "naive", "ratio", "goal", "peak"],
        rows: rows.collect::<Result<_>>()?,
    })
}

type Way = fn(&mut Board, &[Vec<Row>]) -> Result<()>;

/// A whole contest in this way, from the first row to the closed file; and the peak memory, in kB.
fn play(teams: u32, rounds: u32, way: Way) -> Result<(Duration, u32)> {
    let dir = TempDir::new()?;
    let mut board = Board::start(&dir)?;
    // The file exists when the clock starts: it is created once per database, not once per contest.
    board.write(&[round_of(0, 0)])?;
    board.ask("close", &json!({}))?;
    let began = Instant::now();
    for round in 1..=rounds {
        let all: Vec<Vec<Row>> = (0..teams).map(|team| round_of(team, round)).collect();
        way(&mut board, &all)?;
    }
    board.ask("close", &json!({}))?;
    let time = began.elapsed();
    let memory = board.memory().ok_or("kumite-board is gone")?;
    board.end()?;
    Ok((time, memory))
}

fn together(board: &mut Board, rounds: &[Vec<Row>]) -> Result<()> {
    board.write(rounds)
}

fn one_by_one(board: &mut Board, rounds: &[Vec<Row>]) -> Result<()> {
    for row in rounds.iter().flatten() {
        board.write(&[vec![row.clone()]])?;
    }
    Ok(())
}

struct Board {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Board {
    fn start(dir: &TempDir) -> Result<Board> {
        let mut child = Command::new(beside("kumite-board")?)
            .arg("serve")
            .arg(dir.path().join("board.duckdb"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().ok_or("a pipe is missing")?;
        let stdout = child.stdout.take().ok_or("a pipe is missing")?;
        let stdout = BufReader::new(stdout);
        Ok(Board {
            child,
            stdin,
            stdout,
        })
    }

    /// Sends all of them, and waits for all answers.
    fn write(&mut self, writes: &[Vec<Row>]) -> Result<()> {
        let mut lines = String::new();
        for rows in writes {
            let write = Write { rows: rows.clone() };
            lines.push_str(&json!({ "id": 1, "write": write }).to_string());
            lines.push('\n');
        }
        self.stdin.write_all(lines.as_bytes())?;
        writes.iter().try_for_each(|_| self.heard())
    }

    fn ask(&mut self, what: &str, with: &Value) -> Result<()> {
        writeln!(self.stdin, "{}", json!({ "id": 1, what: with }))?;
        self.heard()
    }

    fn heard(&mut self) -> Result<()> {
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        match serde_json::from_str::<Value>(&line)?["ok"] == true {
            true => Ok(()),
            false => Err(format!("kumite-board says {line}").into()),
        }
    }

    fn memory(&self) -> Option<u32> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    }

    fn end(mut self) -> Result<()> {
        drop(self.stdin);
        match self.child.wait()?.success() {
            true => Ok(()),
            false => Err("kumite-board ended badly".into()),
        }
    }
}

fn round_of(team: u32, round: u32) -> Vec<Row> {
    const TIME: u64 = 1_794_805_620_123;
    let place = RoundKey {
        execution_id: "bench".to_owned(),
        team_id: format!("team-{team}"),
        team_name: format!("Team {team}"),
        round_number: round,
    };
    let text = format!("round {round} of team {team}; ").repeat(80);
    vec![
        Row::LeaderBoard(LeaderBoard {
            place: place.clone(),
            submission_content: text.clone(),
            submission_format: "md".to_owned(),
            score: f64::from(team + round),
            score_details: json!({ "overall_score": 1, "metrics": [] }).to_string(),
            final_submission: false,
            exit_reason: None,
            created_at: TIME,
            updated_at: TIME,
        }),
        Row::RoundStatus(RoundStatus {
            place: place.clone(),
            should_continue: Some(true),
            reasoning: Some("the scores rise".to_owned()),
            confidence_score: Some(0.8),
            round_started_at: Some(TIME),
            round_ended_at: Some(TIME),
            created_at: TIME,
            updated_at: TIME,
        }),
        Row::RoundHistory(RoundHistory {
            place,
            message_history: json!([{ "kind": "response", "text": text }]).to_string(),
            member_submissions_record: "{}".to_owned(),
            created_at: TIME,
        }),
    ]
}
