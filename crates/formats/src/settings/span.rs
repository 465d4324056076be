//! A duration as people write it: `90s`, `15m`, `2h`, `8d`, `500ms`.

use std::fmt;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(Duration);

const UNITS: [(&str, u64); 5] = [
    ("d", 24 * 3600 * 1000),
    ("h", 3600 * 1000),
    ("m", 60 * 1000),
    ("s", 1000),
    ("ms", 1),
];

/// Ten years; nobody waits longer, and adding it to the current time cannot overflow.
const MS_MAX: u64 = 3650 * 24 * 3600 * 1000;

impl Span {
    pub const fn from_secs(seconds: u64) -> Span {
        Span(Duration::from_secs(seconds))
    }

    pub fn duration(self) -> Duration {
        self.0
    }

    /// Accepts a whole number with a unit, at most ten years.
    pub fn parse(text: &str) -> Option<Span> {
        let text = text.trim();
        let unit = text.trim_start_matches(|character: char| character.is_ascii_digit());
        let number: u64 = text[..text.len() - unit.len()].parse().ok()?;
        let (_, ms) = UNITS
            .into_iter()
            .find(|(name, _)| *name == unit.trim_start())?;
        let ms = number.checked_mul(ms).filter(|ms| *ms <= MS_MAX)?;
        Some(Span(Duration::from_millis(ms)))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.0.as_millis();
        let fits = |(_, ms): &(&str, u64)| total > 0 && total.is_multiple_of(u128::from(*ms));
        let (unit, ms) = UNITS.into_iter().find(fits).unwrap_or(("s", 1000));
        write!(f, "{}{unit}", total / u128::from(ms))
    }
}
