//! What agents have used: usage.jsonl and `kumite cost` (T10).

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::money::{USAGE, cost, result_line, script, total, usage, world};
use crate::world::{World, fake_agent, text};

#[test]
fn t10_who_was_never_started_has_no_line() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.settings(
        "[agent]\ndefault = \"none\"\n[agents.none]\nkind = \"command\"\ncommand = [\"./gone\"]",
    );
    world.kumite(&["run", "login"]).assert_code(1);
    assert_eq!(world.stands("login"), "failed agent_missing");
    assert_eq!(usage(&world), Vec::<Value>::new());
    let out = world.kumite(&["cost"]);
    assert_eq!(
        out.assert_code(0).stdout,
        "no agent has ended yet, so nothing is spent; `kumite run` starts some\n"
    );
    let nothing = cost(&world, &[]);
    assert_eq!(nothing["rows"], json!([]));
    assert_eq!(nothing["total"]["cost_usd"], 0.0);
}

#[test]
fn t10_a_line_tells_who_did_what_for_how_much() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"impl": [{"tick": 1, "cost": 0.125}, {}]}}));
    world.kumite(&["run", "login"]).assert_code(0);
    let usage = usage(&world);
    let launches = world.launches();
    assert_eq!(usage.len(), 3);
    let pick = |line: &Value, keys: &[&str]| -> Vec<Value> {
        keys.iter().map(|key| line[*key].clone()).collect()
    };
    let keys = [
        "spec", "run", "phase", "step", "round", "attempt", "program", "kind", "outcome",
    ];
    let row = |step: &str, phase: &str, round: Option<u32>, attempt: Option<u32>| {
        let row = json!([
            "login", 1, phase, step, round, attempt, "claude", "claude", "finished"
        ]);
        row.as_array().unwrap().clone()
    };
    assert_eq!(pick(&usage[0], &keys), row("impl", "impl", None, Some(0)));
    assert_eq!(pick(&usage[1], &keys), row("impl", "impl", None, Some(1)));
    assert_eq!(
        pick(&usage[2], &keys),
        row("inspect", "inspection", Some(1), None)
    );
    let used = pick(&usage[0], &["usd", "input_tokens", "output_tokens"]);
    assert_eq!(used, [json!(0.125), json!(1000), json!(100)]);
    for (line, launch) in usage.iter().zip(&launches) {
        assert_eq!(line["agent"], launch["agent"]);
        assert_eq!(text(&line["day"]).len(), 10);
    }
}

#[test]
fn t10_what_status_and_cost_say_of_a_run_is_the_same() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"default": {"cost": 0.095488}, "steps": {"reply/1": {"fix": 1}}}));
    // Two runs: both count.
    world
        .kumite(&["run", "login", "--until", "requirements"])
        .assert_code(0);
    world.kumite(&["run", "login"]).assert_code(0);
    let status = world.status("login");
    let cost = cost(&world, &["login"]);
    for used in ["cost_usd", "input_tokens", "output_tokens"] {
        assert_eq!(status[used], cost["total"][used], "{used}");
        assert_eq!(status[used], cost["rows"][0][used], "{used}");
    }
    assert_eq!(cost["total"]["agents"], world.launches().len());
}

#[test]
fn t10_a_cost_that_can_be_none_counts_nothing() {
    for price in ["NaN", "-5", "-Infinity", "null", "\"free\""] {
        let world = world("usd_per_run = 0.01");
        world.spec_ready_for_impl("login");
        let tick = "sed -i 's/\\[ \\]/[x]/' .kiro/specs/login/tasks.md";
        let result = result_line("\"subtype\":\"success\",\"is_error\":false", price);
        script(&world, &format!("{tick}\nprintf '%s\\n' '{result}'"));
        world
            .kumite(&["run", "login", "--until", "impl"])
            .assert_code(0);
        assert_eq!(usage(&world)[0]["usd"], Value::Null, "{price}");
        let cost = cost(&world, &[]);
        assert_eq!(cost["total"]["cost_usd"], 0.0, "{price}");
        assert_eq!(cost["total"]["input_tokens"], 7, "{price}");
    }
}

#[test]
fn t10_what_was_used_is_added_up_by_whatever_a_person_asks_for() {
    let world = World::new();
    world.settings("[agent.phase]\nimpl = \"mine\"\n[agents.mine]\nkind = \"command\"\ncommand = [\"./mine.sh\"]");
    world.spec("login");
    world.spec_ready_for_impl("search");
    world.play(json!({"default": {"cost": 1.25}}));
    let tick = "sed -i 's/\\[ \\]/[x]/' .kiro/specs/$KUMITE_SPEC/tasks.md";
    let report = r#"{"kumite":1,"usage":{"input_tokens":1234567,"output_tokens":5}}"#;
    script(&world, "");
    world.write("mine.sh", &format!("#!/bin/sh\n{tick}\necho '{report}'\n"));
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.path("mine.sh"), executable).unwrap();
    let agent = fake_agent().display();
    world.write("claude.sh", &format!("#!/bin/sh\nexec {agent} \"$@\"\n"));
    world.kumite(&["run", "login", "search"]).assert_code(0);
    let out = world.kumite(&["cost"]);
    let table: Vec<&str> = out.assert_code(0).stdout.lines().collect();
    assert_eq!(table[0], "spec    agents    cost  tokens in  tokens out");
    assert_eq!(table[1], "login        7  $7.50+  1,240,567         605");
    assert_eq!(table[2], "search       2  $1.25+  1,235,567         105");
    assert_eq!(table[3], "total        9  $8.75+  2,476,134         710");
    assert!(
        table[4].starts_with("2 agents told no price"),
        "{}",
        table[4]
    );
    let names = |by: &str| -> Vec<String> {
        let cost = cost(&world, &["--by", by]);
        assert_eq!(cost["by"], by);
        assert_eq!(cost["total"]["cost_usd"], 8.75);
        let rows = cost["rows"].as_array().unwrap().iter();
        rows.map(|row| format!("{} {}", text(&row[by]), row["agents"]))
            .collect()
    };
    assert_eq!(names("agent"), ["claude 7", "mine 2"]);
    assert_eq!(
        names("phase"),
        [
            "requirements 1",
            "design 1",
            "tasks 1",
            "document-review 2",
            "impl 2",
            "inspection 2"
        ]
    );
    assert_eq!(
        names("step"),
        [
            "requirements 1",
            "design 1",
            "tasks 1",
            "review 1",
            "reply 1",
            "impl 2",
            "inspect 2"
        ]
    );
    assert_eq!(names("day").len(), 1);
    let mine = cost(&world, &["--by", "agent", "search"]);
    assert_eq!(mine["rows"][1]["unpriced"], 1);
    assert_eq!(mine["rows"][1]["cost_usd"], 0.0);
    // A removed spec keeps its cost; one that never existed is not found.
    std::fs::remove_dir_all(world.path(".kiro/specs/search")).unwrap();
    assert_eq!(total(&world, &["search"]), 1.25);
    world.kumite(&["cost", "nobody"]).assert_code(5);
    world
        .kumite(&["cost", "--since", "yesterday"])
        .assert_code(2);
    let out = world.kumite(&["cost", "--since", "2999-01-01"]);
    assert_eq!(
        out.assert_code(0).stdout,
        "no agent has ended since 2999-01-01\n"
    );
}

#[test]
fn t10_garbage_in_usage_jsonl_is_said_and_left_out_and_what_was_cut_off_is_repaired() {
    let world = world("usd_per_day = 1");
    world.spec_ready_for_impl("login");
    world.kumite(&["run", "login"]).assert_code(0);
    let good = world.read(USAGE);
    world.write(USAGE, &format!("{good}not a line\n{}", &good[..20]));
    world.spec_ready_for_impl("search");
    world.kumite(&["run", "search"]).assert_code(0);
    let out = world.kumite(&["cost", "--json"]);
    let cost: Value = serde_json::from_str(&out.assert_code(0).stdout).unwrap();
    assert_eq!(cost["total"]["agents"], 4);
    assert!(out.stderr.contains("1 lines of "), "{}", out.stderr);
}
