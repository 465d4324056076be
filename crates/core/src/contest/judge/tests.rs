use super::super::exit::{Exit, Reason};
use super::super::rules::Metric;
use super::super::state::{Phase, Stage, Team};
use super::*;

/// A score in whole points; a negative number means a failed round.
fn case(rounds_max: u32, scores: &[i64]) -> TeamRecord {
    let past = (1u32..).zip(scores).map(|(round, points)| {
        let score = u64::try_from(points * 100).ok();
        Past {
            round,
            score: score.and_then(Score::from_hundredths),
            remarks: Vec::new(),
            failed: score.is_none().then(|| "empty".to_owned()),
        }
    });
    let past: Vec<Past> = past.collect();
    TeamRecord {
        round: past.len() as u32,
        rounds_min: 2,
        rounds_max,
        past,
        others: Vec::new(),
    }
}

fn goes_on(rounds_max: u32, scores: &[i64]) {
    let said = by_rules(&case(rounds_max, scores));
    assert!(said.should_continue, "{scores:?}: {}", said.reasoning);
}

fn ends(rounds_max: u32, scores: &[i64]) {
    let said = by_rules(&case(rounds_max, scores));
    assert!(!said.should_continue, "{scores:?}: {}", said.reasoning);
}

#[test]
fn d4_it_goes_on_while_scores_rise() {
    goes_on(5, &[50, 60, 70]);
    goes_on(10, &[50, 52, 54, 56]);
    goes_on(5, &[84, 90, 94]);
}

#[test]
fn d4_it_ends_when_nothing_was_gained_for_two_rounds() {
    ends(10, &[50, 70, 70, 70]);
    ends(10, &[50, 70, 65, 68]);
    ends(5, &[70, 70, 70]);
}

#[test]
fn d4_gains_that_become_small_do_not_carry_over_a_round_without_one() {
    ends(10, &[70, 78, 81, 81]);
    goes_on(10, &[70, 78, 85, 85]);
}

#[test]
fn d4_a_gain_within_the_swings_is_none() {
    ends(10, &[60, 70, 58, 71]);
    goes_on(10, &[60, 70, 64, 76]);
}

#[test]
fn d4_it_ends_near_100_however_it_came_there() {
    ends(5, &[95]);
    ends(5, &[40, 96]);
    ends(5, &[100, 100]);
}

#[test]
fn d4_one_or_two_scores_say_little_while_much_is_left() {
    goes_on(5, &[30]);
    goes_on(5, &[60, 60]);
    goes_on(5, &[80, 70]);
    ends(5, &[85, 85]);
    ends(5, &[92, 80]);
}

#[test]
fn d4_one_collapse_after_a_high_is_forgiven_a_second_is_not() {
    goes_on(6, &[60, 80, 40]);
    ends(6, &[60, 80, 40, 35]);
    ends(6, &[80, 60, 40]);
}

#[test]
fn d9_failed_rounds_are_no_scores() {
    goes_on(6, &[-1, -1, 40]);
    goes_on(6, &[60, -1, 70]);
    ends(8, &[68, -1, 67, -1, 68]);
    goes_on(5, &[-1, -1]);
}

#[test]
fn d4_at_the_maximum_nothing_is_worth_another_round() {
    let said = by_rules(&case(3, &[10, 50, 90]));
    assert!(!said.should_continue);
    assert_eq!(said.confidence, Confidence::FULL);
}

#[test]
fn d4_the_reasoning_names_the_figures() {
    for (scores, words) in [
        (
            &[50, 60][..],
            "round 2 of 5: the newest round gained 10.00, and 60.00 leaves 40.00 to 100",
        ),
        (
            &[97],
            "round 1 of 5: 97.00 leaves 3.00 to 100, which no round is worth",
        ),
        (
            &[70, 70, 70],
            "round 3 of 5: 3 scored rounds without a gain, the best is 70.00",
        ),
        (
            &[80, 70],
            "round 2 of 5: the second score fell by 10.00, but 80.00 leaves 20.00 to 100",
        ),
    ] {
        assert_eq!(by_rules(&case(5, scores)).reasoning, words);
    }
}

#[test]
fn d4_lost_rounds_and_small_gains_make_it_less_sure() {
    let sure = |scores: &[i64]| by_rules(&case(10, scores)).confidence;
    assert!(sure(&[50, 70]) > sure(&[50, 52]));
    assert!(sure(&[50, 70]) > sure(&[50, -1, 70]));
    assert!(sure(&[70, 70, 70, 70]) > sure(&[70, 70, 70]));
    assert!(sure(&[-1, -1, -1, -1, -1, -1, 50]) >= Confidence::from_percent(50));
}

fn contest(teams: &[(&str, &[i64])]) -> Contest {
    let team = |(name, scores): &(&str, &[i64])| Team {
        id: format!("id-{name}"),
        name: (*name).to_owned(),
        retries: None,
        phase: Phase::Queued,
        rounds: rounds(scores),
        used: Default::default(),
        used_ms: 0,
        busy_since_ms: None,
        saved: 0,
    };
    let rules = Rules {
        metrics: vec![Metric {
            name: "Coverage".to_owned(),
            weight: 1_000_000,
            is_program: false,
            timeout_ms: 1000,
            retries: 0,
        }],
        ..Rules::default()
    };
    Contest {
        rules,
        teams: teams.iter().map(team).collect(),
        stage: Stage::Running,
        ..Contest::default()
    }
}

fn rounds(scores: &[i64]) -> Vec<Round> {
    let round = |(number, past): (u32, &Past)| Round {
        number,
        started_ms: 0,
        ended_ms: None,
        verdict: match past.score {
            Some(score) => Verdict::Scored {
                score,
                measures: vec![Some(Measure {
                    score,
                    remark: format!("remark {number}"),
                    is_veto: false,
                })],
            },
            None => Verdict::Failed {
                why: "empty".to_owned(),
            },
        },
        judgment: None,
        has_submission: past.score.is_some(),
    };
    let past = case(9, scores).past;
    (1u32..).zip(&past).map(round).collect()
}

#[test]
fn d4_a_case_holds_what_happened_and_the_others_best_scores() {
    let contest = contest(&[
        ("a", &[50, -1, 60]),
        ("b", &[90, 80]),
        ("c", &[]),
        ("d", &[95]),
    ]);
    let case = TeamRecord::of(&contest, 0);
    assert_eq!((case.round, case.rounds_min, case.rounds_max), (3, 2, 5));
    assert_eq!(
        case.best()
            .map(|(score, round)| (score.hundredths(), round)),
        Some((6000, 3))
    );
    assert_eq!(case.past[0].remarks[0].metric, "Coverage");
    assert_eq!(case.past[0].remarks[0].text, "remark 1");
    assert_eq!(case.past[1].failed.as_deref(), Some("empty"));
    let others: Vec<u64> = case.others.iter().map(|score| score.hundredths()).collect();
    assert_eq!(others, [9500, 9000]);
}

#[test]
fn d4_a_disqualified_team_is_no_rival() {
    let mut contest = contest(&[("a", &[50]), ("b", &[90])]);
    contest.teams[1].phase = Phase::Out(Exit {
        reason: Reason::EvaluatorFailure,
        message: None,
    });
    assert_eq!(TeamRecord::of(&contest, 0).others, []);
}

#[test]
fn d4_names_ids_and_the_order_of_teams_are_not_in_a_case() {
    let one = contest(&[("a", &[50, 60]), ("b", &[90]), ("c", &[70])]);
    let two = contest(&[("zebra", &[70]), ("b", &[90]), ("Anton", &[50, 60])]);
    assert_eq!(TeamRecord::of(&one, 0), TeamRecord::of(&two, 2));
}

#[test]
fn a_team_that_does_not_exist_has_no_past() {
    let case = TeamRecord::of(&contest(&[("a", &[50])]), 7);
    assert_eq!((case.round, case.past.len()), (0, 0));
}
