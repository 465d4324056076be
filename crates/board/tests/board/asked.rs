//! The questions that kumite asks.

use std::fs;

use kumite_core::contest::rows::{ExecutionSummary, Row, TeamStatus};
use serde_json::{Value, json};

use crate::{Scene, TIME, scored, status};

fn team(id: &str, position: u32, state: &str) -> Row {
    Row::TeamStatus(TeamStatus {
        execution_id: "contest-1".to_owned(),
        team_id: id.to_owned(),
        team_name: format!("Team {id}"),
        position,
        state: state.to_owned(),
        exit_reason: None,
        message: None,
        updated_at: TIME,
    })
}

/// A contest of three teams that has ended, and a later one that is running.
fn scene() -> Scene {
    let scene = Scene::new();
    let mut later = status("z", 1);
    later.place.execution_id = "contest-2".to_owned();
    later.created_at = TIME + 1000;
    scene.write(vec![
        team("b", 0, "done"),
        team("a", 1, "done"),
        team("c", 2, "disqualified"),
        Row::RoundStatus(status("a", 1)),
        Row::LeaderBoard(scored("a", 1, 60.0)),
        Row::LeaderBoard(scored("b", 1, 10.0)),
        Row::LeaderBoard(scored("b", 2, 60.0)),
        Row::LeaderBoard(scored("c", 1, 99.0)),
        Row::ExecutionSummary(ExecutionSummary {
            execution_id: "contest-1".to_owned(),
            user_prompt: "sort a list".to_owned(),
            status: "partial_failure".to_owned(),
            team_results: "[]".to_owned(),
            total_teams: 3,
            best_team_id: Some("b".to_owned()),
            best_score: Some(60.0),
            total_execution_time_seconds: 1.5,
            completed_at: TIME,
            created_at: TIME,
        }),
        Row::RoundStatus(later),
    ]);
    scene
}

#[test]
fn contests_are_listed_newest_first_also_those_that_have_not_ended() {
    assert_eq!(
        scene().ask(&json!({ "contests": {} })),
        json!([
            {"execution_id": "contest-2", "status": null, "created_at": "2026-11-16T05:07:01.123Z",
             "task": null, "best_team_id": null, "teams": 1},
            {"execution_id": "contest-1", "status": "partial_failure", "created_at": "2026-11-16T05:07:00.123Z",
             "task": "sort a list", "best_team_id": "b", "teams": 3},
        ])
    );
}

#[test]
fn a_contest_is_answered_with_all_its_rows() {
    let scene = scene();
    let answer = scene.ask(&json!({ "contest": { "execution_id": "contest-1" } }));
    let column = |part: &str, name: &str| -> Vec<Value> {
        let rows = answer[part].as_array().unwrap().iter();
        rows.map(|row| row[name].clone()).collect()
    };
    assert_eq!(answer["summary"]["user_prompt"], "sort a list");
    assert_eq!(column("teams", "team_id"), ["b", "a", "c"]);
    assert_eq!(
        column("rounds", "round_started_at"),
        ["2026-11-16T05:07:00.123Z"]
    );
    assert_eq!(column("board", "score"), [60.0, 10.0, 60.0, 99.0]);
    let nobody = scene.ask(&json!({ "contest": { "execution_id": "nobody's" } }));
    assert_eq!(
        nobody,
        json!({ "summary": null, "teams": [], "rounds": [], "board": [] })
    );
}

#[test]
fn house_4_5_an_export_ranks_as_the_board_does_by_hundredths() {
    let scene = Scene::new();
    scene.write(vec![
        Row::LeaderBoard(scored("a", 1, 78.671)),
        Row::LeaderBoard(scored("b", 1, 78.674)),
        Row::LeaderBoard(scored("it's?", 1, 5.0)),
    ]);
    let rows = scene.ask(&json!({ "export": "json" }));
    let rows = rows.as_array().unwrap().iter();
    let ranks: Vec<&Value> = rows.map(|row| &row["rank"]).collect();
    assert_eq!(ranks, [1, 1, 3]);
}

const RANKED: &str = "\
contest-1,1,a,Team a,1,60.0,false,,2026-11-16T05:07:00.123Z,2026-11-16T05:07:00.123Z,md,\"what a hands in, round 1\"
contest-1,1,b,Team b,1,10.0,false,,2026-11-16T05:07:00.123Z,2026-11-16T05:07:00.123Z,md,\"what b hands in, round 1\"
contest-1,1,b,Team b,2,60.0,false,,2026-11-16T05:07:00.123Z,2026-11-16T05:07:00.123Z,md,\"what b hands in, round 2\"
contest-1,,c,Team c,1,99.0,false,,2026-11-16T05:07:00.123Z,2026-11-16T05:07:00.123Z,md,\"what c hands in, round 1\"
";

#[test]
fn d14_an_export_has_every_round_with_shared_ranks_and_none_for_the_disqualified() {
    let scene = scene();
    let to = |name: &str| scene.path(name).display().to_string();
    for (form, file) in [
        ("csv", "it's.csv"),
        ("parquet", "it's.parquet"),
        ("md", "board.md"),
    ] {
        let question = json!({ "export": form, "to": to(file), "execution_id": "contest-1" });
        assert_eq!(
            kumite_board::answer(&scene.db(), &question.to_string()).unwrap(),
            ""
        );
    }
    let csv = fs::read_to_string(scene.path("it's.csv")).unwrap();
    let (head, rows) = csv.split_once('\n').unwrap();
    assert!(
        head.starts_with("execution_id,rank,team_id,team_name,round_number,score"),
        "{head}"
    );
    assert_eq!(rows, RANKED);
    assert_eq!(
        fs::read_to_string(scene.path("board.md"))
            .unwrap()
            .lines()
            .count(),
        2 + 4
    );
    let parquet = format!(
        "SELECT rank, team_id, round_number, score, created_at = TIMESTAMP '2026-11-16 05:07:00.123'
         FROM read_parquet('{}') WHERE team_id <> 'a'",
        to("it's.parquet").replace('\'', "''")
    );
    let other = duckdb::Connection::open_in_memory().unwrap();
    let mut statement = other.prepare(&parquet).unwrap();
    let rows = statement
        .query_map([], |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
            ))
        })
        .unwrap();
    let rows: Vec<(Option<i64>, String, i32, f64, bool)> = rows.map(Result::unwrap).collect();
    let row = |rank, team: &str, round, score| (rank, team.to_owned(), round, score, true);
    assert_eq!(
        rows,
        [
            row(Some(1), "b", 1, 10.0),
            row(Some(1), "b", 2, 60.0),
            row(None, "c", 1, 99.0)
        ]
    );
}
