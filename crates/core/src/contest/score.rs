//! Scores and confidences as whole numbers, so that equal values are really equal.

use std::fmt;

use serde::{Deserialize, Serialize};

/// 0.00 to 100.00, in hundredths.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "u64")]
pub struct Score(u16);

impl Score {
    pub const ZERO: Score = Score(0);
    pub const MAX: Score = Score(10_000);

    pub fn from_hundredths(hundredths: u64) -> Option<Score> {
        let score = Score(u16::try_from(hundredths).ok()?);
        (score <= Score::MAX).then_some(score)
    }

    /// D6: a value outside 0 to 100, or NaN, is not a score. Rounded to two places.
    pub fn from_f64(value: f64) -> Option<Score> {
        if !(0.0..=100.0).contains(&value) {
            return None;
        }
        // In range, so it fits.
        Score::from_hundredths((value * 100.0).round() as u64)
    }

    pub fn hundredths(self) -> u64 {
        u64::from(self.0)
    }

    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

/// For values read from a journal.
impl TryFrom<u64> for Score {
    type Error = &'static str;

    fn try_from(hundredths: u64) -> Result<Score, &'static str> {
        Score::from_hundredths(hundredths).ok_or("a score is at most 10000 hundredths")
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:02}", self.0 / 100, self.0 % 100);
        f.pad(&text)
    }
}

/// A judge's confidence: 0 to 1, in millionths.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Confidence(u32);

impl Confidence {
    pub const NONE: Confidence = Confidence(0);
    pub const FULL: Confidence = Confidence(1_000_000);

    /// More than 100 becomes 100.
    pub const fn from_percent(percent: u32) -> Confidence {
        let percent = if percent > 100 { 100 } else { percent };
        Confidence(percent * 10_000)
    }

    pub fn from_f64(value: f64) -> Option<Confidence> {
        let inside = (0.0..=1.0).contains(&value);
        inside.then(|| Confidence((value * 1_000_000.0).round() as u32))
    }

    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 1_000_000.0
    }
}
