//! Any events, in any order and at any time: the contest stays valid.

use proptest::collection::vec;
use proptest::prelude::*;

use super::build::*;
use crate::contest::board::{standings, winner};
use crate::contest::{By, Contest, Effect, Event, Failed, Failure, Phase, Rules, Stage};

fn failures() -> impl Strategy<Value = Failed> {
    let kinds = [
        Failure::TimedOut,
        Failure::Passing,
        Failure::Unusable,
        Failure::Lasting,
    ];
    let asked = prop_oneof![Just(None), any::<u64>().prop_map(Some)];
    (prop::sample::select(kinds.to_vec()), asked).prop_map(|(failure, retry_after_ms)| Failed {
        retry_after_ms,
        ..failed(failure)
    })
}

/// Usually about something that may be in progress, sometimes not.
fn events() -> impl Strategy<Value = Event> {
    (0u32..4, 1u32..4, 1u32..4, 0u32..3).prop_flat_map(|(team, round, attempt, metric)| {
        prop_oneof![
            Just(submitted(team, round, attempt, given())),
            Just(submitted(team, round, attempt, malformed())),
            failures().prop_map(move |failed| submit_failed(team, round, attempt, failed)),
            (0u64..=100).prop_map(move |it| measured(team, round, metric, attempt, found(it))),
            Just(measured(team, round, metric, attempt, veto())),
            failures().prop_map(move |failed| measure_failed(team, round, metric, attempt, failed)),
            any::<bool>().prop_map(move |goes_on| judged(team, round, attempt, goes_on)),
            failures().prop_map(move |failed| judge_failed(team, round, attempt, failed)),
            Just(Event::Saved { team, round }),
            Just(save_failed(team, round, attempt)),
            Just(Event::Resumed),
            Just(Event::SummarySaved),
            Just(summary_failed(attempt)),
        ]
    })
}

fn rules_of_all_kinds() -> impl Strategy<Value = Rules> {
    let limit = || {
        prop_oneof![
            Just(None),
            any::<u64>().prop_map(Some),
            (0u64..9_000).prop_map(Some)
        ]
    };
    (
        0u32..4,
        1u32..4,
        any::<bool>(),
        limit(),
        limit(),
        limit(),
        0u32..3,
    )
        .prop_map(
            |(rounds_min, rounds_max, flag, team, contest, budget, places)| Rules {
                judge_on_final_round: flag,
                teams_max: places.checked_sub(1),
                team_timeout_ms: team,
                contest_timeout_ms: contest,
                budget_micros: budget,
                metrics: vec![metric("a", 1), program("b", 2)],
                ..rounds(rounds_min, rounds_max)
            },
        )
}

/// The end of a contest is final, and a team that is out stays out.
fn only_goes_on(before: &Contest, after: &Contest) {
    for (was, is) in before.teams.iter().zip(&after.teams) {
        assert!(is.rounds.len() >= was.rounds.len());
        assert!(is.used_ms >= was.used_ms && is.saved <= is.round());
        if matches!(was.phase, Phase::Out(_)) {
            assert_eq!(is.phase, was.phase);
        }
    }
    if before.is_saved() {
        assert_eq!(after.stage, before.stage);
    }
    if before.stage != Stage::Running && before.stage != Stage::Ready {
        assert_ne!(after.stage, Stage::Running);
    }
}

proptest! {
    #[test]
    fn a_contest_only_goes_on(
        rules in rules_of_all_kinds(),
        told in vec((events(), prop_oneof![0u64..5_000, any::<u64>()]), 0..120),
        cancel_at in 0usize..400,
    ) {
        let mut play = Play::start(3, rules.clone());
        for (index, (event, at_ms)) in told.into_iter().enumerate() {
            let before = play.contest.clone();
            play.now_ms = at_ms;
            match index == cancel_at {
                true => _ = play.tell(Event::CancelRequested { by: By::User }),
                false => _ = play.tell(event),
            }
            only_goes_on(&before, &play.contest);
            for team in &play.contest.teams {
                assert!(team.rounds.len() <= rules.rounds_max as usize);
            }
            let saves_it = |effect: &Effect| matches!(effect, Effect::SaveSummary { .. });
            if matches!(play.contest.stage, Stage::Closing { .. }) && before.stage == Stage::Running {
                assert!(play.effects.iter().any(saves_it));
            }
            assert_eq!(standings(&play.contest).len(), 3);
            if let Some(team) = winner(&play.contest) {
                assert!(play.team(team).best().is_some());
            }
        }
    }
}
