//! A contest of two agent programs over a small repository: the team whose tests pass wins, and its
//! changes can be applied.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::{Value, json};

use super::arena::processes;
use crate::world::{World, text, until};

/// Adds two numbers, wrongly.
const CALC: &str = "#!/bin/sh\necho $(( $1 - $2 ))\n";
const TEST: &str = "#!/bin/sh\n[ \"$(sh calc.sh 2 3)\" = 5 ] && [ \"$(sh calc.sh 4 4)\" = 8 ]\n";
/// Runs the tests where the team worked.
const SCORE: &str = "#!/bin/sh\nif sh test.sh; then echo '{\"score\": 100, \"remarks\": \"green\"}'\n\
    else echo '{\"score\": 0, \"remarks\": \"the tests fail\"}'; fi\n";

/// Claude Code as kumite sees it: it repairs the program, and leaves a process behind.
const CLAUDE: &str = r#"#!/bin/sh
echo '{"type":"system","subtype":"init","session_id":"s-1"}'
sleep 1000 &
[ -e "$KUMITE_PROJECT/hold" ] && { echo $$ >> "$KUMITE_PROJECT/up"; while [ -e "$KUMITE_PROJECT/hold" ]; do sleep 0.02; done; }
sed -i 's/ - / + /' calc.sh
echo '{"type":"result","subtype":"success","is_error":false,"session_id":"s-1","total_cost_usd":0.25,"usage":{"input_tokens":3,"output_tokens":4},"result":"It adds now."}'
"#;

/// Codex as kumite sees it: it is busy, but repairs nothing.
const CODEX: &str = r#"#!/bin/sh
cat > /dev/null
echo '{"type":"thread.started","thread_id":"t-1"}'
echo '{"type":"turn.started"}'
setsid sleep 1000 &
echo 'It subtracts.' > notes.txt
echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"I wrote it down."}}'
echo '{"type":"turn.completed","usage":{"input_tokens":5,"cached_input_tokens":0,"output_tokens":6}}'
"#;

fn git(world: &World, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
        .args(args)
        .current_dir(world.root())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A repository with a failing test, and a contest of two agents about it.
fn project() -> World {
    let world = World::new();
    for (name, content) in [
        ("calc.sh", CALC),
        ("test.sh", TEST),
        ("score.sh", SCORE),
        ("fakes/claude", CLAUDE),
        ("fakes/codex", CODEX),
    ] {
        world.write(name, content);
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(world.path(name), executable).unwrap();
    }
    world.write(
        ".kiro/kumite.toml",
        "[agents.claude]\nprogram = \"./fakes/claude\"\n[agents.codex]\nprogram = \"./fakes/codex\"\n",
    );
    world.write(".gitignore", ".kiro/runtime\nstate\nup\nhold\n");
    world.write(
        "contest.toml",
        "task = \"Make the tests pass.\"\n[contest]\nrounds_min = 1\nrounds_max = 2\n\
         [[team]]\nid = \"codex\"\nagent = \"codex\"\nsubmission = \"diff\"\n\
         [[team]]\nid = \"claude\"\nagent = \"claude\"\nsubmission = \"diff\"\n\
         [[metric]]\nname = \"tests\"\ncommand = [\"./score.sh\"]\n",
    );
    git(&world, &["init", "--quiet", "-b", "main"]);
    git(&world, &["add", "."]);
    git(&world, &["commit", "--quiet", "-m", "subtracts"]);
    world
}

fn tests_pass(world: &World) -> bool {
    let status = Command::new("sh")
        .arg("test.sh")
        .current_dir(world.root())
        .status();
    status.unwrap().success()
}

fn board(world: &World) -> Value {
    let out = world.kumite(&["contest", "board", "--json"]);
    out.assert_code(0);
    serde_json::from_str(&out.stdout).unwrap()
}

/// No worktree, no branch, no process, and an unchanged checkout.
#[track_caller]
fn assert_nothing_left(world: &World) {
    assert_eq!(git(world, &["worktree", "list"]).lines().count(), 1);
    assert_eq!(git(world, &["branch", "--list"]).lines().count(), 1);
    assert_eq!(git(world, &["status", "--porcelain"]), "");
    world.assert_nothing_left();
    let root = world.root().display().to_string();
    until("all supervisors to be gone", || {
        processes(&["kumite", &root]) == 0
    });
}

#[test]
fn the_team_whose_tests_pass_wins_and_its_changes_can_be_applied() {
    let world = project();
    assert!(!tests_pass(&world));
    let out = world.kumite(&["contest", "run", "contest.toml", "--json"]);
    out.assert_code(0);
    let end = out.notices("contest_ended").pop().unwrap();
    assert_eq!(
        (&end["winner"], &end["score"]),
        (&json!("claude"), &json!(100.0))
    );
    let board = board(&world);
    let scores: Vec<String> = ["claude", "codex"]
        .iter()
        .zip(board["teams"].as_array().unwrap())
        .map(|(id, team)| {
            assert_eq!(team["team_id"], *id);
            text(&team["score"])
        })
        .collect();
    assert_eq!(scores, ["100.0", "0.0"]);
    assert_nothing_left(&world);
    assert!(!tests_pass(&world), "the checkout is nobody's playground");

    let out = world.kumite(&["contest", "apply", "--check"]);
    out.assert_code(0);
    assert!(!tests_pass(&world));
    let out = world.kumite(&["contest", "apply", "--json"]);
    out.assert_code(0);
    let applied: Value = serde_json::from_str(&out.stdout).unwrap();
    assert_eq!(applied["team_id"], "claude");
    assert_eq!(
        applied["files"],
        json!([{"path": "calc.sh", "added": 1, "removed": 1}])
    );
    assert!(tests_pass(&world));
    assert_eq!(git(&world, &["status", "--porcelain"]), " M calc.sh\n");

    // A second time does not apply, and changes nothing.
    let out = world.kumite(&["contest", "apply"]);
    assert_eq!(out.code, 1, "{out:?}");
    assert!(tests_pass(&world));
    // The other team's changes are available too.
    let out = world.kumite(&["contest", "apply", "--team", "codex"]);
    out.assert_code(0);
    assert_eq!(world.read("notes.txt"), "It subtracts.\n");
}

#[test]
fn a_contest_of_agents_that_is_killed_or_interrupted_goes_on_and_leaves_nothing() {
    for (signal, code) in [("KILL", 137), ("INT", 130)] {
        let world = project();
        world.write("hold", "");
        let running = world.start(&["contest", "run", "contest.toml", "--json"]);
        until("claude to work", || world.path("up").exists());
        running.signal(signal);
        running.wait().assert_code(code);
        if signal == "INT" {
            world.assert_nothing_left();
        }
        std::fs::remove_file(world.path("hold")).unwrap();
        let out = world.kumite(&["contest", "resume", "--json"]);
        out.assert_code(0);
        assert_eq!(out.notices("contest_ended")[0]["winner"], "claude");
        assert_nothing_left(&world);
        world.kumite(&["contest", "apply"]).assert_code(0);
        assert!(tests_pass(&world));
    }
}

#[test]
fn a_cancelled_contest_of_agents_leaves_no_agent_and_no_worktree() {
    let world = project();
    world.write("hold", "");
    let running = world.start(&["contest", "run", "contest.toml", "--json"]);
    until("claude to work", || world.path("up").exists());
    world.kumite(&["contest", "cancel"]).assert_code(0);
    let out = running.wait();
    assert_eq!(
        out.notices("contest_ended")[0]["state"],
        "cancelled",
        "{out:?}"
    );
    assert_nothing_left(&world);
    assert_eq!(board(&world)["winner"], json!(null));
}

#[test]
fn a_contest_killed_between_its_last_entry_and_its_end_is_cleaned_up_when_it_is_resumed() {
    let entries = |world: &World| {
        let id = text(&board(world)["execution_id"]);
        let journal = format!(".kiro/runtime/kumite/contests/{id}/journal.jsonl");
        world.read(&journal).lines().count()
    };
    let mut world = project();
    world
        .kumite(&["contest", "run", "contest.toml", "--json"])
        .assert_code(0);
    let last = entries(&world);

    world = project();
    let at = format!("1 contest entry {last}");
    world.env = vec![("KUMITE_CRASH_AT".to_owned(), at)];
    world.kumite(&["contest", "run", "contest.toml", "--json"]);
    world.env.clear();
    assert_eq!(entries(&world), last);
    assert_eq!(git(&world, &["worktree", "list"]).lines().count(), 3);
    let out = world.kumite(&["contest", "resume", "--json"]);
    out.assert_code(0);
    assert_eq!(board(&world)["winner"], "claude");
    assert_nothing_left(&world);
}

#[test]
fn a_contest_of_agents_that_cannot_be_played_is_refused_before_it_begins() {
    let world = project();
    let good = world.read("contest.toml");
    for (from, to, words) in [
        (
            "agent = \"codex\"",
            "agent = \"codecs\"",
            &["contest.toml:7", "codecs"][..],
        ),
        (
            "./score.sh",
            "./scores.sh",
            &["contest.toml:15", "./scores.sh"],
        ),
        (
            "rounds_max = 2",
            "rounds_max = 11",
            &["contest.toml:4", "rounds_max", "10"],
        ),
        (
            "submission = \"diff\"",
            "submission = \"file:../x\"",
            &["contest.toml:8", "file:"],
        ),
    ] {
        assert!(good.contains(from), "{good}");
        world.write("contest.toml", &good.replacen(from, to, 1));
        for more in [&["--dry-run"][..], &[]] {
            let out = world.kumite(&[&["contest", "run", "contest.toml"], more].concat());
            assert_eq!(out.code, 5, "{out:?}");
            let said = format!("{}{}", out.stdout, out.stderr);
            for word in words {
                assert!(said.contains(word), "{word}: {said}");
            }
        }
    }
    world.write("contest.toml", &good);
    std::fs::remove_dir_all(world.path(".git")).unwrap();
    let out = world.kumite(&["contest", "run", "contest.toml"]);
    assert_eq!(out.code, 5, "{out:?}");
    assert!(out.stderr.contains("git init"), "{out:?}");
    assert!(!world.path(".kiro/runtime/kumite/contests").exists());
}
