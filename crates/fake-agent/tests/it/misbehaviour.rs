//! How it ends, hangs and makes noise.

use std::fs::{self};
use std::os::unix::process::ExitStatusExt;

use rustix::process::{Pid, Signal, getpid, kill_process, test_kill_process};
use serde_json::json;

use crate::stage::{Stage, wait_until};
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
    let ours = group_and_session(getpid());
    let [child, own_session, daemon] = children[..] else {
        panic!("{children:?}")
    };
    assert_eq!(group_and_session(child), ours);
    let leader = own_session.as_raw_pid();
    assert_eq!(group_and_session(own_session), (leader, leader));
    let (_, daemon_session) = group_and_session(daemon);
    assert!(![daemon.as_raw_pid(), ours.1, agent_id.as_raw_pid()].contains(&daemon_session));
    for child in children {
        kill_process(child, Signal::HUP).unwrap();
        assert_eq!(test_kill_process(child), Ok(()));
        kill_process(child, Signal::KILL).unwrap();
    }
}

/// From /proc, because `getsid` may answer 0: in a container the leader of our session can be a
/// process outside, which has no id here.
fn group_and_session(pid: Pid) -> (i32, i32) {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).unwrap();
    let (_, after_name) = stat.rsplit_once(')').unwrap();
    let mut fields = after_name.split_whitespace().skip(2);
    let mut next = || fields.next().unwrap().parse().unwrap();
    (next(), next())
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
