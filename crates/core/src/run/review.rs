//! The review loop: review, reply, and one place that decides what follows (A1.2).

use super::start;
use super::state::Pause;
use super::step::{Round, Step};
use super::turn::Turn;
use crate::change::{Change, Fixing};
use crate::facts::{Facts, Findings, ReviewFacts, RoundFacts, RoundProgress};
use crate::journal::{Order, Rules};
use crate::notice::{NextAction, Notice};

/// A reply settles the review, requires another round, or asks a person (A3).
pub(super) fn after_reply(order: &Order, round: Round, found: Findings, facts: &mut Facts) -> Turn {
    let changes = vec![match order.review_once {
        Some(Fixing::Nobody) => Change::Judged(round.number, found),
        Some(Fixing::Auto | Fixing::Person) | None => Change::Replied(round.number, found),
    }];
    changes.iter().for_each(|change| facts.apply(*change));
    let next = Step::Review(round.renewed(order.rules.rounds_max));
    let ask_person = |why| Turn::pause(next, why, open_points(found));
    let (turn, action) = match (found.fix_required, found.needs_discussion) {
        (0, 0) => (
            start::approve_review(order, facts, round.number),
            NextAction::Approved,
        ),
        // A review by hand has only one round, whatever is left (A5.2).
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

/// The findings of a reply, from the table in its file and the counts in spec.json. One clear
/// source is enough; two that differ, or none, are never an approval.
pub(super) fn found(round: &RoundFacts) -> Result<Findings, Pause> {
    match (round.table, round.counts) {
        _ if round.unclear => Err(Pause::EvidenceConflict),
        (Some(table), Some(counts)) if table != counts => Err(Pause::EvidenceConflict),
        (Some(found), _) | (None, Some(found)) => Ok(found),
        (None, None) => Err(Pause::NoEvidence),
    }
}

/// Continues after the finished rounds: an unfinished last round is the next one, and only its
/// reply if the review exists (A4.2). Finished rounds are never run again (A4.3).
/// `resume` is the step at which the run had halted.
pub(super) fn go_on(order: &Order, facts: &mut Facts, resume: Option<Step>) -> Turn {
    let max = order.rules.rounds_max;
    let Some(last) = facts.review.rounds.last().copied() else {
        return Turn::begin(Step::Review(Round::fresh(1, max)));
    };
    let done = facts.review.rounds.len() - 1;
    let asked = asked(resume).filter(|round| round.number >= last.number);
    let same = asked.filter(|round| round.number == last.number);
    let round = same.unwrap_or_else(|| Round::after(last.number, done, max));
    match progress(&last) {
        RoundProgress::Incomplete => Turn::begin(Step::Review(round)),
        RoundProgress::ReviewComplete => Turn::begin(Step::Reply(round)),
        RoundProgress::ReplyComplete => match (same, asked, found(&last)) {
            // It was finished when the run halted, but not judged yet.
            (Some(round), _, Ok(found)) => after_reply(order, round, found, facts),
            (Some(round), _, Err(_)) => Turn::begin(Step::Reply(round)),
            (None, Some(next), _) => Turn::begin(Step::Review(next)),
            (None, None, _) => {
                let number = last.number.saturating_add(1);
                Turn::begin(Step::Review(Round::after(number, done + 1, max)))
            }
        },
    }
}

fn asked(resume: Option<Step>) -> Option<Round> {
    match resume {
        Some(Step::Review(round) | Step::Reply(round)) => Some(round),
        _ => None,
    }
}

/// The last round, if it left nothing open and no other one was requested: then the review is
/// settled without another agent (A3.1).
pub(super) fn settled(review: &ReviewFacts, resume: Option<Step>) -> Option<u32> {
    let last = review.rounds.last()?;
    let is_open = review.pending
        || progress(last) != RoundProgress::ReplyComplete
        || asked(resume).is_some_and(|round| round.number >= last.number);
    let nothing_left = found(last) == Ok(Findings::default());
    (nothing_left && !is_open).then_some(last.number)
}

/// The first review of newer documents: older rounds do not apply to them, and keep their files.
pub(super) fn anew(review: &ReviewFacts, rules: &Rules) -> Step {
    let number = match review.rounds.last() {
        None => 1,
        Some(last) if progress(last) == RoundProgress::Incomplete => last.number,
        Some(last) => last.number.saturating_add(1),
    };
    Step::Review(Round::fresh(number, rules.rounds_max))
}

/// spec.json tells the progress of a round; if it does not, the files do.
fn progress(round: &RoundFacts) -> RoundProgress {
    let by_files = match (round.review, round.reply) {
        (_, Some(_)) if round.table.is_some() || round.counts.is_some() => {
            RoundProgress::ReplyComplete
        }
        (Some(_), _) => RoundProgress::ReviewComplete,
        (None, _) => RoundProgress::Incomplete,
    };
    match round.recorded {
        // Without the review file there is nothing to reply to.
        Some(RoundProgress::ReviewComplete) if round.review.is_none() => RoundProgress::Incomplete,
        Some(recorded) => recorded,
        None => by_files,
    }
}
