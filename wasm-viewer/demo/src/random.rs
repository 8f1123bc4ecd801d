//! Chance that repeats itself: SplitMix64, and what is drawn from it.

/// A sequence of numbers that follows from its seed.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence for these words; other words, other numbers.
    pub fn of(words: &[u64]) -> Self {
        let mut random = Self(0x5069_6c6f_746c_6974);
        for &word in words {
            random.0 = random.next() ^ word;
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly from 0 (excluded) to 1.
    pub fn unit(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 1.0) / (1u64 << 53) as f64
    }

    /// Evenly a number below `count`, which is not 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize % count
    }

    /// Around zero with variance one (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * libm::log(self.unit())).sqrt() * libm::cos(std::f64::consts::TAU * self.unit())
    }

    /// How often something happens that happens `mean` times on average: what a sampling profiler
    /// sees.
    pub fn poisson(&mut self, mean: f64) -> i64 {
        if mean > 30.0 {
            return (mean + self.normal() * mean.sqrt()).round().max(0.0) as i64;
        }
        let (limit, mut product, mut count) = (libm::exp(-mean), self.unit(), 0);
        while product > limit {
            product *= self.unit();
            count += 1;
        }
        count
    }
}
