//! The review loop: review, reply, and one place that decides what follows (A1.2).

use super::start;
use super::state::Pause;
use super::step::{Round, Step};
use super::turn::Turn;
use crate::change::Change;
use crate::facts::{Facts, Findings, ReviewFacts, RoundFacts, RoundProgress};
use crate::journal::{Order, Rules};
use crate::notice::{NextAction, Notice};

/// A reply settles the review, asks for another round, or leaves the rest to people (A3).
pub(super) fn after_reply(order: &Order, round: Round, found: Findings, facts: &mut Facts) -> Turn {
    let changes = vec![Change::Replied(round.number, found)];
    changes.iter().for_each(|change| facts.apply(*change));
    let next = Step::Review(round.renewed(order.rules.rounds_max));
    let ask_person = |why| Turn::pause(next, why, open_points(found));
    let (turn, action) = match (found.fix_required, found.needs_discussion) {
        (0, 0) => (
            start::approve_review(order, facts, round.number),
            NextAction::Approved,
        ),
        // By hand it is one round, whatever is left (A5.2).
        _ if order.review_once.is_some() => {
            (ask_person(Pause::NeedsDiscussion), NextAction::Paused)
        }
        (0, _) => (ask_person(Pause::NeedsDiscussion), NextAction::Paused),
        (_, _) => match round.next() {
            Some(round) => (Turn::begin(Step::Review(round)), NextAction::Continue),
            None => (ask_person(Pause::RoundsExhausted), NextAction::Paused),
        },
    };
    let ended = Notice::RoundEnded {
        round: round.number,
        findings: found,
        next: action,
    };
    turn.preceded(changes, vec![ended])
}

fn open_points(found: Findings) -> String {
    format!(
        "{} to fix, {} to discuss",
        found.fix_required, found.needs_discussion
    )
}

/// What a reply found, from the table in its file and the counts in spec.json. One clear source is
/// enough; two that differ, or none, are never an approval.
pub(super) fn found(round: &RoundFacts) -> Result<Findings, Pause> {
    match (round.table, round.counts) {
        (Some(table), Some(counts)) if table != counts => Err(Pause::EvidenceConflict),
        (Some(found), _) | (None, Some(found)) => Ok(found),
        (None, None) => Err(Pause::NoEvidence),
    }
}

/// Where the review stands by its files.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// The last round left nothing open.
    Settled(u32),
    Review(Round),
    Reply(Round),
}

impl Standing {
    pub fn step(self, rules: &Rules) -> Step {
        match self {
            Standing::Settled(rounds) => {
                Step::Review(Round::fresh(rounds.saturating_add(1), rules.rounds_max))
            }
            Standing::Review(round) => Step::Review(round),
            Standing::Reply(round) => Step::Reply(round),
        }
    }
}

/// Goes on after the finished rounds: a trailing one that is not finished is the next one, and its
/// reply alone if the review is there (A4.2). Finished rounds are never run again (A4.3).
pub(super) fn standing(review: &ReviewFacts, resume: Option<Step>, rules: &Rules) -> Standing {
    let Some(last) = review.rounds.last() else {
        return Standing::Review(Round::fresh(1, rules.rounds_max));
    };
    let asked = match resume {
        Some(Step::Review(round) | Step::Reply(round)) => Some(round),
        _ => None,
    };
    let done = review.rounds.len() - 1;
    let count = |number, done| match asked {
        Some(asked) => Round {
            number,
            left: asked
                .left
                .saturating_sub(number.saturating_sub(asked.number).min(255) as u8),
        },
        None => Round::after(number, done, rules.rounds_max),
    };
    match progress(last) {
        RoundProgress::Incomplete => Standing::Review(count(last.number, done)),
        RoundProgress::ReviewComplete => Standing::Reply(count(last.number, done)),
        RoundProgress::ReplyComplete => {
            let another_asked = asked.is_some_and(|round| round.number > last.number);
            match found(last) {
                Ok(found) if found == Findings::default() && !another_asked => {
                    Standing::Settled(last.number)
                }
                _ => Standing::Review(count(last.number.saturating_add(1), done + 1)),
            }
        }
    }
}

/// spec.json says how far a round is; if it is silent, the files say it.
fn progress(round: &RoundFacts) -> RoundProgress {
    let by_files = match (round.review, round.reply) {
        (_, Some(_)) if round.table.is_some() || round.counts.is_some() => {
            RoundProgress::ReplyComplete
        }
        (Some(_), _) => RoundProgress::ReviewComplete,
        (None, _) => RoundProgress::Incomplete,
    };
    match round.recorded {
        // Without its file there is nothing to reply to.
        Some(RoundProgress::ReviewComplete) if round.review.is_none() => RoundProgress::Incomplete,
        Some(recorded) => recorded,
        None => by_files,
    }
}
