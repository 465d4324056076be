//! The tables that other programs read (D7, D8), their times, and databases that mixseek wrote.

use std::fs;

use serde_json::{Value, json};

use super::arena::{Arena, Files};
use super::play::Play;
use crate::world::text;

/// Made from `fixtures/mixseek.sql`.
pub const FIXTURE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/it/contest/fixtures/mixseek.db"
);

fn played() -> Arena {
    let play = Play::new()
        .scores("alpha", &[78.67, 33.1])
        .scores("beta", &[12.34, 56.78]);
    let arena = Files::of(&["alpha", "beta"]).rounds(2, 2).play(play);
    arena.run().assert_code(0);
    arena
}

fn columns(arena: &Arena, table: &str) -> Vec<String> {
    arena.rows(
        "column_name, data_type",
        &format!(
            "information_schema.columns WHERE table_name = '{table}' ORDER BY ordinal_position"
        ),
    )
}

#[test]
fn d7_d8_the_tables_have_the_columns_that_their_readers_know() {
    let arena = played();
    let round = [
        "id INTEGER",
        "execution_id VARCHAR",
        "team_id VARCHAR",
        "team_name VARCHAR",
        "round_number INTEGER",
    ];
    let times = ["created_at TIMESTAMP", "updated_at TIMESTAMP"];
    let status = [
        "should_continue BOOLEAN",
        "reasoning VARCHAR",
        "confidence_score DOUBLE",
        "round_started_at TIMESTAMP",
        "round_ended_at TIMESTAMP",
    ];
    assert_eq!(
        columns(&arena, "round_status"),
        [&round[..], &status, &times].concat()
    );
    let board = [
        "submission_content VARCHAR",
        "submission_format VARCHAR",
        "score DOUBLE",
        "score_details JSON",
        "final_submission BOOLEAN",
        "exit_reason VARCHAR",
    ];
    assert_eq!(
        columns(&arena, "leader_board"),
        [&round[..], &board, &times].concat()
    );
    let history = [
        "message_history JSON",
        "member_submissions_record JSON",
        "created_at TIMESTAMP",
    ];
    assert_eq!(
        columns(&arena, "round_history"),
        [&round[..], &history].concat()
    );
    let summary = [
        "execution_id VARCHAR",
        "user_prompt VARCHAR",
        "status VARCHAR",
        "team_results JSON",
        "total_teams INTEGER",
        "best_team_id VARCHAR",
        "best_score DOUBLE",
        "total_execution_time_seconds DOUBLE",
        "completed_at TIMESTAMP",
        "created_at TIMESTAMP",
    ];
    assert_eq!(columns(&arena, "execution_summary"), summary);
    let unique = arena.rows(
        "table_name, keys",
        "(SELECT table_name, array_to_string(constraint_column_names, '+') AS keys \
         FROM duckdb_constraints() WHERE constraint_type = 'UNIQUE' ORDER BY table_name)",
    );
    let key = "execution_id+team_id+round_number";
    for table in ["leader_board", "round_history", "round_status"] {
        assert!(unique.contains(&format!("{table} {key}")), "{unique:?}");
    }
    let indexes = arena.rows(
        "expressions",
        "duckdb_indexes() WHERE table_name = 'leader_board'",
    );
    let ranking = |index: &String| index.contains("score") && index.contains("round_number");
    assert!(indexes.iter().any(ranking), "{indexes:?}");
}

#[test]
fn d8_what_is_in_a_row_is_what_happened_and_scores_are_not_rounded_to_32_bits() {
    let arena = played();
    assert_eq!(
        arena.leader_board(),
        [
            "alpha 1 78.67 true max_rounds_reached",
            "alpha 2 33.1 false null",
            "beta 1 12.34 false null",
            "beta 2 56.78 true max_rounds_reached",
        ]
    );
    let rows = arena.rows(
        "team_name, submission_content, submission_format",
        "leader_board WHERE round_number = 1 ORDER BY team_id",
    );
    assert_eq!(
        rows,
        ["Team alpha alpha round 1. md", "Team beta beta round 1. md"]
    );
    let summary = &arena.sql("SELECT * FROM execution_summary")[0];
    assert_eq!(summary["user_prompt"], super::arena::TASK);
    assert_eq!(
        (&summary["best_score"], &summary["best_team_id"]),
        (&json!(78.67), &json!("alpha"))
    );
    let results: Value = match &summary["team_results"] {
        Value::String(text) => serde_json::from_str(text).unwrap(),
        other => other.clone(),
    };
    let first = &results[0];
    assert_eq!(
        (&first["team_id"], &first["score"]),
        (&json!("alpha"), &json!(78.67))
    );
    assert_eq!(
        (&first["id"], &first["final_submission"]),
        (&json!(null), &json!(true))
    );
    // Quant-insight and others read the conversation: part kinds and nesting stay the same.
    let history = arena.rows("message_history", "round_history WHERE round_number = 2");
    assert_eq!(history.len(), 2);
    for words in [
        "\"part_kind\":\"user-prompt\"",
        "\"part_kind\":\"text\"",
        "\"kind\":\"response\"",
    ] {
        assert!(
            history.iter().all(|it| it.contains(words)),
            "{words}: {history:?}"
        );
    }
}

#[test]
fn s24_all_times_are_utc_wherever_the_clock_hangs() {
    let mut arena = Files::of(&["alpha"]).rounds(1, 1).play(Play::new());
    arena.set_env("TZ", "Asia/Tokyo");
    let before = jiff::Timestamp::now().as_second() - 1;
    let out = arena.run();
    out.assert_code(0);
    let after = jiff::Timestamp::now().as_second() + 1;
    for (table, times) in [
        (
            "round_status",
            "round_started_at, round_ended_at, created_at, updated_at",
        ),
        ("leader_board", "created_at, updated_at"),
        ("round_history", "created_at"),
        ("execution_summary", "completed_at, created_at"),
        ("team_status", "updated_at"),
    ] {
        for time in times.split(", ") {
            let seconds = arena.rows("s", &format!("(SELECT epoch({time}) AS s FROM {table})"));
            let seconds: f64 = seconds[0].parse().unwrap();
            let is_now = (before as f64..=after as f64).contains(&seconds);
            assert!(
                is_now,
                "{table}.{time}: {seconds} is not in {before}..{after}"
            );
        }
    }
    assert!(text(&out.notices("contest_ended")[0]["time"]).ends_with('Z'));
    // A team reads its local time.
    let prompt = arena.prompt("alpha", 1);
    assert!(
        prompt.lines().next().unwrap().contains("+09:00"),
        "{prompt}"
    );
}

fn of_mixseek() -> Arena {
    let arena = Files::of(&["alpha"])
        .rounds(1, 1)
        .play(Play::new().scores("alpha", &[61.7]));
    fs::copy(FIXTURE, arena.world.path("mixseek.db")).unwrap();
    arena
}

const WHOLE: &str = "0f1e2d3c-0000-4000-8000-000000000001";
const CUT_OFF: &str = "0f1e2d3c-0000-4000-8000-000000000002";

#[test]
fn s25_contests_that_mixseek_played_are_listed_and_shown() {
    let arena = of_mixseek();
    let out = arena.contest(&["board", "--all", "--json"]);
    out.assert_code(0);
    let all: Value = serde_json::from_str(&out.stdout).unwrap();
    let ids: Vec<&Value> = all["contests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["execution_id"])
        .collect();
    assert_eq!(ids, [CUT_OFF, WHOLE]);

    let out = arena.contest(&["board", WHOLE, "--json"]);
    out.assert_code(0);
    let board: Value = serde_json::from_str(&out.stdout).unwrap();
    assert_eq!(
        (&board["state"], &board["winner"]),
        (&json!("done"), &json!("red"))
    );
    assert_eq!(board["task"], "Describe a colour.");
    let line = |team: &Value| {
        [
            "team_id",
            "team_name",
            "rank",
            "score",
            "round",
            "rounds",
            "state",
            "exit_reason",
        ]
        .map(|key| text(&team[key]))
        .join(" ")
    };
    let lines: Vec<String> = board["teams"]
        .as_array()
        .unwrap()
        .iter()
        .map(line)
        .collect();
    assert_eq!(
        lines,
        [
            "red Team Red 1 78.67 2 2 done no_improvement_expected",
            "blue Team Blue 2 60.25 1 1 failed partial_failure",
        ]
    );

    let out = arena.contest(&["show", WHOLE, "--submissions"]);
    out.assert_code(0);
    for words in [
        "Describe a colour.",
        "Red writes twice.",
        "78.67",
        "good",
        "No more to gain",
    ] {
        assert!(out.stdout.contains(words), "{words}: {}", out.stdout);
    }
    // The newest contest is the default, and it was never finished.
    let board = arena.board();
    assert_eq!(
        (&board["execution_id"], &board["state"]),
        (&json!(CUT_OFF), &json!("stopped"))
    );
    let out = arena.contest(&["resume", WHOLE]);
    assert_eq!(out.code, 5, "{out:?}");
    assert!(out.stderr.contains("not played by kumite"), "{out:?}");
    assert_eq!(
        fs::read(FIXTURE).unwrap(),
        fs::read(arena.world.path("mixseek.db")).unwrap(),
        "reads never write"
    );
}

#[test]
fn s25_a_contest_is_played_into_a_database_of_mixseek_beside_the_old_ones() {
    let arena = of_mixseek();
    arena.run().assert_code(0);
    let board = arena.board();
    assert_eq!(
        (&board["state"], &board["winner"]),
        (&json!("done"), &json!("alpha"))
    );
    let id = text(&board["execution_id"]);
    let score = arena.sql(&format!(
        "SELECT score FROM leader_board WHERE execution_id = '{id}'"
    ));
    // The column still has the 32-bit type of its creator.
    let score = score[0]["score"].as_f64().unwrap();
    assert!((score - 61.7).abs() < 1e-4, "{score}");
    assert_eq!(
        arena
            .rows("execution_id", "leader_board WHERE team_id = 'red'")
            .len(),
        3
    );
    let all = arena.contest(&["board", "--all", "--json"]);
    let all: Value = serde_json::from_str(&all.stdout).unwrap();
    assert_eq!(all["contests"].as_array().unwrap().len(), 3);
    assert_eq!(all["contests"][0]["teams"][0]["score"], 61.7);
}
