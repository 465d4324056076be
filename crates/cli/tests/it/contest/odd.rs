//! Odd names and texts, broken files, programs that are missing or die.

use std::fs;

use super::arena::{Arena, FILE, Files, TASK};
use super::play::{Play, Role, error, say};
use crate::world::{kill, text, until};

#[test]
fn d8_names_and_texts_of_any_letters_come_out_of_the_database_as_they_went_in() {
    let odd = "a/b 'x' \"y\" ; -- 日本 🦆 ../..";
    let submission =
        "It's \"quoted\", \\escaped\\, {{ user_prompt }}, % _ ; DROP TABLE\r\n\t日本 🦆\u{200b}";
    let arena = Files::of(&["alpha"]).rounds(2, 2).play(Play::new().leader(
        "alpha",
        1,
        vec![say(submission)],
    ));
    let team = arena.world.read("configs/agents/alpha.toml");
    let team = team.replace("team_id = \"alpha\"", &format!("team_id = '''{odd}'''"));
    let team = team.replace("\"Team alpha\"", &format!("'''Team {odd}'''"));
    arena.world.write("configs/agents/alpha.toml", &team);
    arena.run().assert_code(0);
    let rows = arena.sql("SELECT * FROM leader_board WHERE round_number = 1");
    assert_eq!(rows[0]["team_id"], odd);
    assert_eq!(rows[0]["team_name"], format!("Team {odd}"));
    assert_eq!(rows[0]["submission_content"], submission);
    let board = arena.board();
    assert_eq!(board["winner"], odd);
    let prompt = arena.prompt("alpha", 2);
    assert!(prompt.contains(submission.trim_end()), "{prompt}");
    let out = arena.contest(&["show", "--team", odd, "--submissions"]);
    out.assert_code(0);
    assert!(out.stdout.contains("DROP TABLE"), "{out:?}");
}

#[test]
fn d8_a_submission_just_below_the_limit_is_kept_whole() {
    let large = "0123456789".repeat(99_999);
    let arena =
        Files::of(&["alpha"])
            .rounds(1, 1)
            .play(Play::new().leader("alpha", 1, vec![say(&large)]));
    arena.run().assert_code(0);
    let rows = arena.sql("SELECT submission_content FROM leader_board");
    assert!(rows[0]["submission_content"] == large.as_str());
    // An evaluator reads as much as possible, and is told that there is more.
    let asked = arena.asked();
    let evaluator = asked.iter().find(|it| it.role == Role::Evaluator).unwrap();
    assert!(evaluator.prompt.len() < 500_000);
    assert!(evaluator.prompt.contains("characters are left out here"));
}

#[test]
fn the_task_may_come_by_stdin() {
    let arena = Files::of(&["alpha"]).rounds(1, 1).play(Play::new());
    arena.world.write("task.txt", "Paint\nit\nblack.\n");
    let output = arena
        .world
        .command(&["contest", "run", FILE, "-"])
        .stdin(fs::File::open(arena.world.path("task.txt")).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(arena.prompt("alpha", 1).contains("Paint\nit\nblack."));
}

#[test]
fn without_the_program_of_the_board_nothing_begins_and_it_is_said_where_it_was_looked_for() {
    let mut arena = Files::of(&["alpha"]).rounds(1, 1).play(Play::new());
    arena.set_env("KUMITE_BOARD", "/no/such/kumite-board");
    let out = arena.run();
    assert_eq!(out.code, 5, "{out:?}");
    assert!(out.stderr.contains("/no/such/kumite-board"), "{out:?}");
    assert_eq!(arena.counts(), [0, 0, 0]);
}

/// A team that is delayed in round 2 until [`Arena::replay`].
fn held_up() -> Arena {
    let play = Play::new().leader("alpha", 2, vec![error(503)]);
    Files::of(&["alpha"]).rounds(2, 2).patient().play(play)
}

#[test]
fn a_board_program_that_dies_is_started_again() {
    let arena = held_up();
    let running = arena.start(&["--json"]);
    until("round 2", || arena.count(Role::Leader, "alpha", 2) > 0);
    let db = arena.world.path("mixseek.db").display().to_string();
    let boards = children_with(running.pid(), &db);
    assert_eq!(boards.len(), 1);
    kill(boards[0], "KILL");
    arena.replay(Play::new());
    running.wait().assert_code(0);
    assert_eq!(
        arena.leader_board(),
        [
            "alpha 1 50 false null",
            "alpha 2 50 true max_rounds_reached"
        ]
    );
    assert_eq!(arena.summary(), ["completed alpha 1"]);
}

/// The children of a process with a word in their command line.
fn children_with(parent: u32, word: &str) -> Vec<u32> {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_it = |pid: &u32| {
        let read = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let stat = String::from_utf8_lossy(&read("stat")).into_owned();
        let mut after = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let command = String::from_utf8_lossy(&read("cmdline")).into_owned();
        after.nth(1) == Some(&parent.to_string()) && command.contains(word)
    };
    numbers.filter(is_it).collect()
}

/// Interrupted in round 2.
fn interrupted() -> Arena {
    let arena = held_up();
    let running = arena.start(&["--json"]);
    until("round 2", || arena.count(Role::Leader, "alpha", 2) > 0);
    running.signal("INT");
    running.wait().assert_code(130);
    arena.replay(Play::new());
    arena
}

#[test]
fn files_that_are_changed_or_gone_do_not_change_a_contest_that_is_resumed() {
    let arena = interrupted();
    fs::remove_dir_all(arena.world.path("configs")).unwrap();
    arena.resume().assert_code(0);
    assert_eq!(arena.leader_board().len(), 2);
    assert!(arena.prompt("alpha", 2).contains(TASK));
}

#[test]
fn a_journal_that_was_cut_off_goes_on_and_a_broken_one_is_named_and_left_as_it_is() {
    let arena = interrupted();
    let path = arena.homes()[0].join("journal.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();

    let broken = whole.replace(
        lines[2],
        "{\"v\":1,\"seq\":3,\"at_ms\":1,\"event\":\"nonsense\"}",
    );
    let gap = whole.replace(&format!("{}\n", lines[2]), "");
    let newer = whole.replace(
        lines[2],
        "{\"v\":2,\"seq\":3,\"at_ms\":1,\"event\":\"danced\"}",
    );
    for (content, words) in [
        (&broken, "journal.jsonl:3: not a journal entry"),
        (&gap, "journal.jsonl:3: entry 4 where entry 3 should be"),
        (&newer, "update kumite (this is 0.1.0); nothing was changed"),
    ] {
        fs::write(&path, content).unwrap();
        for command in ["resume", "board", "show"] {
            let out = arena.contest(&[command]);
            assert_eq!(out.code, 5, "{command}: {out:?}");
            assert!(out.stderr.contains(words), "{command}: {out:?}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), *content);
    }

    // M2: an empty line is ignored.
    let gappy = whole.replacen('\n', "\n\n", 1);
    fs::write(&path, format!("{gappy}{{\"v\":1,\"seq\":")).unwrap();
    assert_eq!(arena.board()["state"], "stopped");
    arena.resume().assert_code(0);
    assert_eq!(arena.leader_board().len(), 2);
    let numbers: Vec<String> = arena.journal().iter().map(|it| text(&it["seq"])).collect();
    let expected: Vec<String> = (1..=numbers.len()).map(|it| it.to_string()).collect();
    assert_eq!(numbers, expected);
}
