//! What is written is what is read.

use kumite_core::contest::rows::{ExecutionSummary, Row, TeamStatus};
use serde_json::{Value, json};

use crate::{Scene, TIME, history, request, scored, status};

fn team_status() -> TeamStatus {
    TeamStatus {
        execution_id: "contest-1".to_owned(),
        team_id: "a".to_owned(),
        team_name: "Team a".to_owned(),
        position: 3,
        state: "disqualified".to_owned(),
        exit_reason: Some("evaluator_failure".to_owned()),
        message: Some("the evaluator answered prose".to_owned()),
        updated_at: TIME,
    }
}

fn summary() -> ExecutionSummary {
    ExecutionSummary {
        execution_id: "contest-1".to_owned(),
        user_prompt: "sort a list".to_owned(),
        status: "partial_failure".to_owned(),
        team_results: "[]".to_owned(),
        total_teams: 2,
        best_team_id: Some("b".to_owned()),
        best_score: Some(78.67),
        total_execution_time_seconds: 12.25,
        completed_at: TIME + 2,
        created_at: TIME,
    }
}

#[test]
fn d7_d8_d9_every_field_of_every_table_is_stored_exactly() {
    let scene = Scene::new();
    let mut round = status("a", 1);
    round.should_continue = Some(true);
    round.reasoning = Some("it rises".to_owned());
    round.confidence_score = Some(0.1 + 0.2);
    round.round_ended_at = Some(TIME + 1);
    let mut board = scored("a", 1, 78.67);
    board.final_submission = true;
    board.exit_reason = Some("max_rounds_reached".to_owned());
    board.updated_at = TIME + 5;
    scene.write(vec![
        Row::RoundStatus(round),
        Row::LeaderBoard(board),
        Row::RoundHistory(history("a", 1)),
        Row::TeamStatus(team_status()),
        Row::ExecutionSummary(summary()),
    ]);
    let place = json!({ "id": 1, "execution_id": "contest-1", "team_id": "a", "team_name": "Team a", "round_number": 1 });
    let with = |more: Value| {
        let mut row = place.clone();
        let fields = more.as_object().unwrap().clone();
        row.as_object_mut().unwrap().extend(fields);
        json!([row])
    };
    assert_eq!(
        scene.select("FROM round_status"),
        with(json!({
            "should_continue": true, "reasoning": "it rises", "confidence_score": 0.1 + 0.2,
            "round_started_at": "2026-11-16T05:07:00.123Z", "round_ended_at": "2026-11-16T05:07:00.124Z",
            "created_at": "2026-11-16T05:07:00.123Z", "updated_at": "2026-11-16T05:07:00.123Z",
        }))
    );
    assert_eq!(
        scene.select("FROM leader_board"),
        with(json!({
            "submission_content": "what a hands in, round 1", "submission_format": "md",
            "score": 78.67, "score_details": r#"{"overall_score": 1}"#, "final_submission": true,
            "exit_reason": "max_rounds_reached",
            "created_at": "2026-11-16T05:07:00.123Z", "updated_at": "2026-11-16T05:07:00.128Z",
        }))
    );
    assert_eq!(
        scene.select("FROM round_history"),
        with(json!({
            "message_history": r#"[{"kind":"request"}]"#,
            "member_submissions_record": r#"{"total_count":0}"#,
            "created_at": "2026-11-16T05:07:00.123Z",
        }))
    );
    assert_eq!(
        scene.select("FROM team_status"),
        json!([{
            "execution_id": "contest-1", "team_id": "a", "team_name": "Team a",
            "state": "disqualified", "exit_reason": "evaluator_failure",
            "message": "the evaluator answered prose", "position": 3,
            "updated_at": "2026-11-16T05:07:00.123Z",
        }])
    );
    assert_eq!(
        scene.select("FROM execution_summary"),
        json!([{
            "execution_id": "contest-1", "user_prompt": "sort a list", "status": "partial_failure",
            "team_results": "[]", "total_teams": 2, "best_team_id": "b", "best_score": 78.67,
            "total_execution_time_seconds": 12.25, "completed_at": "2026-11-16T05:07:00.125Z",
            "created_at": "2026-11-16T05:07:00.123Z",
        }])
    );
}

#[test]
fn d8_texts_of_any_kind_and_size_come_back_as_they_were() {
    let scene = Scene::new();
    let large = "0123456789".repeat(1_000_000) + "\0end";
    let texts = [
        "\0 a NUL at both ends \0",
        "組手 🥋 \u{1f9d1}\u{200d}\u{1f4bb} \u{202e}right to left\u{fffe}",
        "'quoted' \"twice\" \\ back; DROP TABLE leader_board; -- $1 ? \r\n\t\u{1}",
        "",
        &large,
    ];
    let rows = texts.iter().zip(1..).map(|(text, round)| {
        let mut row = scored("a", round, f64::from(round) / 3.0);
        row.submission_content = (*text).to_owned();
        row.score_details = json!({ "comment": text }).to_string();
        row.exit_reason = Some((*text).to_owned());
        Row::LeaderBoard(row)
    });
    scene.write(rows.collect());
    let found = scene.select(
        "SELECT submission_content, score_details, exit_reason, score FROM leader_board ORDER BY round_number",
    );
    assert_eq!(found.as_array().unwrap().len(), texts.len());
    for ((row, text), round) in found.as_array().unwrap().iter().zip(texts).zip(1..) {
        assert!(row["submission_content"] == text, "round {round}");
        assert!(row["exit_reason"] == text, "round {round}");
        let details: Value = serde_json::from_str(row["score_details"].as_str().unwrap()).unwrap();
        assert!(details["comment"] == text, "round {round}");
        assert_eq!(row["score"].as_f64(), Some(f64::from(round) / 3.0));
    }
}

#[test]
fn d5_a_row_that_is_written_again_is_one_row_with_its_id_and_its_beginning() {
    let scene = Scene::new();
    scene.write(vec![
        Row::RoundStatus(status("a", 1)),
        Row::LeaderBoard(scored("a", 1, 50.0)),
        Row::ExecutionSummary(summary()),
    ]);
    let mut ended = status("a", 1);
    ended.round_started_at = None;
    ended.round_ended_at = Some(TIME + 1000);
    ended.should_continue = Some(false);
    ended.created_at = TIME + 1000;
    ended.updated_at = TIME + 1000;
    let mut best = scored("a", 1, 55.5);
    best.final_submission = true;
    best.exit_reason = Some("no_improvement_expected".to_owned());
    best.submission_content = "better".to_owned();
    best.created_at = TIME + 1000;
    best.updated_at = TIME + 1000;
    let mut end = summary();
    end.status = "completed".to_owned();
    end.completed_at = TIME + 1000;
    end.created_at = TIME + 1000;
    let again = vec![
        Row::RoundStatus(ended),
        Row::LeaderBoard(best),
        Row::ExecutionSummary(end),
        Row::RoundStatus(status("b", 1)),
    ];
    for _ in 0..2 {
        scene.write(again.clone());
    }
    assert_eq!(
        scene.select(
            "SELECT id, team_id, should_continue AS goes_on, round_started_at AS s, round_ended_at AS e,
             created_at AS c, updated_at AS u FROM round_status ORDER BY id"
        ),
        json!([
            {"id": 1, "team_id": "a", "goes_on": false, "s": "2026-11-16T05:07:00.123Z", "e": "2026-11-16T05:07:01.123Z",
             "c": "2026-11-16T05:07:00.123Z", "u": "2026-11-16T05:07:01.123Z"},
            {"id": 2, "team_id": "b", "goes_on": null, "s": "2026-11-16T05:07:00.123Z", "e": null,
             "c": "2026-11-16T05:07:00.123Z", "u": "2026-11-16T05:07:00.123Z"},
        ])
    );
    assert_eq!(
        scene.select(
            "SELECT id, score, final_submission AS f, exit_reason, submission_content AS t, created_at AS c,
             updated_at AS u FROM leader_board"
        ),
        json!([{"id": 1, "score": 55.5, "f": true, "exit_reason": "no_improvement_expected", "t": "better",
            "c": "2026-11-16T05:07:00.123Z", "u": "2026-11-16T05:07:01.123Z"}])
    );
    assert_eq!(
        scene.select("SELECT status, created_at AS c, completed_at AS d FROM execution_summary"),
        json!([{"status": "completed", "c": "2026-11-16T05:07:00.123Z", "d": "2026-11-16T05:07:01.123Z"}])
    );
}

#[test]
fn a_row_that_comes_several_times_in_one_transaction_is_the_last_one() {
    let scene = Scene::new();
    let rows = [10.0, 20.0, 30.0].map(|score| Row::LeaderBoard(scored("a", 1, score)));
    let mut starts = vec![
        Row::RoundStatus(status("a", 1)),
        Row::RoundStatus(status("a", 2)),
    ];
    let mut ended = status("a", 1);
    ended.round_started_at = None;
    ended.round_ended_at = Some(TIME + 7);
    starts.push(Row::RoundStatus(ended));
    let replies = scene.serve(&[request(1, rows.into()), request(2, starts)]);
    assert_eq!(
        replies,
        [json!({"id": 1, "ok": true}), json!({"id": 2, "ok": true})]
    );
    assert_eq!(
        scene.select("SELECT score FROM leader_board"),
        json!([{ "score": 30.0 }])
    );
    assert_eq!(
        scene.select("SELECT round_number AS n, round_started_at IS NULL AS no_start, round_ended_at IS NULL AS no_end
            FROM round_status ORDER BY id"),
        json!([{"n": 1, "no_start": false, "no_end": false}, {"n": 2, "no_start": false, "no_end": true}])
    );
}

#[test]
fn d11_fifty_teams_and_ten_rounds_are_exact() {
    let scene = Scene::new();
    let mut requests = Vec::new();
    for round in 1..=10 {
        for team in 0..50 {
            let name = format!("team-{team:02}");
            let rows = vec![
                Row::RoundStatus(status(&name, round)),
                Row::LeaderBoard(scored(&name, round, f64::from(team * 100 + round) / 7.0)),
                Row::RoundHistory(history(&name, round)),
            ];
            requests.push(request(requests.len() as u64, rows));
        }
    }
    let replies = scene.serve(&requests);
    assert_eq!(replies.len(), 500);
    assert!(replies.iter().all(|reply| reply["ok"] == true));
    let found = scene.select(
        "SELECT team_id, round_number, score, submission_content FROM leader_board ORDER BY ALL",
    );
    let expected: Vec<Value> = (0..50)
        .flat_map(|team| (1..=10).map(move |round| (team, round)))
        .map(|(team, round)| {
            let row = scored(
                &format!("team-{team:02}"),
                round,
                f64::from(team * 100 + round) / 7.0,
            );
            json!({"team_id": row.place.team_id, "round_number": round, "score": row.score,
                "submission_content": row.submission_content})
        })
        .collect();
    assert_eq!(found, Value::Array(expected));
    assert_eq!(
        scene.ask(&json!({"counts": {"execution_id": "contest-1"}})),
        json!({"round_status": 500, "leader_board": 500, "round_history": 500, "execution_summary": 0, "team_status": 0})
    );
}

#[test]
fn a_write_with_a_bad_row_leaves_nothing_and_spoils_no_other() {
    let scene = Scene::new();
    let mut bad = scored("b", 1, 1.0);
    bad.score_details = "not JSON".to_owned();
    let replies = scene.serve(&[
        request(1, vec![Row::LeaderBoard(scored("a", 1, 1.0))]),
        request(
            2,
            vec![Row::RoundStatus(status("b", 1)), Row::LeaderBoard(bad)],
        ),
        request(3, vec![Row::LeaderBoard(scored("c", 1, 1.0))]),
    ]);
    assert_eq!(
        (&replies[0]["ok"], &replies[2]["ok"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(replies[1]["error"]["kind"], "other");
    assert_eq!(
        scene.select("SELECT team_id FROM leader_board ORDER BY id"),
        json!([{"team_id": "a"}, {"team_id": "c"}])
    );
    assert_eq!(scene.select("FROM round_status"), json!([]));
}

#[test]
fn a_line_that_cannot_be_read_is_answered_and_the_next_one_is_served() {
    let scene = Scene::new();
    let unknown = json!({ "id": 7, "paint": {} });
    let no_score = json!({ "id": 8, "write": { "rows": [{ "table": "leader_board" }] } });
    let row = request(9, vec![Row::LeaderBoard(scored("a", 1, 1.0))]);
    let replies = scene.serve(&[
        json!("what?"),
        unknown,
        no_score,
        row,
        json!({ "id": 10, "close": {} }),
    ]);
    let heard: Vec<(&Value, bool)> = replies
        .iter()
        .map(|reply| (&reply["id"], reply["ok"] == true))
        .collect();
    assert_eq!(
        heard,
        [
            (&json!(null), false),
            (&json!(7), false),
            (&json!(8), false),
            (&json!(9), true),
            (&json!(10), true)
        ]
    );
    assert_eq!(scene.files(), ["board.duckdb"]);
}
