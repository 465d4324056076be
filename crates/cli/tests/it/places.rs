//! `kumite step prepare`, `kumite worktree` and what doctor says about places (E2).

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::{World, text};

const PLACE: &str = ".kiro/worktrees/specs/login";

fn git(dir: &Path, args: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(args)
        .current_dir(dir)
        .status()
        .unwrap();
    assert!(status.success(), "git {args:?}");
}

/// A repository with a commit, and the spec `login` with untracked documents.
fn repository() -> World {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.write(
        ".kiro/.gitignore",
        "runtime/\nworktrees/\nevents.jsonl\nspecs/*/logs/\n",
    );
    world.write("a.txt", "a\n");
    git(world.root(), &["init", "--quiet", "-b", "main"]);
    git(world.root(), &["add", "a.txt", ".kiro/.gitignore"]);
    git(world.root(), &["commit", "--quiet", "-m", "first"]);
    world
}

/// Makes the worktree of `login` as the engine does.
fn prepare(world: &mut World) -> Value {
    world.env.push(("KUMITE_AGENT".into(), "impl-7".into()));
    world.kumite(&["step", "prepare", "login"]).assert_code(0);
    world.env.pop();
    let record = world.read(".kiro/runtime/kumite/runs/login/place.json");
    serde_json::from_str(&record).unwrap()
}

#[test]
fn e2_1_the_step_leaves_its_result_under_the_name_of_its_agent() {
    let mut world = repository();
    let record = prepare(&mut world);
    assert_eq!(record["agent"], "impl-7");
    let place = &record["prepared"]["ready"];
    assert_eq!(place["path"], PLACE);
    assert_eq!(
        (&place["branch"], &place["base"]),
        (&json!("feature/login"), &json!("main"))
    );
    assert_eq!(place["made"], true);
    let out = world.kumite(&["worktree", "path", "login"]);
    out.assert_code(0);
    assert!(out.stdout.trim().ends_with(PLACE), "{out:?}");
    // The spec is found in its worktree.
    assert_eq!(world.status("login")["spec"], "login");
}

#[test]
fn e2_7_e2_8_the_settings_name_branch_copies_and_set_up() {
    let mut world = repository();
    world.settings(
        "[worktree]\nbranch = \"work/{spec}\"\ncopy = [\".env\"]\n\
         setup = [[\"sh\", \"-c\", \"echo heard; cat .env > set-up\"]]\n",
    );
    world.write(".env", "A=1\n");
    let out = world.kumite(&["step", "prepare", "login", "--base", "main"]);
    out.assert_code(0);
    // What the commands print is the log of the step.
    assert!(out.stdout.contains("heard"), "{out:?}");
    assert_eq!(world.read(&format!("{PLACE}/set-up")), "A=1\n");
    let head = fs::read_to_string(world.path(".git/worktrees/login/HEAD")).unwrap();
    assert_eq!(head, "ref: refs/heads/work/login\n");
    world.settings("[worktree]\nsetup = [[\"false\"]]\n");
    world
        .kumite(&["worktree", "remove", "login", "--force"])
        .assert_code(0);
    // Its documents were only there: with --force everything goes.
    world.spec_ready_for_impl("login");
    let record = prepare(&mut world);
    let why = text(&record["prepared"]["setup_failed"]);
    assert!(
        why.starts_with("`false` ended with exit status: 1"),
        "{why}"
    );
}

#[test]
fn e2_3_without_a_repository_the_step_succeeds_and_says_why_there_is_no_worktree() {
    let mut world = World::new();
    world.spec("login");
    let record = prepare(&mut world);
    let why = text(&record["prepared"]["checkout"]);
    assert!(why.contains("not in a git repository"), "{why}");
}

#[test]
fn e2_15_a_worktree_is_listed_and_removed_only_when_nothing_is_lost() {
    let mut world = repository();
    let out = world.kumite(&["worktree", "list"]);
    assert_eq!(out.stdout, "no spec has a worktree\n");
    world
        .kumite(&["worktree", "remove", "login"])
        .assert_code(5);
    prepare(&mut world);
    fs::write(world.path(PLACE).join("work.txt"), "work\n").unwrap();
    let listed = world
        .kumite(&["worktree", "list", "--json"])
        .json()
        .pop()
        .unwrap();
    let row = &listed["worktrees"][0];
    assert_eq!(
        (&row["spec"], &row["branch"]),
        (&json!("login"), &json!("feature/login"))
    );
    assert!(text(&row["work"]).contains("on no other branch"), "{row}");
    let out = world.kumite(&["worktree", "list"]);
    assert!(out.stdout.contains("feature/login from main"), "{out:?}");

    let out = world.kumite(&["worktree", "remove", "login"]);
    out.assert_code(3);
    assert!(
        out.stderr.contains("work.txt") || out.stderr.contains("more"),
        "{out:?}"
    );
    assert!(out.stderr.contains("--force"), "{out:?}");
    assert!(world.path(PLACE).exists());
    world
        .kumite(&["worktree", "remove", "login", "--force"])
        .assert_code(0);
    assert!(!world.path(PLACE).exists());
}

#[test]
fn e2_15_a_worktree_in_which_an_agent_works_is_not_removed() {
    let mut world = repository();
    git(world.root(), &["add", "."]);
    git(world.root(), &["commit", "--quiet", "-m", "documents"]);
    prepare(&mut world);
    world.play(json!({"steps": {"impl": [{"wait_for": "go"}]}}));
    let running = world.start(&["run", "login"]);
    world.wait_for_step("login", "impl 1");
    for force in [&[][..], &["--force"]] {
        let args = [&["worktree", "remove", "login"], force].concat();
        let out = world.kumite(&args);
        out.assert_code(3);
        assert!(out.stderr.contains("kumite stop login"), "{out:?}");
    }
    assert!(world.path(PLACE).exists());
    world.kumite(&["stop", "login"]).assert_code(0);
    running.wait();
}

#[test]
fn e2_16_doctor_names_a_worktree_a_record_and_checkpoints_without_an_owner() {
    let mut world = repository();
    prepare(&mut world);
    git(
        world.root(),
        &[
            "worktree",
            "add",
            "--quiet",
            ".kiro/worktrees/specs/old",
            "-b",
            "old",
        ],
    );
    git(world.root(), &["update-ref", "refs/kumite/gone/1", "HEAD"]);
    fs::remove_dir_all(world.path(PLACE)).unwrap();
    let out = world.kumite(&["doctor"]);
    out.assert_code(3);
    for words in [
        "specs/old is a worktree without a spec",
        "login: its worktree is gone",
        "refs/kumite/gone has checkpoints",
        "git worktree add",
    ] {
        assert!(out.stdout.contains(words), "{words}: {out:?}");
    }
    assert!(world.path(".kiro/worktrees/specs/old/a.txt").exists());
}
