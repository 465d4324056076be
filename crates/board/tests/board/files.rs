//! Files that are not our database, and disks that do not accept one.

use std::fs;
use std::path::Path;
use std::process::Command;

use kumite_core::contest::rows::Row;
use serde_json::{Value, json};

use crate::needs_root::needs_root;
use crate::{Scene, request, scored, status};

/// A check and a write are refused with this kind and these words; the file stays unchanged.
#[track_caller]
fn assert_refused(scene: &Scene, kind: &str, words: &str) {
    let before = fs::read(scene.db()).ok();
    let files = scene.files();
    let row = Row::RoundStatus(status("a", 1));
    let replies = scene.serve(&[json!({ "id": 1, "check": {} }), request(2, vec![row])]);
    for reply in replies {
        let error = &reply["error"];
        let message = error["message"].as_str().unwrap_or_default();
        assert_eq!(error["kind"], kind, "{reply}");
        assert!(message.contains(words), "{message}");
        assert!(message.contains("board.duckdb"), "{message}");
    }
    assert_eq!(fs::read(scene.db()).ok(), before);
    assert_eq!(scene.files(), files);
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_as_it_is() {
    let contents: [&[u8]; 5] = [
        b"the notes of a person, long enough to have a header",
        b"short",
        b"",
        b"SQLite format 3\0 and so on",
        b"PAR1 is how Parquet begins",
    ];
    for content in contents {
        let scene = Scene::new();
        fs::write(scene.db(), content).unwrap();
        assert_refused(&scene, "no_database", "not a DuckDB database");
    }
}

#[test]
fn a_directory_is_refused() {
    let scene = Scene::new();
    fs::create_dir(scene.db()).unwrap();
    assert_refused(&scene, "no_database", "is a directory");
}

/// A good database with its bytes changed.
fn changed(change: impl FnOnce(&mut Vec<u8>)) -> Scene {
    let scene = Scene::new();
    scene.write(vec![Row::RoundStatus(status("a", 1))]);
    let mut bytes = fs::read(scene.db()).unwrap();
    change(&mut bytes);
    fs::write(scene.db(), bytes).unwrap();
    scene
}

#[test]
fn a_database_that_is_damaged_or_cut_off_is_refused_and_left_as_it_is() {
    let flipped = changed(|bytes| bytes[4200] ^= 0xff);
    // The second header is damaged too: DuckDB alternates between the two.
    let twice = changed(|bytes| {
        bytes[4200] ^= 0xff;
        bytes[8300] ^= 0xff;
    });
    assert_refused(&twice, "no_database", "damaged");
    assert_refused(&flipped, "no_database", "damaged");
    assert_refused(
        &changed(|bytes| bytes.truncate(5000)),
        "no_database",
        "damaged",
    );
}

/// DuckDB's checksum of a block: the xor of its words, each times a constant.
fn checksum(block: &[u8]) -> u64 {
    let words = block
        .chunks_exact(8)
        .map(|word| u64::from_le_bytes(word.try_into().unwrap()));
    words.fold(5381, |sum, word| {
        sum ^ word.wrapping_mul(0xbf58_476d_1ce4_e5b9)
    })
}

#[test]
fn a_database_of_a_newer_duckdb_is_refused_and_left_as_it_is() {
    for version in [69_u64, 70] {
        let scene = changed(|bytes| {
            assert_eq!(bytes[..8], checksum(&bytes[8..4096]).to_le_bytes());
            bytes[12..20].copy_from_slice(&version.to_le_bytes());
            let sum = checksum(&bytes[8..4096]);
            bytes[..8].copy_from_slice(&sum.to_le_bytes());
        });
        assert_refused(&scene, "newer", "a newer DuckDB wrote");
    }
}

#[test]
fn a_check_makes_nothing_and_a_missing_directory_is_named() {
    let scene = Scene::new();
    let check = [json!({ "id": 1, "check": {} })];
    assert_eq!(scene.serve(&check), [json!({ "id": 1, "ok": true })]);
    assert_eq!(scene.files(), Vec::<String>::new());
    let nowhere = scene.path("no/such/board.duckdb");
    let mut output = Vec::new();
    let line = format!("{}\n", check[0]);
    kumite_board::serve(&nowhere, std::io::Cursor::new(line), &mut output).unwrap();
    let reply: Value = serde_json::from_slice(&output).unwrap();
    assert!(
        reply["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no directory"),
        "{reply}"
    );
    assert!(kumite_board::answer(&scene.db(), r#"{"contests":{}}"#).is_err());
}

#[test]
fn a_check_of_a_good_database_leaves_it_as_it_is() {
    let scene = changed(|_| {});
    let before = fs::read(scene.db()).unwrap();
    let replies = scene.serve(&[json!({ "id": 1, "check": {} })]);
    assert_eq!(replies, [json!({ "id": 1, "ok": true })]);
    assert_eq!(fs::read(scene.db()).unwrap(), before);
}

/// A small file system of its own. None, with a message: mounting one is not permitted.
struct Disk<'a>(&'a Path);

impl Disk<'_> {
    fn at(path: &Path) -> Option<Disk<'_>> {
        let mounted = mount(&["-t", "tmpfs", "-o", "size=1m", "tmpfs"], path);
        if !mounted {
            needs_root("mounts a file system");
        }
        mounted.then_some(Disk(path))
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

fn mount(options: &[&str], path: &Path) -> bool {
    let output = Command::new("mount").args(options).arg(path).output();
    output.is_ok_and(|output| output.status.success())
}

#[test]
fn a_disk_that_is_read_only_is_said_and_what_is_there_can_be_read() {
    for written_before in [false, true] {
        let scene = Scene::new();
        let path = scene.dir.path().to_owned();
        let Some(_disk) = Disk::at(&path) else { return };
        if written_before {
            scene.write(vec![Row::LeaderBoard(scored("a", 1, 5.0))]);
        }
        assert!(mount(&["-o", "remount,ro"], &path));
        assert_refused(&scene, "read_only", "read-only");
        if written_before {
            assert_eq!(
                scene.select("SELECT score FROM leader_board"),
                json!([{ "score": 5.0 }])
            );
        }
    }
}

#[test]
fn d9_a_full_disk_is_said_nothing_of_the_write_is_there_and_later_it_succeeds() {
    let scene = Scene::new();
    let path = scene.dir.path().to_owned();
    let Some(_disk) = Disk::at(&path) else { return };
    scene.write(vec![Row::LeaderBoard(scored("a", 1, 5.0))]);
    let filler = scene.path("filler");
    let mut size = 1024 * 1024;
    while fs::write(&filler, vec![0; size]).is_err() {
        size -= 4096;
    }
    let mut large = scored("a", 2, 6.0);
    large.submission_content = (0..200_000).map(|number| format!("{number} ")).collect();
    let rows = vec![Row::RoundStatus(status("a", 2)), Row::LeaderBoard(large)];
    let replies = scene.serve(&[request(1, rows.clone()), json!({ "id": 2, "close": {} })]);
    assert_eq!(replies[0]["error"]["kind"], "disk_full", "{}", replies[0]);
    fs::remove_file(&filler).unwrap();
    let found = "SELECT round_number AS n FROM leader_board ORDER BY n";
    assert_eq!(scene.select(found), json!([{ "n": 1 }]));
    assert_eq!(scene.select("FROM round_status"), json!([]));
    let mut rows = rows;
    if let Row::LeaderBoard(row) = &mut rows[1] {
        row.submission_content.truncate(1000);
    }
    scene.write(rows);
    assert_eq!(scene.select(found), json!([{ "n": 1 }, { "n": 2 }]));
}

/// Rows that are only in the log, as after a kill.
fn killed() -> Scene {
    let scene = Scene::new();
    scene.write(vec![Row::LeaderBoard(scored("a", 1, 10.0))]);
    let other = scene.open();
    other
        .execute_batch(
            "PRAGMA disable_checkpoint_on_shutdown;
             INSERT INTO leader_board (execution_id, team_id, team_name, round_number, submission_content,
                score, score_details) SELECT 'contest-1', 'a', 'Team a', n, 'text', n * 10, '{}'
                FROM range(2, 5) AS t(n)",
        )
        .unwrap();
    drop(other);
    assert_eq!(scene.files(), ["board.duckdb", "board.duckdb.wal"]);
    scene
}

const SCORES: &str = "SELECT round_number AS n, score FROM leader_board ORDER BY n";

#[test]
fn d11_what_a_killed_writer_left_in_the_log_is_read_written_over_and_put_into_the_file() {
    let scene = killed();
    let four = json!([{"n": 1, "score": 10.0}, {"n": 2, "score": 20.0}, {"n": 3, "score": 30.0}, {"n": 4, "score": 40.0}]);
    assert_eq!(scene.select(SCORES), four);
    assert_eq!(
        scene.files(),
        ["board.duckdb", "board.duckdb.wal"],
        "a reader writes nothing"
    );
    // Nothing here touches the table: DuckDB 1.5 alone would lose its index now.
    scene.write(vec![Row::RoundStatus(status("a", 1))]);
    assert_eq!(scene.files(), ["board.duckdb"]);
    let all = (1..=4).map(|round| Row::LeaderBoard(scored("a", round, f64::from(round))));
    scene.write(all.collect());
    let four = json!([{"n": 1, "score": 1.0}, {"n": 2, "score": 2.0}, {"n": 3, "score": 3.0}, {"n": 4, "score": 4.0}]);
    assert_eq!(scene.select(SCORES), four);
}

/// Somebody removed the file and left its log, which fits no other file.
#[test]
fn a_log_without_its_file_is_set_aside_and_the_board_is_made_anew() {
    let scene = killed();
    for names in [
        &["board.duckdb", "board.duckdb.wal.without-database"][..],
        &[
            "board.duckdb",
            "board.duckdb.wal.without-database",
            "board.duckdb.wal.without-database-2",
        ],
    ] {
        let log = scene.path("board.duckdb.wal");
        if !log.exists() {
            fs::write(&log, "another log").unwrap();
        }
        let kept = fs::read(&log).unwrap();
        fs::remove_file(scene.db()).unwrap();
        scene.write(vec![Row::LeaderBoard(scored("a", 7, 70.0))]);
        let one = json!([{"n": 7, "score": 70.0}]);
        assert_eq!(scene.select(SCORES), one);
        assert_eq!(scene.files(), names);
        let aside = scene.path(names.last().unwrap());
        assert_eq!(fs::read(aside).unwrap(), kept, "nothing is lost");
    }
}

/// What another program of this version does to the file after a kill.
#[test]
fn d11_a_file_with_a_damaged_index_still_takes_final_marks() {
    let scene = killed();
    drop(scene.open());
    let damaged = scene
        .open()
        .execute_batch("UPDATE leader_board SET score = score + 1");
    assert!(
        damaged.is_err(),
        "this version does not damage it: the detour in upsert.rs can go"
    );
    let mut best = scored("a", 4, 40.0);
    best.final_submission = true;
    scene.write(vec![Row::LeaderBoard(best)]);
    let found = scene.select("SELECT round_number AS n FROM leader_board WHERE final_submission");
    assert_eq!(found, json!([{ "n": 4 }]));
}
