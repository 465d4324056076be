//! A judge that fails, is slow, or knows too much (D4, D9, D12).

use kumite_fake_model::Act;
use serde_json::{Value, json};

use super::arena::Files;
use super::play::{Play, Role, error, goes_on, once, say, stops, verdict};
use crate::world::World;

#[test]
fn d9_s7_a_judge_that_refuses_is_asked_four_times_and_then_the_team_goes_on_to_the_maximum() {
    let play = Play::new().judges(vec![error(400)]);
    let arena = Files::of(&["alpha"]).rounds(1, 2).play(play);
    arena.run().assert_code(0);
    assert_eq!(arena.round_status(), ["alpha 1 true", "alpha 2 false"]);
    assert_eq!(arena.team_status(), ["alpha done max_rounds_reached"]);
    assert_eq!(arena.summary(), ["completed alpha 1"]);
    for round in [1, 2] {
        assert_eq!(arena.count(Role::Judge, "alpha", round), 4);
    }
    let said = arena.rows(
        "reasoning, confidence_score",
        "round_status WHERE round_number = 1",
    );
    assert!(said[0].contains("the judge failed"), "{said:?}");
    assert!(
        said[0].contains("it is broken") && said[0].ends_with(" 0"),
        "{said:?}"
    );
}

#[test]
fn d9_a_judge_that_is_too_slow_for_judgment_timeout_seconds_means_to_go_on() {
    let hang = Act::Hang { times: None };
    let play = Play::new()
        .judge("alpha", 1, vec![hang])
        .judge("alpha", 2, vec![stops()]);
    let arena = Files::of(&["alpha"])
        .rounds(1, 3)
        .orchestrator("judgment_timeout_seconds = 1")
        .judgment("max_retries = 1")
        .play(play);
    arena.run().assert_code(0);
    assert_eq!(arena.round_status(), ["alpha 1 true", "alpha 2 false"]);
    assert_eq!(arena.team_status(), ["alpha done no_improvement_expected"]);
    assert_eq!(arena.count(Role::Judge, "alpha", 1), 2);
}

#[test]
fn d9_a_judge_is_asked_again_until_its_answer_can_be_used() {
    let bad = |value| once(Act::Result { value });
    let answers = vec![
        once(say("I would go on.")),
        bad(json!({"should_continue": "yes", "reasoning": "", "confidence_score": 0.5})),
        bad(json!({"should_continue": false, "reasoning": "", "confidence_score": 1.5})),
        verdict(false, "enough", 0.25),
    ];
    let arena = Files::of(&["alpha"])
        .rounds(1, 5)
        .play(Play::new().judge("alpha", 1, answers));
    arena.run().assert_code(0);
    assert_eq!(arena.counts(), [1, 1, 4]);
    let said = arena.rows(
        "should_continue, reasoning, confidence_score",
        "round_status",
    );
    assert_eq!(said, ["false enough 0.25"]);
}

#[test]
fn d4_the_judge_is_told_scores_feedback_and_rounds_and_no_name() {
    let play = Play::new()
        .scores("alpha", &[61.25, 70.5])
        .scores("beta", &[80.0, 90.0])
        .judges(vec![goes_on()]);
    let arena = Files::of(&["alpha", "beta"]).rounds(2, 3).play(play);
    arena.run().assert_code(0);
    let asked = arena.asked_of(Role::Judge, "alpha", 2);
    assert_eq!(asked.len(), 1);
    let prompt = &asked[0].prompt;
    for words in [
        "Round 2 was just scored",
        "3 rounds are played",
        "61.25",
        "70.50",
        "worth 61.25",
        "alpha round 1.",
    ] {
        assert!(prompt.contains(words), "{words}: {prompt}");
    }
    let all = format!("{prompt}{}", asked[0].system);
    for name in ["Team alpha", "Team beta", "beta"] {
        assert!(!all.contains(name), "{name}: {all}");
    }
}

#[test]
fn d12_judge_check_measures_a_judge_on_the_labelled_set_and_the_rules_reach_80_percent() {
    let world = World::new();
    let out = world.kumite(&["contest", "judge-check", "--json"]);
    out.assert_code(0);
    let report: Value = serde_json::from_str(&out.stdout).unwrap();
    assert!(report["n"].as_u64().unwrap() >= 60, "{report}");
    let held_out = &report["splits"]["held_out"];
    assert!(held_out["n"].as_u64().unwrap() >= 30, "{report}");
    assert!(held_out["accuracy"].as_f64().unwrap() >= 0.8, "{report}");
    assert_eq!(
        (&report["calls"], &report["cost_usd"]),
        (&report["n"], &json!(0.0))
    );

    // A model that always answers the same is right exactly where the label is the same.
    let arena = Files::of(&[]).play(Play::new().judges(vec![goes_on()]));
    let model = [
        "judge-check",
        "--json",
        "--model",
        "openai:fake",
        "--price",
        "10,20",
    ];
    let out = arena.contest(&model);
    out.assert_code(0);
    let always: Value = serde_json::from_str(&out.stdout).unwrap();
    let confusion = &always["confusion"];
    assert_eq!(
        (&confusion["continue_stop"], &confusion["stop_stop"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(always["right"], confusion["continue_continue"]);
    assert_eq!(arena.counts()[2] as u64, always["n"].as_u64().unwrap());
    assert!(always["cost_usd"].as_f64().unwrap() > 0.0, "{always}");
}
