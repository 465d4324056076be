//! The tables are those that other programs know.

use kumite_core::contest::rows::Row;
use serde_json::{Value, json};

use crate::{Scene, scored, status};

/// Name, type, NULL allowed, default.
const ROUND_STATUS: &str = "\
id INTEGER NO nextval('round_status_id_seq')
execution_id VARCHAR NO -
team_id VARCHAR NO -
team_name VARCHAR NO -
round_number INTEGER NO -
should_continue BOOLEAN YES -
reasoning VARCHAR YES -
confidence_score DOUBLE YES -
round_started_at TIMESTAMP YES -
round_ended_at TIMESTAMP YES -
created_at TIMESTAMP NO now
updated_at TIMESTAMP NO now";

const LEADER_BOARD: &str = "\
id INTEGER NO nextval('leader_board_id_seq')
execution_id VARCHAR NO -
team_id VARCHAR NO -
team_name VARCHAR NO -
round_number INTEGER NO -
submission_content VARCHAR NO -
submission_format VARCHAR NO 'md'
score DOUBLE NO -
score_details JSON NO -
final_submission BOOLEAN NO CAST('f' AS BOOLEAN)
exit_reason VARCHAR YES -
created_at TIMESTAMP NO now
updated_at TIMESTAMP NO now";

const ROUND_HISTORY: &str = "\
id INTEGER NO nextval('round_history_id_seq')
execution_id VARCHAR NO -
team_id VARCHAR NO -
team_name VARCHAR NO -
round_number INTEGER NO -
message_history JSON YES -
member_submissions_record JSON YES -
created_at TIMESTAMP YES now";

const EXECUTION_SUMMARY: &str = "\
execution_id VARCHAR NO -
user_prompt VARCHAR NO -
status VARCHAR NO -
team_results JSON NO -
total_teams INTEGER NO -
best_team_id VARCHAR YES -
best_score DOUBLE YES -
total_execution_time_seconds DOUBLE NO -
completed_at TIMESTAMP YES now
created_at TIMESTAMP YES now";

const TEAM_STATUS: &str = "\
execution_id VARCHAR NO -
team_id VARCHAR NO -
team_name VARCHAR NO -
state VARCHAR NO -
exit_reason VARCHAR YES -
message VARCHAR YES -
position INTEGER NO -
updated_at TIMESTAMP NO now";

fn columns(scene: &Scene, table: &str) -> String {
    let found = scene.select(&format!(
        "SELECT column_name || ' ' || data_type || ' ' || is_nullable || ' ' ||
            coalesce(replace(column_default, 'make_timestamp(epoch_us(now()))', 'now'), '-') AS line
         FROM information_schema.columns WHERE table_name = '{table}' ORDER BY ordinal_position"
    ));
    texts(&found).join("\n")
}

fn texts(found: &Value) -> Vec<String> {
    let rows = found.as_array().unwrap().iter();
    rows.map(|row| row["line"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn d7_d8_the_columns_are_those_that_readers_expect() {
    let scene = Scene::new();
    scene.write(vec![Row::RoundStatus(status("a", 1))]);
    let expected = [
        ("round_status", ROUND_STATUS),
        ("leader_board", LEADER_BOARD),
        ("round_history", ROUND_HISTORY),
        ("execution_summary", EXECUTION_SUMMARY),
        ("team_status", TEAM_STATUS),
    ];
    for (table, expected) in expected {
        assert_eq!(columns(&scene, table), expected, "{table}");
    }
    let tables = scene.select("SELECT count(*) AS n FROM duckdb_tables()");
    assert_eq!(tables, json!([{ "n": expected.len() }]));
}

#[test]
fn d7_d8_keys_indexes_and_sequences_are_those_that_readers_expect() {
    let scene = Scene::new();
    scene.write(vec![Row::RoundStatus(status("a", 1))]);
    let keys = scene.select(
        "SELECT table_name || ' ' || constraint_type || ' ' || array_to_string(constraint_column_names, ',') AS line
         FROM duckdb_constraints() WHERE constraint_type IN ('UNIQUE', 'PRIMARY KEY') ORDER BY line",
    );
    assert_eq!(
        texts(&keys),
        [
            "execution_summary PRIMARY KEY execution_id",
            "leader_board PRIMARY KEY id",
            "leader_board UNIQUE execution_id,team_id,round_number",
            "round_history PRIMARY KEY id",
            "round_history UNIQUE execution_id,team_id,round_number",
            "round_status PRIMARY KEY id",
            "round_status UNIQUE execution_id,team_id,round_number",
            "team_status UNIQUE execution_id,team_id",
        ]
    );
    let indexes = scene.select(
        "SELECT table_name || ' ' || expressions AS line FROM duckdb_indexes() ORDER BY line",
    );
    assert_eq!(
        texts(&indexes),
        [
            "execution_summary [status, completed_at]",
            "leader_board [execution_id, score, round_number]",
            "leader_board [execution_id]",
            "leader_board [score, created_at]",
            "round_history [execution_id, team_id, round_number]",
            "round_status [execution_id, team_id, round_number]",
        ]
    );
    let sequences =
        scene.select("SELECT sequence_name AS line FROM duckdb_sequences() ORDER BY line");
    assert_eq!(
        texts(&sequences),
        [
            "execution_summary_id_seq",
            "leader_board_id_seq",
            "round_history_id_seq",
            "round_status_id_seq"
        ]
    );
}

#[test]
fn d8_the_file_has_the_storage_version_that_all_of_duckdb_1_and_2_read() {
    let scene = Scene::new();
    scene.write(vec![Row::RoundStatus(status("a", 1))]);
    let found = scene.select(
        "SELECT tags['storage_version'] AS line FROM duckdb_databases() WHERE NOT internal",
    );
    assert_eq!(texts(&found), ["v1.0.0+"]);
    let header = std::fs::read(scene.db()).unwrap();
    assert_eq!(header[12..20], 64_u64.to_le_bytes());
}

/// The tables as mixseek makes them: scores are FLOAT, times are local, and there is no
/// team_status.
const MIXSEEK: &str = "
CREATE SEQUENCE leader_board_id_seq;
CREATE TABLE leader_board (
    id INTEGER PRIMARY KEY DEFAULT nextval('leader_board_id_seq'), execution_id VARCHAR NOT NULL,
    team_id VARCHAR NOT NULL, team_name VARCHAR NOT NULL, round_number INTEGER NOT NULL,
    submission_content VARCHAR NOT NULL, submission_format VARCHAR NOT NULL DEFAULT 'md',
    score FLOAT NOT NULL, score_details JSON NOT NULL, final_submission BOOLEAN NOT NULL DEFAULT FALSE,
    exit_reason VARCHAR, created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (execution_id, team_id, round_number));
INSERT INTO leader_board (execution_id, team_id, team_name, round_number, submission_content, score, score_details)
    VALUES ('old', 'a', 'Team a', 1, 'text', 78.67, '{}');
CREATE TABLE notes (text VARCHAR);
INSERT INTO notes VALUES ('of a person');";

#[test]
fn d8_a_database_of_mixseek_is_used_as_it_is() {
    let scene = Scene::new();
    scene.open().execute_batch(MIXSEEK).unwrap();
    assert_eq!(
        scene.ask(&json!({"contest": {"execution_id": "old"}}))["teams"],
        json!([]),
        "a table that is missing is empty"
    );
    scene.write(vec![
        Row::LeaderBoard(scored("a", 1, 12.3)),
        Row::RoundStatus(status("a", 1)),
    ]);
    assert_eq!(
        scene.select("SELECT execution_id AS e, score FROM leader_board ORDER BY id"),
        json!([{"e": "old", "score": 78.67}, {"e": "contest-1", "score": 12.3}])
    );
    let score =
        "SELECT data_type AS line FROM information_schema.columns WHERE column_name = 'score'";
    assert_eq!(texts(&scene.select(score)), ["FLOAT"]);
    assert_eq!(columns(&scene, "team_status"), TEAM_STATUS);
    assert_eq!(scene.select("FROM notes"), json!([{"text": "of a person"}]));
}
