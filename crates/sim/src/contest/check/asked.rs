//! What the core requests: a submission, a measure, a judgment or a save.

use kumite_core::contest::Effect;

/// What can be tried for a team in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    Submit,
    Metric(u32),
    Judge,
    Save,
}

/// A request to try something.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub team: u32,
    pub round: u32,
    pub key: Key,
    pub attempt: u32,
    pub wait_ms: u64,
    pub timeout_ms: u64,
}

pub fn asked(order: &Effect) -> Option<Asked> {
    match *order {
        Effect::Submit {
            team,
            round,
            attempt,
            wait_ms,
            timeout_ms,
        } => Some(Asked {
            team,
            round,
            key: Key::Submit,
            attempt,
            wait_ms,
            timeout_ms,
        }),
        Effect::Measure {
            team,
            round,
            metric,
            attempt,
            wait_ms,
            timeout_ms,
        } => Some(Asked {
            team,
            round,
            key: Key::Metric(metric),
            attempt,
            wait_ms,
            timeout_ms,
        }),
        Effect::Judge {
            team,
            round,
            attempt,
            wait_ms,
            timeout_ms,
        } => Some(Asked {
            team,
            round,
            key: Key::Judge,
            attempt,
            wait_ms,
            timeout_ms,
        }),
        Effect::Save {
            team,
            round,
            attempt,
            wait_ms,
        } => Some(Asked {
            team,
            round,
            key: Key::Save,
            attempt,
            wait_ms,
            timeout_ms: u64::MAX,
        }),
        Effect::Begin { .. }
        | Effect::Launch { .. }
        | Effect::HandIn { .. }
        | Effect::Limit { .. }
        | Effect::SaveSummary { .. }
        | Effect::Halt { .. }
        | Effect::Announce(_)
        | Effect::End => None,
    }
}
