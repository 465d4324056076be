//! Contests of agents over a small repository: two programs, their worktrees, a metric that runs
//! the project's own test, and the winner's changes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::webhook::listen;
use crate::world::{Out, PATIENCE, Running, World};

/// Behaves like Claude Code. `$here` is the project.
const CLAUDE: &str = r#"#!/bin/sh
echo "claude $KUMITE_ROUND" >> "$here/.kiro/runtime/started"
echo '{"type":"system","subtype":"init","session_id":"s-1"}'
echo 'echo $(( $1 + $2 ))' > add.sh
while [ -e "$here/.kiro/runtime/hold" ]; do sleep 0.01; done
echo '{"type":"result","subtype":"success","is_error":false,"result":"Fixed the sign."}'
"#;

/// Behaves like Codex, and gets it wrong.
const CODEX: &str = r#"#!/bin/sh
echo "codex $KUMITE_ROUND" >> "$here/.kiro/runtime/started"
echo '{"type":"thread.started","thread_id":"t-1"}'
echo 'echo $(( $1 * $2 ))' > add.sh
echo notes > notes.md
while [ -e "$here/.kiro/runtime/hold" ]; do sleep 0.01; done
echo '{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"Multiplied."}}'
echo '{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":2}}'
"#;

/// The project's own test, as a metric.
const SCORE: &str = r#"#!/bin/sh
if [ "$(sh add.sh 2 3)" = 5 ]; then echo '{"score": 100, "remarks": "the test passes"}'
else echo '{"score": 10, "remarks": "the test fails"}'; fi
"#;

const CONTEST: &str = r#"
task = "add.sh is wrong: make it add."
[contest]
rounds_min = 2
rounds_max = 2
[[team]]
id = "codex"
agent = "codex"
submission = "diff"
[[team]]
id = "claude"
agent = "claude"
submission = "diff"
[[metric]]
name = "test"
command = ["./score.sh"]
"#;

/// A repository whose `add.sh` subtracts, and two agents.
fn arena() -> World {
    let world = World::new();
    world.write(".gitignore", ".kiro/runtime\n");
    world.write("add.sh", "echo $(( $1 - $2 ))\n");
    world.write("contest.toml", CONTEST);
    let here = format!("#!/bin/sh\nhere={}\n", world.root().display());
    for (name, text) in [("claude", CLAUDE), ("codex", CODEX), ("score", SCORE)] {
        let place = if name == "score" { "score.sh" } else { name };
        world.write(place, &text.replacen("#!/bin/sh\n", &here, 1));
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(world.path(place), mode).unwrap();
    }
    world.write(
        ".kiro/kumite.toml",
        "[agent]\nspawn_retries = 10\n[agents.claude]\nprogram = \"./claude\"\n\
         [agents.codex]\nprogram = \"./codex\"\n",
    );
    fs::create_dir_all(world.path(".kiro/runtime")).unwrap();
    git(world.root(), &["init", "--quiet"]);
    git(world.root(), &["add", "."]);
    git(world.root(), &["commit", "--quiet", "-m", "all"]);
    world
}

fn git(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn board(world: &World) -> Value {
    let out = world.kumite(&["contest", "board", "--json"]);
    serde_json::from_str(&out.assert_code(0).stdout).unwrap()
}

/// Which agents were started, and for which round.
fn started(world: &World) -> Vec<String> {
    let text = fs::read_to_string(world.path(".kiro/runtime/started")).unwrap_or_default();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// No process, no worktree, and an unchanged main checkout.
fn assert_left_as_found(world: &World) {
    world.assert_nothing_left();
    let worktrees = git(world.root(), &["worktree", "list"]);
    assert_eq!(worktrees.lines().count(), 1, "{worktrees}");
    assert_eq!(git(world.root(), &["status", "--porcelain"]), "");
}

fn run(world: &World) -> Out {
    world.kumite(&["contest", "run", "contest.toml"])
}

/// A contest whose agents work until the hold is removed.
fn hold(world: &World) -> Running {
    world.write(HOLD, "");
    let mut running = world.start(&["contest", "run", "contest.toml"]);
    let deadline = Instant::now() + PATIENCE;
    while started(world).len() < 2 {
        if !running.is_running() || Instant::now() > deadline {
            running.signal("TERM");
            panic!("{:?}: {:#?}", started(world), running.wait());
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
    running
}

const HOLD: &str = ".kiro/runtime/hold";
const ALL: [&str; 4] = ["claude 1", "claude 2", "codex 1", "codex 2"];

#[test]
fn d1_of_two_agent_teams_the_one_whose_test_passes_wins_and_its_changes_can_be_applied() {
    let world = arena();
    run(&world).assert_code(0);
    let board = board(&world);
    assert_eq!(board["winner"], "claude", "{board:#}");
    let scores: Vec<&Value> = (0..2).map(|at| &board["teams"][at]["score"]).collect();
    assert_eq!(scores, [100.0, 10.0], "{board:#}");
    assert_eq!(started(&world), ALL);
    assert_left_as_found(&world);

    let checked = world.kumite(&["contest", "apply", "--check"]);
    assert!(
        checked.assert_code(0).stdout.contains("add.sh"),
        "{checked:?}"
    );
    assert_eq!(git(world.root(), &["status", "--porcelain"]), "");
    world.kumite(&["contest", "apply"]).assert_code(0);
    assert_eq!(world.read("add.sh"), "echo $(( $1 + $2 ))\n");
    assert_eq!(git(world.root(), &["status", "--porcelain"]), " M add.sh\n");

    // It no longer applies, and the other team's changes would not either.
    for args in [
        &["contest", "apply"][..],
        &["contest", "apply", "--team", "codex"],
    ] {
        let out = world.kumite(args);
        assert_ne!(out.code, 0);
        assert!(out.stderr.contains("nothing was changed"), "{out:?}");
    }
    assert!(!world.path("notes.md").exists());
}

#[test]
fn a_contest_that_was_killed_goes_on_with_the_agents_that_work_for_it() {
    let world = arena();
    let running = hold(&world);
    running.signal("KILL");
    drop(running);
    let doctor = world.kumite(&["doctor"]);
    assert!(doctor.stdout.contains("contest resume"), "{doctor:?}");
    assert!(!world.agent_processes().is_empty(), "they outlive a crash");
    fs::remove_file(world.path(HOLD)).unwrap();
    world.kumite(&["contest", "resume"]).assert_code(0);
    assert_eq!(board(&world)["winner"], "claude");
    assert_eq!(started(&world), ALL, "nobody was started twice");
    assert_left_as_found(&world);
}

#[test]
fn a_cancel_ends_agents_and_worktrees_also_of_a_contest_that_was_killed() {
    for is_killed in [false, true] {
        let world = arena();
        let running = hold(&world);
        if is_killed {
            running.signal("KILL");
            drop(running);
            world.kumite(&["contest", "cancel"]).assert_code(0);
        } else {
            world.kumite(&["contest", "cancel"]).assert_code(0);
            running.wait().assert_code(4);
        }
        assert_eq!(board(&world)["state"], "cancelled");
        assert_left_as_found(&world);
    }
}

#[test]
fn agent_teams_without_a_commit_to_begin_with_are_refused_before_anything_happens() {
    let world = arena();
    fs::remove_dir_all(world.path(".git")).unwrap();
    for args in [&["--dry-run"][..], &[]] {
        let out = world.kumite(&[&["contest", "run", "contest.toml"], args].concat());
        assert!([2, 5].contains(&out.code), "{out:?}");
        let told = out.stdout + &out.stderr;
        assert!(told.contains("git init"), "{told}");
    }
    assert_eq!(started(&world), [""; 0]);
    assert!(!world.path(".kiro/runtime/kumite/contests").exists());
}

#[test]
fn b4_the_end_of_a_contest_reaches_the_webhook() {
    let (address, bodies) = listen();
    let world = arena();
    let settings = world.read(".kiro/kumite.toml");
    let hook = format!("{settings}[notify]\nwebhook = \"http://{address}/hook\"\n");
    world.write(".kiro/kumite.toml", &hook);
    run(&world).assert_code(0);
    let posted: Vec<Value> = bodies.try_iter().collect();
    assert_eq!(posted.len(), 1, "{posted:?}");
    assert_eq!(posted[0]["type"], "contest_ended");
    assert_eq!(posted[0]["winner"], "claude");
    let text = posted[0]["text"].as_str().unwrap();
    assert!(
        text.ends_with("contest done: claude won with 100.00"),
        "{text}"
    );
}
