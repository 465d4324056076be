//! Many teams, several contests, and readers beside them (D1, D11, D13).

use std::collections::{BTreeMap, BTreeSet};

use super::arena::{Arena, Files};
use super::play::{Play, Role, error, said, say};
use crate::world::{lines, until};

const FIVE: [&str; 5] = ["alpha", "beta", "gamma", "delta", "eps"];

/// A different score for every team and round, the best in the middle.
fn points(team: usize, round: u32) -> f64 {
    let hill = [0.25, 3.5, 7.75, 5.0, 1.0];
    8.0 * (team + 1) as f64 + hill[round as usize % 5]
}

fn hills(teams: &[&str], rounds: u32) -> Play {
    let each = teams.iter().enumerate();
    each.fold(Play::new(), |play, (index, team)| {
        let scores: Vec<f64> = (1..=rounds).map(|round| points(index, round)).collect();
        play.scores(team, &scores)
    })
}

#[test]
fn d11_s17_five_teams_of_five_rounds_leave_every_row_exact() {
    let arena = Files::of(&FIVE).rounds(5, 5).play(hills(&FIVE, 5));
    arena.run().assert_code(0);
    let mut expected = Vec::new();
    for (index, team) in FIVE.iter().enumerate() {
        for round in 1..=5 {
            let end = match round {
                2 => "true max_rounds_reached",
                _ => "false null",
            };
            expected.push(format!("{team} {round} {} {end}", points(index, round)));
        }
    }
    expected.sort();
    assert_eq!(arena.leader_board(), expected);
    let tables = [
        "leader_board",
        "round_status",
        "round_history",
        "execution_summary",
    ];
    let counts =
        tables.map(|table| arena.rows("n", &format!("(SELECT count(*) AS n FROM {table})")));
    assert_eq!(counts, [["25"], ["25"], ["25"], ["1"]]);
    assert_eq!(arena.summary(), ["completed eps 5"]);
    for (index, team) in FIVE.iter().enumerate() {
        for round in 1..=5u32 {
            let content = arena.rows(
                "submission_content",
                &format!("leader_board WHERE team_id = '{team}' AND round_number = {round}"),
            );
            assert_eq!(content, [said(team, round)], "{index}");
        }
    }
    // Nothing was requested twice.
    assert_eq!(arena.counts(), [25, 25, 5]);
}

#[test]
fn d13_a_round_takes_less_than_30_seconds_at_the_95th_percentile() {
    let arena = Files::of(&FIVE).rounds(5, 5).play(Play::new());
    arena.run().assert_code(0);
    let took = arena.rows(
        "ms",
        "(SELECT quantile_disc(date_diff('millisecond', round_started_at, round_ended_at), 0.95) \
         AS ms FROM round_status)",
    );
    let took: f64 = took[0].parse().unwrap();
    println!("95% of 25 rounds took at most {took} ms");
    assert!(took < 30_000.0, "{took}");
}

#[test]
fn d1_all_teams_work_at_once_and_each_goes_through_its_rounds_on_its_own() {
    // Alpha is delayed in round 1 until beta has played all of its rounds.
    let play = Play::new().leader("alpha", 1, vec![error(503)]);
    let arena = Files::of(&["alpha", "beta"])
        .rounds(3, 3)
        .patient()
        .play(play);
    let running = arena.start(&["--json"]);
    until("beta to end", || arena.happened("saved", 1, 3) == 1);
    assert_eq!(arena.happened("submitted", 0, 1), 0);
    arena.replay(Play::new());
    running.wait().assert_code(0);
    assert_eq!(arena.summary(), ["completed alpha 2"]);
    assert_eq!(arena.leader_board().len(), 6);
}

#[test]
fn d11_max_concurrent_teams_is_never_exceeded_and_every_row_is_there() {
    let teams = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].map(|it| format!("team-{it}"));
    let teams: Vec<&str> = teams.iter().map(String::as_str).collect();
    let arena = Files::of(&teams)
        .rounds(3, 3)
        .orchestrator("max_concurrent_teams = 3")
        .play(hills(&teams, 3).delay_ms(30));
    arena.run().assert_code(0);
    assert_eq!(arena.leader_board().len(), 30);
    assert_eq!(arena.round_status().len(), 30);
    assert_eq!(arena.counts(), [30, 30, 10]);
    // As the server saw it: a team is active from its first request to its last one.
    let asked = arena.asked();
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for it in &asked {
        *left.entry(&it.team).or_default() += 1;
    }
    let mut at_it: BTreeSet<&str> = BTreeSet::new();
    let mut most = 0;
    for it in &asked {
        at_it.insert(&it.team);
        most = most.max(at_it.len());
        let left = left.get_mut(it.team.as_str()).unwrap();
        *left -= 1;
        if *left == 0 {
            at_it.remove(it.team.as_str());
        }
    }
    assert_eq!(most, 3);
}

#[test]
fn s14_two_contests_at_once_in_one_workspace_both_end_with_all_their_rows() {
    let arena = Files::of(&["alpha", "beta"])
        .rounds(4, 4)
        .play(hills(&["alpha", "beta"], 4).delay_ms(40));
    let first = arena.start(&["--json"]);
    let second = arena.start(&["--json"]);
    let ids: Vec<String> = [first, second].map(|it| ended(&it.wait())).into();
    assert_ne!(ids[0], ids[1]);
    for id in &ids {
        let of = |table: &str| {
            let rows = arena.rows("team_id", &format!("{table} WHERE execution_id = '{id}'"));
            rows.len()
        };
        let tables = [
            "leader_board",
            "round_status",
            "round_history",
            "team_status",
        ];
        assert_eq!(tables.map(of), [8, 8, 8, 2]);
        assert_eq!(
            of("(SELECT *, best_team_id AS team_id FROM execution_summary)"),
            1
        );
    }
    // They ran in parallel: the second one began before the first one had ended.
    let spans = arena.rows(
        "id",
        "(SELECT s.execution_id AS id FROM execution_summary s JOIN round_status r \
         ON r.execution_id <> s.execution_id AND r.round_started_at < s.completed_at \
         GROUP BY s.execution_id)",
    );
    assert_eq!(spans.len(), 2);
}

fn ended(out: &crate::world::Out) -> String {
    out.assert_code(0);
    let end = out.notices("contest_ended").pop().unwrap();
    assert_eq!(
        (&end["state"], &end["winner"]),
        (&"done".into(), &"beta".into())
    );
    crate::world::text(&end["execution_id"])
}

#[test]
fn d7_s15_readers_are_answered_while_a_contest_runs() {
    let play = Play::new()
        .scores("alpha", &[64.0])
        .leader("alpha", 2, vec![error(503)]);
    let arena = Files::of(&["alpha"]).rounds(2, 2).patient().play(play);
    let running = arena.start(&["--json"]);
    until("round 2", || arena.count(Role::Leader, "alpha", 2) > 0);
    let watching = arena
        .world
        .start(&["contest", "board", "--watch", "--json"]);

    let board = arena.board();
    assert_eq!(
        (&board["state"], &board["winner"]),
        (&"running".into(), &serde_json::Value::Null)
    );
    let team = &board["teams"][0];
    assert_eq!(
        (&team["state"], &team["score"]),
        (&"working".into(), &64.0.into())
    );
    assert_eq!(
        (&team["rounds"], &team["current_round"]),
        (&1.into(), &2.into())
    );
    assert_eq!(arena.leader_board(), ["alpha 1 64 false null"]);
    assert_eq!(arena.team_status(), ["alpha working null"]);
    // D7: the start of a round is in the database as soon as it has started.
    until("the second round to be in the database", || {
        arena.round_status() == ["alpha 1 true", "alpha 2 null"]
    });
    let open = arena.rows(
        "round_number, round_ended_at",
        "round_status WHERE round_started_at IS NOT NULL AND round_ended_at IS NULL",
    );
    assert_eq!(open, ["2 null"]);
    assert_eq!(arena.summary(), [""; 0]);
    assert_export(&arena);

    arena.replay(Play::new().scores("alpha", &[64.0, 90.0]));
    running.wait().assert_code(0);
    let seen = watching.wait();
    seen.assert_code(0);
    let boards = lines(&seen.stdout);
    assert_eq!(boards.first().unwrap()["state"], "running");
    let last = boards.last().unwrap();
    assert_eq!(
        (&last["state"], &last["teams"][0]["score"]),
        (&"done".into(), &90.0.into())
    );
    assert_eq!(
        arena.leader_board()[1],
        "alpha 2 90 true max_rounds_reached"
    );
}

/// Exports while it runs, in all formats.
fn assert_export(arena: &Arena) {
    let csv = arena.contest(&["board", "--csv"]);
    csv.assert_code(0);
    assert!(
        csv.stdout.contains("alpha") && csv.stdout.contains("64"),
        "{csv:?}"
    );
    let md = arena.contest(&["board", "--md", "board.md"]);
    md.assert_code(0);
    assert!(arena.world.read("board.md").contains("| alpha"), "{md:?}");
    let parquet = arena.contest(&["board", "--parquet", "board.parquet"]);
    parquet.assert_code(0);
    let bytes = std::fs::read(arena.world.path("board.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}

#[test]
fn s15_sql_is_only_read() {
    let arena = Files::of(&["alpha"]).rounds(1, 1).play(Play::new());
    arena.run().assert_code(0);
    for sql in [
        "DELETE FROM leader_board",
        "DROP TABLE leader_board",
        "UPDATE leader_board SET score = 100",
        "CREATE TABLE mine (x INTEGER)",
        "ATTACH 'other.db'",
        "COPY leader_board TO 'stolen.csv'",
        "SELECT 1; DELETE FROM leader_board",
        "SELECT * FROM read_csv('configs/orchestrator.toml')",
        "SELECT nonsense FROM nowhere",
        "",
    ] {
        let out = arena.contest(&["board", "--sql", sql, "--json"]);
        assert_eq!(out.code, 5, "{sql}: {out:?}");
        assert!(!out.stderr.is_empty(), "{sql}: {out:?}");
    }
    assert!(!arena.world.path("other.db").exists());
    assert!(!arena.world.path("stolen.csv").exists());
    assert_eq!(arena.leader_board(), ["alpha 1 50 true max_rounds_reached"]);
    let table = arena.contest(&["board", "--sql", "SELECT team_id, score FROM leader_board"]);
    table.assert_code(0);
    assert!(
        table.stdout.contains("team_id") && table.stdout.contains("alpha"),
        "{table:?}"
    );
}

#[test]
fn d1_a_members_work_is_the_leaders_tool() {
    let arena = Files::of(&["alpha"])
        .rounds(1, 1)
        .leader("[[team.members]]\nname = \"helper\"\ntype = \"plain\"\nmodel = \"openai:fake\"\nsystem_instruction = \"You help.\"")
        .play(Play::new());
    let mut script = Play::new().script(arena.teams());
    let call = kumite_fake_model::Act::Tool {
        name: "delegate_to_helper".to_owned(),
        input: serde_json::json!({"task": "count the syllables"}),
    };
    let rule = |beside: &str, acts| kumite_fake_model::Rule {
        beside: beside.to_owned(),
        acts,
        ..kumite_fake_model::Rule::default()
    };
    script.rules.insert(
        0,
        rule("You are team alpha.", vec![call, say("alpha round 1.")]),
    );
    script
        .rules
        .insert(0, rule("You help.", vec![say("seventeen")]));
    arena.model.set(script);
    arena.run().assert_code(0);
    assert_eq!(arena.leader_board(), ["alpha 1 50 true max_rounds_reached"]);
    let record = arena.rows("member_submissions_record", "round_history");
    for words in [
        "seventeen",
        "\"agent_name\":\"helper\"",
        "\"status\":\"SUCCESS\"",
    ] {
        assert!(record[0].contains(words), "{record:?}");
    }
}
