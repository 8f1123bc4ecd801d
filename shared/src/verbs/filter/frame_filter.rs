//! Frame filters: which functions a stack must have, and which it may not.

use std::collections::BTreeSet;

use super::call_site::functions_of;
use super::frames::FramePattern;
use crate::model::address_name::location_name;
use crate::model::id::{FunctionId, LocationId};
use crate::model::profile::Profile;
use crate::verbs::rewrite::fold_rows;

/// Functions that a stack must have, and functions that it may not have, by their names: whole, or
/// by patterns that may match anywhere in them.
#[derive(Clone, Debug, Default)]
pub struct FrameFilter {
    /// A stack has each of these names, and of each of these patterns a name that matches.
    pub included: FunctionNames,
    /// It has none of these; they win over those that are included.
    pub excluded: FunctionNames,
}

/// Names of functions, and patterns of names.
#[derive(Clone, Debug, Default)]
pub struct FunctionNames {
    /// Whole names.
    pub names: BTreeSet<String>,
    /// Patterns of names; files do not count.
    pub patterns: Vec<FramePattern>,
}

impl FunctionNames {
    /// How many names and patterns there are.
    pub fn len(&self) -> usize {
        self.names.len() + self.patterns.len()
    }

    /// Whether no function is named.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name) || self.patterns.iter().any(|pattern| pattern.matches(name))
    }
}

/// What the frames of a stack have of a filter.
#[derive(Clone, Copy, Default)]
struct Found {
    /// A bit for each name and pattern that is included.
    included: u64,
    excluded: bool,
}

impl FrameFilter {
    /// Most names and patterns that a stack must have, together.
    pub const MAX_INCLUDED: usize = u64::BITS as usize;

    /// Whether every stack fits.
    pub fn is_all(&self) -> bool {
        self.included.is_empty() && self.excluded.is_empty()
    }

    /// Which rows of the stack table fit. Of more than [`Self::MAX_INCLUDED`] names and patterns
    /// that a stack must have, the first count.
    ///
    /// Names are those that a tree by name shows: inlined functions count one by one, a function
    /// without a name has its system name, and a location without functions has that of its address.
    pub(crate) fn stacks(&self, profile: &Profile) -> Vec<bool> {
        let functions: Vec<Found> = (0..profile.functions.len())
            .map(|i| self.found(profile.function_name(FunctionId::new(i))))
            .collect();
        let of_location = |id: LocationId| {
            let found = functions_of(profile, id).map(|function| functions[function.index()]);
            // By name, or by address where there is none.
            found
                .reduce(Found::and)
                .unwrap_or_else(|| self.found(&location_name(profile, id)))
        };
        let locations: Vec<Found> = profile.location_ids().map(of_location).collect();
        let rows = fold_rows(profile, Found::default(), |callers, location| {
            callers.and(locations[location.index()])
        });
        let all = self.all_included();
        let fits = |found: Found| found.included == all && !found.excluded;
        rows.into_iter().map(fits).collect()
    }

    fn found(&self, name: &str) -> Found {
        let FunctionNames { names, patterns } = &self.included;
        let named = names.iter().map(|included| included == name);
        let matching = patterns.iter().map(|pattern| pattern.matches(name));
        let bits = named.chain(matching).take(Self::MAX_INCLUDED).enumerate();
        Found {
            included: bits.fold(0, |set, (bit, found)| set | u64::from(found) << bit),
            excluded: self.excluded.has(name),
        }
    }

    fn all_included(&self) -> u64 {
        match self.included.len() {
            count @ 0..Self::MAX_INCLUDED => (1 << count) - 1,
            _ => u64::MAX,
        }
    }
}

impl Found {
    fn and(self, other: Self) -> Self {
        Self {
            included: self.included | other.included,
            excluded: self.excluded || other.excluded,
        }
    }
}
