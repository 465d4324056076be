//! D9: everything is tried as often as allowed, with the right waits, and never again after
//! success. Time limits are what is left of them.

use kumite_core::contest::{Effect, Failure};

use super::asked::{Asked, Key, asked};
use super::book::{Book, Heard, How, Team};
use super::round::Round;
use crate::check::{Verdict, broken};

const SAVE_RETRIES: u32 = 3;
const WAIT_MAX_MS: u64 = 15 * 60 * 1000;

pub fn check(book: &Book, heard: &Heard, order: &Effect) -> Verdict {
    if let Effect::SaveSummary { attempt, wait_ms } = order {
        return summary(book, heard, *attempt, *wait_ms);
    }
    let Some(asked) = asked(order) else {
        return Ok(());
    };
    let of = &book.teams[asked.team as usize];
    if asked.round != of.number() {
        return broken(
            "what is tried belongs to the round under way",
            format!("{asked:?} in round {}", of.number()),
        );
    }
    if of.is_out || book.is_cancelled {
        return broken(
            "nothing is tried for a team that is out",
            format!("{asked:?}"),
        );
    }
    numbered(book, heard, asked)?;
    limited(book, asked)
}

/// After a resume, everything in progress is started again, unless the team leaves, and the start
/// of its round is written again. After a cancel everything is ended.
pub fn check_lost(book: &Book, heard: &Heard, orders: &[Effect]) -> Verdict {
    for (index, team) in (0u32..).zip(&book.teams) {
        let leaves = team.open.contains_key(&Key::Save);
        let begins = Effect::Begin {
            team: index,
            round: team.number(),
        };
        let was_saving = team.lost.contains_key(&Key::Save);
        let again = team.lost.is_empty()
            || (leaves || team.lost.keys().eq(team.open.keys()))
                && (was_saving || orders.contains(&begins));
        let halted = team.lost.is_empty() || orders.contains(&Effect::Halt { team: index });
        let (rule, holds) = match heard {
            Heard::Resumed => ("a resume takes up all that was under way", again),
            Heard::Cancelled => ("a cancel ends all that is under way", halted),
            _ => continue,
        };
        if !holds {
            return broken(rule, format!("team {index}: {:?}", team.lost));
        }
    }
    Ok(())
}

fn numbered(book: &Book, heard: &Heard, asked: Asked) -> Verdict {
    let of = &book.teams[asked.team as usize];
    let round = of.rounds.last();
    if round.is_some_and(|round| is_answered(round, asked.key)) {
        return broken("no answer is asked for twice", format!("{asked:?}"));
    }
    if let Some(open) = of.open.get(&asked.key) {
        return broken(
            "nothing is tried twice at once",
            format!("{asked:?} while {open:?} is under way"),
        );
    }
    let (attempt, wait_ms) = match (heard, of.lost.get(&asked.key)) {
        (_, Some(lost)) => (lost.attempt, 0),
        (
            Heard::Answer {
                team,
                key,
                of,
                how: How::Failed(failure, asked_ms),
            },
            None,
        ) if (*team, *key) == (asked.team, asked.key) => {
            (of.attempt + 1, wait(*key, of.attempt, *failure, *asked_ms))
        }
        (_, None) => (1, 0),
    };
    if (attempt, wait_ms) != (asked.attempt, asked.wait_ms) {
        return broken(
            "tries count from 1, and wait as they should",
            format!("{asked:?}, and not try {attempt} after {wait_ms} ms"),
        );
    }
    match asked.attempt <= retries(book, of, asked.key) + 1 {
        true => Ok(()),
        false => broken(
            "nothing is tried more often than it may be",
            format!("{asked:?}"),
        ),
    }
}

fn is_answered(round: &Round, key: Key) -> bool {
    match key {
        Key::Submit => round.is_given || round.is_malformed,
        Key::Metric(metric) => round.measures[metric as usize].is_some(),
        Key::Judge => round.judged.is_some(),
        // Once for the round, and once more if the team leaves instead of beginning the next.
        Key::Save => round.saves >= 2,
    }
}

pub fn retries(book: &Book, team: &Team, key: Key) -> u32 {
    let all = book.rules.submission_retries;
    match key {
        Key::Submit => team.retries.unwrap_or(all).min(all),
        Key::Metric(metric) => book.rules.metrics[metric as usize].retries,
        Key::Judge => book.rules.judge_retries,
        Key::Save => SAVE_RETRIES,
    }
}

/// How long to wait after try number `attempt` failed.
pub fn wait(key: Key, attempt: u32, failure: Failure, asked_ms: Option<u64>) -> u64 {
    let pause_ms = match failure {
        Failure::Passing | Failure::TimedOut => (1_000 << (attempt - 1)).min(60_000),
        Failure::Unusable | Failure::Lasting => 0,
    };
    match key {
        Key::Save => pause_ms,
        Key::Submit | Key::Metric(_) | Key::Judge => {
            pause_ms.max(asked_ms.unwrap_or(0).min(WAIT_MAX_MS))
        }
    }
}

/// The limit of a try is the smallest of its own time, the team's and the contest's.
fn limited(book: &Book, asked: Asked) -> Verdict {
    let own_ms = match asked.key {
        Key::Submit => book.rules.submission_timeout_ms,
        Key::Metric(metric) => book.rules.metrics[metric as usize].timeout_ms,
        Key::Judge => book.rules.judgment_timeout_ms,
        Key::Save => return Ok(()),
    };
    let team_ms = book.teams[asked.team as usize].left_ms(&book.rules);
    let contest_ms = book.left_ms().saturating_sub(asked.wait_ms);
    let all_ms = own_ms.min(team_ms).min(contest_ms);
    match all_ms > 0 && all_ms == asked.timeout_ms {
        true => Ok(()),
        false => broken(
            "a try gets the time that is left, and none begins without any",
            format!("{asked:?}: own {own_ms}, team {team_ms}, contest {contest_ms}"),
        ),
    }
}

fn summary(book: &Book, heard: &Heard, attempt: u32, wait_ms: u64) -> Verdict {
    let all_out = book
        .teams
        .iter()
        .all(|team| team.is_out || team.open.is_empty());
    if !all_out {
        return broken(
            "the summary comes when all teams are out",
            format!("try {attempt}"),
        );
    }
    let expected = match (heard, book.summary) {
        (Heard::Summary(false), Some(last)) if last <= SAVE_RETRIES => {
            (last + 1, 1_000 << (last - 1))
        }
        (Heard::Summary(_), _) => (0, 0),
        (Heard::Resumed, _) | (_, None) => (1, 0),
        (_, Some(_)) => (0, 0),
    };
    match (attempt, wait_ms) == expected {
        true => Ok(()),
        false => broken(
            "the summary is tried like every save",
            format!("try {attempt} after {wait_ms} ms, and not {expected:?}"),
        ),
    }
}
