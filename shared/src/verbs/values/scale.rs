//! Scale: the values of a column times a number.
//!
//! # Rounding
//!
//! The scaled value of sample `i` is `floor(P(i) * ratio) - floor(P(i - 1) * ratio)`, `P` being the
//! running sum of the column: the total of the result is the total times the ratio, rounded once,
//! whatever the number of samples. A zero stays zero, and every value is less than one off. Which
//! sample gets the odd unit depends on their order, so that scaling commutes with merging in its
//! totals only.

use std::num::NonZeroU64;

use crate::model::profile::Profile;
use crate::verbs::rewrite::with_samples;

/// A ratio, exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// What to multiply with.
    pub numerator: i64,
    /// What to divide by.
    pub denominator: NonZeroU64,
}

/// A profile with scaled values.
#[derive(Clone, Debug)]
pub struct Scaled {
    /// The result.
    pub profile: Profile,
    /// How many values hit the limits of `i64`; the result is exact when this is zero.
    pub saturated: u64,
}

impl Ratio {
    /// A ratio; `None` when the denominator is zero.
    pub fn new(numerator: i64, denominator: u64) -> Option<Self> {
        NonZeroU64::new(denominator).map(|denominator| Self {
            numerator,
            denominator,
        })
    }
}

/// Multiplies a column with a ratio. A column that does not exist changes nothing.
pub fn scale(profile: &Profile, column: usize, ratio: Ratio) -> Scaled {
    let (numerator, denominator) = (
        i128::from(ratio.numerator),
        i128::from(ratio.denominator.get()),
    );
    let mut samples = profile.samples.clone();
    let (mut remainder, mut saturated) = (0i128, 0);
    for value in samples.values.get_mut(column).into_iter().flatten() {
        // |value * numerator| is at most 2^126 and the remainder below 2^64.
        let sum = i128::from(*value) * numerator + remainder;
        remainder = sum.rem_euclid(denominator);
        let exact = sum.div_euclid(denominator);
        *value = i64::try_from(exact).unwrap_or_else(|_| {
            saturated += 1;
            if exact < 0 { i64::MIN } else { i64::MAX }
        });
    }
    Scaled {
        profile: with_samples(profile, samples),
        saturated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    fn check(values: &str, numerator: i64, denominator: u64, expect: &[i64], saturated: u64) {
        let text: Vec<String> = values
            .split(' ')
            .enumerate()
            .map(|(i, v)| format!("f{i} {v}"))
            .collect();
        let scaled = scale(
            &profile(&text.join("\n")),
            0,
            Ratio::new(numerator, denominator).unwrap(),
        );
        assert_eq!(
            (
                scaled.profile.samples.values[0].as_slice(),
                scaled.saturated
            ),
            (expect, saturated)
        );
    }

    #[test]
    fn totals_are_rounded_once() {
        check("1 1 1 1", 1, 2, &[0, 1, 0, 1], 0);
        check("10 0 -10 1", 1, 3, &[3, 0, -3, 0], 0);
        check("-1 -1 -1", 1, 2, &[-1, 0, -1], 0);
        check(
            "9223372036854775807 9223372036854775807",
            i64::MAX,
            u64::MAX,
            &[4611686018427387903, 4611686018427387903],
            0,
        );
        check("-9223372036854775808 5", -1, 1, &[i64::MAX, -5], 1);
        check("7 8", 0, 3, &[0, 0], 0);
        assert_eq!(Ratio::new(1, 0), None);
    }

    #[test]
    fn other_and_missing_columns() {
        let (p, twice) = (profile("a 1 -2\nb 3 4"), Ratio::new(2, 1).unwrap());
        assert_eq!(
            scale(&p, 1, twice).profile.samples.values,
            [vec![1, 3], vec![-4, 8]]
        );
        assert_eq!(scale(&p, 2, twice).profile, p);
    }
}
