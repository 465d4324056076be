use super::*;
use std::fs::OpenOptions;

fn keys(items: &[Item]) -> Vec<&str> {
    items
        .iter()
        .map(|item| item.news["key"].as_str().unwrap())
        .collect()
}

/// Everything that is new.
fn rest(reader: &mut Reader) -> Vec<Item> {
    let mut all = Vec::new();
    loop {
        match reader.read().unwrap() {
            items if items.is_empty() => return all,
            items => all.extend(items),
        }
    }
}

fn say(runtime: &Path, key: &str) {
    append(runtime, key, json!({"type": "x"}), false).unwrap();
}

#[test]
fn whoever_was_away_gets_exactly_what_came_behind_its_position() {
    let dir = tempfile::tempdir().unwrap();
    say(dir.path(), "a 1.0");
    let mut reader = Reader::at_end(dir.path()).unwrap();
    assert_eq!(reader.read().unwrap(), []);
    say(dir.path(), "a 1.1");
    let first = reader.read().unwrap();
    assert_eq!(keys(&first), ["a 1.1"]);
    say(dir.path(), "b 1.0");
    say(dir.path(), "a 2.0");
    let text = first[0].position.to_string();
    let mut back = Reader::behind(dir.path(), text.parse().unwrap())
        .unwrap()
        .unwrap();
    assert_eq!(keys(&back.read().unwrap()), ["b 1.0", "a 2.0"]);
    assert_eq!(keys(&reader.read().unwrap()), ["b 1.0", "a 2.0"]);
    assert_eq!(back.position(), reader.position());
}

#[test]
fn what_is_told_again_after_a_crash_stands_there_once() {
    let dir = tempfile::tempdir().unwrap();
    say(dir.path(), "a 1.0");
    append(dir.path(), "a 1.0", json!({}), true).unwrap();
    append(dir.path(), "a 1.1", json!({}), true).unwrap();
    let items = Reader::new(dir.path()).read().unwrap();
    assert_eq!(keys(&items), ["a 1.0", "a 1.1"]);
}

#[test]
fn a_line_that_was_cut_off_spoils_no_other() {
    let dir = tempfile::tempdir().unwrap();
    say(dir.path(), "a 1.0");
    let mut file = OpenOptions::new()
        .append(true)
        .open(dir.path().join(NAME))
        .unwrap();
    file.write_all(b"{\"half").unwrap();
    say(dir.path(), "a 1.1");
    let items = Reader::new(dir.path()).read().unwrap();
    assert_eq!(keys(&items), ["a 1.0", "a 1.1"]);
}

#[test]
fn a_full_file_makes_room_and_nobody_who_follows_notices() {
    let dir = tempfile::tempdir().unwrap();
    say(dir.path(), "a 1.0");
    let mut reader = Reader::at_end(dir.path()).unwrap();
    let before = reader.position();
    let path = dir.path().join(NAME);
    say(dir.path(), "a 2.0");
    let text = "x".repeat(usize::try_from(MAX_BYTES).unwrap());
    append(dir.path(), "a 3.0", json!({ "text": text }), false).unwrap();
    say(dir.path(), "a 4.0");
    assert!(fs::metadata(&path).unwrap().len() < 1000);
    let wanted = ["a 2.0", "a 3.0", "a 4.0"];
    assert_eq!(keys(&rest(&mut reader)), wanted);
    let mut back = Reader::behind(dir.path(), before).unwrap().unwrap();
    assert_eq!(keys(&rest(&mut back)), wanted);
    let end = Reader::at_end(dir.path()).unwrap().position();
    assert_eq!(end, reader.position());
}

#[test]
fn whoever_came_before_all_news_gets_all_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let start = Reader::at_end(dir.path()).unwrap().position();
    for number in 0..3 {
        say(dir.path(), &format!("a {number}.0"));
    }
    let mut back = Reader::behind(dir.path(), start).unwrap().unwrap();
    assert_eq!(keys(&rest(&mut back)), ["a 0.0", "a 1.0", "a 2.0"]);
}

#[test]
fn the_newest_of_one_kind_are_found_in_both_files() {
    let dir = tempfile::tempdir().unwrap();
    let tell = |key: &str, kind: &str| {
        append(dir.path(), key, json!({ "type": kind }), false).unwrap();
    };
    assert!(newest(dir.path(), "", 5, |_| true).unwrap().is_empty());
    tell("1", "ended");
    tell("2", "other");
    fs::rename(dir.path().join(NAME), dir.path().join(OLD)).unwrap();
    tell("3", "ended");
    tell("4", "\"type\":\"ended\"");
    let found = |count| -> Vec<String> {
        let fits = |news: &Value| news["type"] == "ended";
        let found = newest(dir.path(), "\"type\":\"ended\"", count, fits).unwrap();
        found
            .iter()
            .map(|it| it["key"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(found(5), ["3", "1"]);
    assert_eq!(found(1), ["3"]);
}

#[test]
fn a_position_that_nobody_knows_is_told() {
    let dir = tempfile::tempdir().unwrap();
    say(dir.path(), "a 1.0");
    for unknown in ["1-0", "0-5"] {
        let position = unknown.parse().unwrap();
        assert!(Reader::behind(dir.path(), position).unwrap().is_none());
    }
    let far = Position {
        offset: 1_000_000,
        ..Reader::at_end(dir.path()).unwrap().position()
    };
    assert!(Reader::behind(dir.path(), far).unwrap().is_none());
    assert!("nonsense".parse::<Position>().is_err());
}

#[test]
fn the_keys_of_a_piece_of_news_keep_the_order_in_which_they_were_written() {
    let dir = tempfile::tempdir().unwrap();
    let news = json!({"type": "x", "spec": "login", "about": {"z": 1, "a": 2}});
    append(dir.path(), "b 1.0", news, false).unwrap();
    let text = fs::read_to_string(dir.path().join(NAME)).unwrap();
    let expected = r#"{"type":"x","spec":"login","about":{"z":1,"a":2},"key":"b 1.0"}"#;
    assert_eq!(text.lines().last(), Some(expected));
}
