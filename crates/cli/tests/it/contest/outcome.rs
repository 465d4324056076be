//! What people and programs are told: news, summaries, exit codes, the bill (D14).

use serde_json::{Value, json};

use super::arena::{Arena, Files, TASK};
use super::play::{Play, error, stops};
use crate::money::{USAGE, cost, usage};
use crate::world::{World, lines, text};

#[test]
fn the_news_of_a_contest_are_a_line_of_json_each_and_the_board_is_the_last() {
    let play = Play::new()
        .scores("alpha", &[60.0, 70.0])
        .evaluator("beta", 1, vec![error(400)])
        .judges(vec![stops()]);
    let arena = Files::of(&["alpha", "beta"]).rounds(2, 5).play(play);
    let out = arena.run();
    out.assert_code(1);
    let news = lines(&out.stdout);
    let id = text(&arena.board()["execution_id"]);
    assert!(
        news.iter().all(|it| it["execution_id"] == id.as_str()),
        "{news:?}"
    );
    let (board, rest) = news.split_last().unwrap();
    assert!(
        rest.iter()
            .all(|it| text(&it["time"]).parse::<jiff::Timestamp>().is_ok())
    );
    assert_eq!(rest[0]["type"], "contest_started");
    assert_eq!(
        (&rest[0]["teams"], &rest[0]["rounds_max"]),
        (&json!(2), &json!(5))
    );
    let of = |team: &str| {
        let own = rest.iter().filter(|it| it["team_id"] == team);
        let word = |it: &Value| format!("{} {}", text(&it["type"]), text(&it["round"]));
        own.map(word).collect::<Vec<String>>()
    };
    assert_eq!(
        of("alpha"),
        [
            "round_started 1",
            "submitted 1",
            "round_scored 1",
            "judged 1",
            "round_started 2",
            "submitted 2",
            "round_scored 2",
            "judged 2",
            "team_ended 2",
        ]
    );
    let beta = of("beta");
    assert_eq!(beta[..2], ["round_started 1", "submitted 1"]);
    assert_eq!(beta[2..6], ["trouble 1"; 4]);
    assert_eq!(beta[6..], ["round_failed 1", "team_ended null"]);
    let end = rest.last().unwrap();
    assert_eq!(end["type"], "contest_ended");
    assert_eq!(
        (&end["winner"], &end["score"]),
        (&json!("alpha"), &json!(70.0))
    );
    assert_eq!(
        (&board["type"], &board["winner"]),
        (&json!("board"), &json!("alpha"))
    );
    let mut same = board.clone();
    same.as_object_mut().unwrap().remove("type");
    assert_eq!(same, arena.board());
}

#[test]
fn the_summary_of_mixseek_has_the_shape_that_its_readers_know() {
    let play = Play::new()
        .scores("alpha", &[60.0, 70.0])
        .scores("beta", &[80.0])
        .evaluator("beta", 2, vec![error(400)])
        .evaluator("gamma", 1, vec![error(400)]);
    let arena = Files::of(&["alpha", "beta", "gamma"])
        .rounds(2, 2)
        .play(play);
    let out = arena.run_with(&["--summary", "mixseek"]);
    out.assert_code(1);
    let summary: Value = serde_json::from_str(&out.stdout).unwrap();
    let keys: Vec<&String> = summary.as_object().unwrap().keys().collect();
    for key in [
        "execution_id",
        "user_prompt",
        "team_results",
        "best_team_id",
        "best_score",
        "total_execution_time_seconds",
        "failed_teams_info",
        "created_at",
        "total_teams",
        "completed_teams",
        "failed_teams",
        "partial_team_ids",
        "partial_teams",
    ] {
        assert!(summary.get(key).is_some(), "{key}: {keys:?}");
    }
    assert_eq!(keys.len(), 13, "{keys:?}");
    assert_eq!(summary["user_prompt"], TASK);
    assert_eq!(
        (&summary["best_team_id"], &summary["best_score"]),
        (&json!("alpha"), &json!(70.0))
    );
    let numbers = [
        "total_teams",
        "completed_teams",
        "failed_teams",
        "partial_teams",
    ];
    assert_eq!(numbers.map(|key| summary[key].clone()), [3, 2, 2, 1]);
    assert_eq!(summary["partial_team_ids"], json!(["beta"]));
    let failed = summary["failed_teams_info"].as_array().unwrap();
    let ids: Vec<&Value> = failed.iter().map(|it| &it["team_id"]).collect();
    assert_eq!(ids, ["beta", "gamma"]);
    assert!(
        failed
            .iter()
            .all(|it| text(&it["error_message"]).contains("it is broken"))
    );
    let result = &summary["team_results"][0];
    for key in [
        "id",
        "execution_id",
        "team_id",
        "team_name",
        "round_number",
        "submission_content",
        "submission_format",
        "score",
        "score_details",
        "final_submission",
        "exit_reason",
        "created_at",
        "updated_at",
    ] {
        assert!(result.get(key).is_some(), "{key}: {result}");
    }
}

#[test]
fn show_tells_rounds_feedback_judgments_and_texts() {
    let play = Play::new().scores("alpha", &[61.25, 72.5]);
    let arena = Files::of(&["alpha", "beta"]).rounds(2, 2).play(play);
    arena.run_with(&[]).assert_code(0);
    let out = arena.contest(&["show", "--team", "alpha", "--submissions", "--prompts"]);
    out.assert_code(0);
    for words in [
        TASK,
        "61.25",
        "72.50",
        "worth 61.25",
        "there is more to gain",
        "alpha round 2.",
        "This is round 1 of at most 2",
    ] {
        assert!(out.stdout.contains(words), "{words}: {}", out.stdout);
    }
    assert!(!out.stdout.contains("beta round"), "{}", out.stdout);
    let out = arena.contest(&["show", "--team", "nobody"]);
    assert_eq!(out.code, 5, "{out:?}");
    assert!(out.stderr.contains("alpha, beta"), "{out:?}");
    let out = arena.contest(&["show", "--json"]);
    let report: Value = serde_json::from_str(&out.stdout).unwrap();
    assert_eq!(report["rounds"].as_array().unwrap().len(), 4);
}

#[test]
fn wrong_words_on_the_command_line_are_exit_code_2() {
    let world = World::new();
    for args in [
        &["contest"][..],
        &["contest", "run"],
        &["contest", "run", "x.toml", "task", "--no-such-flag"],
        &["contest", "run", "x.toml", "task", "--summary", "nonsense"],
        &["contest", "run", "x.toml", "task", "--timeout", "0"],
        &["contest", "board", "--sql", "SELECT 1", "--watch"],
    ] {
        let out = world.kumite(args);
        assert_eq!(out.code, 2, "{args:?}: {out:?}");
    }
    let out = world.kumite(&["contest", "run", "x.toml", "task"]);
    assert_eq!(out.code, 5, "{out:?}");
    assert!(out.stderr.contains("x.toml"), "{out:?}");
}

/// Two teams that cost money, one after the other.
fn priced(more: &str, play: Play) -> Arena {
    let world = World::new();
    let mut file = format!(
        "task = \"Do it.\"\n[contest]\nrounds_min = 1\nrounds_max = 2\n{more}\n\
         [[metric]]\nname = \"Relevance\"\nmodel = \"openai:fake\"\n\
         [judge]\nmodel = \"openai:fake\"\n\
         [price.\"openai:fake\"]\ninput = 10.0\noutput = 20.0\n"
    );
    for team in ["alpha", "beta"] {
        file += &format!(
            "[[team]]\nid = \"{team}\"\nmodel = \"openai:fake\"\n\
             system = \"You are team {team}.\"\n"
        );
    }
    world.write("contest.toml", &file);
    Arena::at(world, &["alpha".to_owned(), "beta".to_owned()], play)
}

/// 100 tokens in, 20 out.
const CALL_USD: f64 = 0.0014;

#[test]
fn d14_a_team_is_charged_for_its_own_work_and_not_for_waiting() {
    let play = Play::new().judges(vec![stops()]).delay_ms(200);
    let arena = priced("teams_at_once = 1", play);
    arena.contest(&["run", "contest.toml"]).assert_code(0);
    assert_eq!(arena.counts(), [2, 2, 2]);
    let board = arena.board();
    let is_near = |usd: &Value, calls: f64| (usd.as_f64().unwrap() - calls * CALL_USD).abs() < 1e-9;
    let teams = board["teams"].as_array().unwrap();
    assert_eq!(teams.len(), 2);
    // The house pays for the calls of the evaluator and the judge.
    assert!(
        teams.iter().all(|team| is_near(&team["cost_usd"], 1.0)),
        "{board}"
    );
    assert!(is_near(&board["cost_usd"], 6.0), "{board}");
    let seconds: Vec<f64> = teams
        .iter()
        .map(|it| it["seconds"].as_f64().unwrap())
        .collect();
    let elapsed = board["elapsed_seconds"].as_f64().unwrap();
    // Three calls each; while one team works the other waits and pays nothing.
    assert!(seconds.iter().all(|it| *it >= 0.6), "{board}");
    assert!(seconds.iter().sum::<f64>() <= elapsed, "{board}");
}

#[test]
fn d14_when_the_budget_is_spent_no_round_begins() {
    let arena = priced("budget_usd = 0.005", Play::new());
    let out = arena.contest(&["run", "contest.toml", "--json"]);
    out.assert_code(0);
    let board = arena.board();
    assert!(
        board["cost_usd"].as_f64().unwrap() < 0.005 + 4.0 * CALL_USD,
        "{board}"
    );
    let reasons = arena.rows("exit_reason", "team_status");
    assert_eq!(reasons, ["budget_reached", "budget_reached"]);
    assert_eq!(arena.leader_board().len(), 2);
}

#[test]
fn contests_are_in_the_books_of_the_project_and_in_its_budget_of_the_day() {
    let arena = priced("", Play::new());
    let world = &arena.world;
    world.settings("[budget]\nusd_per_day = 0.005");
    world.play(json!({}));
    let out = arena.contest(&["run", "contest.toml", "--json"]);
    out.assert_code(0);
    let board = arena.board();
    let id = text(&board["execution_id"]);
    assert_eq!(
        arena.rows("exit_reason", "team_status"),
        ["budget_reached", "budget_reached"]
    );
    let message = text(&arena.team("alpha")["message"]);
    assert!(message.contains("budget.usd_per_day"), "{message}");
    // `kumite cost` lists it beside the specs.
    let books = cost(world, &[]);
    assert_eq!(books["rows"][0]["contest"], json!(id), "{books}");
    assert_eq!(books["rows"][0]["cost_usd"], board["cost_usd"]);
    let steps = cost(world, &["--by", "step"]);
    let steps: Vec<String> = steps["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| text(&row["step"]))
        .collect();
    assert_eq!(steps, ["submit", "measure", "judge"]);
    // Nothing is left of the day's budget: neither for another contest nor for a spec.
    let refused = arena.contest(&["run", "contest.toml"]);
    refused.assert_code(4);
    assert!(refused.stderr.contains("budget.usd_per_day"), "{refused:?}");
    world.spec_ready_for_impl("login");
    world.kumite(&["run", "login"]).assert_code(4);
    assert_eq!(world.stands("login"), "paused budget");
    // Usage that a crash kept out of the file is written when the contest is opened again, and only
    // once.
    let before = usage(world);
    std::fs::remove_file(world.path(USAGE)).unwrap();
    for _ in 0..2 {
        arena.contest(&["resume", &id]).assert_code(0);
        assert_eq!(usage(world), before);
    }
}

#[test]
fn a_contest_elsewhere_is_told_where_the_page_of_the_project_listens() {
    let arena = priced("", Play::new().judges(vec![stops()]));
    let world = &arena.world;
    world.write("workspace/here", "");
    world.write(".kiro/kumite.toml", "");
    let run = ["run", "contest.toml", "--workspace", "workspace"];
    arena.contest(&run).assert_code(0);
    let news = |place: &str| lines(&world.read(&format!("{place}.kiro/runtime/kumite/news.jsonl")));
    let told = |place| {
        let keys = news(place).into_iter().map(|line| text(&line["key"]));
        keys.collect::<Vec<_>>()
    };
    assert!(!told("").is_empty());
    assert_eq!(told(""), told("workspace/"));
}

#[test]
fn the_demo_needs_no_key_and_no_server_and_leaves_a_board() {
    let world = World::new();
    let out = world.kumite(&["contest", "demo", "--dir", "demo", "--json"]);
    out.assert_code(0);
    assert_eq!(out.notices("contest_ended")[0]["state"], "done");
    let board = out.notices("board").pop().unwrap();
    assert_eq!(board["teams"].as_array().unwrap().len(), 5);
    let sql = "SELECT count(*) AS n FROM leader_board";
    let db = "demo/.kiro/runtime/kumite/board.duckdb";
    let rows = world.kumite(&["contest", "board", "--db", db, "--sql", sql, "--json"]);
    rows.assert_code(0);
    let rows: Value = serde_json::from_str(&rows.stdout).unwrap();
    let scored = board["teams"].as_array().unwrap().iter();
    let scored: u64 = scored.map(|team| team["rounds"].as_u64().unwrap()).sum();
    assert_eq!(rows["n"].as_u64().unwrap(), scored);
}

#[test]
fn the_example_that_init_writes_can_be_played_as_it_is() {
    let world = World::new();
    world.kumite(&["contest", "init"]).assert_code(0);
    world
        .kumite(&["contest", "run", "contest.toml", "--dry-run"])
        .assert_code(0);
    world
        .kumite(&["contest", "run", "contest.toml"])
        .assert_code(0);
    let out = world.kumite(&["contest", "board", "--json"]);
    let board: Value = serde_json::from_str(&out.stdout).unwrap();
    assert_eq!(board["state"], "done");
    let before = world.read("contest.toml");
    world.write("contest.toml", "mine\n");
    let out = world.kumite(&["contest", "init"]);
    assert_ne!(out.code, 0, "{out:?}");
    assert_eq!(world.read("contest.toml"), "mine\n");
    assert!(before.contains("[[team]]"));
}
