//! The leader board: a view of the teams. Equal scores share a rank (D14).

use super::exit::Fate;
use super::score::Score;
use super::state::{Contest, Stage, Team};

/// One line of the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The number of the team, in the order of the settings.
    pub team: u32,
    /// None without a score, and for disqualified teams: they are shown and never win.
    pub rank: Option<u32>,
    pub best: Option<(Score, u32)>,
    /// How many rounds are finished.
    pub rounds: u32,
}

/// What a team is ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeamResult {
    pub is_disqualified: bool,
    pub score: Option<Score>,
}

/// The indexes of teams, best first, each with its rank. Equal scores share a rank, and equal teams
/// keep their order. After them come the teams without a score, then the disqualified ones, all
/// without a rank.
pub fn ranked(results: &[TeamResult]) -> Vec<(usize, Option<u32>)> {
    let mut order: Vec<usize> = (0..results.len()).collect();
    order.sort_by_key(|index| {
        let result = results[*index];
        (result.is_disqualified, std::cmp::Reverse(result.score))
    });
    let mut last = None;
    let place = |(place, index): (u32, usize)| {
        let result = results[index];
        let score = result.score.filter(|_| !result.is_disqualified)?;
        let rank = match last {
            Some((shared, rank)) if shared == score => rank,
            _ => place,
        };
        last = Some((score, rank));
        Some(rank)
    };
    let ranks: Vec<Option<u32>> = (1u32..).zip(order.iter().copied()).map(place).collect();
    order.into_iter().zip(ranks).collect()
}

/// The lines of the board in the order of [`ranked`]; equal teams in the order of the settings.
pub fn standings(contest: &Contest) -> Vec<Standing> {
    let lines: Vec<Standing> = (0u32..).zip(&contest.teams).map(line).collect();
    let result = |(line, team): (&Standing, &Team)| TeamResult {
        is_disqualified: is_disqualified(team),
        score: line.best.map(|(score, _)| score),
    };
    let results: Vec<TeamResult> = lines.iter().zip(&contest.teams).map(result).collect();
    let places = ranked(&results).into_iter();
    places
        .map(|(index, rank)| Standing {
            rank,
            ..lines[index].clone()
        })
        .collect()
}

/// The winner. None before the end, and none for a cancelled contest.
pub fn winner(contest: &Contest) -> Option<u32> {
    let over = matches!(contest.stage, Stage::Closing { .. } | Stage::Ended(_));
    if !over || contest.is_cancelled {
        return None;
    }
    let first = standings(contest).into_iter().next()?;
    first.rank.map(|_| first.team)
}

/// How many teams succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Success {
    All,
    /// There is a result, but some team failed.
    Some,
    None,
}

pub fn success(contest: &Contest) -> Success {
    let is_well = |team: &Team| team.fate() == Some(Fate::Done);
    let all = contest.teams.iter().all(is_well) && !contest.is_cancelled;
    let any = standings(contest).iter().any(|line| line.rank.is_some());
    match (all, any) {
        (true, _) => Success::All,
        (false, true) => Success::Some,
        (false, false) => Success::None,
    }
}

fn line((team, of): (u32, &Team)) -> Standing {
    Standing {
        team,
        rank: None,
        best: of
            .best()
            .and_then(|round| Some((round.score()?, round.number))),
        rounds: u32::try_from(of.finished().count()).unwrap_or(u32::MAX),
    }
}

fn is_disqualified(team: &Team) -> bool {
    let fate = team.leaving().map(|exit| exit.reason.fate());
    fate == Some(Fate::Disqualified)
}
