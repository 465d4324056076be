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

/// Best first; equal teams in the order of the settings. After them the teams without a score, then
/// the disqualified ones.
pub fn standings(contest: &Contest) -> Vec<Standing> {
    let mut lines: Vec<Standing> = (0u32..).zip(&contest.teams).map(line).collect();
    let place = |line: &Standing| {
        let out = is_disqualified(&contest.teams[line.team as usize]);
        let score = line.best.map(|(score, _)| score);
        (out, std::cmp::Reverse(score), line.team)
    };
    lines.sort_by_key(place);
    let mut rank = 0;
    let mut previous = None;
    for (place, line) in (1u32..).zip(&mut lines) {
        let Some((score, _)) = line.best else {
            continue;
        };
        if is_disqualified(&contest.teams[line.team as usize]) {
            continue;
        }
        if previous != Some(score) {
            rank = place;
        }
        previous = Some(score);
        line.rank = Some(rank);
    }
    lines
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
