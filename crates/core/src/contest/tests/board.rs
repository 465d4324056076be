//! The board and the winner (D5, D9, D14).

use super::build::*;
use crate::contest::board::{Standing, standings, winner};
use crate::contest::{Event, Reason};

/// A contest of one round; None is a team that is disqualified without a score.
fn with(points: &[Option<u64>]) -> Play {
    let mut play = Play::start(points.len() as u32, rounds(1, 1));
    for (team, points) in (0u32..).zip(points) {
        match points {
            Some(points) => _ = play.scores(team, *points),
            None => _ = play.submit_fails(team, timed_out()).is_saved(team),
        }
    }
    play
}

fn ranks(play: &Play) -> Vec<(u32, Option<u32>)> {
    let lines = standings(&play.contest);
    lines.iter().map(|line| (line.team, line.rank)).collect()
}

#[test]
fn d14_equal_scores_share_a_rank() {
    let play = with(&[Some(50), Some(90), Some(90), Some(10)]);
    let expected = [(1, Some(1)), (2, Some(1)), (0, Some(3)), (3, Some(4))];
    assert_eq!(ranks(&play), expected);
    let play = with(&[Some(5), Some(5), Some(5)]);
    assert_eq!(ranks(&play), [(0, Some(1)), (1, Some(1)), (2, Some(1))]);
    let play = with(&[Some(9), Some(5), Some(5), None, Some(1)]);
    let expected = [
        (0, Some(1)),
        (1, Some(2)),
        (2, Some(2)),
        (4, Some(4)),
        (3, None),
    ];
    assert_eq!(ranks(&play), expected);
}

#[test]
fn d5_of_equal_best_teams_the_first_one_wins() {
    let rows: [(&[Option<u64>], Option<u32>); 5] = [
        (&[Some(50), Some(90), Some(90)], Some(1)),
        (&[Some(0)], Some(0)),
        (&[None, Some(0)], Some(1)),
        (&[None, None], None),
        (&[], None),
    ];
    for (points, expected) in rows {
        assert_eq!(winner(&with(points).contest), expected, "{points:?}");
    }
}

#[test]
fn d9_a_disqualified_team_is_shown_and_never_wins() {
    let mut play = Play::start(2, rounds(1, 2));
    play.scores(0, 99).submit_fails(0, timed_out());
    // This holds while its rows are still being written.
    let line = Standing {
        team: 0,
        rank: None,
        best: Some((score(9_900), 1)),
        rounds: 2,
    };
    assert_eq!(standings(&play.contest)[1], line);
    play.is_saved(0).scores(1, 1).scores(1, 2);
    assert_eq!(standings(&play.contest)[1], line);
    assert_eq!(winner(&play.contest), Some(1));
    assert_eq!(ranks(&play), [(1, Some(1)), (0, None)]);
}

#[test]
fn d9_a_team_that_failed_may_win_with_what_it_achieved() {
    let mut play = Play::start(2, rounds(1, 2));
    play.scores(0, 99);
    play.submit_fails(0, failed(crate::contest::Failure::Lasting))
        .is_saved(0);
    play.is_out(0, Reason::PartialFailure);
    play.scores(1, 50).scores(1, 60);
    assert_eq!(winner(&play.contest), Some(0));
}

#[test]
fn nobody_has_won_before_the_end() {
    let mut play = Play::start(2, rounds(1, 1));
    play.scores(0, 99);
    assert_eq!(winner(&play.contest), None);
    assert_eq!(ranks(&play), [(0, Some(1)), (1, None)]);
    play.scores(1, 98);
    assert_eq!(winner(&play.contest), Some(0));
    play.tell(Event::SummarySaved);
    assert_eq!(winner(&play.contest), Some(0));
}

#[test]
fn nobody_wins_a_contest_that_was_cancelled() {
    let mut play = Play::start(2, rounds(1, 1));
    play.scores(0, 99).cancel();
    assert_eq!(winner(&play.contest), None);
    play.tell(Event::SummarySaved);
    assert_eq!(winner(&play.contest), None);
    // The results are on the board nevertheless.
    assert_eq!(ranks(&play)[0], (0, Some(1)));
}

#[test]
fn nobody_wins_a_contest_that_has_not_begun() {
    let contest = crate::contest::Contest::default();
    assert_eq!((winner(&contest), standings(&contest)), (None, Vec::new()));
}

#[test]
fn a_team_without_a_score_has_no_rank_and_stands_before_the_disqualified() {
    let mut play = Play::start(3, rounds(1, 1));
    play.submit_fails(0, timed_out()).is_saved(0);
    play.hands_in_rubbish(1).is_saved(1);
    play.scores(2, 1);
    assert_eq!(ranks(&play), [(2, Some(1)), (1, None), (0, None)]);
}
