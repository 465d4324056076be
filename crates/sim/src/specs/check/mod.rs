//! The checkers of runs.

use kumite_core::change::Change;
use kumite_core::effect::Effect;
use kumite_core::journal::Event;
use kumite_core::notice::Notice;

use super::news::News;
use super::{Replica, SpecStory, TraceLine, What};
use crate::check::{Checks, Counts, Verdict, broken};

mod baseline;
mod ends;
mod evidence;
mod follows;
mod ground;
mod honest;
mod kept;
mod limits;
mod loops;
mod proven;
mod requests;
mod retries;
mod spent;

#[cfg(test)]
mod tests;

pub use ends::REASONS;

impl Replica {
    /// What the last entry has written to spec.json.
    fn saves(&self) -> impl Iterator<Item = &Change> {
        self.effects.iter().flat_map(|effect| match effect {
            Effect::Save(changes) => changes.as_slice(),
            Effect::Announce(_)
            | Effect::Launch(_)
            | Effect::Limit(_)
            | Effect::End(_)
            | Effect::Settle(_)
            | Effect::Leave
            | Effect::Keep { .. } => &[],
        })
    }
}

#[derive(Default)]
pub struct SpecChecks {
    loops: loops::Loops,
    requests: requests::Requests,
    evidence: evidence::Evidence,
    ends: ends::Ends,
    limits: limits::Waits,
    follows: follows::Follows,
    spent: spent::Spent,
    proven: proven::Proven,
    kept: kept::Checkpoints,
    honest: honest::Honest,
    retries: retries::Retries,
    baseline: baseline::Measures,
}

impl Checks<SpecStory> for SpecChecks {
    fn see(&mut self, line: &TraceLine, replica: &Replica, counts: &mut Counts) -> Verdict {
        count(counts, line);
        ordered(line, replica)?;
        self.loops.see(line, replica)?;
        self.requests.see(line, replica)?;
        self.evidence.see(line, replica)?;
        self.ends.see(line, replica)?;
        self.limits.see(line, replica)?;
        self.follows.see(line, replica)?;
        self.spent.see(line, replica)?;
        self.proven.see(line, replica)?;
        self.kept.see(line, replica)?;
        self.honest.see(line, replica)?;
        self.retries.see(line, replica)?;
        self.baseline.see(line, replica)
    }
}

/// Every write to spec.json belongs to an entry.
fn ordered(line: &TraceLine, replica: &Replica) -> Verdict {
    let What::Own(News::Saved(key, changes)) = &line.what else {
        return Ok(());
    };
    let is_ordered = match replica.effects.get(key.index) {
        Some(Effect::Save(ordered)) => key.seq == replica.seq && ordered == changes,
        _ => false,
    };
    match is_ordered {
        true => Ok(()),
        false => broken(
            "every change of spec.json belongs to a recorded entry",
            format!(
                "{changes:?} was written, and entry {} did not ask for it",
                key.seq
            ),
        ),
    }
}

fn count(counts: &mut Counts, line: &TraceLine) {
    match &line.what {
        What::Recorded(entry) if matches!(entry.event, Event::StartRequested { .. }) => {
            counts.count("starts");
        }
        What::Own(News::Announced(_, Notice::RoundEnded { .. })) => counts.count("rounds"),
        What::Own(News::Announced(_, Notice::WorktreeCreated { .. })) => counts.count("places"),
        What::Own(News::Announced(_, Notice::Checkpoint { .. })) => counts.count("checkpoints"),
        What::Own(News::Announced(_, Notice::VerifyEnded { check, .. })) => {
            counts.count(match check.outcome.is_good() {
                true => "commands passed",
                false => "commands failed",
            });
        }
        What::Own(News::Announced(_, Notice::LimitWaiting { .. })) => counts.count("waits"),
        What::Own(News::Announced(_, Notice::RunEnded { rest, .. })) => {
            let reason = ends::word(*rest);
            let known = REASONS.into_iter().find(|known| *known == reason);
            if let Some(reason) = known {
                *counts.reasons.entry(reason).or_default() += 1;
            }
        }
        _ => {}
    }
}
