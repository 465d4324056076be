//! Every exit has its conditions: checks the reasons of D4 and D9 against the books.

use kumite_core::contest::{Failure, Reason};

use super::asked::Key;
use super::book::{Book, How, Team};
use super::tries::{retries, wait};

/// Whether the books confirm that the team ended for this reason.
pub fn fits(book: &Book, team: &Team, reason: Reason) -> bool {
    let rules = &book.rules;
    let has_score = team.rounds.iter().any(|it| it.score(rules).is_some());
    let rounds = team.number();
    let last = team.rounds.last();
    let is_full = rounds == rules.rounds_max;
    // The last round was measured, so that only the judge was left.
    let is_finished = last.is_some_and(|it| it.is_malformed || it.score(rules).is_some());
    let malformed = last.is_some_and(|it| it.is_malformed);
    // A team that has played all rounds is not late: the judge could not have changed anything.
    let has_more_to_do = !(is_full && is_finished);
    let team_is_late = has_more_to_do && team_was_late(book, team);
    // A team that could not be saved ends for that reason only, whatever it was about to do.
    let lost = team.failed_save == Some(retries(book, team, Key::Save) + 1);
    if lost != (reason == Reason::DatabaseFailure) {
        return false;
    }
    match reason {
        Reason::MaxRoundsReached => {
            is_full && is_finished && has_score && judged_at_last(book, team)
        }
        Reason::NoImprovementExpected => {
            let said_no = last.is_some_and(|it| it.judged == Some(false));
            said_no && !is_full && rounds >= rules.rounds_min
        }
        Reason::NoValidSubmission => is_full && malformed && !has_score,
        Reason::BudgetReached => book.is_spent() && is_finished && has_score && !is_full,
        Reason::SubmissionTimeout => match team.last {
            Some((Key::Submit, of, How::Failed(Failure::TimedOut, _))) => {
                of.timeout_ms == rules.submission_timeout_ms
            }
            _ => false,
        },
        Reason::EvaluatorFailure => last.is_some_and(|round| {
            let metrics = (0..rules.metrics.len() as u32).map(Key::Metric);
            metrics
                .into_iter()
                .any(|key| round.failures(key) == retries(book, team, key) + 1)
        }),
        Reason::DatabaseFailure => lost,
        Reason::PartialFailure => has_score && is_broken(book, team),
        Reason::SubmissionFailure => {
            let never_went_on = rounds == 0 || is_finished;
            !has_score && (is_broken(book, team) || (book.is_spent() && never_went_on))
        }
        Reason::PartialFailureTimeout => has_score && team_is_late,
        Reason::TeamTimeout => !has_score && team_is_late,
        Reason::ContestTimeout => has_more_to_do && contest_was_late(book, team),
        Reason::Cancelled => book.is_cancelled,
    }
}

/// At the maximum the judge has answered or failed, if it had to be asked at all. Its time may have
/// run out meanwhile.
fn judged_at_last(book: &Book, team: &Team) -> bool {
    let Some(last) = team.rounds.last() else {
        return false;
    };
    let rules = &book.rules;
    let need_not = last.is_malformed || !rules.judge_on_final_round;
    let gave_up = last.failures(Key::Judge) == rules.judge_retries + 1;
    let late = team_was_late(book, team) || contest_was_late(book, team);
    need_not || last.judged.is_some() || gave_up || late
}

/// The team itself failed permanently, or as often as allowed.
fn is_broken(book: &Book, team: &Team) -> bool {
    match team.last {
        Some((Key::Submit, of, How::Failed(failure, _))) => {
            let was_last = of.attempt == retries(book, team, Key::Submit) + 1;
            failure == Failure::Lasting || (failure != Failure::TimedOut && was_last)
        }
        _ => false,
    }
}

/// The team's time is used up, or its last try had only the remaining time and was too slow. These
/// differ if the clock is set back.
fn team_was_late(book: &Book, team: &Team) -> bool {
    let was_slow = match team.last {
        Some((_, of, How::Failed(Failure::TimedOut, _))) => of.timeout_ms == of.team_left_ms,
        _ => false,
    };
    was_slow || team.left_ms(&book.rules) == 0
}

/// The same for the contest's time, which also ends tries that would have to wait beyond it.
fn contest_was_late(book: &Book, team: &Team) -> bool {
    let Some(all_ms) = book.rules.contest_timeout_ms else {
        return false;
    };
    if let Some((_, of, How::Failed(Failure::TimedOut, _))) = team.last
        && of.timeout_ms == of.contest_left_ms
    {
        return true;
    }
    let wait_ms = match team.last {
        Some((key, of, How::Failed(failure, asked_ms))) => wait(key, of.attempt, failure, asked_ms),
        _ => 0,
    };
    team.leaves_ms.saturating_add(wait_ms) >= all_ms
}
