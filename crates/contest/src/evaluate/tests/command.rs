use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use kumite_agents::Identity;
use kumite_core::contest::{Failure, Measure};
use kumite_formats::contest::{Checklist, Command, Judge, MetricKind};

use crate::evaluate::metrics;
use crate::evaluate::tests::stage::Stage;

fn command(argv: &[&str], veto_below: Option<f64>) -> MetricKind {
    MetricKind::Command {
        command: Command {
            argv: argv.iter().map(|arg| (*arg).to_owned()).collect(),
            timeout_ms: 60_000,
        },
        max_retries: 0,
        veto_below,
    }
}

fn shell(script: &str) -> MetricKind {
    command(&["sh", "-c", script], None)
}

fn measured(script: &str) -> Measure {
    Stage::new().measure(shell(script)).unwrap().0
}

fn failed(script: &str) -> (Failure, String) {
    let failed = Stage::new().measure(shell(script)).unwrap_err().failed;
    (failed.failure, failed.why)
}

#[test]
fn the_last_object_of_the_output_is_the_answer() {
    for (script, hundredths, remark) in [
        (r#"echo '{"score": 85}'"#, 8_500, ""),
        (
            r#"echo '{"score": 72.125, "remarks": " two tests fail "}'"#,
            7_213,
            "two tests fail",
        ),
        (
            r#"echo start; echo '{"score": 1}'; echo '{"score": 2, "remarks": null}'"#,
            200,
            "",
        ),
        (
            r#"echo '{"score": 3, "remarks": "first"}'; echo done; echo 7"#,
            300,
            "first",
        ),
        (
            r#"printf '{\n  "score": 4,\n  "more": {"score": 9}\n}\n'"#,
            400,
            "",
        ),
        (r#"echo trouble >&2; echo '{"score": 5}'"#, 500, ""),
    ] {
        let measure = measured(script);
        assert_eq!(
            (measure.score.hundredths(), measure.remark.as_str()),
            (hundredths, remark),
            "{script}"
        );
        assert!(!measure.is_veto);
    }
}

#[test]
fn d6_an_answer_that_is_none_cannot_be_used() {
    for (script, words) in [
        ("echo fine", "no JSON object in its output"),
        ("true", "no JSON object in its output"),
        (
            r#"echo '{"score": "high"}'; echo why >&2"#,
            "score is \"high\", not a number from 0 to 100: why",
        ),
        (r#"echo '{"score": 100.5}'"#, "score is 100.5"),
        (r#"echo '{"score": -1}'"#, "score is -1"),
        (r#"echo '{"score": NaN}'"#, "no JSON object in its output"),
        (r#"echo '{"score": 1e9}'"#, "score is 1000000000.0"),
        (r#"echo '{"remarks": "good"}'"#, "score is missing"),
        (
            r#"echo '{"score": 5, "remarks": 7}'"#,
            "remarks is 7, not a text",
        ),
        (
            r#"echo '{"score": 5, "veto": "yes"}'"#,
            "veto is \"yes\", not true or false",
        ),
    ] {
        let (failure, why) = failed(script);
        assert_eq!(failure, Failure::Unusable, "{script}");
        assert!(
            why.starts_with("sh gave an answer that cannot be used: ") && why.contains(words),
            "{why}"
        );
    }
}

#[test]
fn a_program_that_fails_is_quoted_and_may_be_tried_again() {
    let (failure, why) = failed(r#"echo '{"score": 5}'; echo 'cannot compile' >&2; exit 3"#);
    assert_eq!(failure, Failure::Passing);
    assert_eq!(why, "sh failed (exit status: 3): cannot compile");
    let (failure, why) = failed("kill -9 $$");
    assert_eq!(
        (failure, why.as_str()),
        (Failure::Passing, "sh failed (signal: 9 (SIGKILL))")
    );
}

#[test]
fn a_program_that_is_not_there_is_not_there_next_time_either() {
    let stage = Stage::new();
    for name in ["kumite-no-such-program", "./no-such-program"] {
        let missed = stage.measure(command(&[name], None)).unwrap_err();
        assert_eq!(missed.failed.failure, Failure::Lasting);
        assert!(
            missed
                .failed
                .why
                .starts_with(&format!("cannot start {name}: "))
        );
    }
}

#[test]
fn a_veto_comes_from_the_program_or_from_its_score() {
    assert!(measured(r#"echo '{"score": 80, "veto": true}'"#).is_veto);
    let stage = Stage::new();
    for (score, is_veto) in [("49.99", true), ("50", false)] {
        let script = format!(r#"echo '{{"score": {score}, "remarks": "half"}}'"#);
        let kind = command(&["sh", "-c", &script], Some(50.0));
        let measure = stage.measure(kind).unwrap().0;
        assert_eq!(measure.is_veto, is_veto, "{measure:?}");
        let said = "half\n49.99 is below 50: the submission counts as nothing";
        assert_eq!(measure.remark == said, is_veto, "{measure:?}");
    }
}

#[test]
fn a_program_is_told_what_it_is_about() {
    let stage = Stage::new();
    let worktree = stage.dir.path().join("tree");
    fs::create_dir(&worktree).unwrap();
    let script = r#"
        text=$(cat); task=$(cat "$KUMITE_TASK"); again=$(cat "$KUMITE_SUBMISSION")
        echo "{\"score\": 1, \"remarks\": \"$KUMITE_CONTEST|$KUMITE_TEAM|$KUMITE_ROUND|$KUMITE_METRIC|$text|$again|$task|$(basename "$PWD")|$(basename "$KUMITE_PROJECT")|$(basename "$KUMITE_WORKTREE")\"}"
    "#;
    let of = |worktree: Option<&Path>| stage.measure_in(shell(script), worktree).unwrap().0.remark;
    let about = "contest-1|team-1|3|M|the text|the text|the task";
    assert_eq!(of(None), format!("{about}|project|project|"));
    assert_eq!(of(Some(&worktree)), format!("{about}|tree|project|tree"));
}

#[test]
fn a_team_cannot_replace_the_program_that_measures_it() {
    let stage = Stage::new();
    let worktree = stage.dir.path().join("tree");
    for (dir, score) in [(stage.project(), 10), (worktree.clone(), 100)] {
        fs::create_dir_all(&dir).unwrap();
        let path = dir.join("score.sh");
        fs::write(&path, format!("#!/bin/sh\necho '{{\"score\": {score}}}'\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let measure = stage.measure_in(command(&["./score.sh"], None), Some(&worktree));
    assert_eq!(measure.unwrap().0.score.hundredths(), 1_000);
}

#[test]
fn a_program_that_ignores_its_input_or_floods_its_output_is_survived() {
    let stage = Stage::new();
    fs::write(stage.submission(), vec![b'x'; 10_000_000]).unwrap();
    let flood =
        "head -c 5000000 /dev/zero; head -c 5000000 /dev/zero >&2; echo; echo '{\"score\": 7}'";
    let measure = stage.measure(shell(flood)).unwrap().0;
    assert_eq!(measure.score.hundredths(), 700);
    let script = "head -c 3000000 /dev/zero | tr '\\0' e >&2; exit 1";
    let why = stage.measure(shell(script)).unwrap_err().failed.why;
    assert!(why.len() < 1_200, "{}", why.len());
}

/// Starts two processes, one of which leaves the group, and notes their ids.
const TWO: &str =
    "sleep 1000 & echo $! > pids.tmp; setsid sleep 1000 & echo $! >> pids.tmp; mv pids.tmp pids;";

fn is_gone(pid: u32) -> bool {
    !Identity::of(pid).is_some_and(Identity::is_alive)
}

fn noted(stage: &Stage) -> Vec<u32> {
    let pids = fs::read_to_string(stage.project().join("pids")).unwrap();
    pids.lines()
        .map(|line| line.trim().parse().unwrap())
        .collect()
}

#[test]
fn what_a_program_leaves_behind_is_ended() {
    let stage = Stage::new();
    let script = format!("{TWO} echo '{{\"score\": 1}}'");
    stage.measure(shell(&script)).unwrap();
    let pids = noted(&stage);
    assert_eq!(pids.len(), 2);
    assert!(pids.into_iter().all(is_gone));
}

#[test]
fn a_cancel_ends_a_program_and_all_that_it_started() {
    let stage = Stage::new();
    let missed = thread::scope(|scope| {
        scope.spawn(|| {
            while !stage.project().join("pids").exists() {
                thread::yield_now();
            }
            stage.cancel.cancel();
        });
        stage.measure(shell(&format!("{TWO} wait"))).unwrap_err()
    });
    assert_eq!(missed.failed.why, "sh was cancelled");
    assert!(noted(&stage).into_iter().all(is_gone));
}

#[test]
fn d9_a_program_that_does_not_end_runs_out_of_the_turns_time() {
    let mut stage = Stage::new();
    stage.timeout = Duration::from_millis(100);
    let missed = stage.measure(shell("sleep 1000")).unwrap_err();
    assert_eq!(missed.failed.failure, Failure::TimedOut);
    assert_eq!(missed.failed.why, "sh did not end within 0.1 s");
}

#[test]
fn a_checklist_is_measured_without_anybodys_help() {
    let stage = Stage::new();
    let words = ["Text", "proof"].map(str::to_owned).to_vec();
    let (measure, used) = stage
        .measure(MetricKind::Checklist(Checklist { words }))
        .unwrap();
    assert_eq!(measure.score.hundredths(), 5_000);
    assert_eq!(measure.remark, "1 of 2 are mentioned; missing: proof");
    assert_eq!(used.input_tokens, 0);
}

#[test]
fn a_metric_without_anything_to_do_is_refused() {
    let stage = Stage::new();
    let nothing = MetricKind::Checklist(Checklist { words: Vec::new() });
    for (kind, words) in [
        (command(&[], None), "metric M: the command is empty"),
        (nothing, "metric M: the checklist has no words"),
    ] {
        let plan = stage.plan(kind, Judge::Rules);
        let error = metrics(&plan, &stage.means()).err().unwrap().to_string();
        assert!(error.starts_with(words), "{error}");
    }
}
