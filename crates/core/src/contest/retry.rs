//! D9: further tries.

use super::event::{Failed, Failure};

/// The longest wait that we accept from the other side.
const WAIT_MAX_MS: u64 = 15 * 60 * 1000;

/// The number of tries for the database does not depend on the settings.
pub const SAVE_RETRIES: u32 = 3;

/// A further try, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    After { attempt: u32, wait_ms: u64 },
    Never,
}

/// What follows when try number `attempt` failed and `retries` may follow the first.
pub fn after_failure(attempt: u32, retries: u32, failed: &Failed) -> Retry {
    let pause = match failed.failure {
        Failure::Passing | Failure::TimedOut => pause_ms(attempt),
        Failure::Unusable | Failure::Lasting => 0,
    };
    let asked = failed.retry_after_ms.unwrap_or(0).min(WAIT_MAX_MS);
    once_more(attempt, retries, pause.max(asked))
}

/// A failed write may always succeed later: after 1, 2 and 4 seconds.
pub fn after_failed_save(attempt: u32) -> Retry {
    once_more(attempt, SAVE_RETRIES, pause_ms(attempt))
}

fn once_more(attempt: u32, retries: u32, wait_ms: u64) -> Retry {
    match attempt <= retries {
        true => Retry::After {
            attempt: attempt + 1,
            wait_ms,
        },
        false => Retry::Never,
    }
}

/// How long to wait after try number `attempt`: 1 s, 2 s, 4 s, and so on up to a minute.
pub fn pause_ms(attempt: u32) -> u64 {
    (1000 << attempt.saturating_sub(1).min(6)).min(60_000)
}
