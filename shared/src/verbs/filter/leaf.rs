//! Leaves: the stacks that end with given functions.

use super::call_site::functions_of;
use super::frame_filter::FunctionNames;
use crate::model::address_name::location_name;
use crate::model::id::{FunctionId, LocationId};
use crate::model::profile::Profile;

/// Which rows of the stack table end, at the leaf, with a function of one of these names.
///
/// Names are those that a tree by name shows: of inlined functions the innermost counts, a function
/// without a name has its system name, and a location without functions has that of its address.
pub(crate) fn leaf_stacks(profile: &Profile, leaf: &FunctionNames) -> Vec<bool> {
    let functions: Vec<bool> = (0..profile.functions.len())
        .map(|i| leaf.has(profile.function_name(FunctionId::new(i))))
        .collect();
    let of_location = |id: LocationId| match functions_of(profile, id).last() {
        Some(function) => functions[function.index()],
        None => leaf.has(&location_name(profile, id)),
    };
    let locations: Vec<bool> = profile.location_ids().map(of_location).collect();
    let rows = profile.stacks.iter();
    rows.map(|row| locations[row.location.index()]).collect()
}
