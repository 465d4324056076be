//! What people and programs that follow a contest are told.

use serde::{Deserialize, Serialize};

use super::board::{standings, winner};
use super::event::Judgment;
use super::exit::Reason;
use super::score::Score;
use super::state::{Contest, Round, Stage, Team};

/// `team` is the number of the team that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    pub team: Option<u32>,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    ContestStarted {
        teams: usize,
        rounds_max: u32,
    },
    ContestResumed,
    RoundStarted {
        round: u32,
    },
    Submitted {
        round: u32,
    },
    RoundScored {
        round: u32,
        score: Score,
        rank: Option<u32>,
    },
    RoundFailed {
        round: u32,
        why: String,
    },
    /// D4: said by the judge, or clear without one.
    Judged {
        round: u32,
        judgment: Judgment,
    },
    /// A try came to nothing. Whether there is another one is seen in what follows.
    Trouble {
        round: u32,
        part: Part,
        attempt: u32,
        why: String,
    },
    TeamEnded {
        reason: Reason,
        message: Option<String>,
        /// Its best score, and the round of that score.
        best: Option<(Score, u32)>,
    },
    ContestEnded {
        end: End,
        /// The id of the team that won, and its score.
        winner: Option<(String, Score)>,
    },
}

crate::words! {
    /// What a try was about.
    pub enum Part: name {
        Submission = "submission",
        Evaluator = "evaluator",
        Judge = "judge",
        Database = "database",
    }
}

crate::words! {
    /// How a contest ended.
    pub enum End: name {
        Done = "done",
        /// Nobody has won.
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

impl Contest {
    pub fn end(&self) -> Option<End> {
        match self.stage {
            Stage::Ready | Stage::Running | Stage::Closing { .. } => None,
            Stage::Ended(_) if self.is_cancelled => Some(End::Cancelled),
            Stage::Ended(_) => match winner(self) {
                Some(_) => Some(End::Done),
                None => Some(End::Failed),
            },
        }
    }

    /// The last word of a contest, if it has ended.
    pub(super) fn last_word(&self) -> Option<Notice> {
        let winner = winner(self).and_then(|team| self.teams.get(team as usize));
        let winner = winner.and_then(|team| Some((team.id.clone(), team.best_score()?.0)));
        Some(Notice {
            team: None,
            what: What::ContestEnded {
                end: self.end()?,
                winner,
            },
        })
    }
}

impl Team {
    pub(super) fn best_score(&self) -> Option<(Score, u32)> {
        let best = self.best()?;
        Some((Round::score(best)?, best.number))
    }
}

/// The rank of a team that was just scored, among all.
pub(super) fn rank(contest: &Contest, team: u32) -> Option<u32> {
    let standings = standings(contest);
    standings.iter().find(|it| it.team == team)?.rank
}
