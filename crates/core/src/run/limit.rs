//! A usage limit is a wait, not a failure: no round and no retry is spent on it.

use super::state::{Failure, Halt, Resume, Wait, Work};
use super::turn::{Next, Turn};
use crate::effect::Limited;
use crate::journal::{AgentId, Entry, LimitRules, Order};
use crate::outcome::{Limit, LimitKind};

/// The wait if a program does not report when the limit ends.
const UNKNOWN_MS: u64 = 60 * 60 * 1000;
/// The longest wait before a busy service is tried again.
const OVERLOAD_MAX_MS: u64 = 30 * 60 * 1000;
/// After this many busy answers in a row, about half a day, the service counts as down.
pub const OVERLOADS_MAX: u8 = 24;

/// What follows an agent that may not go on for now.
pub(super) fn wait(
    order: &Order,
    work: &Work,
    overloads: u8,
    limit: &Limit,
    entry: &Entry,
) -> Turn {
    if overloads > OVERLOADS_MAX {
        let detail = format!(
            "its service has been too busy or out of reach for hours: {}",
            limit.words
        );
        return Turn::halt(work.step, Halt::Failed(Failure::AgentFailed), detail);
    }
    let rules = &order.rules.limit;
    let until_ms = until(limit, overloads, rules, entry.at_ms);
    let turn = match rules.wait {
        true => Turn::to(Next::Wait(Wait {
            until_ms,
            wake_ms: until_ms.saturating_add(jitter(seed(work.agent), rules.jitter_ms)),
            since_ms: entry.at_ms,
            words: limit.words.clone(),
            resume: Resume::at(work.step),
        })),
        false => Turn::halt(work.step, Halt::Limited { until_ms }, limit.words.as_str()),
    };
    match limit.kind {
        LimitKind::Usage => turn.limited(Limited {
            step: work.step,
            until_ms,
            words: limit.words.clone(),
        }),
        LimitKind::Held | LimitKind::Overload => turn,
    }
}

/// When a limit ends. A reset time in the past or in ten years is ignored.
/// `overloads` is the number of busy answers in a row, including this one.
pub fn until(limit: &Limit, overloads: u8, rules: &LimitRules, now_ms: u64) -> u64 {
    // A known limit has already been checked when it was found.
    let shortest = match limit.kind {
        LimitKind::Usage | LimitKind::Overload => rules.min_ms,
        LimitKind::Held => 0,
    };
    let earliest = now_ms.saturating_add(shortest);
    let latest = now_ms.saturating_add(rules.max_ms.max(rules.min_ms));
    let until = match (limit.until_ms, limit.kind) {
        (Some(until_ms), _) => until_ms,
        (None, LimitKind::Usage | LimitKind::Held) => now_ms.saturating_add(UNKNOWN_MS),
        (None, LimitKind::Overload) => now_ms.saturating_add(backoff(overloads, rules.min_ms)),
    };
    until.clamp(earliest, latest)
}

/// Doubles from one busy answer to the next.
fn backoff(overloads: u8, first_ms: u64) -> u64 {
    let doubled = u32::from(overloads.saturating_sub(1)).min(16);
    first_ms
        .saturating_mul(1 << doubled)
        .min(OVERLOAD_MAX_MS.max(first_ms))
}

/// Deterministic per agent: different agents get different jitter, the same agent always the same.
pub fn jitter(seed: u64, max_ms: u64) -> u64 {
    let mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 20) % max_ms.saturating_add(1).max(1)
}

fn seed(agent: AgentId) -> u64 {
    agent.at_ms ^ agent.seq.rotate_left(32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_000_000_000;
    const MINUTE: u64 = 60_000;
    const DAY: u64 = 24 * 60 * MINUTE;

    fn limit(kind: LimitKind, until_ms: Option<u64>) -> Limit {
        Limit {
            kind,
            until_ms,
            words: String::new(),
        }
    }

    #[test]
    fn t1_a_reset_is_taken_as_reported_within_reason() {
        let rules = LimitRules::default();
        let rows = [
            ("as reported", Some(NOW + 5 * 60 * MINUTE), 5 * 60 * MINUTE),
            ("in the past", Some(NOW - DAY), MINUTE),
            ("at the beginning of time", Some(0), MINUTE),
            ("in a moment", Some(NOW + 1), MINUTE),
            ("in ten years", Some(NOW + 3650 * DAY), 8 * DAY),
            ("at the end of time", Some(u64::MAX), 8 * DAY),
            ("not said", None, 60 * MINUTE),
        ];
        for (what, reported, wait) in rows {
            let until = until(&limit(LimitKind::Usage, reported), 0, &rules, NOW);
            assert_eq!(until - NOW, wait, "{what}");
        }
    }

    #[test]
    fn t1_a_limit_that_is_known_already_is_not_prolonged() {
        let rules = LimitRules::default();
        for (reported, wait) in [(NOW + 5, 5), (NOW - 5, 0)] {
            let until = until(&limit(LimitKind::Held, Some(reported)), 0, &rules, NOW);
            assert_eq!(until - NOW, wait);
        }
    }

    #[test]
    fn t1_a_busy_service_is_asked_less_and_less_often() {
        let rules = LimitRules::default();
        let busy = limit(LimitKind::Overload, None);
        let waits = [1, 2, 3, 4, 5, 6, 7, 255].map(|times| until(&busy, times, &rules, NOW) - NOW);
        let minutes = [1, 2, 4, 8, 16, 30, 30, 30];
        assert_eq!(waits, minutes.map(|minutes| minutes * MINUTE));
    }

    #[test]
    fn t1_jitter_differs_between_agents_and_stays_within_its_bound() {
        let of = |seq| jitter(seed(AgentId { at_ms: 7, seq }), 10_000);
        let all: std::collections::BTreeSet<u64> = (0..100).map(of).collect();
        assert!(
            all.len() > 90 && all.iter().all(|ms| *ms <= 10_000),
            "{all:?}"
        );
        assert_eq!(of(1), of(1));
        assert_eq!(jitter(1, 0), 0);
        assert!(jitter(1, u64::MAX) < u64::MAX);
    }

    #[test]
    fn a_longest_wait_below_the_shortest_one_is_the_shortest_one() {
        let rules = LimitRules {
            max_ms: 1,
            ..LimitRules::default()
        };
        let until = until(&limit(LimitKind::Usage, Some(NOW + DAY)), 0, &rules, NOW);
        assert_eq!(until - NOW, MINUTE);
    }
}
