//! Whether a ratio of two sums grew from one side to the other by more than it varies by chance.
//!
//! A side is cut into parts of equal time. How much the parts differ tells how exact the ratio of
//! the side is: its variance is that of a ratio estimate, from the residuals of the parts (Cochran,
//! Sampling Techniques, 3rd edition, 1977, chapter 6). Welch's test compares the sides, with
//! Satterthwaite's degrees of freedom (Welch, "The generalization of Student's problem when several
//! different population variances are involved", Biometrika 34, 1947). The site's
//! `time/interval.ts` does the same for the panel "What changed".

use libm::lgamma;

/// A part of a side. The ratio is the sum of values over the sum of wholes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Part {
    pub(super) value: f64,
    pub(super) whole: f64,
}

/// The ratio of a side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub(super) ratio: f64,
    /// The variance of this estimate.
    variance: f64,
    parts: f64,
}

/// Fewest parts of a side: from fewer, its variance would be a guess.
const FEWEST_PARTS: usize = 8;

/// Most correlation between neighboring parts that is reckoned with.
const MAX_CORRELATION: f64 = 0.9;

impl Ratio {
    /// From parts in order of time. `None` if there are too few parts to estimate how they vary.
    pub(super) fn of(parts: impl IntoIterator<Item = Part>) -> Option<Self> {
        let parts: Vec<Part> = parts.into_iter().filter(|part| part.whole > 0.0).collect();
        if parts.len() < FEWEST_PARTS {
            return None;
        }
        let whole: f64 = parts.iter().map(|part| part.whole).sum();
        let ratio = parts.iter().map(|part| part.value).sum::<f64>() / whole;
        let residuals = parts.iter().map(|part| part.value - ratio * part.whole);
        let residuals: Vec<f64> = residuals.collect();
        let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
        let n = parts.len() as f64;
        Some(Self {
            ratio,
            variance: inflation(&residuals, squares) * n / (n - 1.0) * squares / (whole * whole),
            parts: n,
        })
    }

    /// The chance of at least as much growth from this ratio to `after` if nothing had changed: the
    /// one-sided p-value.
    pub(super) fn chance_of_growth(&self, after: &Self) -> f64 {
        let difference = after.ratio - self.ratio;
        let variance = self.variance + after.variance;
        if difference <= 0.0 {
            return 1.0;
        }
        if variance == 0.0 {
            return 0.0;
        }
        let of_side = |side: &Self| side.variance.powi(2) / (side.parts - 1.0);
        let freedom = variance.powi(2) / (of_side(self) + of_side(after));
        student_tail(difference / variance.sqrt(), freedom)
    }
}

/// By how much the variance is larger than that of independent parts: a load that swings slowly is
/// alike in neighboring parts (Wilks, Statistical Methods in the Atmospheric Sciences, 2nd edition,
/// 2006, section 5.2.4).
fn inflation(residuals: &[f64], squares: f64) -> f64 {
    if squares == 0.0 {
        return 1.0;
    }
    let neighbors = residuals.windows(2).map(|pair| pair[0] * pair[1]);
    let correlation = (neighbors.sum::<f64>() / squares).clamp(0.0, MAX_CORRELATION);
    (1.0 + correlation) / (1.0 - correlation)
}

/// The probability above `t` in Student's t-distribution; `t` must be 0 or more.
fn student_tail(t: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5) / 2.0
}

/// The regularized incomplete beta function: its continued fraction (DLMF 8.17.22), by Lentz's
/// method.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    // The fraction converges quickly on this side of the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let logarithm = lgamma(a + b) - lgamma(a) - lgamma(b) + a * x.ln() + b * (-x).ln_1p();
    let nonzero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in (1..300).map(f64::from) {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / nonzero(1.0 + even * d);
        c = nonzero(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / nonzero(1.0 + odd * d);
        c = nonzero(1.0 + odd / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-14 {
            break;
        }
    }
    logarithm.exp() * fraction / a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::random;

    fn close(found: f64, expect: f64) {
        assert!(
            (found - expect).abs() <= 1e-9 * expect.abs().max(1e-3),
            "{found} {expect}"
        );
    }

    /// Values from published tables of Student's t-distribution, and two exact ones.
    #[test]
    fn students_distribution() {
        close(student_tail(0.0, 7.0), 0.5);
        // One degree of freedom is Cauchy's distribution.
        close(
            student_tail(3.0, 1.0),
            0.5 - 3f64.atan() / std::f64::consts::PI,
        );
        close(
            student_tail(2.0, 2.0),
            (1.0 - 2.0 / (2.0f64 + 4.0).sqrt()) / 2.0,
        );
        assert!((student_tail(2.228_138_85, 10.0) - 0.025).abs() < 1e-8);
        assert!((student_tail(2.042_272_456, 30.0) - 0.025).abs() < 1e-8);
    }

    fn side(parts: &[(f64, f64)]) -> Option<Ratio> {
        Ratio::of(parts.iter().map(|&(value, whole)| Part { value, whole }))
    }

    #[test]
    fn ratios() {
        let few = [(1.0, 2.0); 7];
        assert_eq!(side(&few), None);
        assert_eq!(side(&[&few[..], &[(0.0, 0.0)]].concat()), None);
        let even = side(&[(1.0, 4.0), (2.0, 8.0)].repeat(4)).unwrap();
        assert_eq!((even.ratio, even.variance), (0.25, 0.0));
        let more = side(&[(1.0, 2.0); 8]).unwrap();
        assert_eq!(even.chance_of_growth(&more), 0.0);
        assert_eq!(more.chance_of_growth(&even), 1.0);
        // Residuals of ±1 in turn: they are not alike, and their sum of squares is 8.
        let varied = side(&[(1.0, 4.0), (3.0, 4.0)].repeat(4)).unwrap();
        let variance: f64 = 8.0 / 7.0 * 8.0 / (32.0 * 32.0);
        close(varied.variance, variance);
        let chance = even.chance_of_growth(&varied);
        close(chance, student_tail(0.25 / variance.sqrt(), 7.0));
        // The same values, those that are alike together: of 7 pairs 6 are alike.
        let slow = [(1.0, 4.0); 4].into_iter().chain([(3.0, 4.0); 4]);
        let slow = side(&slow.collect::<Vec<_>>()).unwrap();
        close(
            slow.variance,
            variance * (1.0 + 5.0 / 8.0) / (1.0 - 5.0 / 8.0),
        );
    }

    /// Without a change, a chance below 0.01 is found in about 1 % of cases.
    #[test]
    fn chances_are_calibrated() {
        let seed = &mut 7;
        let mut noise = || {
            (0..12)
                .map(|_| random(seed) as f64 / u64::MAX as f64)
                .sum::<f64>()
        };
        let (mut rare, runs) = (0, 4_000);
        for _ in 0..runs {
            let mut side = || {
                let parts = (0..10).map(|_| Part {
                    value: 20.0 + noise(),
                    whole: 100.0,
                });
                Ratio::of(parts.collect::<Vec<_>>()).unwrap()
            };
            let (before, after) = (side(), side());
            rare += usize::from(before.chance_of_growth(&after) < 0.01);
        }
        assert!((20..=60).contains(&rare), "{rare} of {runs}");
    }
}
