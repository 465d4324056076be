//! A size as people write it: `500MB`, `2GB`, `64KiB`, `1000B`.

use std::fmt;

/// Bytes; 0 means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(u64);

/// Decimal units come first: they are shown if both kinds fit.
const UNITS: [(&str, u64); 7] = [
    ("GB", 1000 * 1000 * 1000),
    ("MB", 1000 * 1000),
    ("KB", 1000),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
];

/// A million gigabytes; no log is larger, and sums of sizes cannot overflow.
const BYTES_MAX: u64 = 1_000_000 * 1_000_000_000;

impl Size {
    pub const fn from_mb(mb: u64) -> Size {
        Size(mb * 1_000_000)
    }

    pub fn bytes(self) -> u64 {
        self.0
    }

    /// Accepts a whole number with a unit, or `0`; at most a million gigabytes.
    pub fn parse(text: &str) -> Option<Size> {
        let text = text.trim();
        let unit = text.trim_start_matches(|character: char| character.is_ascii_digit());
        let number: u64 = text[..text.len() - unit.len()].parse().ok()?;
        if number == 0 && unit.is_empty() {
            return Some(Size(0));
        }
        let unit = unit.trim_start();
        let (_, bytes) = UNITS
            .into_iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
        let bytes = number.checked_mul(bytes)?;
        (bytes <= BYTES_MAX).then_some(Size(bytes))
    }
}

impl fmt::Display for Size {
    /// In the unit that gives the shortest whole number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let in_units = UNITS
            .into_iter()
            .filter(|(_, bytes)| self.0 > 0 && self.0.is_multiple_of(*bytes))
            .map(|(unit, bytes)| (self.0 / bytes, unit));
        match in_units.min_by_key(|(number, _)| number.ilog10()) {
            Some((number, unit)) => write!(f, "{number}{unit}"),
            None => f.write_str("0"),
        }
    }
}
