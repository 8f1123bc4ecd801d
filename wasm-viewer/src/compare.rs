//! Two profiles side by side.

use std::borrow::Cow;

use pilotlight_core::verbs::{self, Ratio};
use pilotlight_core::{By, Profile, Scale, diff, finer_unit, in_unit};

use crate::answers::TreeInfo;
use crate::error::SessionError;
use crate::session::Session;
use crate::steps::derive;
use crate::view::{Values, View};

impl Session {
    /// Compares two profiles, each after the same steps; upside down when `invert` says so. The
    /// sample type is found in the comparison by name and unit. Where they count in units of
    /// different size, the values of both are in the finer one.
    ///
    /// Normalised, both are scaled to the same total before any step is taken, as `pprof -normalize`
    /// does: what is focused on then compares by its shares of the whole. The total is the baseline's,
    /// multiplied where it is small, since values are whole numbers and shares are not.
    pub fn diff(
        &mut self,
        base: u32,
        comparison: u32,
        sample_type: u32,
        normalise: bool,
        steps: &[String],
        invert: bool,
    ) -> Result<TreeInfo, SessionError> {
        let (left, right) = (self.profile(base)?, self.profile(comparison)?);
        let t = left
            .sample_types()
            .get(sample_type as usize)
            .ok_or(SessionError::NoType(sample_type))?;
        let (kind, unit) = left.type_text(*t);
        let columns = [sample_type as usize, column_of(right, kind, unit)?];
        let other = right.type_text(right.sample_types()[columns[1]]).1;
        let unit = finer_unit(unit, other).unwrap_or(unit);
        let left = in_unit(left, columns[0], unit)?;
        let left = &*if normalise {
            enlarged(left, columns[0])
        } else {
            left
        };
        let right = &*in_unit(right, columns[1], unit)?;
        let hundred = normalise.then(|| left.total(columns[0]));
        let view = if steps.is_empty() {
            let scale = if normalise {
                Scale::Normalised
            } else {
                Scale::Absolute
            };
            let tree = diff((left, columns[0]), (right, columns[1]), By::Function, scale);
            View::new(Values::Diff(Box::new(tree)), kind, unit)
        } else {
            let right = if normalise {
                scaled_to(right, columns[1], left.total(columns[0]))?
            } else {
                Cow::Borrowed(right)
            };
            let whole = left.total(columns[0]) + right.total(columns[1]);
            let (left, right) = (derive(left, steps)?, derive(&right, steps)?);
            let tree = diff(
                (&left.profile, columns[0]),
                (&right.profile, columns[1]),
                By::Function,
                Scale::Absolute,
            );
            let mut unmatched = left.unmatched;
            unmatched.retain(|step| right.unmatched.contains(step));
            View::new(Values::Diff(Box::new(tree)), kind, unit).derived(whole, unmatched)
        };
        let view = view.normalised_to(hundred);
        let view = if invert { view.inverted() } else { view };
        Ok(self.add_tree(view))
    }
}

/// The column of a sample type, else the first one of that name that counts in parts of the unit, or
/// in a unit of which it is a part.
fn column_of(profile: &Profile, kind: &str, unit: &str) -> Result<usize, SessionError> {
    let types = profile.sample_types();
    let same = |&t: &_| profile.type_text(t) == (kind, unit);
    let alike = |&t: &_| {
        let (other, part) = profile.type_text(t);
        other == kind && finer_unit(part, unit).is_some()
    };
    let column = types.iter().position(same);
    column
        .or_else(|| types.iter().position(alike))
        .ok_or_else(|| {
            let has = types.iter().map(|&t| profile.type_text(t));
            let has: Vec<String> = has.map(|(k, u)| format!("{k}/{u}")).collect();
            SessionError::NoSuchType {
                kind: kind.to_owned(),
                unit: unit.to_owned(),
                has: has.join(", "),
            }
        })
}

/// Totals below this are exact as floating-point numbers.
const MOST: u128 = 1 << 53;

/// A profile whose column is multiplied by a power of ten, as far as its total stays exact.
fn enlarged(profile: Cow<'_, Profile>, column: usize) -> Cow<'_, Profile> {
    let total = profile.total(column).unsigned_abs();
    let mut factor = 1;
    while total > 0 && total * factor as u128 * 10 < MOST {
        factor *= 10;
    }
    let Some(ratio) = Ratio::new(factor, 1).filter(|_| factor > 1) else {
        return profile;
    };
    let scaled = verbs::scale(&profile, column, ratio);
    // Gains and losses may cancel out, and be far larger than their sum.
    if scaled.saturated > 0 {
        return profile;
    }
    Cow::Owned(scaled.profile)
}

/// A profile with a column scaled to another total; as it is where no factor above zero does that.
fn scaled_to(
    profile: &Profile,
    column: usize,
    total: i128,
) -> Result<Cow<'_, Profile>, SessionError> {
    let from = profile.total(column);
    if from == 0 || (total != 0 && (total < 0) != (from < 0)) {
        return Ok(Cow::Borrowed(profile));
    }
    let [to, from] = [total, from].map(|total| u64::try_from(total.unsigned_abs()));
    let ratio = match (to.map(i64::try_from), from) {
        (Ok(Ok(to)), Ok(from)) => Ratio::new(to, from),
        _ => None,
    };
    let scaled = verbs::scale(profile, column, ratio.ok_or(SessionError::Saturated)?);
    Ok(Cow::Owned(scaled.profile))
}
