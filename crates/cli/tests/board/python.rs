//! What users of the file see. `cargo xtask test` installs the Python package in two versions, and
//! tells where they are (`KUMITE_PYTHONS`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kumite_core::contest::rows::{ExecutionSummary, Row, TeamStatus};
use serde_json::{Value, json};

use crate::{Scene, TIME, Writer, ended, query, started, write};

const SCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../xtask/python/board_check.py"
);

/// The oldest first.
fn pythons() -> Vec<PathBuf> {
    let given = std::env::var_os("KUMITE_PYTHONS").unwrap_or_default();
    let pythons: Vec<PathBuf> = std::env::split_paths(&given).collect();
    assert_eq!(pythons.len(), 2, "`cargo xtask test` sets KUMITE_PYTHONS");
    pythons
}

#[track_caller]
fn check(python: &Path, args: &[&Path], zone: &str) {
    let output = Command::new(python)
        .arg(SCRIPT)
        .args(args)
        .env("TZ", zone)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A whole contest: three rounds, the state of the team, the summary.
fn contest() -> Vec<Value> {
    let mut writes: Vec<Value> = (1..=3)
        .map(|round| write(u64::from(round), ended("one", round)))
        .collect();
    let team = TeamStatus {
        execution_id: "one".to_owned(),
        team_id: "a".to_owned(),
        team_name: "チーム 🥋".to_owned(),
        position: 0,
        state: "done".to_owned(),
        exit_reason: Some("max_rounds_reached".to_owned()),
        message: None,
        updated_at: TIME,
    };
    let summary = ExecutionSummary {
        execution_id: "one".to_owned(),
        user_prompt: "sort a list\0 'quickly'".to_owned(),
        status: "completed".to_owned(),
        team_results: json!([{ "team_id": "a", "score": 1.0 }]).to_string(),
        total_teams: 1,
        best_team_id: Some("a".to_owned()),
        best_score: Some(0.1 + 0.2),
        total_execution_time_seconds: 12.5,
        completed_at: TIME + 5,
        created_at: TIME,
    };
    writes.push(write(
        4,
        vec![Row::TeamStatus(team), Row::ExecutionSummary(summary)],
    ));
    writes
}

fn written(scene: &Scene, writes: &[Value]) {
    let mut writer = Writer::start(&scene.db(), &[("TZ", "Asia/Tokyo")]);
    for request in writes {
        assert_eq!(writer.ask(request)["ok"], true);
    }
    assert!(writer.end().success());
}

#[test]
#[ignore = "needs Python packages: cargo xtask test"]
fn d8_a_board_is_read_rightly_from_python() {
    for python in pythons() {
        let scene = Scene::new();
        let writes = contest();
        written(&scene, &writes);
        let lines: String = writes.iter().map(|line| format!("{line}\n")).collect();
        let file = scene.path("writes.jsonl");
        fs::write(&file, lines).unwrap();
        for zone in ["UTC", "Asia/Tokyo"] {
            check(&python, &[Path::new("verify"), &scene.db(), &file], zone);
        }
        check(&python, &[Path::new("defaults"), &scene.db()], "Asia/Tokyo");
        // After Python wrote to it, we write again.
        let mut again = Writer::start(&scene.db(), &[]);
        again.write(vec![started("one", 4)]);
        assert!(again.end().success());
        assert_eq!(
            scene.select("SELECT count(*) AS n FROM leader_board"),
            json!([{ "n": 4 }])
        );
    }
}

#[test]
#[ignore = "needs Python packages: cargo xtask test"]
fn d8_a_database_that_python_made_is_used_or_refused_if_it_is_newer() {
    let pythons = pythons();
    let made_by = |python: &Path| {
        let scene = Scene::new();
        check(python, &[Path::new("make"), &scene.db()], "Asia/Tokyo");
        scene
    };
    let older = made_by(&pythons[0]);
    written(&older, &contest());
    assert_eq!(
        older.select(
            "SELECT execution_id AS e, score FROM leader_board WHERE round_number = 1 ORDER BY id"
        ),
        json!([{"e": "old", "score": 78.67}, {"e": "one", "score": 0.333_333_34}])
    );
    let newer = made_by(&pythons[1]);
    let before = fs::read(newer.db()).unwrap();
    let mut writer = Writer::start(&newer.db(), &[]);
    let reply = writer.ask(&write(1, vec![started("one", 1)]));
    assert_eq!(reply["error"]["kind"], "newer", "{reply}");
    let refused = query(&newer.db(), &json!({ "contests": {} }), &[]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("a newer DuckDB wrote"));
    assert_eq!(fs::read(newer.db()).unwrap(), before);
}
