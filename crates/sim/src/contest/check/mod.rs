//! The checkers. They see only the trace and keep their own books: what was requested, what was
//! answered, and what follows by the requirements.

use std::collections::VecDeque;

use kumite_core::contest::{Contest, Effect, Entry, Reason};

use super::Core;
use super::trace::{Line, What};
use crate::check::{Broken, Verdict, broken};

mod alone;
mod asked;
mod book;
mod crew;
mod ends;
mod exits;
mod places;
mod round;
mod rounds;
mod rows;
mod told;
mod tries;

use book::Book;
use rows::Rows;
use told::Told;

/// All checkers, and the trace so far if it is wanted.
pub struct Watch {
    core: Core,
    /// The contest rebuilt from its journal, entry by entry, independent of the engine.
    replica: Contest,
    seq: u64,
    /// Decided effects that are not carried out yet.
    due: VecDeque<Effect>,
    book: Book,
    rows: Rows,
    told: Told,
    broken: Option<Broken>,
    kept: Option<Vec<Line>>,
    pub counts: Counts,
}

/// What the trace contained.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub entries: u64,
    pub tries: u64,
    pub scored: u64,
    pub crashes: u64,
    pub virtual_ms: u64,
    /// How often each reason was the end of a team.
    pub reasons: [u64; Reason::ALL.len()],
}

impl Watch {
    pub fn new(core: Core, keep: bool) -> Watch {
        Watch {
            core,
            replica: Contest::default(),
            seq: 0,
            due: VecDeque::new(),
            book: Book::default(),
            rows: Rows::default(),
            told: Told::default(),
            broken: None,
            kept: keep.then(Vec::new),
            counts: Counts::default(),
        }
    }

    pub fn see(&mut self, line: Line) {
        if self.broken.is_none() {
            self.broken = self.judge(&line).err();
        }
        if let Some(kept) = &mut self.kept {
            kept.push(line);
        }
    }

    pub fn broken(&self) -> Option<&Broken> {
        self.broken.as_ref()
    }

    pub fn replica(&self) -> &Contest {
        &self.replica
    }

    pub fn lines(self) -> Vec<Line> {
        self.kept.unwrap_or_default()
    }

    fn judge(&mut self, line: &Line) -> Verdict {
        self.counts.see(line);
        match &line.what {
            What::Recorded(entry) => self.recorded(entry, line.at_ms),
            What::Performed(effect) => self.performed(effect),
            What::Dropped | What::Crashed => {
                self.due.clear();
                Ok(())
            }
            What::Wrote(rows) => self.rows.write(rows),
            What::Replayed(contest) => self.same(contest),
            What::FaultsOver => Ok(()),
            What::Over { contest, is_stuck } => {
                self.same(contest)?;
                if *is_stuck {
                    return broken("all ends once faults have stopped", "it has not ended");
                }
                ends::check(self.core, &self.book, contest)?;
                self.told.check(contest)?;
                self.rows.check(&self.book, contest)
            }
        }
    }

    fn recorded(&mut self, entry: &Entry, at_ms: u64) -> Verdict {
        if entry.seq != self.seq + 1 {
            let sentence = format!("entry {} follows entry {}", entry.seq, self.seq);
            return broken("the journal counts without a gap", sentence);
        }
        self.seq = entry.seq;
        let before = std::mem::take(&mut self.replica);
        let (replica, orders) = (self.core.decide)(before, entry);
        self.replica = replica;

        let heard = self.book.hear(entry, at_ms);
        self.rows.saved(&self.book, &heard)?;
        alone::check(&self.book, &heard, &orders)?;
        crew::check(&self.book, &heard, &orders)?;
        self.told.hear(&orders)?;
        for order in &orders {
            tries::check(&self.book, &heard, order)?;
            rounds::check(&self.book, &heard, order)?;
            self.book.order(entry, order);
        }
        tries::check_lost(&self.book, &heard, &orders)?;
        self.book.close(&heard);
        places::check(&self.book)?;
        self.due.extend(orders);
        Ok(())
    }

    /// Every action was recorded before, and happens in order.
    fn performed(&mut self, effect: &Effect) -> Verdict {
        match self.due.pop_front() {
            Some(due) if due == *effect => Ok(()),
            due => broken(
                "nothing is done that the journal does not know",
                format!("{effect:?} is done, and {due:?} is due"),
            ),
        }
    }

    fn same(&self, other: &Contest) -> Verdict {
        match self.replica == *other {
            true => Ok(()),
            false => broken(
                "replay equals state",
                format!("{:?} and {other:?}", self.replica),
            ),
        }
    }
}

impl Counts {
    fn see(&mut self, line: &Line) {
        self.virtual_ms = line.at_ms;
        match &line.what {
            What::Recorded(_) => self.entries += 1,
            What::Crashed => self.crashes += 1,
            What::Performed(
                Effect::Submit { .. }
                | Effect::Launch { .. }
                | Effect::Measure { .. }
                | Effect::Judge { .. },
            ) => self.tries += 1,
            What::Over { contest, .. } => {
                for team in &contest.teams {
                    let scored = team.rounds.iter().filter(|round| round.score().is_some());
                    self.scored += scored.count() as u64;
                    let reason = team.exit().map(|exit| exit.reason);
                    let known = Reason::ALL.iter().position(|it| Some(*it) == reason);
                    if let Some(index) = known {
                        self.reasons[index] += 1;
                    }
                }
            }
            _ => {}
        }
    }

    pub fn add(&mut self, other: &Counts) {
        self.entries += other.entries;
        self.tries += other.tries;
        self.scored += other.scored;
        self.crashes += other.crashes;
        self.virtual_ms += other.virtual_ms;
        let pairs = self.reasons.iter_mut().zip(other.reasons);
        pairs.for_each(|(mine, theirs)| *mine += theirs);
    }
}
