//! What the books have about one team.

use std::collections::BTreeMap;

use kumite_core::contest::{Rules, Used};

use super::super::asked::Key;
use super::super::crew::Crew;
use super::super::round::Round;
use super::{How, Try};

#[derive(Default)]
pub struct Team {
    /// The retries it entered with: possibly fewer than the rules give, never more.
    pub retries: Option<u32>,
    pub rounds: Vec<Round>,
    pub open: BTreeMap<Key, Try>,
    /// Tries that were in progress when the contest was cancelled or the last process died. Kept
    /// for one entry.
    pub lost: BTreeMap<Key, Try>,
    pub crew: Crew,
    pub is_out: bool,
    pub used: Used,
    pub used_ms: u64,
    /// Time is counted up to here.
    pub(super) counted_ms: u64,
    /// The last answer, and the clock when its last save was first requested.
    pub last: Option<(Key, Try, How)>,
    pub leaves_ms: u64,
    /// The number of the last answered save, if it failed.
    pub failed_save: Option<u32>,
}

impl Team {
    pub fn number(&self) -> u32 {
        self.rounds.last().map_or(0, |round| round.number)
    }

    pub fn left_ms(&self, rules: &Rules) -> u64 {
        let all_ms = rules.team_timeout_ms.unwrap_or(u64::MAX);
        all_ms.saturating_sub(self.used_ms)
    }

    /// D14: time is charged while at least one try is in progress.
    pub fn count(&mut self, clock_ms: u64, waited_ms: u64) {
        let works = self.open.iter().filter(|(key, _)| **key != Key::Save);
        if let Some(first_ms) = works.map(|(_, open)| open.from_ms).min() {
            let from_ms = first_ms.max(self.counted_ms);
            let worked_ms = clock_ms.saturating_sub(from_ms);
            self.used_ms += worked_ms.saturating_sub(waited_ms);
        }
        self.counted_ms = clock_ms;
    }
}
