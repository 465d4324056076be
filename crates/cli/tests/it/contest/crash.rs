//! kumite is killed after every single journal entry of a contest and resumed. It must end with the
//! same board as without crashes, and score no round twice.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;

use super::arena::{Arena, Files};
use super::play::{Play, Role, stops};

const TEAMS: [&str; 3] = ["alpha", "beta", "gamma"];
const KILLED: i32 = 137;
const THREADS: usize = 4;

/// Three teams, up to three rounds: the judge stops one, the best round of one is not its last, and
/// two have the same score.
fn contest() -> Arena {
    let play = Play::new()
        .scores("alpha", &[60.0, 75.5, 70.0])
        .scores("beta", &[40.0, 75.5])
        .judge("beta", 2, vec![stops()])
        .scores("gamma", &[30.0, 50.0, 55.25]);
    Files::of(&TEAMS).rounds(2, 3).play(play)
}

/// Dies right after entry `number`.
fn die_at(arena: &mut Arena, args: &[&str], number: usize) {
    arena.set_env("KUMITE_CRASH_AT", &format!("1 contest entry {number}"));
    let out = arena.contest(args);
    arena.set_env("KUMITE_CRASH_AT", "");
    assert_eq!(out.code, KILLED, "entry {number}: {out:?}");
    assert_eq!(arena.journal().len(), number);
}

const RUN: [&str; 4] = ["run", super::arena::FILE, super::arena::TASK, "--json"];
const RESUME: [&str; 2] = ["resume", "--json"];

/// Everything that counts at the end: every row, and the output of `board`.
fn result(arena: &Arena) -> Vec<String> {
    let mut lines = arena.rows(
        "line",
        "(SELECT concat_ws(' ', 'board', team_id, round_number, score, final_submission, \
            exit_reason, submission_content) AS line FROM leader_board \
         UNION ALL SELECT concat_ws(' ', 'round', team_id, round_number, should_continue, \
            reasoning, confidence_score, round_ended_at IS NOT NULL) FROM round_status \
         UNION ALL SELECT concat_ws(' ', 'history', team_id, round_number) FROM round_history \
         UNION ALL SELECT concat_ws(' ', 'team', team_id, state, exit_reason) FROM team_status \
         UNION ALL SELECT concat_ws(' ', 'summary', status, best_team_id, best_score, total_teams) \
            FROM execution_summary \
         ORDER BY line)",
    );
    let board = arena.board();
    let of = |team: &Value| format!("{} {} {}", team["team_id"], team["rank"], team["scores"]);
    lines.push(format!("{} {}", board["state"], board["winner"]));
    lines.extend(board["teams"].as_array().unwrap().iter().map(of));
    lines
}

/// What was in the journal when kumite died was not requested again; what was in progress, once
/// more for every death.
fn assert_nothing_was_asked_for_again(arena: &Arena, known: &[Value], deaths: usize) {
    for (index, team) in (0u32..).zip(TEAMS) {
        for round in 1..=3u32 {
            for (role, event) in [
                (Role::Leader, "submitted"),
                (Role::Evaluator, "measured"),
                (Role::Judge, "judged"),
            ] {
                let is_it = |it: &&Value| {
                    it["event"] == event && it["team"] == index && it["round"] == round
                };
                let most = match known.iter().any(|it| is_it(&it)) {
                    true => 1,
                    false => 1 + deaths,
                };
                let asked = arena.count(role, team, round);
                assert!(
                    asked <= most,
                    "{role:?} of {team} in {round}: {asked} times"
                );
            }
        }
    }
}

fn undisturbed() -> (usize, Vec<String>) {
    let arena = contest();
    arena.run().assert_code(0);
    let result = result(&arena);
    assert_eq!(arena.summary(), ["completed alpha 3"]);
    for (kind, rows) in [
        ("board ", 8),
        ("round ", 8),
        ("history ", 8),
        ("team ", 3),
        ("summary ", 1),
    ] {
        let is_it = |line: &&String| line.starts_with(kind);
        assert_eq!(result.iter().filter(is_it).count(), rows, "{result:#?}");
    }
    (arena.journal().len(), result)
}

#[test]
fn a_contest_killed_at_every_entry_and_resumed_has_the_board_of_the_undisturbed_one() {
    let (entries, expected) = undisturbed();
    assert!(entries > 25, "only {entries} entries");
    let tried = everywhere(entries, |number| {
        let mut arena = contest();
        die_at(&mut arena, &RUN, number);
        let known = arena.journal();
        arena.resume().assert_code(0);
        assert_eq!(result(&arena), expected);
        assert_nothing_was_asked_for_again(&arena, &known, 1);
    });
    assert_eq!(tried, entries);
}

#[test]
fn a_contest_killed_again_while_it_recovers_has_the_board_of_the_undisturbed_one() {
    let (entries, expected) = undisturbed();
    let tried = everywhere(entries / 5, |number| {
        let mut arena = contest();
        let first = number * 5;
        die_at(&mut arena, &RUN, first);
        let known = arena.journal();
        // The entry for the resume, and the next one after a further try.
        die_at(&mut arena, &RESUME, first + 1);
        die_at(&mut arena, &RESUME, first + 3);
        arena.resume().assert_code(0);
        assert_eq!(result(&arena), expected);
        assert_nothing_was_asked_for_again(&arena, &known, 3);
    });
    assert_eq!(tried, entries / 5);
}

#[test]
fn a_contest_killed_at_any_moment_has_the_board_of_the_undisturbed_one() {
    let (_, expected) = undisturbed();
    everywhere(12, |seed| {
        let arena = contest();
        for blow in 0..=seed % 3 {
            let run = match arena.homes().is_empty() {
                true => arena.start(&["--json"]),
                false => arena.world.start(&["contest", "resume", "--json"]),
            };
            // No test waits for a fixed time; this one draws the time of a kill.
            let ms = (seed * 7 + blow) * 31 % 400;
            std::thread::park_timeout(Duration::from_millis(ms as u64));
            run.signal("KILL");
            run.wait();
        }
        let out = match arena.homes().is_empty() {
            true => arena.run(),
            false => arena.resume(),
        };
        out.assert_code(0);
        assert_eq!(result(&arena), expected);
    });
}

/// Tries all numbers from 1 to `last`, several at the same time, and returns how many there were.
fn everywhere(last: usize, one: impl Fn(usize) + Sync) -> usize {
    let next = AtomicUsize::new(1);
    let troubles: Mutex<Vec<(usize, String)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number > last {
                        return;
                    }
                    let tried =
                        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| one(number)));
                    if let Err(panic) = tried {
                        let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                        troubles.lock().unwrap().push((number, text));
                    }
                }
            });
        }
    });
    let troubles = troubles.into_inner().unwrap();
    assert!(troubles.is_empty(), "{troubles:#?}");
    last
}
