//! The way of a team through its rounds (D1, D4, D5, D7, D10).

use super::build::*;
use crate::contest::{Confidence, Effect, Event, Phase, ROUNDS_LIMIT, Reason, Rules, Stage};

#[test]
fn d10_the_defaults() {
    let rules = Rules::default();
    assert_eq!((rules.rounds_min, rules.rounds_max), (2, 5));
    assert_eq!(rules.submission_timeout_ms, 300_000);
    assert_eq!(rules.judgment_timeout_ms, 60_000);
    assert_eq!((rules.submission_retries, rules.judge_retries), (3, 3));
    assert!(rules.judge_on_final_round);
    assert_eq!((rules.teams_max, rules.budget_micros), (None, None));
    assert_eq!(
        (rules.team_timeout_ms, rules.contest_timeout_ms),
        (None, None)
    );
    assert_eq!(ROUNDS_LIMIT, 10);
}

#[test]
fn d1_all_teams_begin_at_once() {
    let mut play = Play::start(3, rules());
    play.does(&[
        begin(0, 1),
        submit(0, 1, 1, 0),
        begin(1, 1),
        submit(1, 1, 1, 0),
        begin(2, 1),
        submit(2, 1, 1, 0),
    ]);
    assert_eq!(play.contest.stage, Stage::Running);
    assert_eq!(play.contest.started_ms, 1_000);
}

#[test]
fn d1_a_round_is_a_submission_an_evaluation_a_judgment_and_a_save() {
    let mut play = Play::start(1, rounds(1, 3));
    play.does(&[begin(0, 1), submit(0, 1, 1, 0)]);
    play.hands_in(0).does(&[measure(0, 1, 0, 1, 0)]);
    play.is_measured(0, 50).does(&[judge(0, 1, 1, 0)]);
    play.judge_says(0, true).does(&[save(0, 1, 1, 0)]);
    play.is_saved(0).does(&[begin(0, 2), submit(0, 2, 1, 0)]);
}

#[test]
fn d1_what_happens_to_one_team_changes_no_other() {
    let events = [
        submitted(0, 1, 1, given()),
        submitted(0, 1, 1, malformed()),
        submit_failed(0, 1, 1, passing()),
        submit_failed(0, 1, 1, timed_out()),
        Event::Saved { team: 0, round: 1 },
        save_failed(0, 1, 1),
    ];
    for event in events {
        let mut play = Play::start(3, rules());
        let others = play.contest.teams[1..].to_vec();
        play.tell(event);
        assert_eq!(play.contest.teams[1..], others);
        assert!(play.effects.iter().all(|effect| of(effect) == Some(0)));
    }
}

/// The first of two teams fails in every possible way. The second one goes on as if it were alone.
#[test]
fn d1_a_team_goes_the_same_way_whatever_becomes_of_another() {
    let alone = second_of(|_| {});
    let broken: [fn(&mut Play); 5] = [
        |play| _ = play.submit_fails(0, timed_out()).is_saved(0),
        |play| _ = play.submit_fails(0, failed(crate::contest::Failure::Lasting)),
        |play| _ = play.hands_in_rubbish(0).is_saved(0),
        |play| {
            play.hands_in(0);
            (0..4).for_each(|_| _ = play.measure_fails(0, passing()));
        },
        |play| {
            play.hands_in_rubbish(0);
            (0..4).for_each(|_| _ = play.save_fails(0));
        },
    ];
    for how in broken {
        assert_eq!(second_of(how), alone);
    }
}

/// What is done for the second of two teams, from its first submission to its end.
fn second_of(breaks: fn(&mut Play)) -> Vec<Effect> {
    let mut play = Play::start(2, rounds(1, 3));
    breaks(&mut play);
    let mut done = Vec::new();
    let mut keep = |play: &mut Play| done.append(&mut play.effects);
    for goes_on in [true, false] {
        keep(play.hands_in(1));
        keep(play.is_measured(1, 70));
        keep(play.judge_says(1, goes_on));
        keep(play.is_saved(1));
    }
    done.retain(|effect| of(effect) == Some(1));
    done
}

fn of(effect: &Effect) -> Option<u32> {
    match effect {
        Effect::Begin { team, .. }
        | Effect::Submit { team, .. }
        | Effect::Launch { team, .. }
        | Effect::HandIn { team, .. }
        | Effect::Limit { team, .. }
        | Effect::Measure { team, .. }
        | Effect::Judge { team, .. }
        | Effect::Save { team, .. }
        | Effect::Halt { team } => Some(*team),
        Effect::SaveSummary { .. } | Effect::Announce(_) | Effect::End => None,
    }
}

#[test]
fn d1_control_returns_only_with_the_last_team() {
    let mut play = Play::start(2, rounds(1, 1));
    play.scores(0, 50).is_out(0, Reason::MaxRoundsReached);
    play.does(&[]);
    play.scores(1, 60).is_out(1, Reason::MaxRoundsReached);
    play.does(&[summary(1, 0)]);
    play.tell(Event::SummarySaved).does(&[Effect::End]);
    assert!(play.contest.is_ended());
}

#[test]
fn d4_below_the_minimum_it_goes_on_without_a_judge() {
    let mut play = Play::start(1, rounds(3, 5));
    for round in 1..=2 {
        play.hands_in(0).is_measured(0, 100);
        play.does(&[save(0, round, 1, 0)]);
        let judgment = play
            .team(0)
            .rounds
            .last()
            .unwrap()
            .judgment
            .clone()
            .unwrap();
        assert!(judgment.should_continue && judgment.confidence == Confidence::FULL);
        play.is_saved(0).is_in_round(0, round + 1);
    }
    play.hands_in(0)
        .is_measured(0, 100)
        .does(&[judge(0, 3, 1, 0)]);
}

#[test]
fn d4_at_the_minimum_the_judge_is_asked_and_may_end_it() {
    let mut play = Play::start(1, rounds(2, 5));
    play.scores(0, 50).hands_in(0).is_measured(0, 50);
    play.does(&[judge(0, 2, 1, 0)]);
    play.judge_says(0, false).does(&[save(0, 2, 1, 0)]);
    play.leaves(0, Reason::NoImprovementExpected);
    play.is_saved(0).is_out(0, Reason::NoImprovementExpected);
    assert_eq!(play.team(0).exit().unwrap().message, None);
}

#[test]
fn d4_between_minimum_and_maximum_the_judge_decides_every_round() {
    let mut play = Play::start(1, rounds(1, 5));
    for round in 1..=3 {
        play.hands_in(0).is_measured(0, 50);
        play.does(&[judge(0, round, 1, 0)]);
        play.judge_says(0, true)
            .is_saved(0)
            .is_in_round(0, round + 1);
    }
}

#[test]
fn d4_at_the_maximum_it_ends_whatever_the_judge_says() {
    for says in [true, false] {
        let mut play = Play::start(1, rounds(1, 2));
        play.scores(0, 50).hands_in(0).is_measured(0, 60);
        play.does(&[judge(0, 2, 1, 0)]);
        play.judge_says(0, says).leaves(0, Reason::MaxRoundsReached);
        let judgment = play.team(0).rounds[1].judgment.clone().unwrap();
        assert_eq!(
            (judgment.should_continue, judgment.reasoning.as_str()),
            (false, "because")
        );
    }
}

#[test]
fn d4_the_judge_need_not_be_asked_at_the_maximum() {
    let rules = Rules {
        judge_on_final_round: false,
        ..rounds(1, 2)
    };
    let mut play = Play::start(1, rules);
    play.hands_in(0)
        .is_measured(0, 50)
        .does(&[judge(0, 1, 1, 0)]);
    play.judge_says(0, true).is_saved(0);
    play.hands_in(0)
        .is_measured(0, 50)
        .does(&[save(0, 2, 1, 0)]);
    play.leaves(0, Reason::MaxRoundsReached);
    let judgment = play.team(0).rounds[1].judgment.clone().unwrap();
    assert!(!judgment.should_continue);
}

#[test]
fn d4_with_minimum_and_maximum_alike_only_the_last_round_is_judged() {
    for (flag, asked) in [(true, true), (false, false)] {
        let rules = Rules {
            judge_on_final_round: flag,
            ..rounds(3, 3)
        };
        let mut play = Play::start(1, rules);
        for round in 1..=2 {
            play.hands_in(0)
                .is_measured(0, 50)
                .does(&[save(0, round, 1, 0)]);
            play.is_saved(0);
        }
        play.hands_in(0).is_measured(0, 50);
        play.does(&[if asked {
            judge(0, 3, 1, 0)
        } else {
            save(0, 3, 1, 0)
        }]);
        if asked {
            play.judge_says(0, true);
        }
        play.is_saved(0).is_out(0, Reason::MaxRoundsReached);
        assert_eq!(play.team(0).rounds.len(), 3);
    }
}

#[test]
fn d4_one_round_is_enough_where_the_rules_say_so() {
    let mut play = Play::start(1, rounds(1, 1));
    play.hands_in(0)
        .is_measured(0, 50)
        .does(&[judge(0, 1, 1, 0)]);
    play.judge_says(0, true).is_saved(0);
    play.is_out(0, Reason::MaxRoundsReached);
}

#[test]
fn d5_the_best_round_counts_and_of_equal_ones_the_latest() {
    let rows: [(&[u64], u32); 5] = [
        (&[10, 30, 20], 2),
        (&[30, 30, 20], 2),
        (&[30, 20, 30], 3),
        (&[0, 0, 0], 3),
        (&[90, 20, 30], 1),
    ];
    for (points, best) in rows {
        let mut play = Play::start(1, rounds(1, 3));
        for score in points {
            play.scores(0, *score);
        }
        assert_eq!(play.team(0).best().unwrap().number, best, "{points:?}");
        play.is_out(0, Reason::MaxRoundsReached);
    }
}

#[test]
fn d5_a_failed_round_is_never_the_best() {
    let mut play = Play::start(1, rounds(1, 2));
    play.scores(0, 0).hands_in_rubbish(0).is_saved(0);
    assert_eq!(play.team(0).best().unwrap().number, 1);
}

#[test]
fn d7_the_start_of_a_round_is_recorded_when_it_starts() {
    let mut play = Play::start(1, rounds(1, 3));
    play.after(500).hands_in(0);
    play.after(500).is_measured(0, 50).judge_says(0, true);
    play.after(70)
        .is_saved(0)
        .does(&[begin(0, 2), submit(0, 2, 1, 0)]);
    let times = play
        .team(0)
        .rounds
        .iter()
        .map(|it| (it.started_ms, it.ended_ms));
    let expected = [(1_000, Some(2_000)), (2_070, None)];
    assert_eq!(times.collect::<Vec<_>>(), expected);
    assert_eq!(play.team(0).saved, 1);
}

#[test]
fn d3_a_round_knows_nothing_of_the_tries_of_the_one_before() {
    let mut play = Play::start(1, rounds(1, 3));
    play.submit_fails(0, passing()).submit_fails(0, passing());
    play.scores(0, 50).does(&[begin(0, 2), submit(0, 2, 1, 0)]);
    assert!(matches!(
        play.team(0).phase,
        Phase::Submitting { attempt: 1, .. }
    ));
}

#[test]
fn a_contest_starts_once() {
    let mut play = Play::start(2, rules());
    let before = play.contest.clone();
    play.tell(Event::Started {
        rules: rounds(1, 9),
        teams: entrants(5),
    });
    play.does(&[]);
    assert_eq!(play.contest, before);
}

#[test]
fn a_contest_without_a_team_is_over_at_once() {
    let mut play = Play::start(0, rules());
    play.does(&[summary(1, 0)]);
}

#[test]
fn nothing_happens_before_the_start() {
    for event in [
        Event::Resumed,
        Event::SummarySaved,
        submitted(0, 1, 1, given()),
        measured(0, 1, 0, 1, found(10)),
        Event::CancelRequested {
            by: crate::contest::By::User,
        },
    ] {
        let mut play = Play::start(0, rules());
        play.contest = crate::contest::Contest::default();
        play.tell(event).does(&[]);
        assert_eq!(play.contest.stage, Stage::Ready);
    }
}
