//! Several processes and one file.

use std::fs::{self, File};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::{Scene, Writer, ended, query, started, write};

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "waited for {what}"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

/// All rounds of a contest, one after the other; a lock is handled as kumite does.
fn play(scene: &Scene, contest: &str, rounds: u32) {
    let mut writer = Writer::start(&scene.db(), &[]);
    for round in 1..=rounds {
        for rows in [vec![started(contest, round)], ended(contest, round)] {
            let request = write(u64::from(round), rows);
            until("the database", || {
                let reply = writer.ask(&request);
                assert!(
                    reply["ok"] == true || reply["error"]["kind"] == "locked",
                    "{reply}"
                );
                reply["ok"] == true
            });
        }
    }
    assert!(writer.end().success());
}

const COUNTS: &str = "SELECT execution_id AS e, count(*) AS n, count(round_ended_at) AS ended, max(round_number) AS last
    FROM round_status GROUP BY ALL ORDER BY ALL";

#[test]
fn d11_two_writers_at_once_both_get_all_their_rows_in() {
    let scene = Scene::new();
    thread::scope(|scope| {
        for contest in ["one", "two"] {
            let scene = &scene;
            scope.spawn(move || play(scene, contest, 60));
        }
    });
    let rows = |contest| json!({"e": contest, "n": 60, "ended": 60, "last": 60});
    assert_eq!(scene.select(COUNTS), json!([rows("one"), rows("two")]));
    let board = "SELECT count(*) AS n, count(DISTINCT id) AS ids FROM leader_board";
    assert_eq!(scene.select(board), json!([{ "n": 120, "ids": 120 }]));
    let files = fs::read_dir(scene.0.path()).unwrap().count();
    assert_eq!(files, 1, "nothing but the database is left");
}

#[test]
fn a_reader_gets_its_answer_while_a_writer_is_busy() {
    let scene = Scene::new();
    let enough = AtomicBool::new(false);
    thread::scope(|scope| {
        let busy = scope.spawn(|| {
            let mut writer = Writer::start(&scene.db(), &[]);
            let mut round = 0;
            while !enough.load(Ordering::Relaxed) {
                round += 1;
                let reply = writer.ask(&write(1, ended("one", round)));
                assert!(
                    reply["ok"] == true || reply["error"]["kind"] == "locked",
                    "{reply}"
                );
            }
            writer.end();
        });
        until("the database", || scene.db().exists());
        let answers: Vec<Value> = (0..5).map(|_| scene.select(COUNTS)).collect();
        enough.store(true, Ordering::Relaxed);
        busy.join().unwrap();
        let seen: Vec<u64> = answers
            .iter()
            .map(|it| it[0]["n"].as_u64().unwrap_or(0))
            .collect();
        assert!(seen.is_sorted(), "{seen:?}");
    });
}

/// Takes the lock that DuckDB uses.
fn lock(file: &File) -> bool {
    fcntl_lock(file, FlockOperation::NonBlockingLockExclusive).is_ok()
}

#[test]
fn d9_a_file_that_another_process_holds_is_waited_for_and_then_named() {
    let scene = Scene::new();
    let mut writer = Writer::start(&scene.db(), &[]);
    writer.write(vec![started("one", 1)]);
    let file = File::options()
        .read(true)
        .write(true)
        .open(scene.db())
        .unwrap();
    until("the writer to give the file back", || lock(&file));
    let reply = writer.ask(&write(2, vec![started("one", 2)]));
    assert_eq!(reply["error"]["kind"], "locked");
    let message = reply["error"]["message"].as_str().unwrap();
    assert!(
        message.contains(&format!("PID {}", std::process::id())),
        "{message}"
    );
    assert_eq!(
        writer.ask(&json!({ "id": 3, "check": {} }))["error"]["kind"],
        "locked"
    );
    writer.send(&write(4, vec![started("one", 2)]));
    fcntl_lock(&file, FlockOperation::Unlock).unwrap();
    assert_eq!(writer.reply(), json!({ "id": 4, "ok": true }));
    assert!(writer.end().success());
}

#[test]
fn a_file_is_free_after_a_close() {
    let scene = Scene::new();
    let mut writer = Writer::start(&scene.db(), &[]);
    writer.write(ended("one", 1));
    assert_eq!(
        writer.ask(&json!({ "id": 2, "close": {} })),
        json!({ "id": 2, "ok": true })
    );
    let file = File::options()
        .read(true)
        .write(true)
        .open(scene.db())
        .unwrap();
    assert!(lock(&file));
    assert!(!scene.path("board.duckdb.wal").exists());
}

#[test]
fn d11_what_was_acknowledged_survives_a_kill_at_any_moment() {
    let scene = Scene::new();
    let mut acknowledged = 0;
    for turn in 0..12 {
        let mut writer = Writer::start(&scene.db(), &[]);
        // Everything again, as a resumed contest does, and something new.
        for round in 1..=acknowledged + 2 {
            writer.send(&write(u64::from(round), ended("one", round)));
        }
        for _ in 0..=acknowledged {
            assert_eq!(writer.reply()["ok"], true);
        }
        // Hits a commit, the pause, or the checkpoint.
        thread::sleep(Duration::from_millis(turn * 7));
        drop(writer);
        acknowledged += 1;
        let found = scene.select("SELECT count(*) AS n FROM leader_board")[0]["n"].as_u64();
        assert!(
            found >= Some(u64::from(acknowledged)),
            "{found:?} of {acknowledged}"
        );
    }
    play(&scene, "one", acknowledged + 2);
    let n = acknowledged + 2;
    assert_eq!(
        scene.select(COUNTS),
        json!([{"e": "one", "n": n, "ended": n, "last": n}])
    );
}

#[test]
fn times_are_the_same_in_every_time_zone() {
    let scene = Scene::new();
    let tokyo = [("TZ", "Asia/Tokyo")];
    let mut writer = Writer::start(&scene.db(), &tokyo);
    writer.write(ended("one", 1));
    assert!(writer.end().success());
    let sql = json!({ "sql": "SELECT created_at, updated_at FROM leader_board" });
    let expected = json!([{"created_at": "2026-11-16T05:07:00.123Z", "updated_at": "2026-11-16T05:07:00.124Z"}]);
    for zone in [&tokyo[..], &[("TZ", "America/New_York")], &[]] {
        let output = query(&scene.db(), &sql, zone);
        assert_eq!(
            serde_json::from_slice::<Value>(&output.stdout).unwrap(),
            expected
        );
    }
}

#[test]
fn a_writer_outlives_ctrl_c_and_ends_well_with_its_input() {
    let scene = Scene::new();
    let mut writer = Writer::start(&scene.db(), &[]);
    writer.write(vec![started("one", 1)]);
    let pid = Pid::from_raw(writer.child.id().cast_signed()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    writer.write(vec![started("one", 2)]);
    // Requests in progress when the input ends are written.
    writer.send(&write(3, ended("one", 3)));
    assert!(writer.end().success());
    assert_eq!(
        scene.select("SELECT count(*) AS n FROM round_status"),
        json!([{ "n": 3 }])
    );
}

#[test]
fn a_question_that_cannot_be_answered_ends_with_5_and_a_wrong_call_with_2() {
    let scene = Scene::new();
    let missing = scene.query(&json!({ "contests": {} }));
    assert_eq!(missing.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("there is no database"));
    let mut writer = Writer::start(&scene.db(), &[]);
    writer.write(vec![started("one", 1)]);
    assert!(writer.end().success());
    let wrong = scene.query(&json!({ "sql": "SELECT points FROM leader_board" }));
    assert_eq!(wrong.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("points"));
    assert!(wrong.stdout.is_empty());
    let call = std::process::Command::new(crate::PROGRAM)
        .arg("paint")
        .output()
        .unwrap();
    assert_eq!(call.status.code(), Some(2));
}

#[test]
fn kumite_itself_is_not_linked_with_duckdb() {
    let program = fs::read(env!("CARGO_BIN_EXE_kumite")).unwrap();
    let needs = |bytes: &[u8]| {
        bytes
            .windows(12)
            .any(|part| part == b"libduckdb.so" || part == b"libduckdb.dy")
    };
    assert!(!needs(&program));
    assert!(needs(&fs::read(crate::PROGRAM).unwrap()) || cfg!(feature = "duckdb-bundled"));
}
