//! An amount of money, as people write it: `5`, `2.5`, `0.04`.

use std::fmt;

/// US dollars, counted in millionths so that sums are exact; 0 means no budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Usd(u64);

const MICROS: u64 = 1_000_000;
const DOLLARS_MAX: f64 = 1_000_000.0;

impl Usd {
    pub const ZERO: Usd = Usd(0);

    pub fn micros(self) -> u64 {
        self.0
    }

    /// Accepts 0 to a million.
    pub fn from_dollars(dollars: f64) -> Option<Usd> {
        if !(0.0..=DOLLARS_MAX).contains(&dollars) {
            return None;
        }
        let micros = (dollars * MICROS as f64).round() as u64;
        // A tiny budget must not become 0, which would allow any cost.
        Some(Usd(micros.max(u64::from(dollars > 0.0))))
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = format!("{}.{:06}", self.0 / MICROS, self.0 % MICROS);
        f.write_str(all.trim_end_matches('0').trim_end_matches('.'))
    }
}
