//! Reading what happened: log, events, replay, prompt, config, completions, man.

use serde_json::json;

use crate::watch::held;
use crate::world::{World, text};

fn finished() -> World {
    let world = World::new();
    world.spec("login");
    world.kumite(&["run", "login"]).assert_code(0);
    world
}

#[test]
fn log_shows_what_the_agents_said_oldest_first() {
    let world = finished();
    let out = world.kumite(&["log", "login"]);
    out.assert_code(0);
    let place = |words: &str| {
        out.stdout
            .find(words)
            .unwrap_or_else(|| panic!("{words}: {out:?}"))
    };
    assert!(place("work on requirements") < place("work on design"));
    assert!(place("work on impl") < place("work on inspect"));
    assert!(out.stdout.contains("The step is done."), "{out:?}");
    assert!(!out.stdout.contains("\"type\""), "not for people: {out:?}");
}

#[test]
fn log_raw_gives_the_bytes_of_one_agent() {
    let world = finished();
    let agent = text(&world.launches()[1]["agent"]);
    let raw = world.kumite(&["log", "login", "--raw", "--agent", &agent]);
    raw.assert_code(0);
    assert_eq!(
        raw.stdout,
        world.read(&format!(".kiro/specs/login/logs/{agent}.log"))
    );
    assert_eq!(raw.json().first().unwrap()["subtype"], "init");
    assert_eq!(raw.json().last().unwrap()["type"], "result");
    let lines = world
        .kumite(&["log", "login", "--json", "--agent", &agent])
        .json();
    assert!(lines.iter().all(|line| line["agent"] == agent.as_str()));
}

#[test]
fn log_follows_a_run_to_its_end() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"design": held()}}));
    let running = world.start(&["run", "login"]);
    world.wait_for_step("login", "design 1");
    let mut log = world.start(&["log", "login", "-f"]);
    assert!(log.is_running());
    world.go();
    running.wait().assert_code(0);
    let out = log.wait();
    out.assert_code(0);
    assert!(
        out.stdout.contains("work on requirements"),
        "what was before: {out:?}"
    );
    assert!(
        out.stdout.contains("work on inspect"),
        "and what came: {out:?}"
    );
}

#[test]
fn a_spec_that_never_ran_has_nothing_to_show() {
    let world = World::new();
    world.spec("login");
    for args in [
        &["log", "login"][..],
        &["log", "login", "-f"],
        &["events", "login"],
        &["events", "login", "--json"],
        &["replay", "login", "--json"],
    ] {
        let out = world.kumite(args);
        out.assert_code(0);
        assert!(out.stdout.is_empty(), "{args:?}: {out:?}");
    }
    assert!(
        world
            .kumite(&["replay", "login"])
            .stdout
            .contains("never run")
    );
}

#[test]
fn events_are_shown_for_people_and_for_programs() {
    let world = finished();
    let out = world.kumite(&["events", "login", "--json"]);
    out.assert_code(0);
    assert_eq!(out.json(), world.events("login"));
    for event in out.json() {
        assert!(
            event["type"].is_string()
                && event["message"].is_string()
                && event["timestamp"].is_string(),
            "{event}"
        );
    }
    let shown = world.kumite(&["events", "login"]).stdout;
    assert_eq!(shown.lines().count(), out.json().len());
    assert!(
        shown.contains("agent:complete") && shown.contains("auto-execution:complete"),
        "{shown}"
    );
}

#[test]
fn events_of_the_predecessor_are_kept_and_garbled_lines_skipped() {
    let world = World::new();
    world.spec("login");
    let old = "{\"timestamp\":\"2025-01-01T00:00:00.000Z\",\"type\":\"review:start\",\"message\":\"old\"}\nnot json\n";
    world.write(".kiro/specs/login/events.jsonl", old);
    world
        .kumite(&["run", "login", "--until", "requirements"])
        .assert_code(0);
    assert!(
        world
            .read(".kiro/specs/login/events.jsonl")
            .starts_with(old)
    );
    let events = world.kumite(&["events", "login", "--json"]).json();
    assert_eq!(events[0]["message"], "old");
    assert_eq!(events[1]["type"], "auto-execution:start");
}

#[test]
fn replay_shows_every_entry_its_decision_and_the_evidence() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"reply": [{"fix": 2}, {}]}}));
    world.kumite(&["run", "login"]).assert_code(0);
    let lines = world.entries("login");
    let seqs: Vec<u64> = lines
        .iter()
        .map(|line| line["entry"]["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(seqs, (1..=10).collect::<Vec<_>>(), "a start and nine ends");
    assert!(
        lines
            .iter()
            .all(|line| !line["effects"].as_array().unwrap().is_empty())
    );
    let shown = world.kumite(&["replay", "login"]).stdout;
    for words in [
        "start requested",
        "review 1: 2 to fix, 0 to discuss",
        "another round",
        "-> start agent-",
        "done: all phases are done",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    // Reading changes nothing.
    assert_eq!(world.entries("login").len(), 10);
}

#[test]
fn prompt_prints_what_is_asked_of_an_agent_in_every_step() {
    let world = World::new();
    for step in [
        "requirements",
        "design",
        "tasks",
        "review",
        "reply",
        "impl",
        "inspect",
        "fix",
        "merge",
        "spec-init",
    ] {
        let out = world.kumite(&["prompt", step]);
        out.assert_code(0);
        assert!(
            out.stdout.len() > 500 && out.stdout.contains("$ARGUMENTS"),
            "{step}"
        );
    }
    let filled = world.kumite(&["prompt", "reply", "login", "2", "--json"]);
    let filled = filled.assert_code(0).json().pop().unwrap();
    assert!(text(&filled["prompt"]).contains("login 2"), "{filled}");
    let out = world.kumite(&["prompt", "lunch"]);
    out.assert_code(5);
    assert!(out.stderr.contains("spec-requirements"), "{out:?}");
}

#[test]
fn config_show_says_where_each_value_comes_from() {
    let mut world = World::new();
    world.settings("[review]\nrounds_max = 4\n[impl]\nretries_max = 6");
    world.write(
        "home/kumite/config.toml",
        "[review]\nrounds_max = 2\n[inspection]\nrounds_max = 5\n",
    );
    let home = world.path("home").display().to_string();
    world.env.push(("XDG_CONFIG_HOME".into(), home));
    world
        .env
        .push(("KUMITE_IMPL__RETRIES_MAX".into(), "3".into()));
    let out = world.kumite(&["config", "show", "--origin"]);
    out.assert_code(0);
    let line = |key: &str| -> String {
        let found = out.stdout.lines().find(|line| line.starts_with(key));
        found.unwrap_or_else(|| panic!("{key}: {out:?}")).to_owned()
    };
    for (key, value, origin) in [
        ("run.jobs", "= 5", "# default"),
        ("review.rounds_max", "= 4", ".kiro/kumite.toml"),
        ("inspection.rounds_max", "= 5", "home/kumite/config.toml"),
        (
            "impl.retries_max",
            "= 3",
            "environment KUMITE_IMPL__RETRIES_MAX",
        ),
    ] {
        assert!(
            line(key).contains(value) && line(key).contains(origin),
            "{}",
            line(key)
        );
    }
    let plain = world.kumite(&["config", "show"]).stdout;
    assert!(
        plain.contains("review.rounds_max = 4") && !plain.contains('#'),
        "{plain}"
    );
    let json = world
        .kumite(&["config", "show", "--json"])
        .json()
        .pop()
        .unwrap();
    let rows = json["settings"].as_array().unwrap();
    assert!(
        rows.iter()
            .any(|row| row["key"] == "run.jobs" && row["origin"] == "default"),
        "{json}"
    );
}

#[test]
fn e1_3_config_show_names_the_steering_file_that_the_commands_come_from() {
    let world = World::new();
    let file = ".kiro/steering/verification-commands.md";
    let table = "| Type | Command | Workdir |\n|---|---|---|\n| test | `make test` | . |\n";
    world.write(file, table);
    let line = || -> String {
        let out = world.kumite(&["config", "show", "--origin"]);
        out.assert_code(0);
        let mut lines = out.stdout.lines();
        let line = lines.find(|line| line.starts_with("verify.command ="));
        line.unwrap_or_else(|| panic!("{out:?}")).to_owned()
    };
    let shown = line();
    assert!(
        shown.contains("run = \"make test\"") && shown.ends_with(file),
        "{shown}"
    );
    world.settings("[[verify.command]]\nname = \"own\"\nrun = [\"true\"]");
    let shown = line();
    assert!(
        shown.contains("\"own\"") && shown.ends_with(".kiro/kumite.toml"),
        "{shown}"
    );

    world.settings("");
    world.write(file, &format!("{table}| lint | a | b | c |\n"));
    let out = world.kumite(&["config", "show"]);
    out.assert_code(5);
    let said = format!("{file}: line 4: this row has 4 cells");
    assert!(out.stderr.contains(&said), "{out:?}");
}

#[test]
fn a_wrong_setting_in_the_environment_is_named() {
    let mut world = World::new();
    world.spec("login");
    world
        .env
        .push(("KUMITE_AGENT__SILENCE_TIMEOUT".into(), "soon".into()));
    let out = world.kumite(&["run", "login"]);
    out.assert_code(5);
    assert!(
        out.stderr.contains("KUMITE_AGENT__SILENCE_TIMEOUT"),
        "{out:?}"
    );
    assert!(world.launches().is_empty());
}

#[test]
fn completions_and_man_page_are_printed() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish"] {
        let out = world.kumite(&["completions", shell]);
        out.assert_code(0);
        assert!(
            out.stdout.contains("kumite") && out.stdout.contains("detach"),
            "{shell}"
        );
    }
    world.kumite(&["completions", "tea"]).assert_code(2);
    let man = world.kumite(&["man"]);
    man.assert_code(0);
    assert!(man.stdout.contains(".TH kumite 1"), "{}", man.stdout);
}

/// kumite with a stdout that nobody reads: its exit code, and its message.
fn unread(world: &World, args: &[&str]) -> (Option<i32>, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let out = world.command(args).stdout(writer).output().unwrap();
    let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
    (out.status.code(), stderr)
}

#[test]
fn a_reader_that_went_away_is_no_reason_to_break() {
    let world = World::new();
    world.spec("login");
    let (code, said) = unread(&world, &["run", "login"]);
    assert_eq!((code, said.as_str()), (Some(0), ""), "the work goes on");
    assert_eq!(world.stands("login"), "done all_phases_done");
    for args in [
        &["status"][..],
        &["status", "login", "--json"],
        &["log", "login"],
        &["log", "login", "--raw"],
        &["events", "login"],
        &["replay", "login"],
        &["prompt", "impl"],
        &["config", "show"],
        &["doctor"],
        &["stop", "login"],
        &["man"],
        &["completions", "bash"],
    ] {
        let (_, said) = unread(&world, args);
        assert!(!said.contains("panicked"), "{args:?}: {said}");
    }
}
