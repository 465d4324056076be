//! The checkers of contests. They see only the trace and keep their own books: what was requested, what was
//! answered, and what follows by the requirements.

use kumite_core::contest::{Contest, Effect, Entry};

use super::database::Wrote;
use super::played::Played;
use super::{ContestStory, Replica, TraceLine, What};
use crate::check::{Checks, Counts, Verdict};

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

#[derive(Default)]
pub struct ContestChecks {
    book: Book,
    rows: Rows,
    told: Told,
}

impl Checks<ContestStory> for ContestChecks {
    fn see(&mut self, line: &TraceLine, replica: &Replica, counts: &mut Counts) -> Verdict {
        match &line.what {
            What::Recorded(entry) => self.recorded(entry, &replica.effects, line.at_ms),
            What::Performed(
                _,
                Effect::Submit { .. }
                | Effect::Launch { .. }
                | Effect::Measure { .. }
                | Effect::Judge { .. },
            ) => {
                counts.count("tries");
                Ok(())
            }
            What::Own(Wrote(rows)) => self.rows.write(rows),
            What::Over {
                out_of_patience: false,
            } => {
                let Played { contest, core } = &replica.machine;
                count(counts, contest);
                ends::check(*core, &self.book, contest)?;
                self.told.check(contest)?;
                self.rows.check(&self.book, contest)
            }
            _ => Ok(()),
        }
    }
}

impl ContestChecks {
    fn recorded(&mut self, entry: &Entry, orders: &[Effect], at_ms: u64) -> Verdict {
        let heard = self.book.hear(entry, at_ms);
        self.rows.saved(&self.book, &heard)?;
        alone::check(&self.book, &heard, orders)?;
        crew::check(&self.book, &heard, orders)?;
        self.told.hear(orders)?;
        for order in orders {
            tries::check(&self.book, &heard, order)?;
            rounds::check(&self.book, &heard, order)?;
            self.book.order(entry, order);
        }
        tries::check_lost(&self.book, &heard, orders)?;
        self.book.close(&heard);
        places::check(&self.book)
    }
}

fn count(counts: &mut Counts, contest: &Contest) {
    for team in &contest.teams {
        let scored = team.rounds.iter().filter(|round| round.score().is_some());
        scored.for_each(|_| counts.count("scored"));
        if let Some(exit) = team.exit() {
            *counts.reasons.entry(exit.reason.name()).or_default() += 1;
        }
    }
}
