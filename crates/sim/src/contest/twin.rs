//! The same contest without its crashes: the board must be the same.

use kumite_core::contest::board::Standing;
use kumite_core::contest::{Reason, Score};

use super::{ContestStory, World};
use crate::check::{Verdict, broken};
use crate::world;

/// What people see at the end of a contest.
#[derive(Debug, PartialEq, Eq)]
struct Board {
    lines: Vec<Standing>,
    winner: Option<u32>,
    /// By team: its exit, and the score of every round.
    teams: Vec<(Option<Reason>, Vec<Option<Score>>)>,
}

impl Board {
    fn of(world: &World) -> Board {
        let (core, contest) = (world.story.core, &world.watch.replica(0).contest);
        let teams = contest.teams.iter().map(|team| {
            let scores = team.rounds.iter().map(|round| round.score());
            (team.exit().map(|exit| exit.reason), scores.collect())
        });
        Board {
            lines: (core.standings)(contest),
            winner: (core.winner)(contest),
            teams: teams.collect(),
        }
    }
}

pub fn compare(crashed: &World) -> Verdict {
    let drawn = crashed.story.drawn.undisturbed();
    let quiet = world::play(ContestStory::new(crashed.story.core, drawn), false);
    if let Some(broken) = quiet.watch.broken() {
        return Err(broken.clone());
    }
    same(&Board::of(crashed), &Board::of(&quiet))
}

fn same(crashed: &Board, quiet: &Board) -> Verdict {
    match crashed == quiet {
        true => Ok(()),
        false => broken(
            "crashes change nothing on the board",
            format!("with crashes {crashed:?}, without {quiet:?}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_board_is_noticed() {
        let board = |winner, scores: &[u64]| Board {
            lines: Vec::new(),
            winner,
            teams: vec![(
                Some(Reason::MaxRoundsReached),
                scores
                    .iter()
                    .map(|it| Score::from_hundredths(*it))
                    .collect(),
            )],
        };
        let quiet = board(Some(0), &[10, 20]);
        assert_eq!(same(&board(Some(0), &[10, 20]), &quiet), Ok(()));
        for other in [board(None, &[10, 20]), board(Some(0), &[10, 20, 30])] {
            let rule = same(&other, &quiet).map_err(|broken| broken.rule);
            assert_eq!(rule, Err("crashes change nothing on the board"));
        }
    }
}
