//! How many teams work at the same time.

use super::build::*;
use crate::contest::{Event, Phase, Reason, Rules};

fn places(teams_max: u32) -> Rules {
    Rules {
        teams_max: Some(teams_max),
        ..rounds(1, 2)
    }
}

fn waits(play: &Play, team: u32) -> bool {
    play.team(team).phase == Phase::Queued
}

#[test]
fn no_more_teams_work_than_there_are_places_and_the_first_come_first() {
    let mut play = Play::start(4, places(2));
    play.does(&[
        begin(0, 1),
        submit(0, 1, 1, 0),
        begin(1, 1),
        submit(1, 1, 1, 0),
    ]);
    assert!(waits(&play, 2) && waits(&play, 3));
    // A place is kept until the last row is saved.
    play.scores(1, 10)
        .hands_in(1)
        .is_measured(1, 10)
        .judge_says(1, false);
    play.does(&[save(1, 2, 1, 0)]);
    play.is_saved(1).does(&[begin(2, 1), submit(2, 1, 1, 0)]);
    assert!(waits(&play, 3));
    play.submit_fails(0, timed_out()).does(&[save(0, 1, 1, 0)]);
    play.is_saved(0).does(&[begin(3, 1), submit(3, 1, 1, 0)]);
    play.is_out(0, Reason::SubmissionTimeout);
}

#[test]
fn a_team_that_the_database_ends_frees_its_place() {
    let mut play = Play::start(2, places(1));
    play.hands_in_rubbish(0);
    (0..3).for_each(|_| _ = play.save_fails(0));
    play.save_fails(0).does(&[begin(1, 1), submit(1, 1, 1, 0)]);
}

#[test]
fn more_places_than_teams_are_as_good_as_no_limit() {
    for teams_max in [None, Some(3), Some(u32::MAX)] {
        let rules = Rules {
            teams_max,
            ..rules()
        };
        assert_eq!(Play::start(3, rules).effects.len(), 6);
    }
}

#[test]
fn no_place_at_all_is_one_place() {
    let mut play = Play::start(2, places(0));
    play.does(&[begin(0, 1), submit(0, 1, 1, 0)]);
}

#[test]
fn a_resume_hands_no_place_out_twice() {
    let mut play = Play::start(3, places(1));
    play.tell(Event::Resumed);
    play.does(&[begin(0, 1), submit(0, 1, 1, 0)]);
    assert!(waits(&play, 1) && waits(&play, 2));
}
