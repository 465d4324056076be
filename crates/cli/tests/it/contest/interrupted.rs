//! A contest that is interrupted, cancelled, resumed (D9: nothing is lost).

use kumite_fake_model::Act;
use serde_json::json;

use super::arena::{Arena, Files};
use super::play::{Play, Role};
use crate::world::{Running, text, until};

const TEAMS: [&str; 2] = ["alpha", "beta"];

fn scores() -> Play {
    Play::new()
        .scores("alpha", &[60.0, 70.0, 65.0])
        .scores("beta", &[50.0, 55.0, 80.0])
}

/// Both leaders hang in their second round.
fn stuck() -> (Arena, Running) {
    let hang = || vec![Act::Hang { times: None }];
    let play = scores()
        .leader("alpha", 2, hang())
        .leader("beta", 2, hang());
    let arena = Files::of(&TEAMS).rounds(2, 3).play(play);
    let running = arena.start(&["--json"]);
    until("round 2 of both", || {
        TEAMS
            .iter()
            .all(|team| arena.count(Role::Leader, team, 2) == 1)
    });
    (arena, running)
}

#[track_caller]
fn assert_whole(arena: &Arena) {
    assert_eq!(
        arena.leader_board(),
        [
            "alpha 1 60 false null",
            "alpha 2 70 true max_rounds_reached",
            "alpha 3 65 false null",
            "beta 1 50 false null",
            "beta 2 55 false null",
            "beta 3 80 true max_rounds_reached",
        ]
    );
    assert_eq!(arena.round_status().len(), 6);
    assert_eq!(arena.summary(), ["completed beta 2"]);
    assert_eq!(arena.rows("team_id", "round_history").len(), 6);
}

#[test]
fn s16_an_interrupted_contest_is_resumed_where_it_was() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let (arena, running) = stuck();
        running.signal(signal);
        let out = running.wait();
        out.assert_code(code);
        assert!(out.stderr.contains("kumite contest resume"), "{out:?}");
        let board = arena.board();
        assert_eq!(board["state"], "stopped");
        assert_eq!(
            arena.leader_board(),
            ["alpha 1 60 false null", "beta 1 50 false null"]
        );
        assert_eq!(arena.summary(), [""; 0]);

        arena.replay(scores());
        let out = arena.resume();
        out.assert_code(0);
        assert_eq!(out.notices("contest_resumed").len(), 1);
        assert_eq!(out.notices("contest_ended")[0]["winner"], "beta");
        assert_whole(&arena);
        // Finished work was not requested again.
        for team in TEAMS {
            let asked = [1, 2, 3].map(|round| arena.count(Role::Leader, team, round));
            assert_eq!(asked, [1, 2, 1], "{team}");
            let scored = [1, 2, 3].map(|round| arena.count(Role::Evaluator, team, round));
            assert_eq!(scored, [1, 1, 1], "{team}");
        }
    }
}

#[test]
fn a_finished_contest_is_only_looked_at_when_it_is_resumed() {
    let arena = Files::of(&TEAMS).rounds(2, 3).play(scores());
    arena.run().assert_code(0);
    let before = arena.counts();
    let journal = arena.journal();
    let id = arena.board()["execution_id"].clone();
    for args in [
        &["resume", "--json"][..],
        &["resume", id.as_str().unwrap(), "--json"],
    ] {
        let out = arena.contest(args);
        out.assert_code(0);
        let board = out.notices("board").pop().unwrap();
        assert_eq!(
            (&board["state"], &board["winner"]),
            (&json!("done"), &json!("beta"))
        );
    }
    assert_eq!(arena.counts(), before);
    assert_eq!(arena.journal(), journal);
    assert_whole(&arena);
}

#[test]
fn d11_a_resume_writes_all_rows_of_a_database_that_was_lost() {
    let (arena, running) = stuck();
    running.signal("KILL");
    running.wait().assert_code(137);
    std::fs::remove_file(arena.world.path("mixseek.db")).unwrap();
    // Its log, if the kill came before it was moved into the file, fits no other file.
    let _ = std::fs::remove_file(arena.world.path("mixseek.db.wal"));
    arena.replay(scores());
    arena.resume().assert_code(0);
    assert_whole(&arena);
}

#[test]
fn a_resume_whose_database_was_removed_without_its_log_makes_the_board_anew() {
    let (arena, running) = stuck();
    running.signal("KILL");
    running.wait().assert_code(137);
    let path = |name: &str| arena.world.path(name);
    // What DuckDB's log begins with; a kill leaves one only now and then.
    let log = b"\x63\x01\x64\x02\x65\x03\xff\xff left by a kill";
    std::fs::write(path("mixseek.db.wal"), log).unwrap();
    std::fs::remove_file(path("mixseek.db")).unwrap();
    arena.replay(scores());
    let out = arena.resume();
    out.assert_code(0);
    assert_whole(&arena);
    let aside = "mixseek.db.wal.without-database";
    assert!(out.stderr.contains(aside), "{out:?}");
    assert!(out.stderr.contains("made anew"), "{out:?}");
    assert_eq!(std::fs::read(path(aside)).unwrap(), log);
}

#[test]
fn resume_without_an_id_takes_the_newest_unfinished_one() {
    let (arena, running) = stuck();
    running.signal("INT");
    running.wait().assert_code(130);
    arena.replay(scores());
    arena.run().assert_code(0);
    let [open, newer] = &arena.homes()[..] else {
        panic!("{:?}", arena.homes());
    };
    let name = |home: &std::path::Path| home.file_name().unwrap().to_string_lossy().into_owned();
    assert_eq!(arena.board()["execution_id"], name(newer));
    let out = arena.resume();
    out.assert_code(0);
    assert_eq!(out.notices("contest_ended")[0]["execution_id"], name(open));
    let rows = arena.rows("execution_id", "execution_summary ORDER BY execution_id");
    assert_eq!(rows, [name(open), name(newer)]);
}

#[test]
fn resume_where_there_is_nothing_says_so() {
    let arena = Files::of(&TEAMS).play(scores());
    for command in ["resume", "cancel", "board", "show", "apply"] {
        let out = arena.contest(&[command]);
        assert_eq!(out.code, 5, "{command}: {out:?}");
        assert!(out.stderr.contains("no contest"), "{command}: {out:?}");
    }
    let out = arena.contest(&["board", "2031"]);
    assert_eq!(out.code, 5, "{out:?}");
    assert!(out.stderr.contains("2031"), "{out:?}");
}

#[test]
fn nobody_else_can_play_a_contest_that_is_being_played() {
    let (arena, running) = stuck();
    let id = text(&arena.board()["execution_id"]);
    let out = arena.contest(&["resume", &id]);
    assert_eq!(out.code, 5, "{out:?}");
    assert!(out.stderr.contains("another kumite"), "{out:?}");
    running.signal("INT");
    running.wait().assert_code(130);
}

#[test]
fn a_contest_is_cancelled_from_another_process_and_what_is_finished_stays() {
    let (arena, running) = stuck();
    arena.contest(&["cancel"]).assert_code(0);
    let out = running.wait();
    out.assert_code(1);
    assert_eq!(out.notices("contest_ended")[0]["state"], "cancelled");
    assert_cancelled(&arena);
    let before = arena.counts();
    // It has ended: neither a cancel nor a resume changes anything.
    arena.contest(&["cancel"]).assert_code(0);
    arena.resume().assert_code(1);
    assert_eq!(arena.counts(), before);
    assert_cancelled(&arena);
}

#[test]
fn a_contest_that_nobody_plays_is_cancelled_without_asking_a_model_and_without_a_key() {
    let (mut arena, running) = stuck();
    running.signal("KILL");
    running.wait().assert_code(137);
    let before = arena.counts();
    arena.set_env("OPENAI_API_KEY", "");
    arena.contest(&["cancel"]).assert_code(0);
    assert_eq!(arena.counts(), before);
    assert_cancelled(&arena);
    // It has ended: a resume only shows how.
    arena.contest(&["resume"]).assert_code(1);
}

#[track_caller]
fn assert_cancelled(arena: &Arena) {
    let board = arena.board();
    assert_eq!(
        (&board["state"], &board["winner"]),
        (&json!("cancelled"), &json!(null))
    );
    assert_eq!(
        arena.leader_board(),
        ["alpha 1 60 true cancelled", "beta 1 50 true cancelled"]
    );
    assert_eq!(
        arena.team_status(),
        ["alpha failed cancelled", "beta failed cancelled"]
    );
    assert_eq!(arena.summary(), ["failed null 2"]);
}
