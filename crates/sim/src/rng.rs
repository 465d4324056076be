//! Repeatable chance. A seed must mean the same world for ever, so we have our own generator.

/// splitmix64: one word of state, good enough to draw faults.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        // Neighbouring seeds must not give similar worlds.
        let mut rng = Rng(seed ^ 0x6b75_6d69_7465_0001);
        rng.next();
        rng
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        // The high half of a product is as good as a remainder and needs no division.
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// True `per_mille` times in a thousand.
    pub fn chance(&mut self, per_mille: u32) -> bool {
        self.below(1000) < u64::from(per_mille)
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }

    /// One item of `of`, each as often as its weight says.
    pub fn weighed<T: Copy>(&mut self, of: &[(u32, T)]) -> T {
        let total: u32 = of.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(u64::from(total)) as u32;
        for (weight, what) in of {
            if left < *weight {
                return *what;
            }
            left -= weight;
        }
        of[0].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_numbers_for_ever() {
        let mut rng = Rng::new(7);
        let drawn = [rng.below(1000), rng.below(1000), rng.below(1000)];
        assert_eq!(drawn, [100, 148, 820]);
    }

    #[test]
    fn weights_are_kept() {
        let mut rng = Rng::new(1);
        let drawn = (0..1000).filter(|_| rng.weighed(&[(1, false), (9, true)]));
        assert!((850..950).contains(&drawn.count()));
    }
}
