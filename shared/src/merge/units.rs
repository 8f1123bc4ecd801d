//! One unit for profiles that count the same thing in parts of different size: folded stacks have
//! `count` without decimals, and `count/1000` or finer with them.
//!
//! Values of the coarser unit become values of the finer one, exactly. They are refused where their
//! sizes together exceed 64 bits there, so that neither a sum nor a tree of them is cut off.

use std::borrow::Cow;

use thiserror::Error;

use crate::formats::folded::Scale;
use crate::model::profile::Profile;

/// Values that have no room in the unit of another profile.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "the values of {kind} exceed 64 bits when converted from {unit} to {finer}, the unit of another profile"
)]
pub struct UnitError {
    /// What they count.
    pub kind: String,
    /// Their unit.
    pub unit: String,
    /// The unit of the other profile.
    pub finer: String,
}

/// The finer of two units that count the same thing; `None` where they count different things.
pub fn finer_unit<'a>(a: &'a str, b: &'a str) -> Option<&'a str> {
    if a == b {
        return Some(a);
    }
    let (of_a, of_b) = (Scale::named(a)?, Scale::named(b)?);
    Some(if of_a.parts_of(of_b).is_some() { a } else { b })
}

/// A profile with the values of a column in a finer unit; as it is where its unit is another one.
pub fn in_unit<'a>(
    profile: &'a Profile,
    column: usize,
    unit: &str,
) -> Result<Cow<'a, Profile>, UnitError> {
    let converted = converted(profile, column, unit)?;
    Ok(converted.map_or(Cow::Borrowed(profile), Cow::Owned))
}

/// The converted profile, if its unit has to be converted.
fn converted(profile: &Profile, column: usize, unit: &str) -> Result<Option<Profile>, UnitError> {
    let (kind, own) = profile.type_text(profile.sample_types[column]);
    let scales = Scale::named(unit).zip(Scale::named(own));
    let parts = scales.and_then(|(unit, own)| unit.parts_of(own));
    let Some(parts) = parts.filter(|&parts| parts > 1) else {
        return Ok(None);
    };
    let sizes = profile.samples.values[column].iter();
    let size: u128 = sizes.map(|value| u128::from(value.unsigned_abs())).sum();
    if size.saturating_mul(parts.unsigned_abs().into()) > i64::MAX as u128 {
        return Err(UnitError {
            kind: kind.to_owned(),
            unit: own.to_owned(),
            finer: unit.to_owned(),
        });
    }
    let mut profile = profile.clone();
    for value in &mut profile.samples.values[column] {
        *value *= parts;
    }
    profile.sample_types[column].unit = profile.strings.push(unit);
    Ok(Some(profile))
}

/// The sample types of profiles in order, each with the finest unit that one of them has for it.
pub(super) fn finest<'a>(profiles: &[&'a Profile]) -> Vec<(&'a str, &'a str)> {
    let mut finest: Vec<(&str, &str)> = Vec::new();
    for profile in profiles {
        for (column, &of) in profile.sample_types.iter().enumerate() {
            let (kind, unit) = profile.type_text(of);
            match finest.get_mut(column) {
                None => finest.push((kind, unit)),
                Some((known, finest)) if *known == kind => {
                    *finest = finer_unit(finest, unit).unwrap_or(finest);
                }
                Some(_) => {}
            }
        }
    }
    finest
}

/// A profile with the columns of these types in their units.
pub(super) fn in_units<'a>(
    profile: &'a Profile,
    types: &[(&str, &str)],
) -> Result<Cow<'a, Profile>, UnitError> {
    let mut result = Cow::Borrowed(profile);
    for (column, (&of, (kind, unit))) in profile.sample_types.iter().zip(types).enumerate() {
        if profile.type_text(of).0 != *kind {
            continue;
        }
        if let Some(converted) = converted(&result, column, unit)? {
            result = Cow::Owned(converted);
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{By, NodeId, Scale as DiffScale, diff, folded};

    fn opened(text: &str) -> Profile {
        folded::decode(text.as_bytes()).expect(text).profile
    }

    /// Values in a unit, and that their tree has their total.
    fn check(text: &str, unit: &str, values: &[i64]) {
        let profile = opened(text);
        let converted = in_unit(&profile, 0, unit).expect("fits");
        assert_eq!(converted.samples().values, [values]);
        assert_eq!(converted.type_text(converted.sample_types()[0]).1, unit);
        let both = (&*converted, 0);
        let tree = diff(both, both, By::Name, DiffScale::Absolute);
        let totals = tree.totals(NodeId::ROOT).map(i128::from);
        assert_eq!(totals, [converted.total(0); 2]);
    }

    #[test]
    fn values_are_converted_exactly() {
        check("a 50\nb -1", "count/1000", &[50_000, -1_000]);
        check(
            "a 0.5\nb 3",
            "count/1000000000",
            &[500_000_000, 3_000_000_000],
        );
        check("a 0.5", "count/1000", &[500]);
        check("a 7", "count", &[7]);
    }

    #[test]
    fn what_has_no_room_is_refused() {
        let large = opened("a 5000000000000000\nb -5000000000000000");
        let error = in_unit(&large, 0, "count/1000").expect_err("has no room");
        assert_eq!(
            error.to_string(),
            "the values of samples exceed 64 bits when converted from count to count/1000, the unit of another profile"
        );
        check(
            "a 4000000000000000\nb -5000000000000000",
            "count/1000",
            &[4_000_000_000_000_000_000, -5_000_000_000_000_000_000],
        );
    }

    #[test]
    fn other_units_stay() {
        assert_eq!(finer_unit("count", "count"), Some("count"));
        assert_eq!(finer_unit("bytes", "bytes"), Some("bytes"));
        assert_eq!(finer_unit("count/1000", "count"), Some("count/1000"));
        assert_eq!(finer_unit("count", "bytes"), None);
        let profile = opened("a 1.5");
        for unit in ["count", "bytes"] {
            let same = in_unit(&profile, 0, unit).expect("is no finer one");
            assert!(matches!(same, Cow::Borrowed(_)));
        }
    }
}
