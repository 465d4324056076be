//! A cancel ends everything, whatever is in progress.

use super::build::*;
use crate::contest::{Effect, Ending, Event, Fate, Reason, Rules, Stage, Verdict};

#[test]
fn a_cancel_ends_a_team_in_every_phase() {
    type Into = fn(&mut Play);
    let phases: [(Into, bool); 5] = [
        (|_| {}, false),
        (|play| _ = play.submit_fails(0, passing()), false),
        (|play| _ = play.hands_in(0), false),
        (|play| _ = play.hands_in(0).is_measured(0, 50), true),
        (
            |play| _ = play.hands_in(0).is_measured(0, 50).judge_says(0, true),
            true,
        ),
    ];
    for (into, is_scored) in phases {
        let mut play = Play::start(1, rounds(1, 3));
        into(&mut play);
        play.after(5).cancel().does(&[halt(0), summary(1, 0)]);
        play.is_out(0, Reason::Cancelled);
        assert_eq!(play.team(0).fate(), Some(Fate::Failed));
        let round = &play.team(0).rounds[0];
        assert_eq!(round.score().is_some(), is_scored);
        assert_ne!(round.verdict, Verdict::Open);
        assert!(round.ended_ms.is_some());
        assert_eq!(play.team(0).busy_since_ms, None);
        play.tell(Event::SummarySaved).does(&[Effect::End]);
        assert_eq!(play.team(0).saved, 1);
    }
}

#[test]
fn a_cancel_ends_those_who_wait_too() {
    let rules = Rules {
        teams_max: Some(1),
        ..rules()
    };
    let mut play = Play::start(3, rules);
    play.cancel();
    assert_eq!(play.effects.last(), Some(&summary(1, 0)));
    assert_eq!(play.effects[0], halt(0));
    for team in 0..3 {
        play.is_out(team, Reason::Cancelled);
    }
    assert!(play.team(2).rounds.is_empty());
}

#[test]
fn whoever_is_out_or_leaving_keeps_its_own_end() {
    let mut play = Play::start(3, rounds(1, 1));
    play.scores(0, 50);
    play.hands_in(1).is_measured(1, 40).judge_says(1, false);
    play.leaves(1, Reason::MaxRoundsReached);
    play.cancel().does(&[halt(1), halt(2), summary(1, 0)]);
    play.is_out(0, Reason::MaxRoundsReached);
    play.is_out(1, Reason::MaxRoundsReached);
    play.is_out(2, Reason::Cancelled);
}

#[test]
fn words_of_a_save_after_a_cancel_change_nothing() {
    for event in [save_failed(0, 1, 1), Event::Saved { team: 0, round: 1 }] {
        let mut play = Play::start(1, rounds(1, 3));
        play.hands_in_rubbish(0).cancel();
        let before = play.contest.clone();
        play.tell(event).does(&[]);
        assert_eq!(play.contest, before);
    }
}

#[test]
fn a_second_cancel_and_one_at_the_end_change_nothing() {
    let mut play = Play::start(1, rounds(1, 1));
    play.scores(0, 50).cancel().does(&[]);
    assert!(!play.contest.is_cancelled);
    play.tell(Event::SummarySaved).cancel().does(&[]);
    assert_eq!(play.contest.stage, Stage::Ended(Ending::Saved));
    assert!(!play.contest.is_cancelled);

    let mut play = Play::start(1, rounds(1, 1));
    play.cancel().cancel().does(&[]);
    assert!(play.contest.is_cancelled);
}

#[test]
fn d14_the_time_until_the_cancel_is_charged_and_the_pause_before_a_try_is_not() {
    let mut play = Play::start(2, rounds(1, 3));
    play.after(3_000).submit_fails(0, passing());
    play.after(500).cancel();
    assert_eq!((play.team(0).used_ms, play.team(1).used_ms), (3_000, 3_500));
}
