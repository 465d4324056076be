//! Journals, locks and sockets that are not as kumite left them.

use std::fs;
use std::os::unix::net::UnixListener;

use serde_json::{Value, json};

use crate::bad_input::tree;
use crate::world::{World, lines, until};

const JOURNAL: &str = ".kiro/runtime/kumite/runs/login/journal.jsonl";
const SNAPSHOT: &str = ".kiro/runtime/kumite/runs/login/snapshot.json";

/// A spec that got to its inspection and failed there: its journal has a few entries.
fn halted() -> World {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"inspect": [{"result": "error", "write": "nothing"}, {}]}}));
    world.kumite(&["run", "login"]).assert_code(1);
    world
}

#[test]
fn a_torn_last_entry_is_cut_off_with_a_notice_and_the_run_goes_on() {
    let world = halted();
    let whole = world.read(JOURNAL);
    let torn = &whole[..whole.len() - 20];
    world.write(JOURNAL, torn);
    let out = world.kumite(&["run", "login"]);
    out.assert_code(0);
    assert!(
        out.stderr
            .contains("login: the last journal entry was cut off"),
        "{out:?}"
    );
    assert_eq!(
        world
            .steps("login")
            .iter()
            .filter(|step| *step == "impl 1")
            .count(),
        1
    );
    let entries = lines(&world.read(JOURNAL));
    for (index, entry) in entries.iter().enumerate() {
        assert_eq!(entry["seq"], index + 1);
    }
}

#[test]
fn a_journal_that_is_broken_is_refused_with_its_line_and_left_as_it_is() {
    let world = halted();
    let whole = world.read(JOURNAL);
    let count = whole.lines().count();
    let newer = whole.replacen("\"v\":3", "\"v\":99", count);
    let newer = newer.replacen("start_requested", "dance_requested", 1);
    let gap: Vec<&str> = whole
        .lines()
        .filter(|line| !line.contains("\"seq\":2,"))
        .collect();
    let middle = whole.replacen("{\"v\":3,\"seq\":2,", "{\"v\":3;", 1);
    assert_ne!(middle, whole);
    let cases = [
        ("broken", middle, "journal.jsonl:2:"),
        ("gap", gap.join("\n") + "\n", "journal.jsonl:2:"),
        ("newer", newer, "newer kumite (version 99)"),
        (
            "not text",
            "\u{0}\u{0}\u{0}\n".to_owned(),
            "journal.jsonl:1:",
        ),
    ];
    for (what, text, word) in cases {
        world.write(JOURNAL, &text);
        let _ = fs::remove_file(world.path(SNAPSHOT));
        let before = tree(&world);
        for command in ["run", "resume", "reset", "replay"] {
            let out = world.kumite(&[command, "login"]);
            out.assert_code(5);
            assert!(out.stderr.contains(word), "{what}: {out:#?}");
        }
        // S2: stop needs no journal.
        let out = world.kumite(&["stop", "login"]);
        out.assert_code(0);
        assert!(out.stdout.contains(word), "{what}: {out:#?}");
        let status = world.status("login");
        assert!(
            status["message"].as_str().unwrap().contains(word),
            "{what}: {status}"
        );
        let doctor = world.kumite(&["doctor", "--dry-run"]);
        doctor.assert_code(3);
        assert!(doctor.stdout.contains(word), "{what}: {doctor:?}");
        let update = "update kumite (this is 0.1.0); nothing was changed";
        assert_eq!(doctor.stdout.contains(update), what == "newer", "M1");
        assert_eq!(doctor.stdout.contains("away"), what != "newer", "M1");
        assert!(
            tree(&world) == without_lock(before),
            "{what}: something changed"
        );
    }
    fs::remove_dir_all(world.path(".kiro/runtime/kumite/runs/login")).unwrap();
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.steps("login"), ["impl 1", "inspect 1", "inspect 1"]);
}

/// The lock contains the pid of its last holder.
fn without_lock(
    mut tree: std::collections::BTreeMap<String, Vec<u8>>,
) -> std::collections::BTreeMap<String, Vec<u8>> {
    for (path, bytes) in &mut tree {
        if path.ends_with("/lock") {
            *bytes = fs::read(path).unwrap();
        }
    }
    tree
}

#[test]
fn a_break_behind_the_snapshot_is_found_by_doctor_and_replay() {
    let world = halted();
    let whole = world.read(JOURNAL);
    world.write(
        JOURNAL,
        &whole.replacen("{\"v\":3,\"seq\":1,", "{\"v\":3,\"seq\";", 1),
    );
    let doctor = world.kumite(&["doctor", "--dry-run"]);
    doctor.assert_code(3);
    assert!(doctor.stdout.contains("journal.jsonl:1:"), "{doctor:?}");
    world.kumite(&["replay", "login"]).assert_code(5);
}

#[test]
fn a_snapshot_that_is_missing_broken_or_wrong_costs_nothing_but_time() {
    for snapshot in [
        "",
        "{",
        "{\"v\":1,\"seq\":9999,\"offset\":12,\"before\":{}}",
        "gone",
    ] {
        let world = halted();
        match snapshot {
            "gone" => fs::remove_file(world.path(SNAPSHOT)).unwrap(),
            text => world.write(SNAPSHOT, text),
        }
        assert_eq!(world.status("login")["state"], "failed");
        world.kumite(&["run", "login"]).assert_code(0);
        assert_eq!(world.steps("login"), ["impl 1", "inspect 1", "inspect 1"]);
    }
}

#[test]
fn a_clock_that_went_back_is_survived_and_entries_stay_in_order() {
    let world = halted();
    let entries = lines(&world.read(JOURNAL));
    let last = entries.last().unwrap()["at_ms"].as_u64().unwrap();
    let future = last + 86_400_000;
    let whole = world.read(JOURNAL);
    let text = whole.replace(
        &format!("\"at_ms\":{last},"),
        &format!("\"at_ms\":{future},"),
    );
    world.write(JOURNAL, &text);
    world.kumite(&["run", "login"]).assert_code(0);
    let entries = lines(&world.read(JOURNAL));
    let times: Vec<u64> = entries
        .iter()
        .map(|entry| entry["at_ms"].as_u64().unwrap())
        .collect();
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
    assert!(times.last() > Some(&future));
    let agents: Vec<Value> = world
        .launches()
        .iter()
        .map(|launch| launch["agent"].clone())
        .collect();
    let distinct = agents
        .iter()
        .enumerate()
        .all(|(i, agent)| !agents[..i].contains(agent));
    assert!(distinct, "{agents:?}");
}

#[test]
fn a_socket_and_a_lock_of_a_dead_kumite_are_in_nobodys_way() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.write(".kiro/runtime/kumite/lock", "4194304\n");
    let socket = world.path(".kiro/runtime/kumite/control.sock");
    drop(UnixListener::bind(&socket).unwrap());
    assert!(socket.exists());
    assert_eq!(world.status("login")["state"], "idle");
    world.kumite(&["run", "login"]).assert_code(0);
    until("the socket to be gone", || !socket.exists());
}

#[test]
fn a_kumite_that_has_the_lock_and_does_not_answer_is_said_so() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.write(".kiro/runtime/kumite/lock", "");
    let lock = fs::File::open(world.path(".kiro/runtime/kumite/lock")).unwrap();
    lock.lock().unwrap();
    let out = world.kumite(&["run", "login"]);
    out.assert_code(1);
    assert!(
        out.stderr.contains("another kumite has the lock"),
        "{out:?}"
    );
    assert!(world.launches().is_empty());
}

#[test]
fn two_kumite_at_the_same_moment_are_one_engine_and_no_step_is_done_twice() {
    let world = World::new();
    let names = ["a", "b", "c", "d"];
    names
        .iter()
        .for_each(|name| world.spec_ready_for_impl(name));
    let all = [&["run"][..], &names].concat();
    let running: Vec<_> = (0..4).map(|_| world.start(&all)).collect();
    for run in running {
        run.wait().assert_code(0);
    }
    for name in names {
        assert_eq!(world.steps(name), ["impl 1", "inspect 1"]);
    }
    world.assert_nothing_left();
}
