//! What it does well, or badly on demand.

use std::fs::{self};

use serde_json::{Value, json};

use crate::stage::Stage;
#[test]
fn without_a_play_every_step_is_done_well() {
    let stage = Stage::new();
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
    ] {
        let end = stage.run(step, 1);
        assert_eq!(end.status.code(), Some(0), "{step}");
        assert_eq!(end.results()[0]["subtype"], "success", "{step}");
    }
    for document in ["requirements.md", "design.md", "document-review-1.md"] {
        assert!(stage.read(document).len() > 100, "{document}");
    }
    assert!(
        stage
            .read("document-review-1-reply.md")
            .contains("| Info | 1 | 0 | 1 | 0 |")
    );
    assert_eq!(stage.read("tasks.md").matches("- [x] ").count(), 3);
    assert!(stage.read("inspection-1.md").contains("**Judgment**: GO\n"));
}

#[test]
fn the_output_is_claude_codes() {
    let stage = Stage::new();
    let mut command = stage.command("design", 1);
    command.args([
        "-p",
        "--session-id",
        "11111111-2222-4333-8444-555555555555",
        "--",
        "--resume",
        "x",
    ]);
    let end = stage.finish(command);
    let lines = end.lines();
    let kinds: Vec<_> = lines
        .iter()
        .map(|line| line["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        ["system", "assistant", "assistant", "user", "result"]
    );
    assert!(
        lines
            .iter()
            .all(|line| line["session_id"] == "11111111-2222-4333-8444-555555555555")
    );
    assert_eq!(
        lines[2]["message"]["content"][0]["id"],
        lines[3]["message"]["content"][0]["tool_use_id"]
    );
    assert_eq!(lines[4]["total_cost_usd"], 0.01);
}

#[test]
fn every_launch_and_every_normal_end_is_logged() {
    let stage = Stage::new();
    let mut command = stage.command("impl", 2);
    command
        .args(["--resume", "abc", "--", "prompt"])
        .env("GIT_DIR", "/nowhere");
    stage.finish(command);
    let log = stage.log();
    assert_eq!(log.len(), 2);
    assert_eq!(log[0]["spec"], "login");
    assert_eq!(log[0]["step"], "impl");
    assert_eq!(log[0]["round"], 2);
    assert_eq!(log[0]["resumed"], "abc");
    assert_eq!(log[0]["key"], "default");
    assert_eq!(log[0]["git_env"], json!(["GIT_DIR"]));
    assert_eq!(log[0]["argv"].as_array().unwrap().len(), 5);
    assert_eq!(log[1]["ended"], "agent-7");
    assert_eq!(log[1]["exit"], 0);
}

#[test]
fn the_most_specific_key_wins() {
    let stage = Stage::new();
    stage.play(json!({
        "default": {"exit": 10},
        "steps": {"impl": {"exit": 11}, "impl/2": {"exit": 12}, "login/impl": {"exit": 13}, "login/impl/3": {"exit": 14}}
    }));
    let exit = |spec: &str, step, round| {
        let mut command = stage.command(step, round);
        command.env("KUMITE_SPEC", spec);
        stage.finish(command).status.code()
    };
    assert_eq!(exit("login", "design", 1), Some(10));
    assert_eq!(exit("other", "impl", 1), Some(11));
    assert_eq!(exit("other", "impl", 2), Some(12));
    assert_eq!(exit("login", "impl", 2), Some(13));
    assert_eq!(exit("login", "impl", 3), Some(14));
}

#[test]
fn the_launches_under_a_key_take_its_actions_in_turn_and_the_last_repeats() {
    let stage = Stage::new();
    stage.play(json!({"steps": {"reply": [{"exit": 1}, {"exit": 2}]}}));
    let exits: Vec<_> = (1..=3)
        .map(|round| stage.run("reply", round).status.code())
        .collect();
    assert_eq!(exits, [Some(1), Some(2), Some(2)]);
}

#[test]
fn launches_at_the_same_moment_take_different_actions() {
    let stage = Stage::new();
    let actions: Vec<_> = (0..8).map(|code| json!({"exit": code})).collect();
    stage.play(json!({"steps": {"review": actions}}));
    let children: Vec<_> = (0..8).map(|_| stage.start("review", 1)).collect();
    let mut exits: Vec<_> = children
        .into_iter()
        .map(|child| child.finish().status.code().unwrap())
        .collect();
    exits.sort();
    assert_eq!(exits, (0..8).collect::<Vec<_>>());
}

#[test]
fn a_play_is_found_above_the_worktree() {
    let stage = Stage::new();
    stage.play(json!({"steps": {"merge": {"exit": 9}}}));
    let worktree = stage.path(".kiro/worktrees/specs/login");
    fs::create_dir_all(&worktree).unwrap();
    let mut command = stage.command("merge", 1);
    command.current_dir(&worktree);
    assert_eq!(stage.finish(command).status.code(), Some(9));
    assert_eq!(stage.log().len(), 2);
}

#[test]
fn an_unknown_key_is_refused_by_name() {
    let stage = Stage::new();
    for (play, message) in [
        (
            json!({"steps": {"impl": [{}, {"slep_ms": 1}]}}),
            "impl: unknown field `slep_ms`",
        ),
        (json!({"steps": {"inpl": {}}}), "`inpl` is not"),
        (json!({"acts": {}}), "unknown field `acts`"),
        (
            json!({"default": {"tick": "some"}}),
            "`tick` is a number or \"all\"",
        ),
    ] {
        stage.play(play);
        let end = stage.run("impl", 1);
        assert_eq!(end.status.code(), Some(2));
        assert!(end.stderr.contains(message), "{}", end.stderr);
    }
    let log = stage.log();
    assert_eq!(log.len(), 4);
    assert!(log[0]["error"].as_str().unwrap().contains("slep_ms"));
}

#[test]
fn a_reply_counts_in_the_table_and_in_spec_json() {
    let stage = Stage::new();
    stage.play(json!({"steps": {"reply": {"fix": 3, "discuss": 1}}}));
    stage.run("reply", 2);
    let reply = stage.read("document-review-2-reply.md");
    for row in [
        "| Critical | 1 | 1 | 0 | 0 |",
        "| Warning | 2 | 2 | 0 | 0 |",
        "| Info | 2 | 0 | 1 | 1 |",
    ] {
        assert!(reply.contains(row), "{reply}");
    }
    let spec = stage.spec_json();
    let rounds = &spec["documentReview"]["roundDetails"];
    assert_eq!(rounds[1]["roundNumber"], 2);
    assert_eq!(rounds[1]["status"], "reply_complete");
    assert_eq!(rounds[1]["fixRequiredCount"], 3);
    assert_eq!(rounds[1]["needsDiscussionCount"], 1);
    // Everything else is unchanged and in its order.
    assert_eq!(rounds[0], json!({"roundNumber": 1, "mine": true}));
    let keys: Vec<_> = spec.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["zebra", "phase", "documentReview", "apple"]);
    assert_eq!(spec["phase"], "tasks-generated");
}

#[test]
fn the_places_of_the_counts_can_be_chosen() {
    for (action, in_table, in_json) in [
        (json!({"fix": 1, "counts": "table"}), true, Value::Null),
        (
            json!({"fix": 1, "counts": "json", "names": "shipped"}),
            false,
            json!(1),
        ),
        (json!({"fix": 1, "counts": "none"}), false, Value::Null),
        (
            json!({"fix": 1, "counts": "conflict", "names": "shipped"}),
            true,
            json!(2),
        ),
    ] {
        let stage = Stage::new();
        stage.play(json!({"default": action}));
        stage.run("reply", 1);
        let reply = stage.read("document-review-1-reply.md");
        assert_eq!(reply.contains("| Warning | 1 | 1 | 0 | 0 |"), in_table);
        assert_eq!(
            stage.spec_json()["documentReview"]["roundDetails"][0]["fixRequired"],
            in_json
        );
    }
}

#[test]
fn the_places_of_the_verdict_can_be_chosen() {
    for (place, in_report, in_json) in [
        ("both", true, json!("nogo")),
        ("report", true, Value::Null),
        ("json", false, json!("nogo")),
        ("none", false, Value::Null),
        ("conflict", true, json!("go")),
    ] {
        let stage = Stage::new();
        stage.play(json!({"default": {"verdict": "nogo", "verdict_in": place}}));
        stage.run("inspect", 1);
        assert_eq!(
            stage
                .read("inspection-1.md")
                .contains("**Judgment**: NOGO\n"),
            in_report,
            "{place}"
        );
        assert_eq!(
            stage.spec_json()["inspection"]["rounds"][0]["result"],
            in_json,
            "{place}"
        );
    }
}

#[test]
fn impl_ticks_as_many_boxes_as_it_is_told_and_only_real_tasks() {
    let stage = Stage::new();
    let tasks = "- [x] 1. a\n- [ ] 2. b\r\n  - [ ] nested\n- [ ]* optional\n```\n- [ ] code\n```\n- [ ] 3. c\n## Appendix\n- [ ] check\n";
    stage.write("tasks.md", tasks);
    stage.play(json!({"steps": {"impl": [{"tick": 0}, {"tick": 1}, {}]}}));
    stage.run("impl", 1);
    assert_eq!(stage.read("tasks.md"), tasks);
    stage.run("impl", 1);
    assert_eq!(
        stage.read("tasks.md"),
        tasks.replace("[ ] 2. b", "[x] 2. b")
    );
    stage.run("impl", 1);
    let done = tasks
        .replace("[ ] 2. b", "[x] 2. b")
        .replace("[ ] nested", "[x] nested")
        .replace("[ ] 3. c", "[x] 3. c");
    assert_eq!(stage.read("tasks.md"), done);
}

#[test]
fn bad_work_leaves_bad_files_and_spec_json_alone() {
    let stage = Stage::new();
    let before = stage.read("spec.json");
    stage.play(json!({"steps": {
        "reply": {"write": "half"}, "inspect": {"write": "half"}, "review": {"write": "empty"},
        "design": {"write": "touch"}, "requirements": {"write": "nothing"}
    }}));
    for step in ["reply", "inspect", "review", "design", "requirements"] {
        stage.run(step, 1);
    }
    assert!(
        stage
            .read("document-review-1-reply.md")
            .ends_with("| Warning |")
    );
    assert!(stage.read("inspection-1.md").ends_with("**Judgment**: "));
    assert_eq!(stage.read("document-review-1.md"), "");
    assert_eq!(stage.read("design.md"), "");
    assert!(!stage.spec_path("requirements.md").exists());
    assert_eq!(stage.read("spec.json"), before);
}

#[test]
fn given_files_are_added_to_the_work_or_take_its_place() {
    let stage = Stage::new();
    stage.play(json!({"steps": {
        "design": {"write": {"design.md": "mine", "deep/er.md": "too"}},
        "requirements": {"write": {"requirements.md": null}},
        "tasks": {"write": {"extra.md": "more"}, "tasks": 1}
    }}));
    for step in ["design", "requirements", "tasks"] {
        stage.run(step, 1);
    }
    assert_eq!(stage.read("design.md"), "mine");
    assert_eq!(stage.read("deep/er.md"), "too");
    assert!(!stage.spec_path("requirements.md").exists());
    assert_eq!(stage.read("tasks.md").matches("- [ ]").count(), 1);
    assert_eq!(stage.read("extra.md"), "more");
}

#[test]
fn spec_json_can_be_patched_and_garbled() {
    let stage = Stage::new();
    stage.play(json!({"steps": {
        "design": {"spec_json": {"phase": null, "autoExecution": {"permissions": {"impl": false}}}},
        "tasks": {"garble_spec_json": "{\"phase\": "}
    }}));
    stage.run("design", 1);
    let spec = stage.spec_json();
    assert_eq!(spec.get("phase"), None);
    assert_eq!(spec["autoExecution"]["permissions"]["impl"], false);
    assert_eq!(spec["apple"], json!({"b": 1, "a": 2}));
    stage.run("tasks", 1);
    assert_eq!(stage.read("spec.json"), "{\"phase\": ");
    // An agent that can no longer edit the file reports it and goes on.
    assert_eq!(stage.run("reply", 1).status.code(), Some(0));
}
