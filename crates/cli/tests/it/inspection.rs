//! Inspection: GO passes, NOGO never does, and only evidence counts (scenarios 32 and 33).

use serde_json::{Value, json};

use crate::world::{World, permissions, text};

const ALL: &str = "requirements design tasks document-review impl inspection deploy";

/// A spec whose inspection is next, with deploy permitted.
fn inspected(steps: Value) -> World {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.write(".kiro/specs/login/tasks.md", "# Tasks\n\n- [x] 1. Done\n");
    world.patch(
        "login",
        json!({"autoExecution": {"permissions": permissions(ALL)}}),
    );
    world.play(json!({"steps": steps}));
    world
}

#[test]
fn s32_go_without_deploy_is_done() {
    let world = inspected(json!({}));
    world.patch(
        "login",
        json!({"autoExecution": {"permissions": {"deploy": false}}}),
    );
    let out = world.run("login");
    out.assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), ["inspect 1"]);
    let spec = world.spec_json("login");
    assert_eq!(spec["phase"], "inspection-complete");
    assert_eq!(spec["inspection"]["rounds"][0]["result"], "go");
}

#[test]
fn s32_go_with_deploy_merges_and_kumite_says_deploy_complete() {
    let world = inspected(json!({}));
    world.kumite(&["init"]).assert_code(0);
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), ["inspect 1", "merge 1"]);
    assert_eq!(world.prompts("login")[1], "/kiro:spec-merge login");
    assert_eq!(world.spec_json("login")["phase"], "deploy-complete");
    // A finished run stays finished.
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login").len(), 2);
}

fn git(world: &World, words: &[&str]) -> String {
    let who = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
    let mut command = std::process::Command::new("git");
    let command = command.current_dir(world.root()).args(who).args(words);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_merge_that_git_does_not_show_is_no_merge() {
    let world = inspected(json!({}));
    git(&world, &["init", "--quiet"]);
    git(
        &world,
        &["commit", "--quiet", "--allow-empty", "-m", "first"],
    );
    world.write(".git/index.lock", "");
    let out = world.run("login");
    out.assert_ended(3, "paused", "no_evidence");
    let message = text(&out.notices("run_ended")[0]["message"]);
    assert!(message.contains("git shows no new commit"), "{message}");
    assert_eq!(world.spec_json("login")["phase"], "inspection-complete");
    std::fs::remove_file(world.path(".git/index.lock")).unwrap();
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.spec_json("login")["phase"], "deploy-complete");
    assert!(git(&world, &["log", "-1"]).contains("Kumite-Spec: login"));
}

#[test]
fn a_permission_for_deploy_that_an_agent_gives_itself_waits_for_a_person() {
    let patch = json!({"autoExecution": {"permissions": {"deploy": true}}});
    let world = inspected(json!({"inspect": {"spec_json": patch}}));
    let forbidden = json!({"autoExecution": {"permissions": {"deploy": false}}});
    world.patch("login", forbidden);
    let out = world.run("login");
    out.assert_ended(3, "waiting", "approval_needed");
    assert_eq!(world.steps("login"), ["inspect 1"]);
    // Running it again is not an approval.
    let again = world.run("login");
    again.assert_ended(3, "waiting", "approval_needed");
    world
        .kumite(&["approve", "login", "inspection"])
        .assert_code(2);
    world.kumite(&["approve", "login", "deploy"]).assert_code(0);
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), ["inspect 1", "merge 1"]);
    assert_eq!(world.spec_json("login")["phase"], "deploy-complete");
    world.kumite(&["approve", "login", "deploy"]).assert_code(5);
}

#[test]
fn a_merge_that_fails_is_a_failure_and_nothing_is_deployed() {
    let world = inspected(json!({"merge": {"result": "error"}}));
    world.run("login").assert_ended(1, "failed", "agent_failed");
    assert_eq!(world.spec_json("login")["phase"], "inspection-complete");
}

#[test]
fn s33_f6_nogo_is_fixed_and_inspected_three_times_then_paused_and_never_merged() {
    let world = inspected(json!({"inspect": {"verdict": "nogo"}}));
    let out = world.run("login");
    out.assert_ended(3, "paused", "inspection_nogo");
    let expected = ["inspect 1", "fix 1", "inspect 2", "fix 2", "inspect 3"];
    assert_eq!(world.steps("login"), expected);
    let status = world.assert_status("login", "paused", "inspection_nogo");
    assert_eq!(status["phase"], "inspection");
    assert_eq!(
        (&status["round"], &status["rounds_max"]),
        (&json!(3), &json!(3))
    );
    let spec = world.spec_json("login");
    assert_eq!(spec["phase"], "tasks-generated", "no step of it is done");
    let results: Vec<_> = spec["inspection"]["rounds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| text(&it["result"]))
        .collect();
    assert_eq!(results, ["nogo", "nogo", "nogo"]);
}

#[test]
fn s33_a_person_fixes_and_resumes_after_the_last_nogo() {
    let world = inspected(json!({"inspect": {"verdict": "nogo"}}));
    world
        .run("login")
        .assert_ended(3, "paused", "inspection_nogo");
    world.play(json!({}));
    world
        .resume("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login")[5..], ["inspect 4", "merge 1"]);
    let first = world.read(".kiro/specs/login/inspection-1.md");
    assert!(
        first.contains("NOGO"),
        "an older report was overwritten: {first}"
    );
}

#[test]
fn s33_a_nogo_that_was_fixed_passes_at_the_next_inspection() {
    let world = inspected(json!({"inspect": [{"verdict": "nogo"}, {}]}));
    let out = world.run("login");
    out.assert_ended(0, "done", "all_phases_done");
    assert_eq!(
        world.steps("login"),
        ["inspect 1", "fix 1", "inspect 2", "merge 1"]
    );
    let verdicts: Vec<_> = out
        .notices("inspection_ended")
        .iter()
        .map(|it| text(&it["verdict"]))
        .collect();
    assert_eq!(verdicts, ["nogo", "go"]);
    assert!(world.spec_json("login")["inspection"]["rounds"][0]["fixedAt"].is_string());
}

#[test]
fn f6_a_nogo_is_not_passed_by_a_good_exit_code_nor_by_a_new_run() {
    let world = inspected(json!({"inspect": {"verdict": "nogo", "exit": 0, "result": "success"}}));
    world.settings("[inspection]\nrounds_max = 1");
    world
        .run("login")
        .assert_ended(3, "paused", "inspection_nogo");
    assert_eq!(world.steps("login"), ["inspect 1"]);
    world
        .run("login")
        .assert_ended(3, "paused", "inspection_nogo");
    assert!(
        !world
            .steps("login")
            .iter()
            .any(|step| step.starts_with("merge"))
    );
}

#[test]
fn one_clear_verdict_is_enough_in_the_report_or_in_spec_json() {
    for place in ["report", "json"] {
        let world = inspected(json!({"inspect": {"verdict_in": place}}));
        world
            .run("login")
            .assert_ended(0, "done", "all_phases_done");
        assert_eq!(world.steps("login"), ["inspect 1", "merge 1"], "{place}");

        let world = inspected(json!({"inspect": {"verdict": "nogo", "verdict_in": place}}));
        world.settings("[inspection]\nrounds_max = 1");
        world
            .run("login")
            .assert_ended(3, "paused", "inspection_nogo");
    }
}

#[test]
fn a_verdict_in_spec_json_without_any_report_is_enough() {
    let world = inspected(json!({"inspect": {"write": {"inspection-1.md": null}}}));
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
}

#[test]
fn an_inspection_without_a_verdict_pauses_and_never_merges() {
    for action in [
        json!({"verdict_in": "none"}),
        json!({"write": "nothing"}),
        json!({"write": "empty"}),
        json!({"write": "half"}),
    ] {
        let world = inspected(json!({"inspect": action}));
        world.run("login").assert_ended(3, "paused", "no_evidence");
        assert_eq!(world.steps("login"), ["inspect 1"], "{action}");
        let phase = world.spec_json("login")["phase"].clone();
        assert_ne!(phase, "inspection-complete", "{action}");
    }
}

#[test]
fn verdicts_that_differ_pause_until_a_person_corrects_one() {
    for verdict in ["go", "nogo"] {
        let world = inspected(json!({"inspect": {"verdict": verdict, "verdict_in": "conflict"}}));
        world
            .run("login")
            .assert_ended(3, "paused", "evidence_conflict");
        assert_eq!(world.steps("login"), ["inspect 1"], "{verdict}");
        world.assert_status("login", "paused", "evidence_conflict");

        world.patch(
            "login",
            json!({"inspection": {"rounds": [{"number": 1, "result": "go"}]}}),
        );
        world.write(
            ".kiro/specs/login/inspection-1.md",
            "# Inspection Report\n\n- **Judgment**: GO\n",
        );
        world
            .resume("login")
            .assert_ended(0, "done", "all_phases_done");
        // The person's correction was judged; the inspection was not repeated.
        assert_eq!(world.steps("login"), ["inspect 1", "merge 1"], "{verdict}");
    }
}

#[test]
fn an_old_go_says_nothing_about_newer_work() {
    let world = inspected(json!({"inspect": {"write": "nothing"}}));
    world.write(
        ".kiro/specs/login/inspection-1.md",
        "# Inspection Report\n\n- **Judgment**: GO\n",
    );
    world.write(".kiro/specs/login/tasks.md", "# Tasks\n\n- [ ] 1. New\n");
    world.run("login").assert_ended(3, "paused", "no_evidence");
    assert_eq!(world.steps("login"), ["impl 1", "inspect 2"]);
}

#[test]
fn a_phase_that_the_agent_claims_is_no_verdict() {
    let world = inspected(
        json!({"inspect": {"verdict_in": "none", "spec_json": {"phase": "inspection-complete"}}}),
    );
    world.run("login").assert_ended(3, "paused", "no_evidence");
    assert_eq!(world.steps("login"), ["inspect 1"]);
}

#[test]
fn s33_inspections_that_the_file_knows_count() {
    let rounds = json!([{"number": 1, "result": "nogo", "inspectedAt": "2026-01-01T00:00:00Z"}]);
    let world = inspected(json!({"inspect": {"verdict": "nogo"}}));
    world.patch("login", json!({"inspection": {"rounds": rounds}}));
    world
        .run("login")
        .assert_ended(3, "paused", "inspection_nogo");
    assert_eq!(
        world.steps("login"),
        ["fix 1", "inspect 2", "fix 2", "inspect 3"]
    );
}

#[test]
fn s33_a_nogo_that_was_inspected_without_deploy_permission_is_never_merged_later() {
    let world = inspected(json!({"inspect": {"verdict": "nogo"}}));
    world.settings("[inspection]\nrounds_max = 1");
    world.patch(
        "login",
        json!({"autoExecution": {"permissions": {"deploy": false}}}),
    );
    world
        .run("login")
        .assert_ended(3, "paused", "inspection_nogo");
    // Only deploy is permitted now: it must still wait for a GO.
    world.patch(
        "login",
        json!({"autoExecution": {"permissions": permissions("deploy")}}),
    );
    world.run("login").assert_ended(0, "done", "not_permitted");
    assert_eq!(world.steps("login"), ["inspect 1"]);
}

#[test]
fn an_agent_that_fixes_and_inspects_again_by_itself_is_judged_by_its_last_report() {
    let rounds = json!({"inspection": {"rounds": [
        {"number": 1, "result": "nogo", "fixedAt": "2026-01-01T00:00:00Z"},
        {"number": 2, "result": "go"}]}});
    let report = json!({"inspection-2.md": "# Inspection Report\n\n- **Judgment**: GO\n"});
    let world =
        inspected(json!({"inspect": {"verdict": "nogo", "write": report, "spec_json": rounds}}));
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), ["inspect 1", "merge 1"]);
}
