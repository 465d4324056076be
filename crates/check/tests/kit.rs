//! The kit itself: it passes correct programs, and fails wrong ones.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use kumite_check::{Agent, Choice, Halt, Report, Row, Setup, check, names};
use kumite_formats::settings::{AgentKind, AgentSettings, ProgramKind, Prompt};
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_kumite-check-supervise");
const CLAUDE_OK: &str = include_str!("../../agents/fixtures/claude/ok.jsonl");

fn kit(kind: AgentKind, project: &Path) -> Setup {
    let settings = AgentSettings {
        kind,
        env: BTreeMap::new(),
        env_allow: Vec::new(),
    };
    Setup {
        agent: Agent::new("mine", &settings).unwrap(),
        binary: BINARY.into(),
        project: project.to_owned(),
        offline: true,
        version: Some("1.2.3".to_owned()),
        silence: Duration::ZERO,
        halt: Halt::default(),
    }
}

fn run(kit: &Setup, only: Option<&str>) -> Report {
    let choice = Choice {
        only: only.map(str::to_owned),
        jobs: 4,
    };
    check(kit, &choice, &|_| {})
}

fn command() -> AgentKind {
    AgentKind::Command {
        command: vec!["./agent.sh".to_owned()],
        prompt: Prompt::Stdin,
    }
}

fn claude(program: &Path) -> AgentKind {
    AgentKind::Program {
        kind: ProgramKind::Claude,
        program: program.to_str().unwrap().to_owned(),
        args: Vec::new(),
        model: String::new(),
        permission_mode: "acceptEdits".to_owned(),
    }
}

/// A program that only prints a good recording of Claude Code.
fn liar(dir: &Path) -> AgentKind {
    fs::write(dir.join("ok.jsonl"), CLAUDE_OK).unwrap();
    let program = dir.join("liar");
    let script = format!("#!/bin/sh\nexec cat '{}'\n", dir.join("ok.jsonl").display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    claude(&program)
}

fn failures(report: &Report) -> Vec<&Row> {
    let rows = report.rows.iter();
    rows.filter(|row| row.verdict.name() == "failed").collect()
}

/// A failed scenario keeps its stage for people; this test removes it.
fn forget_stages(report: &Report) {
    for row in failures(report) {
        let kept = row.verdict.message().rsplit_once("(see ");
        if let Some((_, dir)) = kept {
            let _ = fs::remove_dir_all(dir.trim_end_matches(')'));
        }
    }
}

#[test]
fn a_command_passes_at_least_forty_scenarios_and_their_rows_come_in_order() {
    let dir = TempDir::new().unwrap();
    let kit = kit(command(), dir.path());
    let choice = Choice {
        only: None,
        jobs: 4,
    };
    let seen = Mutex::new(Vec::new());
    let report = check(&kit, &choice, &|row| seen.lock().unwrap().push(row.name));
    assert_eq!(seen.into_inner().unwrap(), names(kit.agent.kind));
    assert_eq!(report.failed(), 0, "{:#?}", failures(&report));
    assert_eq!(report.skipped(), 0);
    assert!(report.passed() >= 40, "{}", report.summary());
}

#[test]
fn a_program_that_only_says_that_all_is_well_is_found_out() {
    let dir = TempDir::new().unwrap();
    let kit = kit(liar(dir.path()), dir.path());
    // Each of these needs more than output: a file, a session, a hang, or a specific failure.
    for name in [
        "text",
        "shell",
        "write",
        "overwrite",
        "tool-fails",
        "two-tools",
        "big-prompt",
        "dash-prompt",
        "unicode",
        "resume",
        "resume-missing",
        "side-by-side",
        "huge-answer",
        "auth",
        "no-login",
        "bad-request",
        "limit",
        "limit-resumed",
        "rate",
        "overload-passes",
        "overload",
        "server-error",
        "stream-cut",
        "stream-cut-always",
        "garbage",
        "hang",
        "hang-resumed",
        "slow",
        "stop",
        "stop-in-tool",
        "stop-resumed",
        "step-timeout",
        "child-left",
        "directory-removed",
        "supervisor-killed",
        "wrong-argument",
    ] {
        let report = run(&kit, Some(name));
        assert_eq!(report.failed(), 1, "{name}: {}", report.summary());
        forget_stages(&report);
    }
}

#[test]
fn without_offline_only_what_any_model_can_do_is_tried() {
    let dir = TempDir::new().unwrap();
    let online = Setup {
        offline: false,
        ..kit(liar(dir.path()), dir.path())
    };
    let report = run(&online, Some("hang"));
    assert_eq!(report.rows[0].verdict.message(), "needs --offline");
    assert_eq!(report.summary(), "0 of 0 passed, 1 skipped");
    assert_eq!(run(&online, Some("start")).passed(), 1);
}

#[test]
fn a_check_that_is_halted_starts_nothing_more() {
    let dir = TempDir::new().unwrap();
    let kit = kit(command(), dir.path());
    kit.halt.now();
    assert!(run(&kit, None).rows.is_empty());
}
