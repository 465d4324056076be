//! The state of a contest.

use serde::{Deserialize, Serialize};

use super::agents::Agents;
use super::event::{Judgment, Measure, Used};
use super::exit::{Exit, Fate, Reason};
use super::rules::Rules;
use super::score::Score;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contest {
    pub rules: Rules,
    /// In the order of the settings.
    pub teams: Vec<Team>,
    pub stage: Stage,
    pub started_ms: u64,
    /// The time of the latest entry.
    pub now_ms: u64,
    /// The contest's own clock: the time that passed while a process played it.
    pub elapsed_ms: u64,
    pub is_cancelled: bool,
    /// The usage of the evaluator and the judge, which belongs to no team.
    pub house: Used,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    #[default]
    Ready,
    Running,
    /// All teams are out; the summary is being written to the database.
    Closing {
        attempt: u32,
    },
    Ended(Ending),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    Saved,
    /// The journal has the result, but the database does not.
    Unsaved {
        why: String,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Team {
    pub id: String,
    pub name: String,
    /// The number it entered with.
    pub retries: Option<u32>,
    pub phase: Phase,
    /// Round 1 first. The last one may be running.
    pub rounds: Vec<Round>,
    pub used: Used,
    /// The time in which the team worked, was measured and was judged. Waiting is not charged
    /// (D14).
    pub used_ms: u64,
    /// Since when it is charged, on the contest's own clock. In the future while it backs off.
    pub busy_since_ms: Option<u64>,
    /// How many rounds are in the database.
    pub saved: u32,
}

/// What a team does, in the round `rounds.last()`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It waits for a place.
    Queued,
    Submitting {
        attempt: u32,
        limit: Limit,
        /// Of a team that works with agents.
        agents: Agents,
    },
    Measuring {
        metrics: Vec<Measuring>,
    },
    Judging {
        attempt: u32,
        limit: Limit,
    },
    Saving {
        attempt: u32,
        then: Then,
    },
    Out(Exit),
}

/// The progress of one metric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measuring {
    /// It is measured after the programs.
    Later,
    Open {
        attempt: u32,
        /// When the try begins, on the contest's own clock.
        from_ms: u64,
        limit: Limit,
    },
    Found(Measure),
}

/// How long a try may take, and where that limit comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    pub ms: u64,
    pub bound: Bound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The limit of the try itself: a submission, a metric, a judgment.
    Own,
    Team,
    Contest,
}

/// What follows when the round is in the database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    NextRound,
    Exit(Exit),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    pub number: u32,
    pub started_ms: u64,
    pub ended_ms: Option<u64>,
    pub verdict: Verdict,
    pub judgment: Option<Judgment>,
    /// Whether there is a submission, scored or not.
    pub has_submission: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Open,
    Scored {
        score: Score,
        /// By metric; a vetoed submission was not measured by all.
        measures: Vec<Option<Measure>>,
    },
    /// D9: the round counts, and is marked as failed.
    Failed {
        why: String,
    },
}

impl Contest {
    pub fn used(&self) -> Used {
        let mut all = self.house;
        for team in &self.teams {
            all.add(team.used);
        }
        all
    }

    pub fn is_ended(&self) -> bool {
        matches!(self.stage, Stage::Ended(_))
    }

    /// It has ended, and the database has the result.
    pub fn is_saved(&self) -> bool {
        self.stage == Stage::Ended(Ending::Saved)
    }
}

impl Team {
    pub fn round(&self) -> u32 {
        self.rounds.last().map_or(0, |round| round.number)
    }

    pub fn exit(&self) -> Option<&Exit> {
        match &self.phase {
            Phase::Out(exit) => Some(exit),
            _ => None,
        }
    }

    /// The decided exit, even if its rows are still being written to the database.
    pub fn leaving(&self) -> Option<&Exit> {
        match &self.phase {
            Phase::Out(exit)
            | Phase::Saving {
                then: Then::Exit(exit),
                ..
            } => Some(exit),
            _ => None,
        }
    }

    pub fn fate(&self) -> Option<Fate> {
        self.exit().map(|exit| exit.reason.fate())
    }

    /// D5: the round with the highest score; the latest of equal scores.
    pub fn best(&self) -> Option<&Round> {
        let scored = self.rounds.iter().filter(|round| round.score().is_some());
        scored.max_by_key(|round| (round.score(), round.number))
    }

    /// The rounds that count: the finished ones.
    pub fn finished(&self) -> impl Iterator<Item = &Round> {
        let closed = |round: &&Round| round.verdict != Verdict::Open;
        self.rounds.iter().filter(closed)
    }
}

impl Round {
    pub fn score(&self) -> Option<Score> {
        match &self.verdict {
            Verdict::Scored { score, .. } => Some(*score),
            Verdict::Open | Verdict::Failed { .. } => None,
        }
    }
}

impl Reason {
    /// The reason for a failed team depends on whether it has a score.
    pub(super) fn broken(team: &Team) -> Reason {
        match team.best() {
            Some(_) => Reason::PartialFailure,
            None => Reason::SubmissionFailure,
        }
    }

    pub(super) fn late(team: &Team) -> Reason {
        match team.best() {
            Some(_) => Reason::PartialFailureTimeout,
            None => Reason::TeamTimeout,
        }
    }
}
