//! A database that cannot be written, for a moment or permanently (D9, D11, bad input).

use std::fs::{self, File};
use std::path::Path;

use rustix::fs::{FlockOperation, fcntl_lock};
use serde_json::{Value, json};

use super::arena::{Arena, Files, TASK, processes};
use super::play::{Play, Role, error};
use crate::bad_disk::Disk;
use crate::world::{Out, text, until};

/// The lock that DuckDB takes, held by us.
struct Held(File);

impl Held {
    /// Waits until no other process has it.
    fn take(path: &Path) -> Held {
        let file = File::options().read(true).write(true).open(path).unwrap();
        until("the database to be free", || {
            fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
        });
        Held(file)
    }

    fn let_go(self) {
        fcntl_lock(&self.0, FlockOperation::Unlock).unwrap();
    }
}

fn scores() -> Play {
    Play::new().scores("alpha", &[60.0, 70.0])
}

/// A team that its model delays in round 2 until [`Arena::replay`].
fn held_up() -> Arena {
    let play = scores().leader("alpha", 2, vec![error(503)]);
    Files::of(&["alpha"]).rounds(2, 2).patient().play(play)
}

fn wait_for_round_2(arena: &Arena) {
    until("round 2", || arena.count(Role::Leader, "alpha", 2) > 0);
}

/// The four tries, and the 1, 2 and 4 seconds between them.
#[track_caller]
fn assert_tries(out: &Out, words: &str) {
    let tries: Vec<Value> = out
        .notices("trouble")
        .into_iter()
        .filter(|it| it["part"] == "database" && it["team_id"] == "alpha")
        .collect();
    let numbers: Vec<&Value> = tries.iter().map(|it| &it["attempt"]).collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
    let at = |it: &Value| text(&it["time"]).parse::<jiff::Timestamp>().unwrap();
    for (pair, least) in tries.windows(2).zip([1000, 2000, 4000]) {
        let waited = at(&pair[1]).as_millisecond() - at(&pair[0]).as_millisecond();
        assert!(
            (least..least + 5000).contains(&waited),
            "{waited} of {least}"
        );
        assert!(text(&pair[0]["message"]).contains(words), "{}", pair[0]);
    }
}

/// Both rounds are in the database, but the team is out nevertheless.
#[track_caller]
fn assert_made_up_for(arena: &Arena) {
    assert_eq!(
        arena.leader_board(),
        ["alpha 1 60 false null", "alpha 2 70 true database_failure"]
    );
    assert_eq!(arena.round_status().len(), 2);
    assert_eq!(arena.team_status(), ["alpha disqualified database_failure"]);
    assert_eq!(arena.summary(), ["failed null 1"]);
}

#[test]
fn d9_s21_a_database_that_stays_locked_disqualifies_and_is_written_by_a_resume() {
    let arena = held_up();
    let running = arena.start(&["--json"]);
    wait_for_round_2(&arena);
    let held = Held::take(&arena.world.path("mixseek.db"));
    arena.replay(scores());
    let out = running.wait();
    out.assert_code(4);
    assert_tries(&out, "is in use by");
    let end = out.notices("team_ended").pop().unwrap();
    assert_eq!(
        (&end["exit_reason"], &end["score"]),
        (&json!("database_failure"), &json!(70.0))
    );

    // The journal has everything, and the board shows it while the database has nothing yet.
    let board = arena.board();
    assert_eq!(
        (&board["state"], &board["winner"]),
        (&json!("failed"), &json!(null))
    );
    assert_eq!(board["teams"][0]["scores"], json!([60.0, 70.0]));
    assert!(text(&board["unsaved"]).contains("is in use by"), "{board}");
    let id = text(&board["execution_id"]);
    arena.contest(&["show", &id]).assert_code(0);
    let counts = arena.counts();

    held.let_go();
    arena.resume().assert_code(4);
    assert_made_up_for(&arena);
    assert_eq!(arena.counts(), counts);
    assert_eq!(arena.board()["unsaved"], json!(null));
}

#[test]
fn d11_a_database_that_is_locked_for_a_moment_again_and_again_loses_no_row() {
    let arena = Files::of(&["alpha"]).rounds(3, 3).play(
        Play::new()
            .scores("alpha", &[10.0, 20.0, 30.0])
            .delay_ms(100),
    );
    arena.run().assert_code(0);
    let running = arena.start(&["--json"]);
    until("the second contest", || arena.homes().len() == 2);
    let happened = |event: &str| {
        let journal = arena.journal();
        journal.iter().filter(|it| it["event"] == event).count()
    };
    for round in 1..=3 {
        let held = Held::take(&arena.world.path("mixseek.db"));
        until("a write to fail", || happened("save_failed") >= round);
        held.let_go();
        until("the write to be made up for", || happened("saved") >= round);
    }
    let out = running.wait();
    out.assert_code(0);
    assert_eq!(happened("save_failed"), 3);
    let row = |round| format!("alpha {round} {}0 {}", round, end_of(round));
    let expected: Vec<String> = [1, 1, 2, 2, 3, 3].map(row).into();
    assert_eq!(arena.leader_board(), expected);
    assert_eq!(arena.summary(), ["completed alpha 1", "completed alpha 1"]);
}

#[test]
fn d11_a_database_that_is_in_use_when_a_contest_begins_is_waited_for() {
    let arena = Files::of(&["alpha"]).rounds(2, 2).play(scores());
    fs::copy(super::tables::FIXTURE, arena.world.path("mixseek.db")).unwrap();
    let held = Held::take(&arena.world.path("mixseek.db"));
    let running = arena.start(&["--json"]);
    // The board program is running, so it has met the lock, or will in a moment.
    let db = arena.world.path("mixseek.db").display().to_string();
    until("the board to be asked for", || {
        processes(&["kumite-board", &db]) > 0
    });
    held.let_go();
    running.wait().assert_code(0);
}

fn end_of(round: u32) -> &'static str {
    match round {
        3 => "true max_rounds_reached",
        _ => "false null",
    }
}

#[test]
fn d9_s21_a_full_disk_disqualifies_and_a_resume_writes_what_is_missing() {
    let arena = held_up();
    let Some(_disk) = Disk::at(arena.world.path("disk")) else {
        return;
    };
    let db = ["--db", "disk/board.duckdb"];
    let running = arena.start(&["--json", db[0], db[1]]);
    wait_for_round_2(&arena);
    until("round 2 to be in the database", || {
        let sql = "SELECT round_number FROM round_status WHERE round_number = 2";
        let out = arena.contest(&["board", "--sql", sql, "--json", db[0], db[1]]);
        out.code == 0 && out.stdout.contains("round_number")
    });
    let filler = arena.world.path("disk/filler");
    let mut size = 1024 * 1024;
    while fs::write(&filler, vec![0; size]).is_err() {
        size -= 4096;
    }
    arena.replay(scores().leader("alpha", 2, vec![super::play::say(&"long ".repeat(4_000))]));
    let out = running.wait();
    out.assert_code(4);
    assert_tries(&out, "the disk is full");

    fs::remove_file(&filler).unwrap();
    let out = arena.contest(&["resume", "--json", db[0], db[1]]);
    out.assert_code(4);
    let sql = "SELECT team_id, round_number, exit_reason FROM leader_board ORDER BY round_number";
    let rows = arena.contest(&["board", "--sql", sql, "--json", db[0], db[1]]);
    let rows = rows.stdout.lines();
    let rows: Vec<Value> = rows.map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(rows.len(), 2, "{rows:?}");
    // Round 2 is worth 50: the first one is its best.
    assert_eq!(rows[0]["exit_reason"], "database_failure");
}

/// The evaluator answers nonsense, so that the journal gets entry after entry until it is full.
#[test]
fn a_full_disk_under_the_journal_is_said_and_a_resume_goes_on_when_there_is_room() {
    let nonsense = Play::new()
        .evaluates(vec![super::play::say("hm")])
        .delay_ms(10);
    let arena = Files::of(&["alpha"])
        .rounds(2, 2)
        .evaluator("max_retries = 100")
        .play(nonsense);
    let Some(_disk) = Disk::at(arena.world.path(".kiro")) else {
        return;
    };
    let running = arena.start(&["--json"]);
    until("the evaluator to fail", || {
        arena.happened("measure_failed", 0, 1) > 2
    });
    crate::bad_disk::fill(&arena.world, 0);
    let out = running.wait();
    assert_eq!(out.code, 1, "{out:#?}");
    assert!(out.stderr.contains("No space left"), "{out:#?}");
    assert!(out.stderr.contains("journal.jsonl"), "{out:#?}");
    fs::remove_file(arena.world.path(".kiro/filler")).unwrap();
    assert_eq!(arena.board()["state"], "stopped");

    arena.replay(scores());
    arena.resume().assert_code(0);
    assert_eq!(
        arena.leader_board(),
        [
            "alpha 1 60 false null",
            "alpha 2 70 true max_rounds_reached"
        ]
    );
    assert_eq!(arena.count(Role::Leader, "alpha", 1), 1);
}

/// Refused before any request, with these words; existing files stay unchanged.
#[track_caller]
fn assert_refused(arena: &Arena, db: &str, words: &[&str]) {
    let before = fs::read(arena.world.path(db)).ok();
    for more in [&["--dry-run"][..], &[]] {
        let args = [&["run", super::arena::FILE, TASK, "--db", db], more].concat();
        let out = arena.contest(&args);
        assert_eq!(out.code, 5, "{out:?}");
        let said = format!("{}{}", out.stdout, out.stderr);
        for word in words.iter().chain([&db]) {
            assert!(said.contains(word), "{word}: {said}");
        }
    }
    assert_eq!(arena.model.requests().len(), 0);
    assert_eq!(arena.homes().len(), 0);
    assert_eq!(fs::read(arena.world.path(db)).ok(), before);
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_as_it_is() {
    let arena = Files::of(&["alpha"]).play(scores());
    arena.world.write(
        "mixseek.db",
        "these are the notes of a person, not a database\n",
    );
    assert_refused(
        &arena,
        "mixseek.db",
        &["not a DuckDB database", "left as it is"],
    );
    fs::create_dir(arena.world.path("a-directory")).unwrap();
    assert_refused(&arena, "a-directory", &["directory"]);
    assert_refused(&arena, "no/such/dir/board.db", &["no directory"]);
}

#[test]
fn a_database_of_a_newer_duckdb_is_refused_and_left_as_it_is() {
    let arena = Files::of(&["alpha"]).play(scores());
    let mut bytes = fs::read(super::tables::FIXTURE).unwrap();
    // The header: a checksum, `DUCK`, and the version of the storage.
    assert_eq!(bytes[..8], checksum(&bytes[8..4096]).to_le_bytes());
    bytes[12..20].copy_from_slice(&100u64.to_le_bytes());
    let sum = checksum(&bytes[8..4096]);
    bytes[..8].copy_from_slice(&sum.to_le_bytes());
    fs::write(arena.world.path("mixseek.db"), bytes).unwrap();
    assert_refused(&arena, "mixseek.db", &["newer DuckDB"]);
}

/// DuckDB's checksum before a block of its file.
fn checksum(bytes: &[u8]) -> u64 {
    let words = bytes
        .chunks_exact(8)
        .map(|word| u64::from_le_bytes(word.try_into().unwrap()));
    words.fold(5381, |sum, word| {
        sum ^ word.wrapping_mul(0xbf58_476d_1ce4_e5b9)
    })
}

#[test]
fn a_database_that_somebody_keeps_open_is_refused_with_the_name_of_the_program() {
    let arena = Files::of(&["alpha"]).play(scores());
    fs::copy(super::tables::FIXTURE, arena.world.path("mixseek.db")).unwrap();
    let before = fs::read(super::tables::FIXTURE).unwrap();
    let held = Held::take(&arena.world.path("mixseek.db"));
    let own = format!("PID {}", std::process::id());
    for more in [&["--dry-run"][..], &[]] {
        let out = arena.run_with(more);
        assert_eq!(out.code, 5, "{out:?}");
        let said = format!("{}{}", out.stdout, out.stderr);
        assert!(
            said.contains("is in use by") && said.contains(&own),
            "{said}"
        );
    }
    assert_eq!(arena.model.requests().len(), 0);
    held.let_go();
    assert_eq!(fs::read(arena.world.path("mixseek.db")).unwrap(), before);
}

#[test]
fn a_disk_that_cannot_be_written_is_said_before_anybody_is_asked() {
    let arena = Files::of(&["alpha"]).play(scores());
    let Some(disk) = Disk::at(arena.world.path("disk")) else {
        return;
    };
    disk.set_writable(false);
    assert_refused(&arena, "disk/board.duckdb", &["read-only"]);
    disk.set_writable(true);
}
