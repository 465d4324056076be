//! A spec that lives in a git worktree (scenario 38).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::world::{World, text};

const PLACE: &str = ".kiro/worktrees/specs/login";

fn git(dir: &Path, args: &[&str]) {
    let status = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.com",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(args)
        .current_dir(dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "git {args:?}");
}

/// A repository with the spec committed, and a worktree of it that spec.json names.
fn with_worktree() -> World {
    let world = World::new();
    world.spec_with(
        "login",
        json!({"worktree": {"path": PLACE, "branch": "feature/login"}}),
    );
    world.write(
        ".gitignore",
        ".kiro/runtime\n.kiro/worktrees\nevents.jsonl\nlogs\nplay.json\nlaunches.jsonl\n",
    );
    git(world.root(), &["init", "--quiet"]);
    git(world.root(), &["add", "."]);
    git(world.root(), &["commit", "--quiet", "-m", "spec"]);
    git(
        world.root(),
        &["worktree", "add", "--quiet", PLACE, "-b", "feature/login"],
    );
    world
}

fn worktree(world: &World) -> PathBuf {
    fs::canonicalize(world.path(PLACE)).unwrap()
}

#[test]
fn s38_agents_and_files_are_in_the_worktree_and_events_stay_in_the_main_checkout() {
    let world = with_worktree();
    world.play(json!({"steps": {"reply": [{"fix": 1}, {}], "impl": [{"tick": 1}, {}]}}));
    let before = world.read(".kiro/specs/login/spec.json");
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");

    let expected = [
        "requirements 1",
        "design 1",
        "tasks 1",
        "review 1",
        "reply 1",
        "review 2",
        "reply 2",
        "impl 1",
        "impl 2",
        "inspect 1",
    ];
    assert_eq!(world.steps("login"), expected);
    for launch in world.launches() {
        assert_eq!(Path::new(&text(&launch["cwd"])), worktree(&world));
    }
    let own = format!("{PLACE}/.kiro/specs/login");
    for file in [
        "requirements.md",
        "design.md",
        "tasks.md",
        "document-review-2-reply.md",
        "inspection-1.md",
    ] {
        assert!(
            world.path(&own).join(file).exists(),
            "{file} belongs into the worktree"
        );
        assert!(
            !world.path(".kiro/specs/login").join(file).exists(),
            "{file} is in the main checkout"
        );
    }
    assert_eq!(
        world.read(".kiro/specs/login/spec.json"),
        before,
        "the main copy is not touched"
    );
    let spec: serde_json::Value =
        serde_json::from_str(&world.read(&format!("{own}/spec.json"))).unwrap();
    assert_eq!(spec["phase"], "inspection-complete");

    // Main checkout: events, logs, journal.
    assert!(!world.events("login").is_empty());
    assert!(world.path(".kiro/specs/login/logs").is_dir());
    assert!(world.path(".kiro/runtime/kumite/runs/login").is_dir());
    for place in ["events.jsonl", "logs"] {
        assert!(
            !world.path(&own).join(place).exists(),
            "{place} is in the worktree"
        );
    }
    assert!(!world.path(&format!("{PLACE}/.kiro/runtime")).exists());
    let status = world.assert_status("login", "done", "all_phases_done");
    assert_eq!(status["tasks"], json!({"done": 3, "total": 3}));
}

#[test]
fn s38_git_variables_of_the_parent_do_not_reach_the_agents() {
    let mut world = with_worktree();
    world.play(json!({}));
    world.env = vec![
        ("GIT_DIR".into(), "/nowhere".into()),
        ("GIT_WORK_TREE".into(), "/nowhere".into()),
    ];
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    for launch in world.launches() {
        assert_eq!(launch["git_env"], json!([]));
    }
}

#[test]
fn s38_a_spec_that_is_only_in_its_worktree_is_found_there() {
    let world = with_worktree();
    world.play(json!({}));
    fs::remove_dir_all(world.path(".kiro/specs/login")).unwrap();
    assert_eq!(world.status("login")["state"], "idle");
    let out = world.kumite(&["status", "--json"]);
    assert_eq!(out.json()[0]["specs"][0]["spec"], "login");
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    for launch in world.launches() {
        assert_eq!(Path::new(&text(&launch["cwd"])), worktree(&world));
    }
    assert!(!world.events("login").is_empty());
    assert!(!world.path(".kiro/specs/login/spec.json").exists());
}

#[test]
fn s38_the_permissions_of_the_worktree_copy_hold() {
    let world = with_worktree();
    world.play(json!({}));
    let own = format!("{PLACE}/.kiro/specs/login/spec.json");
    world.repair(&own, "\"design\": true", "\"design\": false");
    world.run("login").assert_ended(0, "done", "not_permitted");
    assert_eq!(world.steps("login"), ["requirements 1"]);
}

#[test]
fn s38_a_worktree_that_is_gone_is_refused_until_a_person_decides() {
    let world = with_worktree();
    world.play(json!({}));
    git(world.root(), &["worktree", "remove", "--force", PLACE]);
    world.kumite(&["run", "login"]).assert_code(5);
    assert!(world.launches().is_empty());
    world.patch("login", json!({"worktree": null}));
    world.settings("[worktree]\nmode = \"off\"\n");
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert!(world.path(".kiro/specs/login/inspection-1.md").exists());
}

#[test]
fn s38_a_killed_kumite_finds_its_agent_in_the_worktree_again() {
    let world = with_worktree();
    world.play(json!({"steps": {"design": {"touch": ["up"], "wait_for": "go"}}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("up");
    running.signal("KILL");
    running.wait();
    world.write("go", "");
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(
        world.steps("login")[..3],
        ["requirements 1", "design 1", "tasks 1"]
    );
}

#[test]
fn s38_a_merge_of_a_worktree_spec_is_recorded() {
    let world = with_worktree();
    let own = format!("{PLACE}/.kiro/specs/login/spec.json");
    world.repair(&own, "\"deploy\": false", "\"deploy\": true");
    world.play(json!({}));
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login").last().unwrap(), "merge 1");
    let spec: serde_json::Value = serde_json::from_str(&world.read(&own)).unwrap();
    assert_eq!(spec["phase"], "deploy-complete");
    let status = world.assert_status("login", "done", "all_phases_done");
    assert_eq!(status["phase"], "deploy");
}
