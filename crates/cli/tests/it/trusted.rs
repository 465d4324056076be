//! Work that can be trusted: a spec in its own worktree, checked by the project's commands (E3, E4).

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::{World, text};

const PLACE: &str = ".kiro/worktrees/specs/login";
/// The agent's documents are three directories below the project.
const MADE: &str = "../../../made.txt";

fn git(dir: &Path, args: &[&str]) -> String {
    let out = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap();
    assert!(out.status.success(), "git {args:?}: {out:?}");
    String::from_utf8(out.stdout).unwrap()
}

/// A repository with a commit, and the spec `login` with untracked documents. `made.txt` must say
/// good.
fn world(verify: &str, steps: Value) -> World {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.settings(&format!(
        "[verify]\n{verify}\n[[verify.command]]\nname = \"tests\"\n\
         run = \"echo looking; grep -q good made.txt\"\n"
    ));
    world.play(json!({ "steps": steps }));
    let ignored = "runtime/\nworktrees/\nevents.jsonl\nspecs/*/logs/\n";
    world.write(".kiro/.gitignore", ignored);
    world.write("a.txt", "a\n");
    git(world.root(), &["init", "--quiet", "-b", "main"]);
    git(world.root(), &["add", "a.txt", ".kiro/.gitignore"]);
    git(world.root(), &["commit", "--quiet", "-m", "first"]);
    world
}

fn writes(words: &str) -> Value {
    json!({ "write": { MADE: format!("{words}\n") } })
}

#[test]
fn e4_1_e4_2_a_command_that_fails_once_is_repaired_and_the_work_is_verified() {
    let steps = json!({"impl": [writes("bad"), writes("good")]});
    let world = world("baseline = \"off\"\nflaky = 0", steps);
    let head = git(world.root(), &["rev-parse", "HEAD"]);
    let out = world.run("login");
    out.assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), ["impl 1", "impl 2", "inspect 1"]);
    let retry = &out.notices("impl_retry")[0];
    assert_eq!(retry["because"], "verify");
    let ended = out.notices("verify_ended");
    let outcomes: Vec<String> = ended.iter().map(|it| text(&it["outcome"])).collect();
    assert_eq!(outcomes, ["failed", "passed"]);
    let log = world.read(&format!(".kiro/specs/login/{}", text(&ended[0]["log"])));
    assert!(log.contains("looking"), "{log}");
    let created = &out.notices("worktree_created")[0];
    assert_eq!(created["path"], PLACE);

    let status = world.status("login");
    assert_eq!(status["worktree"]["branch"], "feature/login");
    assert_eq!(status["worktree"]["base"], "main");
    let verified = &status["verified"]["commands"][0];
    assert_eq!(
        (&verified["name"], &verified["outcome"]),
        (&json!("tests"), &json!("passed"))
    );
    assert!(
        text(&status["message"]).contains("verified by tests"),
        "{status}"
    );

    // The checkout is as it was, but for the documents, which are on the branch.
    assert!(!world.path("made.txt").exists());
    assert_eq!(git(world.root(), &["rev-parse", "HEAD"]), head);
    let place = world.path(PLACE);
    assert_eq!(
        fs::read_to_string(place.join("made.txt")).unwrap(),
        "good\n"
    );
    git(world.root(), &["fsck", "--strict"]);
}

#[test]
fn e4_5_boxes_without_a_change_are_sent_back_and_a_person_may_settle_it() {
    let world = world("baseline = \"off\"", json!({}));
    world.settings("[impl]\nretries_max = 1\n");
    let out = world.run("login");
    out.assert_ended(1, "failed", "retries_exhausted");
    assert_eq!(out.notices("impl_retry")[0]["because"], "phantom");
    world.kumite(&["reset", "login"]).assert_code(0);
    world.kumite(&["approve", "login", "impl"]).assert_code(0);
    let out = world.run("login");
    out.assert_ended(0, "done", "all_phases_done");
    let message = text(&out.notices("run_ended")[0]["message"]);
    assert!(message.contains("not verified"), "{message}");
}

#[test]
fn e4_14_e4_15_a_red_baseline_costs_no_agent_and_is_measured_again() {
    let world = world("baseline = \"pause\"", json!({"impl": writes("good")}));
    let out = world.run("login");
    out.assert_ended(3, "paused", "baseline_failed");
    assert!(world.launches().is_empty());
    world.write("made.txt", "good\n");
    git(world.root(), &["add", "made.txt"]);
    git(world.root(), &["commit", "--quiet", "-m", "repaired"]);
    world.play(json!({"steps": {"impl": {"write": {"../../../b.txt": "b\n"}}}}));
    let out = world.kumite(&["run", "login", "--json"]);
    out.assert_ended(0, "done", "all_phases_done");
    // No scratch worktree is left.
    assert!(!world.path(".kiro/worktrees/baseline").exists());
}

#[test]
fn e3_2_e3_3_a_step_can_be_shown_and_undone_and_the_undo_too() {
    let steps = json!({"impl": [{"tick": 1, "write": {MADE: "one\n"}}, writes("good")]});
    let world = world("baseline = \"off\"\nflaky = 0", steps);
    let out = world.run("login");
    out.assert_ended(0, "done", "all_phases_done");
    let kept = out.notices("checkpoint");
    let numbers: Vec<String> = kept.iter().map(|it| it["checkpoint"].to_string()).collect();
    let diff = world.kumite(&["diff", "login", "--step", &numbers[1]]);
    diff.assert_code(0);
    assert!(diff.stdout.contains("+one"), "{diff:?}");
    let stat = world.kumite(&["diff", "login", "--stat"]);
    assert!(stat.stdout.contains("made.txt (new)"), "{stat:?}");
    world
        .kumite(&["diff", "login", "--step", "999"])
        .assert_code(5);

    let made = world.path(PLACE).join("made.txt");
    world
        .kumite(&["undo", "login", "--to", &numbers[1]])
        .assert_code(0);
    assert_eq!(fs::read_to_string(&made).unwrap(), "one\n");
    world
        .kumite(&["undo", "login", "--to", &numbers[0]])
        .assert_code(0);
    assert!(!made.exists());
    let last = numbers.last().unwrap();
    world
        .kumite(&["undo", "login", "--to", last])
        .assert_code(0);
    assert_eq!(fs::read_to_string(&made).unwrap(), "good\n");
    world
        .kumite(&["undo", "login", "--to", "999"])
        .assert_code(5);
}

#[test]
fn e4_7_protected_files_pause_and_a_resume_accepts_them() {
    let steps = json!({"impl": {"write": {MADE: "good\n", "../../../a.txt": "b\n"}}});
    let world = world("baseline = \"off\"\nprotect = [\"a.*\"]", steps);
    let out = world.run("login");
    out.assert_ended(3, "paused", "protected_changed");
    assert!(text(&out.notices("run_ended")[0]["message"]).contains("a.txt"));
    let out = world.kumite(&["resume", "login", "--json"]);
    out.assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login"), ["impl 1", "inspect 1"]);
}

#[test]
fn e4_6_a_task_that_an_agent_removes_asks_a_person() {
    let steps = json!({"impl": {"write": {MADE: "good\n", "tasks.md": "- [x] 1. Only this\n"}}});
    let world = world("baseline = \"off\"", steps);
    let out = world.run("login");
    out.assert_ended(3, "paused", "evidence_conflict");
}

#[test]
fn e1_5_what_does_not_work_yet_is_refused_before_anything_starts() {
    let world = world("baseline = \"off\"", json!({}));
    for (settings, what) in [
        ("[sandbox]\nmode = \"bwrap\"\n", "[sandbox] mode"),
        ("[review]\nstall_rounds = 2\n", "[review] stall_rounds"),
    ] {
        world.settings(settings);
        let out = world.kumite(&["run", "login"]);
        out.assert_code(5);
        assert!(out.stderr.contains(what), "{out:?}");
        assert!(world.launches().is_empty());
    }
}

#[test]
fn e1_5_env_allow_keeps_other_variables_from_an_agent() {
    let mut world = world("baseline = \"off\"", json!({"impl": writes("good")}));
    world.env.push(("SECRET_OF_MINE".into(), "1".into()));
    world.env.push(("WANTED".into(), "1".into()));
    world.settings("[agents.mine]\nkind = \"command\"\ncommand = [\"sh\", \"-c\", \"env > ../../../../env.txt; false\"]\nenv_allow = [\"WANTED\"]\n");
    world
        .kumite(&["run", "login", "--agent", "mine"])
        .assert_code(1);
    let env = world.read("env.txt");
    assert!(
        env.contains("WANTED=1") && env.contains("KUMITE_SPEC=login"),
        "{env}"
    );
    assert!(!env.contains("SECRET_OF_MINE"), "{env}");
}
