//! Sorted samples, and statistics of them.

use std::time::Duration;

pub struct Samples(Vec<Duration>);

impl FromIterator<Duration> for Samples {
    fn from_iter<I: IntoIterator<Item = Duration>>(samples: I) -> Samples {
        let mut samples: Vec<Duration> = samples.into_iter().collect();
        samples.sort_unstable();
        Samples(samples)
    }
}

impl Samples {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Nearest-rank percentile.
    pub fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0.get(rank - 1).copied().unwrap_or_default()
    }

    pub fn median(&self) -> Duration {
        self.percentile(50)
    }
}

pub fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

pub fn times(ours: Duration, theirs: Duration) -> f64 {
    ours.as_secs_f64() / theirs.as_secs_f64().max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_sample_and_the_hundredth_the_largest() {
        let samples: Samples = (1..=200).rev().map(Duration::from_millis).collect();
        assert_eq!(samples.median(), Duration::from_millis(100));
        assert_eq!(samples.percentile(99), Duration::from_millis(198));
        assert_eq!(samples.percentile(100), Duration::from_millis(200));
    }
}
