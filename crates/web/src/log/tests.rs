use std::fs::{self, OpenOptions};
use std::io::Write;

use super::*;

/// A log that grows and is rotated.
pub struct World {
    dir: tempfile::TempDir,
    logs: Logs,
}

impl Default for World {
    fn default() -> World {
        World {
            dir: tempfile::tempdir().unwrap(),
            logs: Logs::default(),
        }
    }
}

impl World {
    fn path(&self) -> PathBuf {
        self.dir.path().join("agent.jsonl")
    }

    pub fn append(&self, bytes: &[u8]) {
        let mut options = OpenOptions::new();
        let mut file = options.create(true).append(true).open(self.path()).unwrap();
        file.write_all(bytes).unwrap();
    }

    fn rotate(&self) {
        let _ = fs::remove_file(rotated(&self.path()));
        fs::rename(self.path(), rotated(&self.path())).unwrap();
    }

    pub fn look(&self) -> Log {
        self.look_while(false)
    }

    fn look_while(&self, is_over: bool) -> Log {
        let found = self
            .logs
            .look_at(self.dir.path(), Form::Transcript, self.path(), || is_over);
        found.unwrap().unwrap()
    }
}

fn texts(rows: Vec<Row>) -> Vec<String> {
    let text = |row: Row| format!("{}:{}", row.number, String::from_utf8_lossy(&row.bytes));
    rows.into_iter().map(text).collect()
}

fn all(log: &Log) -> Vec<String> {
    texts(log.from(0, 100).unwrap())
}

#[test]
fn there_is_nothing_where_no_log_is() {
    let world = World::default();
    let found = world
        .logs
        .look_at(world.dir.path(), Form::Raw, world.path(), || true);
    assert!(found.unwrap().is_none());
}

#[test]
fn an_empty_log_has_no_lines() {
    let world = World::default();
    world.append(b"");
    let log = world.look();
    assert_eq!((log.first(), log.last()), (1, 0));
    assert_eq!(log.from(1, 10).unwrap(), []);
    assert_eq!(log.before(10, 10).unwrap(), []);
}

#[test]
fn a_line_is_there_when_it_is_whole_or_will_never_be() {
    let world = World::default();
    world.append(b"one\ntw");
    assert_eq!(all(&world.look()), ["1:one"]);
    assert_eq!(all(&world.look_while(true)), ["1:one", "2:tw"]);
    world.append(b"o\n");
    assert_eq!(all(&world.look()), ["1:one", "2:two"]);
}

#[test]
fn numbers_stay_while_the_log_is_rotated_again_and_again() {
    let world = World::default();
    world.append(b"one\ntwo\n");
    let log = world.look();
    assert_eq!((log.first(), log.last()), (1, 2));
    world.rotate();
    assert_eq!(all(&world.look()), ["1:one", "2:two"], "just renamed");
    world.append(b"three\n");
    assert_eq!(all(&world.look()), ["1:one", "2:two", "3:three"]);
    world.append(b"four\n");
    world.rotate();
    world.append(b"five\n");
    let log = world.look();
    assert_eq!((log.first(), log.last()), (3, 5));
    assert_eq!(all(&log), ["3:three", "4:four", "5:five"]);
    for number in 6..20 {
        world.rotate();
        world.append(format!("line {number}\n").as_bytes());
        let log = world.look();
        assert_eq!((log.first(), log.last()), (number - 1, number));
    }
}

#[test]
fn lines_that_came_and_went_unseen_do_not_give_their_numbers_to_others() {
    let world = World::default();
    world.append(b"one\ntwo\n");
    world.look();
    for text in ["three\n", "four\n", "five\n"] {
        world.rotate();
        world.append(text.as_bytes());
    }
    let log = world.look();
    assert_eq!(all(&log), ["3:four", "4:five"]);
}

#[test]
fn what_was_looked_at_stays_readable_while_the_log_goes_on() {
    let world = World::default();
    world.append(b"one\ntwo\n");
    let log = world.look();
    world.append(b"three\n");
    world.rotate();
    world.append(b"four\n");
    world.rotate();
    world.look();
    assert_eq!(all(&log), ["1:one", "2:two"]);
}

#[test]
fn a_log_that_was_cut_is_read_anew() {
    let world = World::default();
    world.append(b"one\ntwo\n");
    world.look();
    fs::write(world.path(), b"new\n").unwrap();
    assert_eq!(all(&world.look()), ["3:new"]);
}

#[test]
fn bytes_of_all_kinds_come_as_they_are() {
    let world = World::default();
    world.append(b"\xff\xfe\0\n\r\n\n{\"half\":\n");
    let rows = world.look().from(1, 10).unwrap();
    let bytes: Vec<&[u8]> = rows.iter().map(|row| &row.bytes[..]).collect();
    assert_eq!(bytes, [&b"\xff\xfe\0"[..], b"\r", b"", b"{\"half\":"]);
}

#[test]
fn long_lines_come_in_smaller_helpings() {
    let world = World::default();
    let line = [vec![b'x'; 2 * LINE_MAX], vec![b'\n']].concat();
    (0..40).for_each(|_| world.append(&line));
    let log = world.look();
    let numbers = |rows: Vec<Row>| {
        assert!(
            rows.iter()
                .all(|row| row.is_cut && row.bytes.len() == LINE_MAX)
        );
        (rows[0].number, rows[rows.len() - 1].number)
    };
    assert_eq!(numbers(log.from(5, 100).unwrap()), (5, 20));
    assert_eq!(numbers(log.before(31, 100).unwrap()), (15, 30));
}

#[test]
fn only_so_many_logs_are_remembered() {
    let world = World::default();
    for number in 0..KNOWN_MAX + 10 {
        world.logs.known(Path::new(&number.to_string()));
    }
    assert_eq!(locked(&world.logs.known).len(), KNOWN_MAX);
}

#[test]
fn right_lines_come_from_random_places_of_a_million() {
    const LINES: u64 = 1_000_000;
    let world = World::default();
    let line = |number: u64| {
        let text = "word ".repeat((number * 7919 % 13) as usize);
        format!("{{\"at_ms\":{number},\"kind\":\"text\",\"text\":\"{text}\"}}")
    };
    let write = |numbers: std::ops::Range<u64>| {
        let mut text = String::new();
        for number in numbers {
            text += &line(number);
            text.push('\n');
        }
        world.append(text.as_bytes());
    };
    write(1..LINES / 3);
    assert_eq!(world.look().last(), LINES / 3 - 1);
    world.rotate();
    write(LINES / 3..LINES + 1);
    let log = world.look();
    assert_eq!((log.first(), log.last()), (1, LINES));
    // A multiplicative sequence that reaches places all over the file.
    let mut place = 1;
    for _ in 0..200 {
        place = place * 48_271 % LINES + 1;
        let rows = log.from(place, 3).unwrap();
        let expected: Vec<u64> = (place..(place + 3).min(LINES + 1)).collect();
        assert_eq!(
            rows.iter().map(|row| row.number).collect::<Vec<_>>(),
            expected
        );
        for row in rows {
            assert_eq!(String::from_utf8(row.bytes).unwrap(), line(row.number));
        }
        let rows = log.before(place, 3).unwrap();
        let expected: Vec<u64> = (place.saturating_sub(3).max(1)..place).collect();
        assert_eq!(
            rows.iter().map(|row| row.number).collect::<Vec<_>>(),
            expected
        );
        for row in rows {
            assert_eq!(String::from_utf8(row.bytes).unwrap(), line(row.number));
        }
    }
    let across = log.from(LINES / 3 - 2, 4).unwrap();
    for row in across {
        assert_eq!(String::from_utf8(row.bytes).unwrap(), line(row.number));
    }
}

#[test]
fn only_the_id_of_an_agent_is_one() {
    assert!(agent_id("agent-1700000000000-0000000a").is_ok());
    let bad = [
        "",
        "agent",
        "../x",
        "agent-1-2",
        "agent-+1-00000002",
        "agent-1-0000000A",
        "a\r\nb",
    ];
    for text in bad {
        assert_eq!(agent_id(text).unwrap_err().status, 400, "{text:?}");
    }
}
