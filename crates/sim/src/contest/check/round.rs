//! One round of a team by the books.

use std::collections::BTreeMap;

use kumite_core::contest::{Measure, Metric, Rules};

use super::asked::Key;
use super::book::How;

#[derive(Default)]
pub struct Round {
    pub number: u32,
    pub started_at_ms: u64,
    pub is_given: bool,
    pub is_malformed: bool,
    pub measures: Vec<Option<Measure>>,
    pub judged: Option<bool>,
    /// How many tries of each kind have failed.
    pub failed: BTreeMap<Key, u32>,
    pub saves: u32,
}

impl Round {
    pub fn note(&mut self, key: Key, how: How) {
        match (key, how) {
            (Key::Submit, How::Good) => self.is_given = true,
            (Key::Submit, How::Malformed) => self.is_malformed = true,
            (Key::Save, How::Good) => self.saves += 1,
            (_, How::Failed(..)) => *self.failed.entry(key).or_default() += 1,
            (Key::Metric(_) | Key::Judge, How::Good) | (_, How::Malformed) => {}
        }
    }

    pub fn failures(&self, key: Key) -> u32 {
        self.failed.get(&key).copied().unwrap_or(0)
    }

    /// The score in hundredths, once everything required is measured. If a program vetoes, the
    /// models are not asked.
    pub fn score(&self, rules: &Rules) -> Option<u64> {
        let parts = || rules.metrics.iter().zip(&self.measures);
        let vetoes = |found: &Option<Measure>| found.as_ref().is_some_and(|it| it.is_veto);
        let spared = parts().any(|(metric, found)| metric.is_program && vetoes(found));
        let needed = |metric: &Metric| metric.is_program || !spared;
        if parts().any(|(metric, found)| needed(metric) && found.is_none()) {
            return None;
        }
        if self.measures.iter().any(vetoes) {
            return Some(0);
        }
        let mut sum = 0;
        let mut weights = 0;
        for (metric, found) in parts() {
            sum += u128::from(found.as_ref()?.score.hundredths()) * u128::from(metric.weight);
            weights += u128::from(metric.weight);
        }
        // Rounded to the nearest whole number, half up.
        let whole = sum / weights;
        let rest = sum % weights;
        Some((whole + u128::from(2 * rest >= weights)) as u64)
    }
}
