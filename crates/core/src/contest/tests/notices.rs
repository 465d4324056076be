//! What people are told is decided with everything else.

use super::build::*;
use crate::contest::{End, Event, Failure, Part, Reason, Score, What};

fn score(value: u64) -> Score {
    Score::from_hundredths(value * 100).unwrap()
}

fn judged_to(play: &Play, should_continue: bool) -> What {
    let round = play.team(0).rounds.last().unwrap();
    let judgment = round.judgment.clone().unwrap();
    assert_eq!(judgment.should_continue, should_continue);
    What::Judged {
        round: round.number,
        judgment,
    }
}

#[test]
fn a_round_is_told_from_its_start_to_the_end_of_the_contest() {
    let mut play = Play::start(1, rounds(1, 1));
    let started = What::ContestStarted {
        teams: 1,
        rounds_max: 1,
    };
    let begins = What::RoundStarted { round: 1 };
    play.says(&[(None, started), (Some(0), begins)]);
    play.submit_fails(0, passing());
    let trouble = What::Trouble {
        round: 1,
        part: Part::Submission,
        attempt: 1,
        why: passing().why,
    };
    play.says(&[(Some(0), trouble)]);
    play.hands_in(0)
        .says(&[(Some(0), What::Submitted { round: 1 })]);
    play.is_measured(0, 50);
    let scored = What::RoundScored {
        round: 1,
        score: score(50),
        rank: Some(1),
    };
    play.says(&[(Some(0), scored)]);
    play.judge_says(0, false);
    let judged = judged_to(&play, false);
    play.says(&[(Some(0), judged)]);
    let ended = What::TeamEnded {
        reason: Reason::MaxRoundsReached,
        message: None,
        best: Some((score(50), 1)),
    };
    play.is_saved(0).says(&[(Some(0), ended)]);
    let last = What::ContestEnded {
        end: End::Done,
        winner: Some((play.team(0).id.clone(), score(50))),
    };
    play.tell(Event::SummarySaved).says(&[(None, last)]);
    play.tell(Event::SummarySaved).says(&[]);
}

#[test]
fn a_cancelled_contest_says_what_it_did_not_come_to() {
    let mut play = Play::start(1, rounds(1, 2));
    play.cancel();
    let failed = What::RoundFailed {
        round: 1,
        why: "cancelled".to_owned(),
    };
    let ended = What::TeamEnded {
        reason: Reason::Cancelled,
        message: None,
        best: None,
    };
    play.says(&[(Some(0), failed), (Some(0), ended)]);
    let last = What::ContestEnded {
        end: End::Cancelled,
        winner: None,
    };
    play.tell(Event::SummarySaved).says(&[(None, last)]);
}

#[test]
fn a_failed_round_says_why_and_that_it_goes_on() {
    let mut play = Play::start(1, rounds(1, 2));
    play.hands_in_rubbish(0);
    let judged = judged_to(&play, true);
    let Some(What::RoundFailed { round: 1, .. }) = play.notices.get(1).map(|it| it.what.clone())
    else {
        panic!("{:?}", play.notices);
    };
    assert_eq!(play.notices[2].what, judged);
}

#[test]
fn a_word_that_comes_too_late_is_told_to_nobody() {
    let mut play = Play::start(1, rounds(1, 2));
    play.tell(submitted(0, 2, 1, given())).says(&[]);
    play.tell(submit_failed(0, 1, 9, failed(Failure::Passing)));
    play.says(&[]);
}
