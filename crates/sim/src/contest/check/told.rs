//! What people are told: every end once, and every score once.

use std::collections::BTreeSet;

use kumite_core::contest::{Contest, Effect, What};

use crate::check::{Verdict, broken};

#[derive(Default)]
pub struct Told {
    /// By team and round.
    scored: BTreeSet<(u32, u32)>,
    ended: BTreeSet<u32>,
    is_over: bool,
}

impl Told {
    pub fn hear(&mut self, orders: &[Effect]) -> Verdict {
        for order in orders {
            let Effect::Announce(notice) = order else {
                continue;
            };
            let is_new = match (notice.team, &notice.what) {
                (Some(team), What::RoundScored { round, .. }) => self.scored.insert((team, *round)),
                (Some(team), What::TeamEnded { .. }) => self.ended.insert(team),
                (None, What::ContestEnded { .. }) => {
                    self.is_over = true;
                    true
                }
                _ => true,
            };
            if !is_new {
                return broken("nothing is told twice", format!("{notice:?}"));
            }
        }
        Ok(())
    }

    pub fn check(&self, contest: &Contest) -> Verdict {
        let scored = |(index, team): (u32, &kumite_core::contest::Team)| {
            let rounds = team.rounds.iter().filter(|round| round.score().is_some());
            rounds
                .map(move |round| (index, round.number))
                .collect::<Vec<_>>()
        };
        let scored: BTreeSet<(u32, u32)> = (0..).zip(&contest.teams).flat_map(scored).collect();
        let all_ended = self.ended.len() == contest.teams.len();
        match self.is_over && all_ended && scored == self.scored {
            true => Ok(()),
            false => broken(
                "every score and every end is told",
                format!("told {:?} and {:?}", self.scored, self.ended),
            ),
        }
    }
}
