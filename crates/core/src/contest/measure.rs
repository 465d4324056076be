//! How measures become one score.

use super::event::Measure;
use super::rules::Metric;
use super::score::Score;

/// The weighted mean, rounded to two places. A veto makes it nothing. None while measures are
/// missing.
pub fn overall(metrics: &[Metric], measures: &[Option<Measure>]) -> Option<Score> {
    if measures.iter().flatten().any(|measure| measure.is_veto) {
        return Some(Score::ZERO);
    }
    let mut sum = 0;
    let mut weights = 0;
    for (metric, measure) in metrics.iter().zip(measures) {
        let weight = u64::from(metric.weight);
        sum += measure.as_ref()?.score.hundredths() * weight;
        weights += weight;
    }
    // Half up, in whole numbers.
    let mean = (2 * sum + weights).checked_div(2 * weights)?;
    Score::from_hundredths(mean)
}
