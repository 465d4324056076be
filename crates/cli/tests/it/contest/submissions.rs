//! Submissions that are invalid, late, or missing (D9).

use kumite_fake_model::Act;

use super::arena::{Arena, Files};
use super::play::{Play, Role, error, once, said, say};
use crate::world::{World, text};

const HANG: Act = Act::Hang { times: None };

#[test]
fn d9_s10_a_blank_submission_is_a_failed_round_that_the_next_prompt_names() {
    let play = Play::new()
        .leader("alpha", 1, vec![say(" \n\t ")])
        .scores("alpha", &[0.0, 70.0, 60.0]);
    let arena = Files::of(&["alpha"]).rounds(1, 3).play(play);
    let out = arena.run();
    out.assert_code(0);
    assert_eq!(
        arena.leader_board(),
        [
            "alpha 2 70 true max_rounds_reached",
            "alpha 3 60 false null"
        ]
    );
    assert_eq!(
        arena.round_status(),
        ["alpha 1 true", "alpha 2 true", "alpha 3 false"]
    );
    // Nobody was asked about round 1.
    assert_eq!(arena.counts(), [3, 2, 2]);
    for round in [2, 3] {
        let prompt = arena.prompt("alpha", round);
        assert!(prompt.contains("Round 1 - failed"), "{prompt}");
        assert!(prompt.contains("the submission was empty"), "{prompt}");
    }
    let failed = out.notices("round_failed");
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["message"], "the submission was empty");
}

#[test]
fn d9_nul_bytes_and_ten_megabytes_are_malformed_and_the_others_go_on() {
    let huge = Act::Huge {
        bytes: 10_000_000,
        times: None,
    };
    let play = Play::new()
        .leader("nul", 1, vec![say("before\0after")])
        .leader("huge", 1, vec![huge]);
    let arena = Files::of(&["nul", "huge", "good"]).rounds(1, 2).play(play);
    arena.run().assert_code(0);
    assert_eq!(
        arena.leader_board(),
        [
            "good 1 50 false null",
            "good 2 50 true max_rounds_reached",
            "huge 2 50 true max_rounds_reached",
            "nul 2 50 true max_rounds_reached",
        ]
    );
    for (team, words) in [
        ("nul", "NUL byte at byte 6"),
        ("huge", "had 10000000 bytes"),
    ] {
        assert_eq!(arena.count(Role::Evaluator, team, 1), 0);
        let prompt = arena.prompt(team, 2);
        assert!(prompt.contains(words), "{prompt}");
        let reason = arena.rows(
            "reasoning",
            &format!("round_status WHERE team_id = '{team}' AND round_number = 1"),
        );
        assert!(reason[0].contains(words), "{reason:?}");
    }
}

#[test]
fn d9_a_team_without_a_good_round_has_nothing_to_show() {
    let play = Play::new()
        .leader("alpha", 1, vec![say("")])
        .leader("alpha", 2, vec![say("")]);
    let arena = Files::of(&["alpha"]).rounds(1, 2).play(play);
    arena.run().assert_code(4);
    assert_eq!(arena.counts(), [2, 0, 0]);
    assert_eq!(arena.team_status(), ["alpha failed no_valid_submission"]);
    assert_eq!(arena.round_status(), ["alpha 1 true", "alpha 2 false"]);
    assert_eq!(arena.summary(), ["failed null 1"]);
}

#[test]
fn d9_no_submission_within_submission_timeout_seconds_disqualifies_and_the_others_go_on() {
    let play = Play::new()
        .scores("late", &[95.0])
        .leader("late", 2, vec![HANG])
        .leader("never", 1, vec![HANG])
        .scores("good", &[40.0, 50.0]);
    let arena = Files::of(&["late", "never", "good"])
        .rounds(2, 2)
        .orchestrator("submission_timeout_seconds = 1")
        .play(play);
    arena.run().assert_code(1);
    assert_eq!(
        arena.leader_board(),
        [
            "good 1 40 false null",
            "good 2 50 true max_rounds_reached",
            "late 1 95 true submission_timeout",
        ]
    );
    assert_eq!(
        arena.team_status(),
        [
            "good done max_rounds_reached",
            "late disqualified submission_timeout",
            "never disqualified submission_timeout",
        ]
    );
    assert_eq!(arena.summary(), ["partial_failure good 3"]);
    // A late team is not asked again.
    assert_eq!(arena.count(Role::Leader, "late", 2), 1);
    assert_eq!(arena.count(Role::Leader, "never", 1), 1);
}

#[test]
fn d9_s11_a_team_that_runs_out_of_its_time_keeps_its_best_round() {
    let play = Play::new()
        .scores("alpha", &[80.0])
        .leader("alpha", 2, vec![HANG])
        .leader("beta", 1, vec![HANG])
        .scores("gamma", &[30.0, 20.0]);
    let arena = Files::of(&["alpha", "beta", "gamma"])
        .rounds(2, 2)
        .play(play);
    arena.run_with(&["--timeout", "2"]).assert_code(1);
    assert_eq!(
        arena.team_status(),
        [
            "alpha failed partial_failure_timeout",
            "beta failed team_timeout",
            "gamma done max_rounds_reached",
        ]
    );
    assert_eq!(
        arena.leader_board(),
        [
            "alpha 1 80 true partial_failure_timeout",
            "gamma 1 30 true max_rounds_reached",
            "gamma 2 20 false null",
        ]
    );
    // It did not finish, but its results count.
    assert_eq!(arena.summary(), ["partial_failure alpha 3"]);
    let seconds = arena.team("alpha")["seconds"].as_f64().unwrap();
    assert!((1.9..10.0).contains(&seconds), "{seconds}");
}

#[test]
fn d9_a_leader_that_is_refused_is_not_asked_again_and_one_that_is_unwell_is() {
    let play = Play::new()
        .leader("refused", 1, vec![Act::Auth { times: None }])
        .leader("broken", 2, vec![error(400)])
        .leader("unwell", 1, vec![once(error(503)), say(&said("unwell", 1))]);
    let arena = Files::of(&["refused", "broken", "unwell"])
        .rounds(2, 2)
        .play(play);
    let out = arena.run();
    out.assert_code(1);
    assert_eq!(
        arena.team_status(),
        [
            "broken failed partial_failure",
            "refused failed submission_failure",
            "unwell done max_rounds_reached",
        ]
    );
    for (team, round, tries) in [("refused", 1, 1), ("broken", 2, 1), ("unwell", 1, 2)] {
        assert_eq!(arena.count(Role::Leader, team, round), tries, "{team}");
    }
    assert_eq!(arena.summary(), ["partial_failure broken 3"]);
    let troubles = out.notices("trouble");
    assert_eq!(troubles.len(), 3, "{troubles:?}");
    assert!(troubles.iter().all(|it| text(&it["part"]) == "submission"));
}

#[test]
fn d9_a_contest_that_runs_out_of_its_time_ends_and_what_is_there_counts() {
    let world = World::new();
    let mut file = "task = \"Do it.\"\n[contest]\nrounds_min = 2\nrounds_max = 2\n\
        contest_timeout = \"2s\"\n[[metric]]\nname = \"Relevance\"\nmodel = \"openai:fake\"\n"
        .to_owned();
    for team in ["alpha", "beta"] {
        file += &format!(
            "[[team]]\nid = \"{team}\"\nmodel = \"openai:fake\"\nsystem = \"You are team {team}.\"\n"
        );
    }
    world.write("contest.toml", &file);
    let play = Play::new()
        .leader("alpha", 1, vec![HANG])
        .scores("beta", &[33.0])
        .leader("beta", 2, vec![HANG]);
    let arena = Arena::at(world, &["alpha".to_owned(), "beta".to_owned()], play);
    arena.contest(&["run", "contest.toml"]).assert_code(1);
    assert_eq!(
        arena.team_status(),
        [
            "alpha failed contest_timeout",
            "beta failed contest_timeout"
        ]
    );
    assert_eq!(arena.leader_board(), ["beta 1 33 true contest_timeout"]);
    assert_eq!(arena.summary(), ["partial_failure beta 2"]);
}

#[test]
fn d9_no_retries_of_a_leader_mean_one_try() {
    for (orchestrator, leader) in [("max_retries_per_team = 0", ""), ("", "max_retries = 0")] {
        let play = Play::new().leader("alpha", 1, vec![once(error(503)), say("too late")]);
        let arena = Files::of(&["alpha"])
            .rounds(1, 1)
            .orchestrator(orchestrator)
            .leader(leader)
            .play(play);
        arena.run().assert_code(4);
        assert_eq!(arena.counts(), [1, 0, 0]);
        assert_eq!(arena.team_status(), ["alpha failed submission_failure"]);
    }
}

#[test]
fn d14_a_rate_limit_is_waited_for_as_long_as_it_is_asked_and_nobody_is_charged() {
    let rate = Act::Rate {
        retry_after_s: Some(3),
        times: Some(1),
    };
    let play = Play::new().leader("alpha", 1, vec![rate, say(&said("alpha", 1))]);
    let arena = Files::of(&["alpha"]).rounds(1, 1).play(play);
    arena.run().assert_code(0);
    assert_eq!(arena.count(Role::Leader, "alpha", 1), 2);
    let board = arena.board();
    let elapsed = board["elapsed_seconds"].as_f64().unwrap();
    let charged = board["teams"][0]["seconds"].as_f64().unwrap();
    assert!(elapsed >= 3.0, "{board}");
    assert!(charged <= elapsed - 3.0, "{board}");
}
