//! One profile less another: pprof's `-base`.
//!
//! # Algebra
//!
//! - The value of each stack and label set is the source's less the base's, and may be negative;
//!   what cancels out is gone, with the table rows that only it used. `subtract(a, b)` merged with
//!   `b` has the samples of `a`.
//! - Subtracted from itself a profile leaves no samples.
//! - Normalised, each column of the source is first scaled to the base's total, so every total of
//!   the result is zero. Rounding is that of [`crate::diff()`], over the samples in their order;
//!   pprof scales the source too, but rounds each sample to the nearest unit, so its totals are off
//!   by up to half a unit for each sample. Columns that no factor of zero or more takes to the
//!   base's total stay as they are.
//! - The header is that of the merge: durations add up, as they do in pprof.
//!
//! Both profiles must have the same sample types. pprof drops what only one has, and converts
//! units.

use crate::merge::merger::{MergeError, Merged, Merger};
use crate::model::profile::Profile;
use crate::tree::diff::{Ratio, Scale, exact_sum};

/// The source less the base, in canonical order. Values beyond `i64` stay at the limit and are
/// counted.
pub fn subtract(source: &Profile, base: &Profile, scale: Scale) -> Result<Merged, MergeError> {
    subtract_owned(source, base.clone(), scale)
}

/// [`subtract`] of a base that may be spoilt.
pub(crate) fn subtract_owned(
    source: &Profile,
    mut base: Profile,
    scale: Scale,
) -> Result<Merged, MergeError> {
    let mut merger = Merger::new();
    match scale {
        Scale::Absolute => merger.add(source)?,
        Scale::Normalised => merger.add(&normalised(source, &base))?,
    }
    let limited = negate(&mut base);
    merger.add(&base)?;
    let merged = merger.finish();
    Ok(Merged {
        saturated: merged.saturated + limited,
        ..merged
    })
}

/// The source with the totals of the base.
fn normalised(source: &Profile, base: &Profile) -> Profile {
    let mut scaled = source.clone();
    for (values, base) in scaled.samples.values.iter_mut().zip(&base.samples.values) {
        let Some(mut ratio) = Ratio::new(exact_sum(base), exact_sum(values)) else {
            continue;
        };
        values
            .iter_mut()
            .for_each(|value| *value = ratio.next(*value));
    }
    scaled
}

/// Changes the sign of all values; says how many have no opposite in `i64`.
fn negate(profile: &mut Profile) -> u64 {
    let mut limited = 0;
    for value in profile.samples.values.iter_mut().flatten() {
        limited += u64::from(*value == i64::MIN);
        *value = value.saturating_neg();
    }
    limited
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{draw, profile};
    use crate::{By, CallTree};

    fn check(source: &str, base: &str, scale: Scale, expect: &str) {
        let merged = subtract(&profile(source), &profile(base), scale).unwrap();
        assert_eq!(draw(&CallTree::new(&merged.profile, 0, By::Name)), expect);
        assert_eq!(merged.saturated, 0);
    }

    #[test]
    fn takes_away() {
        check(
            "main;a 3\nmain;b 5",
            "main;a 3\nmain;c 2",
            Scale::Absolute,
            "total 3/0\n main 3/0\n  b 5/5\n  c -2/-2\n",
        );
        check(
            "main;a 3\nmain;a 2",
            "main;a 4\nmain;a 1",
            Scale::Absolute,
            "total 0/0\n",
        );
        check(
            "a 10\nb 1",
            "a 2\nc 1",
            Scale::Normalised,
            "total 0/0\n b 1/1\n c -1/-1\n",
        );
    }

    #[test]
    fn counts_what_has_no_opposite() {
        let merged = subtract(
            &profile("a 0"),
            &profile(&format!("a {}", i64::MIN)),
            Scale::Absolute,
        )
        .unwrap();
        assert_eq!(
            (merged.profile.total(0), merged.saturated),
            (i128::from(i64::MAX), 1)
        );
        assert!(subtract(&profile("a 1"), &profile("a 1 1"), Scale::Normalised).is_err());
    }
}
