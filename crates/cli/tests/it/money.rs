//! Money and tokens (T10): the usage of agents is recorded once, and budgets hold.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::watch::held;
use crate::world::{Out, World, lines, text, until};

pub const USAGE: &str = ".kiro/runtime/kumite/usage.jsonl";

pub fn world(budget: &str) -> World {
    let world = World::new();
    set_budget(&world, budget);
    world.play(json!({}));
    world
}

fn set_budget(world: &World, budget: &str) {
    // Specs are implemented at the same time here.
    world.settings(&format!("[worktree]\nmode = \"off\"\n[budget]\n{budget}"));
}

pub fn usage(world: &World) -> Vec<Value> {
    match world.path(USAGE).exists() {
        true => lines(&world.read(USAGE)),
        false => Vec::new(),
    }
}

/// The steps in usage.jsonl, in order.
fn paid_steps(world: &World) -> Vec<String> {
    usage(world)
        .iter()
        .map(|line| text(&line["step"]))
        .collect()
}

/// `kumite cost --json` with these arguments.
pub fn cost(world: &World, args: &[&str]) -> Value {
    let out = world.kumite(&[&["cost", "--json"], args].concat());
    out.assert_code(0);
    serde_json::from_str(&out.stdout).unwrap()
}

pub fn total(world: &World, args: &[&str]) -> f64 {
    cost(world, args)["total"]["cost_usd"].as_f64().unwrap()
}

#[track_caller]
fn assert_out_of_money(world: &World, spec: &str, out: &Out, words: &str) {
    out.assert_code(4);
    assert_eq!(world.stands(spec), "paused budget");
    let message = text(&world.status(spec)["message"]);
    assert_eq!(message, format!("{words}, then `kumite resume {spec}`"));
}

#[test]
fn t10_a_run_that_reached_its_budget_starts_nothing_more_and_goes_on_when_it_is_raised() {
    let world = world("usd_per_run = 0.05");
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"impl": {"cost": 0.0512}}}));
    let out = world.kumite(&["run", "login", "--json"]);
    let words = "the budget of $0.05 a run is spent ($0.0512); raise budget.usd_per_run";
    assert_out_of_money(&world, "login", &out, words);
    assert_eq!(world.steps("login"), ["impl 1"]);
    let end = &out.notices("run_ended")[0];
    assert_eq!(
        (&end["state"], &end["reason"]),
        (&json!("paused"), &json!("budget"))
    );
    // Nothing has changed: no agent is started.
    let out = world.kumite(&["resume", "login"]);
    assert_out_of_money(&world, "login", &out, words);
    assert_eq!(paid_steps(&world), ["impl"]);
    set_budget(&world, "usd_per_run = 0.06");
    world.kumite(&["resume", "login"]).assert_code(0);
    assert_eq!(world.stands("login"), "done all_phases_done");
    assert_eq!(world.steps("login"), ["impl 1", "inspect 1"]);
    assert_eq!(paid_steps(&world), ["impl", "inspect"]);
}

#[test]
fn t10_a_budget_that_is_raised_counts_in_the_engine_that_works() {
    let world = world("usd_per_run = 0.05");
    world.spec_ready_for_impl("first");
    world.spec_ready_for_impl("second");
    world.play(json!({"steps": {"first/impl": held(), "second/impl": {"cost": 0.05}}}));
    let first = world.start(&["run", "first"]);
    world.wait_for_step("first", "impl 1");
    world.kumite(&["run", "second"]).assert_code(4);
    set_budget(&world, "usd_per_run = 0.07");
    world.kumite(&["resume", "second"]).assert_code(0);
    world.go();
    first.wait().assert_code(0);
}

#[test]
fn t10_the_budget_of_a_day_is_shared_by_specs_and_by_runs_after_each_other() {
    let world = world("usd_per_day = 0.25");
    for spec in ["first", "second", "third"] {
        world.spec_ready_for_impl(spec);
    }
    world.play(json!({"steps": {"impl": {"cost": 0.1}, "inspect": {"cost": 0.02}}}));
    world.kumite(&["run", "first"]).assert_code(0);
    let out = world.kumite(&["run", "second", "third", "--jobs", "1"]);
    let words = "the budget of $0.25 a day is spent ($0.34 today); raise budget.usd_per_day";
    assert_out_of_money(&world, "third", &out, words);
    assert_eq!(world.stands("second"), "done all_phases_done");
    assert_eq!(world.steps("third"), ["impl 1"]);
    assert_eq!(total(&world, &[]), 0.34);
    set_budget(&world, "usd_per_day = 0.35");
    world.kumite(&["resume", "third"]).assert_code(0);
}

#[test]
fn t10_a_new_day_has_a_new_budget_also_for_an_engine_that_works_over_midnight() {
    let mut world = world("usd_per_day = 1");
    let clock = world.path("clock").display().to_string();
    world.env.push(("KUMITE_CLOCK_AHEAD".to_owned(), clock));
    world.write("clock", "0");
    world.spec_ready_for_impl("long");
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"long/impl": held(), "login/impl": {"cost": 0.99}}}));
    let engine = world.start(&["run", "long"]);
    world.wait_for_step("long", "impl 1");
    let out = world.kumite(&["run", "login"]);
    let words = "the budget of $1.00 a day is spent or reserved ($0.99 spent today, $0.10 reserved \
                 for 1 agent at work); wait for them or raise budget.usd_per_day";
    assert_out_of_money(&world, "login", &out, words);
    world.write("clock", &(25 * 3_600_000).to_string());
    world.kumite(&["resume", "login"]).assert_code(0);
    world.go();
    engine.wait().assert_code(0);
    let by_day = cost(&world, &["--by", "day"]);
    let days: Vec<String> = by_day["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| text(&row["day"]))
        .collect();
    assert_eq!(days.len(), 2, "{by_day}");
    assert!(days[0] < days[1], "the newest day is last: {days:?}");
    assert_eq!(total(&world, &["--since", &days[0]]), 1.02);
    assert_eq!(total(&world, &["--since", &days[1]]), 0.03);
}

#[test]
fn t10_agents_that_fail_or_are_limited_cost_what_they_cost() {
    let world = world("usd_per_run = 0.09");
    world.spec_ready_for_impl("login");
    let limited = json!({"tick": 0, "result": "limit", "resets_in_s": 3600, "cost": 0.04});
    let failed = json!({"tick": 0, "result": "error", "cost": 0.05});
    world.play(json!({"steps": {"impl": [limited, failed]}}));
    world.kumite(&["run", "login", "--no-wait"]).assert_code(75);
    world.kumite(&["resume", "login"]).assert_code(1);
    let out = world.kumite(&["resume", "login"]);
    let words = "the budget of $0.09 a run is spent ($0.09); raise budget.usd_per_run";
    assert_out_of_money(&world, "login", &out, words);
    let seen: Vec<(String, f64)> = usage(&world)
        .iter()
        .map(|line| (text(&line["outcome"]), line["usd"].as_f64().unwrap()))
        .collect();
    assert_eq!(
        seen,
        [("limited".to_owned(), 0.04), ("failed".to_owned(), 0.05)]
    );
}

/// Every point that this run passes between an event and its consequences.
fn points(world: &mut World) -> Vec<String> {
    let report = world.path("points").display().to_string();
    world.env = vec![("KUMITE_CRASH_REPORT".to_owned(), report)];
    world.kumite(&["run", "login"]);
    world.env.clear();
    let mut points = Vec::new();
    for name in ["recorded login", "acted login", "known login"] {
        let passed = world
            .read("points")
            .lines()
            .filter(|it| *it == name)
            .count();
        points.extend((1..=passed).map(|times| format!("{times} {name}")));
    }
    points
}

#[test]
fn t10_a_killed_kumite_loses_no_line_and_doubles_none() {
    let enough = ("usd_per_day = 1", 0, &["impl", "inspect"][..]);
    let too_little = ("usd_per_run = 0.01", 4, &["impl"][..]);
    for (budget, code, steps) in [enough, too_little] {
        let project = || {
            let world = world(budget);
            world.spec_ready_for_impl("login");
            world
        };
        let points = points(&mut project());
        assert!(points.len() > 12, "{points:?}");
        for point in points {
            let mut world = project();
            world.env = vec![("KUMITE_CRASH_AT".to_owned(), point.clone())];
            world.kumite(&["run", "login"]).assert_code(137);
            world.env.clear();
            world.kumite(&["run", "login"]).assert_code(code);
            assert_eq!(paid_steps(&world), steps, "{point}");
        }
    }
}

#[test]
fn t10_claude_is_told_what_is_left() {
    let world = world("usd_per_run = 1\nusd_per_day = 0.9");
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"impl": {"cost": 0.25}}}));
    world.kumite(&["run", "login"]).assert_code(0);
    let caps: Vec<Option<String>> = world.launches().iter().map(cap).collect();
    assert_eq!(
        caps,
        [Some("0.900000".to_owned()), Some("0.650000".to_owned())]
    );
    set_budget(&world, "");
    world.spec_ready_for_impl("free");
    world.kumite(&["run", "free"]).assert_code(0);
    assert_eq!(cap(&world.launches()[2]), None);
}

fn cap(launch: &Value) -> Option<String> {
    let argv: Vec<String> = launch["argv"]
        .as_array()
        .unwrap()
        .iter()
        .map(text)
        .collect();
    let at = argv.iter().position(|word| word == "--max-budget-usd")?;
    Some(argv[at + 1].clone())
}

#[test]
fn t10_a_program_that_stops_at_its_cap_pauses_the_run_and_goes_on_in_its_session() {
    let world = world("usd_per_run = 1");
    world.spec_ready_for_impl("login");
    let reached = "\"subtype\":\"error_max_budget_usd\",\"is_error\":true,\"errors\":[\"Reached maximum budget ($1)\"]";
    let reached = result_line(reached, "1.02");
    let tick = "sed -i 's/\\[ \\]/[x]/' .kiro/specs/login/tasks.md";
    let done = result_line("\"subtype\":\"success\",\"is_error\":false", "0.10");
    script(
        &world,
        &format!(
            "case \"$*\" in\n*--resume*) {tick}; printf '%s\\n' '{done}' ;;\n\
             *) printf '%s\\n' '{reached}'; exit 1 ;;\nesac"
        ),
    );
    let out = world.kumite(&["run", "login", "--until", "impl"]);
    let words = "the agent stopped at what was left for it (Reached maximum budget ($1)); raise \
                 budget.usd_per_run or budget.usd_per_day";
    assert_out_of_money(&world, "login", &out, words);
    let out = world.kumite(&["run", "login", "--until", "impl"]);
    let words = "the budget of $1.00 a run is spent ($1.02); raise budget.usd_per_run";
    assert_out_of_money(&world, "login", &out, words);
    let settings = world.read(".kiro/kumite.toml");
    world.write(
        ".kiro/kumite.toml",
        &settings.replace("usd_per_run = 1", "usd_per_run = 2"),
    );
    world
        .kumite(&["run", "login", "--until", "impl"])
        .assert_code(0);
    assert_eq!(paid_steps(&world), ["impl", "impl"]);
    assert_eq!(total(&world, &[]), 1.12);
}

/// A result in Claude Code's format.
pub fn result_line(how: &str, price: &str) -> String {
    format!(
        "{{\"type\":\"result\",{how},\"total_cost_usd\":{price},\
         \"usage\":{{\"input_tokens\":7,\"output_tokens\":3}},\"session_id\":\"s\"}}"
    )
}

/// A script in place of Claude Code, with otherwise unchanged settings.
pub fn script(world: &World, text: &str) {
    world.write("claude.sh", &format!("#!/bin/sh\n{text}\n"));
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.path("claude.sh"), executable).unwrap();
    let settings = world.read(".kiro/kumite.toml");
    let above = settings.split("[agents.claude]").next().unwrap().to_owned();
    let program = world.path("claude.sh").display().to_string();
    let below = format!("[agents.claude]\nprogram = {program:?}\n");
    world.write(".kiro/kumite.toml", &(above + &below));
}

#[test]
fn t10_an_agent_that_is_found_again_after_a_crash_has_its_reservation_again() {
    let world = world("usd_per_day = 0.1");
    world.spec_ready_for_impl("first");
    world.spec_ready_for_impl("second");
    world.play(json!({"steps": {"first/impl": held()}}));
    let engine = world.start(&["run", "first"]);
    world.wait_for_step("first", "impl 1");
    engine.signal("KILL");
    engine.wait().assert_code(137);
    let engine = world.start(&["run", "first"]);
    until("the engine to answer", || {
        world.path(".kiro/runtime/kumite/control.sock").exists()
            && world.status("first")["state"] == "working"
    });
    // It may still cost ten cents, as far as is known.
    let out = world.kumite(&["run", "second"]);
    let words = "the budget of $0.10 a day is spent or reserved ($0.00 spent today, $0.10 reserved \
                 for 1 agent at work); wait for them or raise budget.usd_per_day";
    assert_out_of_money(&world, "second", &out, words);
    assert_eq!(world.steps("second"), [""; 0]);
    world.go();
    engine.wait().assert_code(0);
    world.kumite(&["resume", "second"]).assert_code(0);
    assert_eq!(total(&world, &[]), 0.04);
}

#[test]
fn t10_many_at_once_exceed_the_budget_of_a_day_by_no_more_than_those_at_work() {
    let world = world("usd_per_day = 1");
    let specs = ["a", "b", "c", "d", "e", "f", "g", "h"];
    for spec in specs {
        world.spec_ready_for_impl(spec);
    }
    world.play(json!({"default": {"cost": 0.3}}));
    let run = [&["run", "--jobs", "3"], &specs[..]].concat();
    world.kumite(&run).assert_code(4);
    let spent = total(&world, &[]);
    assert!((1.0..1.0 + 3.0 * 0.3).contains(&spent), "{spent}");
    for spec in specs {
        let stands = world.stands(spec);
        assert!(
            ["paused budget", "done all_phases_done"].contains(&stands.as_str()),
            "{stands}"
        );
    }
    assert_eq!(usage(&world).len(), world.launches().len());
}

#[test]
fn t10_a_budget_of_a_day_that_cannot_be_checked_starts_nobody() {
    let world = world("usd_per_day = 1");
    world.spec_ready_for_impl("login");
    std::fs::create_dir_all(world.path(USAGE)).unwrap();
    world.kumite(&["run", "login"]).assert_code(4);
    assert_eq!(world.stands("login"), "paused budget");
    let message = text(&world.status("login")["message"]);
    assert!(
        message.contains("usage.jsonl, which cannot be read"),
        "{message}"
    );
    assert_eq!(world.steps("login"), [""; 0]);
    std::fs::remove_dir(world.path(USAGE)).unwrap();
    world.kumite(&["resume", "login"]).assert_code(0);
}

#[test]
fn s6_a_walk_with_approvals_by_hand_is_one_run_with_one_purse() {
    let world = world("usd_per_run = 0.015");
    world.write(
        ".kiro/kumite.toml",
        &format!(
            "{}\n[run]\nauto_approve = false\n",
            world.read(".kiro/kumite.toml")
        ),
    );
    world.spec("walk");
    world.kumite(&["run", "walk"]).assert_code(3);
    world.kumite(&["approve", "walk"]).assert_code(0);
    world.kumite(&["resume", "walk"]).assert_code(3);
    assert_eq!(world.status("walk")["cost_usd"], 0.02);
    world.kumite(&["approve", "walk"]).assert_code(0);
    // $0.02 of $0.015 are spent: no agent is started any more.
    world.kumite(&["resume", "walk"]).assert_code(4);
    assert_eq!(world.stands("walk"), "paused budget");
    let by_spec = cost(&world, &["--by", "spec"]);
    assert_eq!(
        by_spec["total"]["cost_usd"],
        world.status("walk")["cost_usd"]
    );
}
