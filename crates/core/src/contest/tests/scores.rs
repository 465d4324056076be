//! The evaluation: scores, weights, programs first, vetoes (D6).

use super::build::*;
use crate::contest::{Confidence, Metric, Reason, Rules, Score, Verdict};

#[test]
fn d6_a_score_is_a_number_from_0_to_100() {
    let rows = [
        (0.0, Some(0)),
        (-0.0, Some(0)),
        (0.004, Some(0)),
        (0.005, Some(1)),
        (49.994, Some(4_999)),
        (49.996, Some(5_000)),
        (99.999, Some(10_000)),
        (100.0, Some(10_000)),
        (-0.001, None),
        (100.004, None),
        (1e9, None),
        (-5.0, None),
        (f64::NAN, None),
        (f64::INFINITY, None),
        (f64::NEG_INFINITY, None),
        (f64::MIN_POSITIVE, Some(0)),
    ];
    for (given, expected) in rows {
        let score = Score::from_f64(given);
        assert_eq!(score.map(Score::hundredths), expected, "{given}");
    }
}

#[test]
fn d6_a_score_says_itself_with_two_places() {
    let said = [0, 5, 100, 9_950, 10_000].map(|it| score(it).to_string());
    assert_eq!(said, ["0.00", "0.05", "1.00", "99.50", "100.00"]);
    assert_eq!(format!("{:>8}", score(705)), "    7.05");
    assert_eq!(Score::from_hundredths(10_001), None);
    assert_eq!(Score::from_hundredths(u64::MAX), None);
    assert!((score(9_950).as_f64() - 99.5).abs() < 1e-9);
}

#[test]
fn d4_a_confidence_is_a_number_from_0_to_1() {
    for inside in [0.0, 0.25, 0.999_999, 1.0] {
        let confidence = Confidence::from_f64(inside).unwrap();
        assert!((confidence.as_f64() - inside).abs() < 1e-6);
    }
    for outside in [-0.1, 1.000_001, 95.0, f64::NAN, f64::INFINITY] {
        assert_eq!(Confidence::from_f64(outside), None, "{outside}");
    }
}

fn with(metrics: Vec<Metric>) -> Rules {
    Rules {
        metrics,
        ..rounds(1, 1)
    }
}

/// The score of a round with these weights and points.
fn scored(parts: &[(u32, u64)]) -> Option<u64> {
    let metrics = parts.iter().map(|(weight, _)| metric("m", *weight));
    let mut play = Play::start(1, with(metrics.collect()));
    play.hands_in(0);
    for (index, (_, hundredths)) in (0u32..).zip(parts) {
        let mut measure = found(0);
        measure.score = score(*hundredths);
        play.tell(measured(0, 1, index, 1, measure));
    }
    play.team(0).rounds[0].score().map(Score::hundredths)
}

#[test]
fn the_score_is_the_weighted_mean_rounded_half_up() {
    let rows: [(&[(u32, u64)], u64); 10] = [
        (&[(1, 5_000)], 5_000),
        (&[(1, 0), (1, 10_000)], 5_000),
        (&[(400_000, 8_000), (600_000, 5_000)], 6_200),
        (&[(1, 1), (1, 2)], 2),
        (&[(1, 0), (1, 1)], 1),
        (&[(1, 0), (2, 1)], 1),
        (&[(2, 0), (1, 1)], 0),
        (
            &[(333_333, 10_000), (333_333, 10_000), (333_334, 10_000)],
            10_000,
        ),
        (&[(0, 0), (7, 4_321)], 4_321),
        (&[(u32::MAX, 10_000), (u32::MAX, 10_000)], 10_000),
    ];
    for (parts, expected) in rows {
        assert_eq!(scored(parts), Some(expected), "{parts:?}");
    }
}

#[test]
fn without_any_weight_there_is_no_score() {
    assert_eq!(scored(&[(0, 5_000), (0, 6_000)]), None);
    let mut play = Play::start(1, with(Vec::new()));
    play.hands_in(0).leaves(0, Reason::EvaluatorFailure);
}

#[test]
fn metrics_are_measured_side_by_side() {
    let mut play = Play::start(1, with(vec![metric("a", 1), metric("b", 1)]));
    play.hands_in(0);
    play.does(&[measure(0, 1, 0, 1, 0), measure(0, 1, 1, 1, 0)]);
    play.tell(measured(0, 1, 1, 1, found(80))).does(&[]);
    play.tell(measured(0, 1, 0, 1, found(20)))
        .does(&[judge(0, 1, 1, 0)]);
    assert_eq!(play.team(0).rounds[0].score(), Some(score(5_000)));
}

#[test]
fn programs_are_measured_first() {
    let metrics = vec![
        metric("a", 1),
        program("b", 1),
        metric("c", 1),
        program("d", 1),
    ];
    let mut play = Play::start(1, with(metrics));
    play.hands_in(0);
    play.does(&[measure(0, 1, 1, 1, 0), measure(0, 1, 3, 1, 0)]);
    play.tell(measured(0, 1, 3, 1, found(0))).does(&[]);
    play.tell(measured(0, 1, 1, 1, found(0)));
    play.does(&[measure(0, 1, 0, 1, 0), measure(0, 1, 2, 1, 0)]);
}

#[test]
fn a_program_that_is_tried_again_holds_the_others_back() {
    let mut play = Play::start(1, with(vec![metric("a", 1), program("b", 1)]));
    play.hands_in(0).does(&[measure(0, 1, 1, 1, 0)]);
    play.measure_fails(0, passing())
        .does(&[measure(0, 1, 1, 2, 1_000)]);
    play.tell(measured(0, 1, 1, 2, found(1)))
        .does(&[measure(0, 1, 0, 1, 0)]);
}

#[test]
fn a_veto_is_a_score_of_nothing_and_spares_the_models() {
    let mut play = Play::start(
        1,
        with(vec![metric("a", 1), program("b", 0), program("c", 1)]),
    );
    play.hands_in(0);
    play.tell(measured(0, 1, 1, 1, veto())).does(&[]);
    play.tell(measured(0, 1, 2, 1, found(100)));
    play.does(&[judge(0, 1, 1, 0)]);
    let Verdict::Scored { score, measures } = &play.team(0).rounds[0].verdict else {
        panic!("not scored");
    };
    assert_eq!((*score, measures.len()), (Score::ZERO, 3));
    assert_eq!(measures[0], None);
    assert_eq!(measures[1], Some(veto()));
}

#[test]
fn a_model_may_veto_too() {
    let mut play = Play::start(1, with(vec![metric("a", 1), metric("b", 1)]));
    play.hands_in(0);
    play.tell(measured(0, 1, 0, 1, veto())).does(&[]);
    play.tell(measured(0, 1, 1, 1, found(100)))
        .does(&[judge(0, 1, 1, 0)]);
    assert_eq!(play.team(0).rounds[0].score(), Some(Score::ZERO));
}
