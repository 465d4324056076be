//! The rows of a contest, as the host makes them, and the writer that stores them in order.

use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;

use kumite_core::contest::{Contest, Event, Reason, Score};

use super::answers::Asked;
use super::played::Core;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Status {
        team: u32,
        round: u32,
        started_ms: u64,
        ended_ms: Option<u64>,
        should_continue: Option<bool>,
    },
    Board {
        team: u32,
        round: u32,
        score: Score,
        /// Why the team left; only on its final row.
        is_final: Option<Reason>,
    },
    Team {
        team: u32,
        exit: Option<Reason>,
    },
    Summary {
        winner: Option<u32>,
    },
}

/// The database has stored these rows, in one transaction.
#[derive(Clone, Debug)]
pub struct Wrote(pub Rc<[Row]>);

impl fmt::Display for Wrote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  the database has")?;
        self.0.iter().try_for_each(|row| write!(f, " {row:?}"))
    }
}

/// A transaction that has not been written yet.
#[derive(Clone, Debug)]
pub struct Write {
    pub rows: Vec<Row>,
    pub answer: Answer,
}

#[derive(Clone, Debug)]
pub enum Answer {
    /// The start of a round: nobody waits for it.
    Nobody,
    Save(Asked),
    Summary {
        attempt: u32,
    },
}

/// Writes the transactions one after the other.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    pub queue: VecDeque<Write>,
    pub free_at_ms: u64,
    pub is_down: bool,
}

impl Answer {
    pub fn saved(&self) -> Option<Event> {
        match self {
            Answer::Nobody => None,
            Answer::Save(Asked { team, round, .. }) => Some(Event::Saved {
                team: *team,
                round: *round,
            }),
            Answer::Summary { .. } => Some(Event::SummarySaved),
        }
    }

    pub fn failed(&self) -> Option<Event> {
        let why = "the database does not want to".to_owned();
        match *self {
            Answer::Nobody => None,
            Answer::Save(asked) => Some(Event::SaveFailed {
                team: asked.team,
                round: asked.round,
                attempt: asked.attempt,
                why,
            }),
            Answer::Summary { attempt } => Some(Event::SummaryFailed { attempt, why }),
        }
    }
}

pub fn begin(contest: &Contest, team: u32, round: u32) -> Vec<Row> {
    let mut rows = Vec::new();
    status(contest, team, |number| number == round, &mut rows);
    rows.push(exit(contest, team));
    rows
}

/// All rows of a team that the database does not have yet.
pub fn save(contest: &Contest, team: u32) -> Vec<Row> {
    let of = &contest.teams[team as usize];
    let mut rows = Vec::new();
    status(contest, team, |number| number > of.saved, &mut rows);
    let best = of.best().map(|round| round.number);
    let leaving = of.leaving().map(|exit| exit.reason);
    for round in &of.rounds {
        let is_final = leaving.filter(|_| best == Some(round.number));
        if let Some(score) = round.score()
            && (round.number > of.saved || is_final.is_some())
        {
            rows.push(Row::Board {
                team,
                round: round.number,
                score,
                is_final,
            });
        }
    }
    rows.push(exit(contest, team));
    rows
}

/// At the end: the missing rows of every team, and the summary.
pub fn summary(core: Core, contest: &Contest) -> Vec<Row> {
    let teams = 0..contest.teams.len() as u32;
    let mut rows: Vec<Row> = teams.flat_map(|team| save(contest, team)).collect();
    rows.push(Row::Summary {
        winner: (core.winner)(contest),
    });
    rows
}

fn status(contest: &Contest, team: u32, which: impl Fn(u32) -> bool, rows: &mut Vec<Row>) {
    let rounds = &contest.teams[team as usize].rounds;
    for round in rounds.iter().filter(|round| which(round.number)) {
        rows.push(Row::Status {
            team,
            round: round.number,
            started_ms: round.started_ms,
            ended_ms: round.ended_ms,
            should_continue: round.judgment.as_ref().map(|it| it.should_continue),
        });
    }
}

fn exit(contest: &Contest, team: u32) -> Row {
    let exit = contest.teams[team as usize].leaving();
    Row::Team {
        team,
        exit: exit.map(|exit| exit.reason),
    }
}
