//! SQL of a user: it can only read, and only this database.

use std::fs;

use kumite_core::contest::rows::Row;
use serde_json::{Value, json};

use crate::{Scene, scored};

fn scene() -> Scene {
    let scene = Scene::new();
    scene.write(vec![
        Row::LeaderBoard(scored("a", 1, 50.0)),
        Row::LeaderBoard(scored("b", 1, 60.0)),
    ]);
    scene
}

fn refusal(scene: &Scene, sql: &str) -> Result<String, String> {
    let question = json!({ "sql": sql }).to_string();
    kumite_board::answer(&scene.db(), &question).map_err(|error| error.message)
}

#[test]
fn sql_can_neither_write_nor_look_at_other_files() {
    let scene = scene();
    let dir = scene.dir.path().display();
    fs::write(scene.path("secret.csv"), "a,b\n1,2\n").unwrap();
    fs::copy(scene.db(), scene.path("other.duckdb")).unwrap();
    let statements = [
        "INSERT INTO team_status VALUES ('a', 'b', 'c', 'd', NULL, NULL, 1, TIMESTAMP '2026-01-01')".to_owned(),
        "UPDATE leader_board SET score = 100".to_owned(),
        "DELETE FROM leader_board".to_owned(),
        "SELECT 1; DELETE FROM leader_board".to_owned(),
        "PREPARE p AS DELETE FROM leader_board; EXECUTE p".to_owned(),
        "MERGE INTO leader_board USING (SELECT 1) ON true WHEN MATCHED THEN DELETE".to_owned(),
        "DROP TABLE leader_board".to_owned(),
        "CREATE TABLE t (n INTEGER)".to_owned(),
        "ALTER TABLE leader_board ADD COLUMN n INTEGER".to_owned(),
        "COMMENT ON TABLE leader_board IS 'x'".to_owned(),
        "SELECT nextval('leader_board_id_seq')".to_owned(),
        format!("COPY leader_board TO '{dir}/out.csv'"),
        format!("COPY (SELECT 1) TO '{dir}/out.parquet' (FORMAT parquet)"),
        format!("EXPORT DATABASE '{dir}/out'"),
        format!("IMPORT DATABASE '{dir}/out'"),
        format!("ATTACH '{dir}/other.duckdb'"),
        format!("ATTACH '{dir}/new.duckdb' AS n"),
        format!("SELECT * FROM read_csv('{dir}/secret.csv')"),
        format!("SELECT * FROM '{dir}/secret.csv'"),
        format!("SELECT * FROM read_text('{dir}/secret.csv')"),
        format!("SELECT * FROM read_blob('{dir}/secret.csv')"),
        format!("SELECT * FROM glob('{dir}/*')"),
        "INSTALL httpfs".to_owned(),
        "LOAD httpfs".to_owned(),
        "CREATE PERSISTENT SECRET s (TYPE http)".to_owned(),
        "SET enable_external_access = true".to_owned(),
        "SET lock_configuration = false".to_owned(),
        "RESET lock_configuration".to_owned(),
        "SET memory_limit = '100GB'".to_owned(),
        "PRAGMA enable_profiling = 'json'".to_owned(),
        format!("PRAGMA profiling_output = '{dir}/profile.json'"),
        format!("SET log_query_path = '{dir}/log'"),
    ];
    let before = fs::read(scene.db()).unwrap();
    let files = scene.files();
    for sql in statements {
        let refusal = refusal(&scene, &sql);
        assert!(
            refusal
                .as_ref()
                .is_err_and(|said| said.starts_with("the database cannot answer that: ")),
            "{sql}: {refusal:?}"
        );
    }
    assert_eq!(fs::read(scene.db()).unwrap(), before);
    assert_eq!(scene.files(), files);
}

#[test]
fn what_is_wrong_with_sql_is_said() {
    let scene = scene();
    let said = |sql: &str| refusal(&scene, sql).unwrap_err();
    assert!(said("SELEC 1").contains("SELEC"));
    assert!(said("SELECT points FROM leader_board").contains("points"));
    assert!(
        said("SELECT * FROM leaderboard").contains("leader_board"),
        "the nearest name"
    );
    assert!(said(" ").contains("no statement"));
    assert!(said("SELECT time_ns FROM test_all_types()").contains("VARCHAR"));
}

#[test]
fn sql_that_takes_too_long_is_ended_because_nobody_can_write_meanwhile() {
    let scene = scene();
    let said = refusal(
        &scene,
        "SELECT sum(a.range * b.range) FROM range(10000000) a, range(100000000) b",
    );
    assert!(
        said.as_ref()
            .is_err_and(|said| said.contains("took longer than 5 s")),
        "{said:?}"
    );
}

#[test]
fn values_of_all_types_have_a_form_in_json() {
    let scene = scene();
    let found = scene.select(
        "SELECT 1 AS a, 2.50 AS a, 9223372036854775808::HUGEINT AS huge, sum(1) AS sum, true AS yes, NULL AS none,
         'NaN'::DOUBLE AS nan, 0.1::FLOAT AS float, 99999999999999.99999999 AS exact, 'text' AS text,
         '\\x00\\xFF'::BLOB AS bytes, DATE '2026-11-16' AS day, TIME '05:07:00.5' AS hour,
         TIMESTAMP '2026-11-16 05:07:00' AS time, TIMESTAMPTZ '2026-11-16 05:07:00+09' AS zoned,
         'infinity'::TIMESTAMP AS never, [1, 2] AS list, {'k': 'v'} AS struct, MAP {'k': 1} AS map,
         INTERVAL 90 SECOND AS span, uuid '00000000-0000-0000-0000-000000000001' AS uuid, '{\"j\": 1}'::JSON AS json",
    );
    let expected = json!([{
        "a": 1, "a_1": 2.5, "huge": "9223372036854775808", "sum": 1, "yes": true, "none": null,
        "nan": "NaN", "float": 0.1, "exact": "99999999999999.99999999", "text": "text",
        "bytes": "\\x00ff", "day": "2026-11-16", "hour": "05:07:00.5",
        "time": "2026-11-16T05:07:00Z", "zoned": "2026-11-15T20:07:00Z",
        "never": i64::MAX, "list": [1, 2], "struct": { "k": "v" }, "map": { "k": 1 },
        "span": "0 months 0 days 90 seconds", "uuid": "00000000-0000-0000-0000-000000000001", "json": "{\"j\": 1}",
    }]);
    assert_eq!(found, expected);
    let names = found[0].as_object().unwrap().keys().take(3);
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["a", "a_1", "huge"],
        "columns keep their order"
    );
}

#[test]
fn an_answer_comes_as_json_csv_markdown_or_a_table() {
    let scene = scene();
    let sql = "SELECT team_id, score, 'a|b, \"c\"' || chr(10) || 'd' AS text, NULL AS none FROM leader_board ORDER BY id";
    let ask = |format: &str| {
        let question: Value = json!({ "sql": sql, "format": format });
        kumite_board::answer(&scene.db(), &question.to_string()).unwrap()
    };
    assert_eq!(
        ask("csv"),
        "team_id,score,text,none\na,50.0,\"a|b, \"\"c\"\"\nd\",\nb,60.0,\"a|b, \"\"c\"\"\nd\",\n"
    );
    assert_eq!(
        ask("md"),
        "| team_id | score | text | none |\n| --- | --- | --- | --- |\n\
         | a | 50.0 | a\\|b, \"c\"<br>d |  |\n| b | 60.0 | a\\|b, \"c\"<br>d |  |\n"
    );
    assert_eq!(
        ask("table"),
        "team_id  score  text        none\na        50.0   a|b, \"c\" d\nb        60.0   a|b, \"c\" d\n"
    );
    assert!(ask("json").starts_with(r#"[{"team_id":"a","score":50.0,"#));
}
