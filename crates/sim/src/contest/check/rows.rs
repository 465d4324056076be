//! The database: what was written, and what it must contain by the books.

use std::collections::BTreeMap;

use kumite_core::contest::{Contest, Reason};

use super::asked::Key;
use super::book::{Book, Heard, How};
use super::ends::{self, Outcome};
use crate::check::{Verdict, broken};
use crate::contest::database::Row;

#[derive(Default)]
pub struct Rows {
    status: BTreeMap<(u32, u32), (u64, Option<u64>)>,
    board: BTreeMap<(u32, u32), (u64, Option<Reason>)>,
    teams: BTreeMap<u32, Option<Reason>>,
    summary: Option<Option<u32>>,
}

impl Rows {
    /// A newer row replaces an older one; a score never changes.
    pub fn write(&mut self, rows: &[Row]) -> Verdict {
        for row in rows {
            match *row {
                Row::Status {
                    team,
                    round,
                    started_ms,
                    ended_ms,
                    ..
                } => _ = self.status.insert((team, round), (started_ms, ended_ms)),
                Row::Board {
                    team,
                    round,
                    score,
                    is_final,
                } => {
                    let score = score.hundredths();
                    let old = self.board.insert((team, round), (score, is_final));
                    if old.is_some_and(|(old, _)| old != score) {
                        return broken(
                            "a score in the database never changes",
                            format!("team {team}, round {round}: {old:?}, then {score}"),
                        );
                    }
                }
                Row::Team { team, exit } => _ = self.teams.insert(team, exit),
                Row::Summary { winner } => self.summary = Some(winner),
            }
        }
        Ok(())
    }

    /// Rows that were reported as saved are in the database.
    pub fn saved(&self, book: &Book, heard: &Heard) -> Verdict {
        let Heard::Answer {
            team,
            key: Key::Save,
            how: How::Good,
            ..
        } = heard
        else {
            return Ok(());
        };
        for round in &book.teams[*team as usize].rounds {
            let place = (*team, round.number);
            let is_ended = self.status.get(&place).is_some_and(|row| row.1.is_some());
            let score = self.board.get(&place).map(|row| row.0);
            if !is_ended || score != round.score(&book.rules) {
                return broken(
                    "what is saved is in the database",
                    format!("round {place:?}: {score:?}, ended: {is_ended}"),
                );
            }
        }
        Ok(())
    }

    /// At the end every row is there, and no other.
    pub fn check(&self, book: &Book, contest: &Contest) -> Verdict {
        let results = ends::results(book, contest)?;
        let says = |why: String| broken("the rows are exact", why);
        let rounds = || {
            let teams = (0u32..).zip(&book.teams);
            teams.flat_map(|(team, of)| of.rounds.iter().map(move |round| (team, round)))
        };
        if self.status.len() != rounds().count() {
            return says(format!("{} rows of rounds", self.status.len()));
        }
        for (team, round) in rounds() {
            let place = (team, round.number);
            match self.status.get(&place) {
                Some((started_ms, Some(ended_ms)))
                    if *started_ms == round.started_at_ms && ended_ms >= started_ms => {}
                row => return says(format!("round {place:?} is {row:?}")),
            }
            let result = &results[team as usize];
            let expected = round.score(&book.rules).map(|score| {
                let is_best = result.best == Some((score, round.number));
                (score, is_best.then_some(result.reason))
            });
            if self.board.get(&place) != expected.as_ref() {
                let row = self.board.get(&place);
                return says(format!(
                    "the board has {row:?} for {place:?}, not {expected:?}"
                ));
            }
        }
        let scored = rounds().filter(|(_, round)| round.score(&book.rules).is_some());
        if self.board.len() != scored.count() {
            return says(format!("{} rows of the board", self.board.len()));
        }
        self.teams_and_summary(book, &results)
    }

    fn teams_and_summary(&self, book: &Book, results: &[Outcome]) -> Verdict {
        let says = |why: String| broken("the rows are exact", why);
        let exits = (0u32..).zip(results.iter().map(|it| Some(it.reason)));
        if self.teams != exits.collect() {
            return says(format!("the teams are {:?}", self.teams));
        }
        match self.summary == Some(ends::winner(book, results)) {
            true => Ok(()),
            false => says(format!("the summary is {:?}", self.summary)),
        }
    }
}
