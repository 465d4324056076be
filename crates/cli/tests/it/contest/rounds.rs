//! How many rounds a team plays, and which one is its result (D4, D5, D10).

use super::arena::Files;
use super::play::{Play, Role, goes_on, stops, verdict};

#[test]
fn d4_s1_one_round_is_played_where_one_is_allowed() {
    let arena = Files::of(&["alpha"])
        .rounds(1, 1)
        .play(Play::new().scores("alpha", &[72.5]));
    arena.run().assert_code(0);
    assert_eq!(
        arena.leader_board(),
        ["alpha 1 72.5 true max_rounds_reached"]
    );
    assert_eq!(arena.round_status(), ["alpha 1 false"]);
    assert_eq!(arena.team_status(), ["alpha done max_rounds_reached"]);
    assert_eq!(arena.summary(), ["completed alpha 1"]);
    assert_eq!(arena.counts(), [1, 1, 1]);
}

#[test]
fn d4_s2_a_judge_that_says_stop_at_the_minimum_ends_there() {
    let arena = Files::of(&["alpha"]).rounds(2, 5).play(
        Play::new()
            .scores("alpha", &[60.0, 70.0])
            .judges(vec![stops()]),
    );
    arena.run().assert_code(0);
    assert_eq!(
        arena.leader_board(),
        [
            "alpha 1 60 false null",
            "alpha 2 70 true no_improvement_expected"
        ]
    );
    assert_eq!(arena.round_status(), ["alpha 1 true", "alpha 2 false"]);
    // Below the minimum the judge is not asked.
    assert_eq!(arena.counts(), [2, 2, 1]);
    assert_eq!(arena.count(Role::Judge, "alpha", 2), 1);
}

#[test]
fn d4_s3_a_judge_that_always_goes_on_ends_at_the_maximum() {
    let arena = Files::of(&["alpha"])
        .rounds(2, 3)
        .play(Play::new().judges(vec![verdict(true, "one more, please", 0.8)]));
    arena.run().assert_code(0);
    assert_eq!(
        arena.round_status(),
        ["alpha 1 true", "alpha 2 true", "alpha 3 false"]
    );
    // The last answer is overruled; its text is kept.
    let last = arena.rows(
        "reasoning, confidence_score",
        "round_status WHERE round_number = 3",
    );
    assert_eq!(last, ["one more, please 0.8"]);
    assert_eq!(arena.team_status(), ["alpha done max_rounds_reached"]);
    assert_eq!(arena.counts(), [3, 3, 2]);
}

#[test]
fn d4_s4_a_judge_that_is_not_wanted_in_the_last_round_is_not_asked_there() {
    let arena = Files::of(&["alpha"])
        .rounds(2, 4)
        .judgment("judge_on_final_round = false")
        .play(Play::new());
    arena.run().assert_code(0);
    assert_eq!(arena.counts(), [4, 4, 2]);
    assert_eq!(arena.count(Role::Judge, "alpha", 4), 0);
    let last = arena.rows(
        "should_continue, confidence_score",
        "round_status WHERE round_number = 4",
    );
    assert_eq!(last, ["false 1"]);
}

#[test]
fn d5_s5_of_equal_scores_the_later_round_is_the_result() {
    let arena = Files::of(&["alpha"])
        .rounds(2, 4)
        .play(Play::new().scores("alpha", &[80.0, 85.0, 85.0, 82.0]));
    arena.run().assert_code(0);
    assert_eq!(
        arena.leader_board(),
        [
            "alpha 1 80 false null",
            "alpha 2 85 false null",
            "alpha 3 85 true max_rounds_reached",
            "alpha 4 82 false null",
        ]
    );
    let team = arena.team("alpha");
    assert_eq!((&team["round"], &team["rounds"]), (&3.into(), &4.into()));
}

#[test]
fn d14_s6_teams_with_equal_scores_share_a_rank_and_the_first_configured_one_wins() {
    let play = Play::new()
        .scores("gamma", &[40.0, 80.0])
        .scores("alpha", &[80.0, 30.0])
        .scores("beta", &[10.0, 20.0]);
    let arena = Files::of(&["gamma", "alpha", "beta"])
        .rounds(2, 2)
        .play(play);
    arena.run().assert_code(0);
    let board = arena.board();
    assert_eq!(
        (&board["winner"], &board["state"]),
        (&"gamma".into(), &"done".into())
    );
    let ranks = ["gamma", "alpha", "beta"].map(|team| arena.team(team)["rank"].clone());
    assert_eq!(ranks, [1, 1, 3]);
    assert_eq!(arena.summary(), ["completed gamma 3"]);
}

#[test]
fn d10_without_a_word_about_rounds_two_to_five_are_played() {
    for (judge, rounds, judged) in [(goes_on(), 5, 4), (stops(), 2, 1)] {
        let arena = Files::of(&["alpha"]).play(Play::new().judges(vec![judge]));
        arena.run().assert_code(0);
        assert_eq!(arena.counts(), [rounds, rounds, judged]);
    }
}
