//! Call site: the stacks that begin with given functions.

use hashbrown::HashMap;

use crate::model::address_name::location_name;
use crate::model::id::{FunctionId, LocationId};
use crate::model::profile::Profile;
use crate::verbs::rewrite::fold_rows;

/// Which rows of the stack table begin, at the root, with functions of these names, one after the
/// other; without names all do.
///
/// Names are those that a tree by name shows: inlined functions count one by one, a function without
/// a name has its system name, and a location without functions has that of its address.
pub(crate) fn call_site_stacks<S: AsRef<str>>(profile: &Profile, names: &[S]) -> Vec<bool> {
    let site = CallSite::new(profile, names);
    let rows = fold_rows(profile, Some(0), |agree: Option<usize>, location| {
        site.agree(agree?, location)
    });
    let all = Some(names.len());
    rows.into_iter().map(|agree| agree == all).collect()
}

/// The functions of a call site, and what a profile has of them, by numbers.
struct CallSite<'a> {
    profile: &'a Profile,
    /// Equal names have the same number.
    names: Vec<u32>,
    /// The number of each function's name, if it is one of these.
    functions: Vec<Option<u32>>,
    /// The same of each location that has no function, by its address.
    addresses: Vec<Option<u32>>,
}

impl<'a> CallSite<'a> {
    fn new<S: AsRef<str>>(profile: &'a Profile, names: &[S]) -> Self {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let numbered = names.iter().zip(0..).map(|(name, number)| {
            let known = numbers.entry(name.as_ref());
            *known.or_insert(number)
        });
        let names = numbered.collect();
        let functions = (0..profile.functions.len()).map(|i| {
            numbers
                .get(profile.function_name(FunctionId::new(i)))
                .copied()
        });
        let address = |id: LocationId| {
            if numbers.is_empty() || functions_of(profile, id).next().is_some() {
                return None;
            }
            numbers.get(location_name(profile, id).as_str()).copied()
        };
        Self {
            names,
            functions: functions.collect(),
            addresses: profile.location_ids().map(address).collect(),
            profile,
        }
    }

    /// With how many of the names a stack begins whose caller begins with `agree` of them; `None`
    /// when one differs.
    fn agree(&self, agree: usize, location: LocationId) -> Option<usize> {
        let mut left = self.names[agree..].iter();
        let mut frames = functions_of(self.profile, location).peekable();
        if frames.peek().is_none() {
            let Some(&name) = left.next() else {
                return Some(agree);
            };
            return (self.addresses[location.index()] == Some(name)).then_some(agree + 1);
        }
        let mut agree = agree;
        for (function, &name) in frames.zip(left) {
            if self.functions[function.index()] != Some(name) {
                return None;
            }
            agree += 1;
        }
        Some(agree)
    }
}

/// The functions of a location, the outermost first.
pub(super) fn functions_of(
    profile: &Profile,
    location: LocationId,
) -> impl Iterator<Item = FunctionId> {
    let lines = profile.lines(location).iter().rev();
    lines.filter_map(|line| line.function)
}
