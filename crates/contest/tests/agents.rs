//! Agent teams: real processes under real supervisors, in real worktrees.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use common::agents::{DONE, Stage, exists, has_all};
use common::{apart, files, until};
use kumite_contest::apply::apply;
use kumite_contest::teams::agent::end_all;
use kumite_contest::worktree::remove_all;
use kumite_core::contest::{Failure, Used};
use kumite_formats::contest::{Source, Worktree};
use kumite_formats::settings::{AgentKind, Span};
use rustix::process::{Pid, Signal, kill_process};

/// A limit that ends in three hours.
const LIMITED: &str = r#"until=$(( $(date +%s) + 3 * 3600 ))
echo '{"type":"system","subtype":"init","session_id":"s-1"}'
echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":'$until'}}'
echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"session_id":"s-1","total_cost_usd":0.25,"result":"usage limit"}'"#;

#[test]
fn d1_an_agent_works_in_its_own_worktree_and_its_last_text_is_the_submission() {
    let script = format!(
        "pwd >> a.txt; env | grep ^KUMITE_ | sort > $here/.kiro/runtime/env; \
         echo more > new.txt; text=$(head -c 60000 /dev/zero | tr '\\0' x)\n{DONE}"
    );
    let stage = Stage::new(&script);
    let before = files(stage.project.root());
    let handed = stage.submit(1, 1).unwrap();
    assert_eq!(
        (handed.text.len(), handed.flaw, handed.format.as_str()),
        (60_000, None, "md")
    );
    let used = Used {
        input_tokens: 3,
        output_tokens: 4,
        micros: 500_000,
        waited_ms: 0,
    };
    assert_eq!(handed.used, used);
    assert_eq!(handed.messages[0]["parts"][0]["part_kind"], "user-prompt");
    assert_eq!(handed.messages[0]["parts"][0]["content"], "Do it.");
    assert_eq!(handed.messages[1]["parts"][0]["part_kind"], "text");
    assert_eq!(handed.messages[1]["parts"][0]["content"], handed.text);
    assert_eq!(handed.messages[1]["usage"]["output_tokens"], 4);
    assert_eq!(handed.members, serde_json::json!([]));

    assert_eq!(files(stage.project.root()), before, "the main checkout");
    assert_eq!(stage.team().place(), stage.root());
    let diff = fs::read_to_string(stage.round(1).join("changes.diff")).unwrap();
    has_all(
        &diff,
        &[
            "+++ b/a.txt",
            "+++ b/new.txt",
            &stage.root().display().to_string(),
        ],
    );
    let contest = stage.project.root().file_name().unwrap().to_str().unwrap();
    let env = stage.lines("env").join("\n");
    let expected = format!(
        "KUMITE_AGENT={contest}.Team A.1.agent-1\nKUMITE_CONTEST={contest}\n\
         KUMITE_PROJECT={}\nKUMITE_ROUND=1\nKUMITE_STEP=contest\nKUMITE_TEAM=Team A",
        stage.project.root().display()
    );
    assert_eq!(env, expected);
    for name in ["agent-1/end.json", "agent-1.log", "agent-1.jsonl"] {
        assert!(stage.round(1).join(name).exists(), "{name}");
    }
    assert_eq!(stage.alive(), 0);
}

#[test]
fn a_named_file_or_the_diff_can_be_the_submission_and_the_diff_can_be_applied() {
    let mut stage = Stage::new(&format!(
        "[ $KUMITE_ROUND = 2 ] || {{ mkdir docs; echo answer > docs/Answer.TXT; }}; text=x\n{DONE}"
    ));
    stage.source = Source::File("docs/Answer.TXT".to_owned());
    let handed = stage.submit(1, 1).unwrap();
    assert_eq!(
        (handed.text.as_str(), handed.format.as_str()),
        ("answer\n", "txt")
    );
    let handed = stage.submit(2, 1).unwrap();
    assert_eq!(handed.text, "");
    assert_eq!(
        handed.flaw.as_deref(),
        Some("the file docs/Answer.TXT was not written")
    );
    assert_eq!(handed.messages[1]["parts"][0]["content"], "x");

    stage.source = Source::Diff;
    let handed = stage.submit(3, 1).unwrap();
    has_all(&handed.text, &["+++ b/docs/Answer.TXT", "+answer"]);
    assert_eq!(handed.format, "diff");
    let changes = apply(
        stage.project.root(),
        &stage.round(3).join("changes.diff"),
        false,
    );
    assert_eq!(changes.unwrap().len(), 1);
    assert_eq!(stage.project.read("docs/Answer.TXT"), "answer\n");

    let mut stage = Stage::new(&format!("text=x\n{DONE}"));
    stage.source = Source::Diff;
    let handed = stage.submit(1, 1).unwrap();
    assert_eq!(handed.flaw.as_deref(), Some("nothing was changed"));
}

#[test]
fn d3_a_fresh_round_sees_nothing_of_the_last_one_and_a_kept_one_sees_all_of_it() {
    let script =
        format!("text=$(cat seen.txt | tr '\\n' ' '); echo $KUMITE_ROUND >> seen.txt\n{DONE}");
    let fresh = Stage::new(&script);
    let mut kept = Stage::new(&script);
    kept.worktree = Worktree::Kept;
    let texts = |stage: &Stage| {
        let tries = [(1, 1), (2, 1), (2, 2), (3, 1)];
        tries.map(|(round, attempt)| stage.submit(round, attempt).unwrap().text)
    };
    assert_eq!(texts(&fresh), ["", "", "", ""]);
    assert_eq!(texts(&kept), ["", "1 ", "1 ", "1 2 "]);
    let diff = fs::read_to_string(kept.round(3).join("changes.diff")).unwrap();
    has_all(&diff, &["+1\n+2\n+3"]);
    for stage in [fresh, kept] {
        remove_all(&stage.project.repository(), &stage.project.contest_dir()).unwrap();
        assert_eq!(stage.project.worktrees().len(), 1);
    }
}

#[test]
fn d9_an_agent_that_fails_may_be_tried_again_and_one_that_cannot_start_may_not() {
    let stage = Stage::new("echo oh no >&2; exit 3");
    let (failure, why) = stage.fails(1, 1);
    assert_eq!(failure, Failure::Passing);
    has_all(&why, &["exit code 3", "oh no"]);

    let mut stage = Stage::new("exit 0");
    let fake = stage.settings.agents.get_mut("fake").unwrap();
    if let AgentKind::Program { program, .. } = &mut fake.kind {
        *program = "./no-such-agent".to_owned();
    }
    let (failure, why) = stage.fails(1, 1);
    assert_eq!(failure, Failure::Lasting);
    has_all(&why, &["no-such-agent", "does not exist"]);

    let mut stage = Stage::new("exec sleep 1000");
    stage.settings.agent.silence_timeout = Span::from_secs(1);
    let (failure, why) = stage.fails(1, 1);
    assert_eq!(
        (failure, why.as_str()),
        (Failure::Passing, "it said nothing for 1s")
    );
    assert_eq!(stage.alive(), 0);
}

#[test]
fn d9_an_agent_that_takes_too_long_is_ended_and_has_run_out_of_time() {
    let mut stage = Stage::new("while :; do echo '{}'; sleep 0.1; done");
    stage.timeout = Duration::from_millis(1500);
    let (failure, why) = stage.fails(1, 1);
    assert_eq!(
        (failure, why.as_str()),
        // The core says whose time it was.
        (Failure::TimedOut, "")
    );
    assert_eq!(stage.alive(), 0);
}

#[test]
fn a_cancel_ends_an_agent_and_all_that_it_started() {
    let stage = Stage::new("setsid sleep 1000 & sleep 1000 & touch $here/.kiro/runtime/up; wait");
    let (failure, why) = thread::scope(|scope| {
        let failed = scope.spawn(|| stage.fails(1, 1));
        until("the agent", exists(&stage.note("up")));
        stage.cancel.cancel();
        failed.join().unwrap()
    });
    assert_eq!(
        (failure, why.as_str()),
        (Failure::Passing, "it was cancelled")
    );
    assert_eq!(stage.alive(), 0);
    assert_eq!(stage.fails(1, 2).1, "it was cancelled");
    assert!(
        !stage.round(1).join("agent-2").exists(),
        "nobody was started"
    );
}

#[test]
fn a_resumed_contest_finds_the_agent_that_works_for_it_and_starts_no_other() {
    let mut stage = Stage::new(&format!(
        "echo $$ >> $here/.kiro/runtime/started; echo work > work.txt\n\
         while [ ! -e $here/.kiro/runtime/go ]; do sleep 0.01; done; text=done\n{DONE}"
    ));
    stage.source = Source::Diff;
    thread::scope(|scope| {
        let first = scope.spawn(|| stage.submit(1, 1));
        let work = stage.root().join("work.txt");
        until("the agent's work", exists(&work));
        // Another kumite, which knows only the files.
        let second = scope.spawn(|| stage.submit(1, 1));
        fs::write(stage.note("go"), "").unwrap();
        let (first, second) = (first.join().unwrap(), second.join().unwrap());
        has_all(&second.as_ref().unwrap().text, &["+work"]);
        assert_eq!(first.unwrap().text, second.unwrap().text);
    });
    assert_eq!(
        stage.submit(1, 1).unwrap().messages[1]["parts"][0]["content"],
        "done"
    );
    assert_eq!(stage.lines("started").len(), 1);
}

#[test]
fn an_agent_that_died_with_its_kumite_is_started_anew_and_the_team_is_not_to_blame() {
    let stage = Stage::new(&format!(
        "echo $$ >> $here/.kiro/runtime/started; cat mess.txt && exit 9; echo mess > mess.txt\n\
         if [ ! -e $here/.kiro/runtime/go ]; then exec sleep 1000; fi; text=done\n{DONE}"
    ));
    thread::scope(|scope| {
        let first = scope.spawn(|| stage.submit(1, 1));
        let record = stage.round(1).join("agent-1/record.json");
        until("the agent", || {
            record.exists() && stage.lines("started").len() == 1
        });
        let record: serde_json::Value =
            serde_json::from_slice(&fs::read(&record).unwrap()).unwrap();
        fs::write(stage.note("go"), "").unwrap();
        // The machine crashes: supervisor and agent are gone, and nobody wrote an end.
        for who in ["supervisor", "agent"] {
            let pid = record[who]["pid"].as_i64().unwrap() as i32;
            kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
        }
        let failed = first.join().unwrap().unwrap_err().failed;
        assert_eq!(failed.failure, Failure::Passing, "{}", failed.why);
    });
    assert_eq!(stage.submit(1, 1).unwrap().text, "done");
    assert_eq!(stage.lines("started").len(), 2);
    assert!(stage.round(1).join("agent-1-2/end.json").exists());
}

#[test]
fn who_still_works_for_a_contest_that_nobody_plays_can_be_ended() {
    let stage = Stage::new("touch $here/.kiro/runtime/up; sleep 1000");
    thread::scope(|scope| {
        let first = scope.spawn(|| stage.submit(1, 1));
        until("the agent", exists(&stage.note("up")));
        end_all(&stage.project.contest_dir());
        assert_eq!(stage.alive(), 0);
        let failed = first.join().unwrap().unwrap_err().failed;
        assert_eq!(failed.why, "somebody ended it");
    });
    end_all(&stage.project.contest_dir());
}

#[test]
fn a_usage_limit_is_waited_for_and_the_same_session_goes_on() {
    let test = "a_usage_limit_is_waited_for_and_the_same_session_goes_on";
    let dir = tempfile::tempdir().unwrap();
    let ahead = dir.path().join("ahead");
    let variables = [
        ("XDG_STATE_HOME", dir.path()),
        ("KUMITE_CLOCK_AHEAD", ahead.as_path()),
    ];
    if !apart(test, &variables) {
        return;
    }
    let stage = Stage::new(&format!(
        "echo \"$@\" \"$(cat)\" | tr '\\n' ' ' >> $here/.kiro/runtime/calls; echo >> $here/.kiro/runtime/calls\n\
         [ -e half.txt ] && {{ text=$(cat half.txt)\n{DONE}\nexit 0; }}\n\
         echo half > half.txt\n{LIMITED}\nexit 1"
    ));
    // Shorter than the limit, and longer than the work.
    assert!(stage.timeout < Duration::from_secs(3600));
    let mut other = Stage::new(&format!("text=other\n{DONE}"));
    let fake = other.settings.agents.get_mut("fake").unwrap();
    let login = ("CLAUDE_CONFIG_DIR".to_owned(), "/another/login".to_owned());
    fake.env.extend([login]);
    let handed = thread::scope(|scope| {
        let limited = scope.spawn(|| stage.submit(1, 1));
        until(
            "the limit",
            exists(&stage.round(1).join("agent-1/end.json")),
        );
        let ahead = std::env::var_os("KUMITE_CLOCK_AHEAD").unwrap();
        until("the note", || noted() == 1);
        assert_eq!(stage.lines("calls").len(), 1);
        // It does not hold back another account.
        assert_eq!(other.submit(1, 1).unwrap().text, "other");
        fs::write(ahead, (4 * 3600 * 1000).to_string()).unwrap();
        limited.join().unwrap().unwrap()
    });
    assert_eq!(handed.text, "half", "the worktree stayed as it was");
    assert_eq!(handed.used.micros, 750_000);
    let calls = stage.lines("calls");
    assert_eq!(calls.len(), 2, "{calls:?}");
    has_all(&calls[1], &["--resume s-1", "You were interrupted."]);
    assert!(stage.round(1).join("agent-1-2/end.json").exists());
}

#[test]
fn a_usage_limit_that_nobody_wants_to_wait_for_ends_the_try_and_a_cancel_ends_the_wait() {
    let test =
        "a_usage_limit_that_nobody_wants_to_wait_for_ends_the_try_and_a_cancel_ends_the_wait";
    let dir = tempfile::tempdir().unwrap();
    if !apart(test, &[("XDG_STATE_HOME", dir.path())]) {
        return;
    }
    let mut stage = Stage::new(&format!("{LIMITED}\nexit 1"));
    thread::scope(|scope| {
        let failed = scope.spawn(|| stage.submit(1, 1).unwrap_err());
        until("the note", || noted() == 1);
        stage.cancel.cancel();
        let missed = failed.join().unwrap();
        assert_eq!(missed.failed.why, "it was cancelled");
        assert_eq!(missed.used.micros, 250_000);
    });
    // Another kumite knows of it before it starts an agent.
    stage.cancel = kumite_models::Cancel::new();
    stage.settings.limit.wait = false;
    let (failure, why) = stage.fails(2, 1);
    assert_eq!(failure, Failure::Lasting);
    has_all(&why, &["limited until", "usage limit"]);
    assert!(
        !stage.round(2).join("agent-1").exists(),
        "nobody was started"
    );
}

/// How many limits are noted.
fn noted() -> usize {
    let state = std::env::var_os("XDG_STATE_HOME").unwrap();
    let limits = fs::read_dir(Path::new(&state).join("kumite/limits"));
    let notes = limits.into_iter().flatten().flatten();
    notes
        .filter(|note| note.path().extension().is_some_and(|end| end == "json"))
        .count()
}
