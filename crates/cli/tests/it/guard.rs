//! The completion guard: impl is done when tasks.md says so (B).

use serde_json::json;

use crate::world::{World, is_alive, text};

fn implemented(impls: serde_json::Value) -> World {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"impl": impls}}));
    world
}

fn impl_runs(world: &World) -> usize {
    let steps = world.steps("login");
    steps
        .iter()
        .filter(|step| step.starts_with("impl "))
        .count()
}

#[test]
fn s28_b1_3_b2_1_open_tasks_run_impl_again_and_the_last_tick_leads_to_inspection() {
    let world = implemented(json!([{"tick": 1}, {"tick": 1}, {"tick": 1}]));
    let out = world.run("login");
    out.assert_ended(0, "done", "all_phases_done");
    assert_eq!(
        world.steps("login"),
        ["impl 1", "impl 2", "impl 3", "inspect 1"]
    );
    let retries: Vec<_> = out
        .notices("impl_retry")
        .iter()
        .map(|it| {
            [&it["attempt"], &it["max"], &it["open"]]
                .map(text)
                .join(" ")
        })
        .collect();
    assert_eq!(retries, ["1 7 2", "2 7 1"]);
    assert_eq!(world.spec_json("login")["phase"], "inspection-complete");
}

#[test]
fn b2_1_a_retry_gets_no_arguments() {
    let world = implemented(json!([{"tick": 1}, {}]));
    world.kumite(&["init"]).assert_code(0);
    world.run("login").assert_code(0);
    assert_eq!(
        world.prompts("login")[..2],
        ["/kiro:spec-impl login", "/kiro:spec-impl login"]
    );
}

#[test]
fn s29_f8_b3_1_b3_2_one_run_and_seven_retries_then_failed_until_a_reset() {
    let world = implemented(json!({"tick": 0}));
    let out = world.run("login");
    out.assert_ended(1, "failed", "retries_exhausted");
    assert_eq!(impl_runs(&world), 8);
    let attempts: Vec<_> = out
        .notices("impl_retry")
        .iter()
        .map(|it| text(&it["attempt"]))
        .collect();
    assert_eq!(attempts, ["1", "2", "3", "4", "5", "6", "7"]);
    let status = world.assert_status("login", "failed", "retries_exhausted");
    assert_eq!(
        (&status["attempt"], &status["attempts_max"]),
        (&json!(7), &json!(7))
    );

    // B3.2, B3.3: only a reset helps, however good the agent would be now.
    world.play(json!({}));
    world
        .run("login")
        .assert_ended(1, "failed", "retries_exhausted");
    world
        .resume("login")
        .assert_ended(1, "failed", "retries_exhausted");
    world
        .kumite(&["run", "login", "--from", "impl", "--json"])
        .assert_ended(1, "failed", "retries_exhausted");
    assert_eq!(impl_runs(&world), 8);

    // B3.4
    world.kumite(&["reset", "login"]).assert_code(0);
    assert_eq!(world.status("login")["state"], "idle");
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(impl_runs(&world), 9);
}

#[test]
fn b3_4_after_a_reset_the_whole_allowance_is_there_again() {
    let world = implemented(json!({"tick": 0}));
    world
        .run("login")
        .assert_ended(1, "failed", "retries_exhausted");
    world.kumite(&["reset", "login"]).assert_code(0);
    world
        .run("login")
        .assert_ended(1, "failed", "retries_exhausted");
    assert_eq!(impl_runs(&world), 16);
}

#[test]
fn b2_2_the_count_is_not_in_spec_json() {
    let world =
        implemented(json!([{"tick": 1}, {"tick": 0, "touch": ["retry"], "wait_for": "go"}, {}]));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("retry");
    let status = world.status("login");
    assert_eq!(
        (&status["attempt"], &status["attempts_max"]),
        (&json!(1), &json!(7))
    );
    let during = world.read(".kiro/specs/login/spec.json");
    assert!(!during.to_lowercase().contains("retr"), "{during}");
    world.write("go", "");
    running.wait().assert_code(0);
    let after = world.read(".kiro/specs/login/spec.json");
    assert!(!after.to_lowercase().contains("retr"), "{after}");
}

#[test]
fn b2_3_a_new_process_counts_from_0() {
    let open = json!({"tick": 0});
    let waits = json!({"tick": 0, "touch": ["third"], "wait_for": "go"});
    let world = implemented(json!([open, open, waits, open]));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("third");
    running.signal("KILL");
    let pid = running.pid();
    running.wait();
    assert!(!is_alive(pid));
    world.write("go", "");
    world
        .run("login")
        .assert_ended(1, "failed", "retries_exhausted");
    // Three runs in the first process, and the seven retries of the second one.
    assert_eq!(impl_runs(&world), 10);
}

#[test]
fn b2_2_the_retries_are_counted_per_spec() {
    let world = implemented(json!({}));
    world.spec_ready_for_impl("other");
    world.play(
        json!({"steps": {"login/impl": {"tick": 0}, "other/impl": [{"tick": 1}, {"tick": 1}, {}]}}),
    );
    let out = world.kumite(&["run", "login", "other", "--json"]);
    out.assert_code(1);
    world.assert_status("login", "failed", "retries_exhausted");
    world.assert_status("other", "done", "all_phases_done");
    assert_eq!(impl_runs(&world), 8);
}

#[test]
fn b4_1_b4_2_b4_3_b4_4_retries_and_the_limit_are_in_the_event_log_and_told_to_the_person() {
    let world = implemented(json!({"tick": 0}));
    let out = world.kumite(&["run", "login"]);
    out.assert_code(1);
    let events = world.events("login");
    let message = |start: String| {
        let found = events
            .iter()
            .find(|event| text(&event["message"]).starts_with(&start));
        found.unwrap_or_else(|| panic!("no {start:?} in {events:#?}"))
    };
    for retry in 1..=7 {
        let event = message(format!("Impl retry ({retry}/7)"));
        assert_eq!(event["type"], "auto-execution:fail");
        assert!(
            out.stdout.contains(&format!("Impl retry ({retry}/7)")),
            "{}",
            out.stdout
        );
    }
    let event = message("Impl max retry exceeded".to_owned());
    assert_eq!(event["type"], "auto-execution:fail");
    assert!(
        out.stdout.contains("Impl max retry exceeded"),
        "{}",
        out.stdout
    );
}

const MIXED: &str = "\
# Implementation Plan

- [ ] 1. Parent
  - [ ] 1.1 Indented child
- [ ]* 2. Optional tests
- [x] 3. Done

```markdown
- [ ] 4. Only an example
```

## Appendix: Coverage Validation Checklist

- [ ] Every requirement is covered
";

#[test]
fn s30_f9_indented_boxes_count_and_optional_fenced_and_checklist_boxes_do_not() {
    let world = implemented(json!([{"tick": 1}, {"tick": 1}]));
    world.write(".kiro/specs/login/tasks.md", MIXED);
    let status = world.status("login");
    assert_eq!(status["tasks"], json!({"done": 1, "total": 3}));
    let out = world.run("login");
    out.assert_ended(0, "done", "all_phases_done");
    // The indented task held it back once; the others never.
    assert_eq!(world.steps("login"), ["impl 1", "impl 2", "inspect 1"]);
    assert_eq!(out.notices("impl_retry")[0]["open"], 1);
    let tasks = world.read(".kiro/specs/login/tasks.md");
    assert!(
        tasks.contains("- [ ]* 2.") && tasks.contains("- [ ] 4.") && tasks.contains("- [ ] Every")
    );
}

#[test]
fn b1_1_boxes_that_are_running_or_queued_are_open_and_a_star_after_the_number_is_optional() {
    let world = implemented(json!([{"tick": 1}, {"tick": 1}]));
    let marked = "- [x] 1. Done\n- [-] 2. Running\n- [~] 3. Queued\n- [ ] 7.9* Optional\n";
    world.write(".kiro/specs/login/tasks.md", marked);
    let tasks = world.status("login")["tasks"].clone();
    assert_eq!(tasks, json!({"done": 1, "total": 3}));
    let out = world.run("login");
    out.assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), ["impl 1", "impl 2", "inspect 1"]);
    assert_eq!(out.notices("impl_retry")[0]["open"], 1);
}

#[test]
fn the_same_question_twice_pauses_with_the_question() {
    let world = implemented(json!({"tick": 0, "words": "I stopped.\n\nWhich database?"}));
    let out = world.run("login");
    out.assert_ended(3, "paused", "no_evidence");
    assert_eq!(impl_runs(&world), 2);
    let message = text(&out.notices("run_ended")[0]["message"]);
    assert!(
        message.contains("\"I stopped. Which database?\""),
        "{message}"
    );
    let status = world.status("login");
    assert!(text(&status["message"]).contains("Which database?"));
}

#[test]
fn s31_b5_a_missing_tasks_md_passes_with_a_warning() {
    let world = implemented(json!({}));
    std::fs::remove_file(world.path(".kiro/specs/login/tasks.md")).unwrap();
    let out = world.run("login");
    out.assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), ["impl 1", "inspect 1"]);
    let warnings = out.notices("warning");
    assert!(
        text(&warnings[0]["message"]).contains("tasks.md"),
        "{warnings:?}"
    );
    assert!(
        world
            .messages("login")
            .iter()
            .any(|it| it.contains("tasks.md cannot be read"))
    );
}

#[test]
fn b5_a_tasks_md_that_is_no_file_passes_with_a_warning() {
    let world = implemented(json!({}));
    std::fs::remove_file(world.path(".kiro/specs/login/tasks.md")).unwrap();
    std::fs::create_dir(world.path(".kiro/specs/login/tasks.md")).unwrap();
    let out = world.run("login");
    out.assert_ended(0, "done", "all_phases_done");
    assert_eq!(out.notices("warning").len(), 1);
}

#[test]
fn b5_the_strict_guard_pauses_where_the_seed_lets_it_pass() {
    let world = implemented(json!({}));
    world.settings("[impl]\nguard = \"strict\"");
    std::fs::remove_file(world.path(".kiro/specs/login/tasks.md")).unwrap();
    world.run("login").assert_ended(3, "paused", "no_evidence");
    world.write(".kiro/specs/login/tasks.md", "# Tasks\n\nNone.\n");
    world
        .resume("login")
        .assert_ended(3, "paused", "no_evidence");
    assert!(
        !world
            .steps("login")
            .iter()
            .any(|it| it.starts_with("inspect"))
    );
    world.write(".kiro/specs/login/tasks.md", "- [x] 1. Done\n");
    world
        .resume("login")
        .assert_ended(0, "done", "all_phases_done");
}

#[test]
fn b1_2_no_check_box_at_all_counts_as_complete() {
    let world = implemented(json!({}));
    world.write(".kiro/specs/login/tasks.md", "# Tasks\n\nNone are left.\n");
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), ["impl 1", "inspect 1"]);
}

#[test]
fn b1_1_the_boxes_are_read_when_the_agent_ends_not_before() {
    // It is not done until its very last action.
    let world = implemented(json!({"touch": ["working"], "wait_for": "go"}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("working");
    assert_eq!(
        world.status("login")["tasks"],
        json!({"done": 0, "total": 3})
    );
    world.write("go", "");
    let out = running.wait();
    out.assert_ended(0, "done", "all_phases_done");
    assert!(out.notices("impl_retry").is_empty());
    assert_eq!(world.steps("login"), ["impl 1", "inspect 1"]);
}

#[test]
fn b1_1_a_failed_impl_agent_is_a_failure_and_not_a_retry() {
    let world = implemented(json!({"tick": 1, "result": "error"}));
    let out = world.run("login");
    out.assert_ended(1, "failed", "agent_failed");
    assert!(out.notices("impl_retry").is_empty());
    assert_eq!(impl_runs(&world), 1);
}
