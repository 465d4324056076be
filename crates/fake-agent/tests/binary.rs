//! The built program, alone on a stage: a directory with a spec and a play.

// Helpers of tests fail by panicking, too.
#![allow(clippy::unwrap_used)]

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpgid, getsid, kill_process, test_kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

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
    // Everything else is as it was, in its order.
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
    // An agent that cannot edit it any more says so and goes on.
    assert_eq!(stage.run("reply", 1).status.code(), Some(0));
}

#[test]
fn every_kind_of_result_can_be_had() {
    for (result, exit, subtypes) in [
        ("success", 0, &["success"][..]),
        ("error", 1, &["error_during_execution"]),
        ("none", 0, &[]),
        ("twice", 0, &["success", "success"]),
        ("limit", 1, &["success"]),
        ("max_turns", 1, &["error_max_turns"]),
        ("half", 0, &[]),
    ] {
        let stage = Stage::new();
        stage.play(json!({"default": {"result": result, "resets_in_s": 5, "cost": 0.5}}));
        let end = stage.run("design", 1);
        assert_eq!(end.status.code(), Some(exit), "{result}");
        let results = end.results();
        let found: Vec<_> = results
            .iter()
            .map(|line| line["subtype"].as_str().unwrap())
            .collect();
        assert_eq!(found, subtypes, "{result}");
        assert_eq!(end.stdout.ends_with(b"\n"), result != "half");
        if result == "limit" {
            assert_eq!(results[0]["is_error"], true);
            assert_eq!(results[0]["api_error_status"], 429);
            assert!(
                end.lines()
                    .iter()
                    .any(|line| line["rate_limit_info"]["resetsAt"].is_u64())
            );
        }
    }
}

#[test]
fn it_dies_of_the_signal_it_is_told() {
    for signal in [9, 11, 15] {
        let stage = Stage::new();
        stage.play(
            json!({"default": {"signal": signal, "touch_end": ["over"], "ignore_term": true}}),
        );
        assert_eq!(stage.run("design", 1).status.signal(), Some(signal));
        assert!(stage.path("over").exists());
        assert_eq!(stage.log().len(), 1);
    }
}

#[test]
fn a_hanging_agent_ends_on_term_unless_it_ignores_it() {
    let stage = Stage::new();
    stage.play(json!({"steps": {
        "design": {"hang": "middle", "touch": ["up"]},
        "tasks": {"hang": "after_result", "touch": ["deaf"], "ignore_term": true}
    }}));
    let polite = stage.start("design", 1);
    stage.wait_for("up");
    polite.signal(Signal::TERM);
    assert_eq!(polite.finish().status.signal(), Some(15));
    assert!(!stage.spec_path("design.md").exists());

    let mut deaf = stage.start("tasks", 1);
    stage.wait_for("deaf");
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        deaf.signal(signal);
    }
    wait_until(|| deaf.stdout().ends_with("}\n") && deaf.stdout().contains(r#""type":"result""#));
    assert!(deaf.child.try_wait().unwrap().is_none());
    deaf.signal(Signal::KILL);
    assert_eq!(deaf.finish().status.signal(), Some(9));
}

#[test]
fn a_hang_has_its_place() {
    let stage = Stage::new();
    stage.play(json!({"steps": {"design": {"hang": "start"}, "tasks": {"hang": "after_work"}}}));
    let start = stage.start("design", 1);
    wait_until(|| stage.log().len() == 1);
    assert_eq!(start.stdout(), "");
    start.kill();
    let after_work = stage.start("tasks", 1);
    wait_until(|| after_work.stdout().contains("tool_result"));
    assert!(stage.spec_path("tasks.md").exists());
    assert!(!after_work.stdout().contains(r#""type":"result""#));
    after_work.kill();
}

#[test]
fn a_resumed_agent_need_not_hang_again() {
    let stage = Stage::new();
    stage.play(json!({"default": {"hang_unless_resumed": true, "touch": ["up"]}}));
    let first = stage.start("design", 1);
    stage.wait_for("up");
    first.kill();
    let mut command = stage.command("design", 1);
    command.args(["--resume", "abc"]);
    assert_eq!(stage.finish(command).results()[0]["session_id"], "abc");
}

#[test]
fn it_waits_for_a_file_and_shows_signs_of_life() {
    let stage = Stage::new();
    stage.play(json!({"default": {"wait_for": "go", "heartbeat_ms": 10, "touch": ["up"]}}));
    let agent = stage.start("design", 1);
    stage.wait_for("up");
    wait_until(|| agent.stdout().matches("tool_progress").count() > 2);
    assert!(!stage.spec_path("design.md").exists());
    fs::write(stage.path("go"), "").unwrap();
    assert_eq!(agent.finish().status.code(), Some(0));
    assert!(stage.spec_path("design.md").exists());
}

#[test]
fn children_are_left_behind_in_every_way() {
    let stage = Stage::new();
    stage.play(json!({"default": {"children": ["child", "setsid", "double_fork"]}}));
    let agent = stage.start("design", 1);
    let agent_id = agent.pid();
    assert_eq!(agent.finish().status.code(), Some(0));
    let list = fs::read_to_string(stage.path("children.txt")).unwrap();
    let children: Vec<_> = list
        .lines()
        .map(|line| Pid::from_raw(line.parse().unwrap()).unwrap())
        .collect();
    assert_eq!(children.len(), 3);
    let group = getpgid(None).unwrap();
    let session = getsid(None).unwrap();
    let [child, own_session, daemon] = children[..] else {
        panic!("{children:?}")
    };
    assert_eq!(getpgid(Some(child)), Ok(group));
    assert_eq!(getsid(Some(own_session)), Ok(own_session));
    let daemon_session = getsid(Some(daemon)).unwrap();
    assert!(daemon_session != daemon && daemon_session != session && daemon_session != agent_id);
    for child in children {
        kill_process(child, Signal::HUP).unwrap();
        assert_eq!(test_kill_process(child), Ok(()));
        kill_process(child, Signal::KILL).unwrap();
    }
}

#[test]
fn noise_of_every_kind_comes_before_the_work() {
    let stage = Stage::new();
    stage.play(json!({"default": {"noise": ["invalid_utf8", "huge_line", "flood", "unknown_events", "stderr"], "noise_mb": 2}}));
    let end = stage.run("design", 1);
    assert!(str::from_utf8(&end.stdout).is_err());
    assert!(end.stdout.len() > 3_900_000);
    assert!(
        end.stdout
            .split(|byte| *byte == b'\n')
            .any(|line| line.len() > 2_000_000)
    );
    assert_eq!(end.stderr.len(), 2_000_000);

    stage.play(json!({"default": {"noise": "crlf"}}));
    let end = stage.run("design", 1);
    assert_eq!(
        end.text().matches("\r\n").count(),
        end.text().matches('\n').count()
    );
    assert_eq!(end.results().len(), 1);
}

/// A project with one spec, `login`.
struct Stage {
    dir: TempDir,
}

impl Stage {
    fn new() -> Stage {
        let stage = Stage {
            dir: tempfile::tempdir().unwrap(),
        };
        // Nothing above the temporary directory decides.
        stage.play(json!({}));
        stage.write(
            "spec.json",
            r#"{"zebra": 1, "phase": "tasks-generated", "documentReview": {"roundDetails": [{"roundNumber": 1, "mine": true}]}, "apple": {"b": 1, "a": 2}}"#,
        );
        stage
    }

    fn play(&self, play: Value) {
        fs::write(self.path("play.json"), play.to_string()).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn spec_path(&self, name: &str) -> PathBuf {
        self.path(".kiro/specs/login").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.spec_path("")).unwrap();
        fs::write(self.spec_path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.spec_path(name)).unwrap()
    }

    fn spec_json(&self) -> Value {
        serde_json::from_str(&self.read("spec.json")).unwrap()
    }

    fn log(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("launches.jsonl")).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn wait_for(&self, name: &str) {
        wait_until(|| self.path(name).exists());
    }

    fn command(&self, step: &str, round: u32) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fake-agent"));
        command
            .current_dir(self.dir.path())
            .env_clear()
            .env("KUMITE_SPEC", "login")
            .env("KUMITE_STEP", step)
            .env("KUMITE_ROUND", round.to_string())
            .env("KUMITE_RUN", "run-1")
            .env("KUMITE_AGENT", "agent-7");
        command
    }

    fn run(&self, step: &str, round: u32) -> End {
        self.finish(self.command(step, round))
    }

    fn start(&self, step: &str, round: u32) -> Agent {
        Agent::start(self.command(step, round))
    }

    fn finish(&self, command: Command) -> End {
        Agent::start(command).finish()
    }
}

/// A running agent. Its output goes to files: children that it leaves may keep them open.
struct Agent {
    child: Child,
    out: TempDir,
}

impl Agent {
    fn start(mut command: Command) -> Agent {
        let out = tempfile::tempdir().unwrap();
        let create = |name| File::create(out.path().join(name)).unwrap();
        let child = command
            .stdout(create("out"))
            .stderr(create("err"))
            .spawn()
            .unwrap();
        Agent { child, out }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    fn stdout(&self) -> String {
        fs::read_to_string(self.out.path().join("out")).unwrap()
    }

    fn kill(self) {
        self.signal(Signal::KILL);
        self.finish();
    }

    fn finish(mut self) -> End {
        let status = self.child.wait().unwrap();
        let read = |name: &str| read_bytes(&self.out.path().join(name));
        End {
            status,
            stdout: read("out"),
            stderr: String::from_utf8(read("err")).unwrap(),
        }
    }
}

struct End {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: String,
}

impl End {
    fn text(&self) -> &str {
        str::from_utf8(&self.stdout).unwrap()
    }

    /// Every whole line.
    fn lines(&self) -> Vec<Value> {
        let whole = self
            .text()
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        whole
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn results(&self) -> Vec<Value> {
        self.lines()
            .into_iter()
            .filter(|line| line["type"] == "result")
            .collect()
    }
}

fn read_bytes(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap()
}

fn wait_until(done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "it never happened"
        );
        thread::sleep(Duration::from_millis(2));
    }
}
