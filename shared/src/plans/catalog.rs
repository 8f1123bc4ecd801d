//! Questions that directories answer by themselves.
//!
//! A chunk's time is exact; a dataset of a block counts as a whole when its span touches the range.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use hashbrown::{HashMap, HashSet};

use super::plan::CatalogObject;
use crate::base::units::TimeRange;
use crate::model::labels::Labels;
use crate::model::profile_type::ProfileType;
use crate::selector::Selector;

/// Label names and their values among selected series with profiles in `range`.
pub fn label_values(
    objects: &[CatalogObject],
    selector: &Selector,
    profile_type: Option<&ProfileType>,
    range: TimeRange,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (labels, of_type) in series(objects, range) {
        if profile_type.is_none_or(|wanted| wanted == of_type) && selector.matches(of_type, labels)
        {
            for (name, value) in labels.iter() {
                found
                    .entry(name.to_owned())
                    .or_default()
                    .insert(value.to_owned());
            }
        }
    }
    found
}

/// The series with profiles in `range`, each once.
///
/// A month has the same series hundreds of times, so label sets and types are compared once for each
/// table that they stand in, and series by their numbers.
pub fn series(objects: &[CatalogObject], range: TimeRange) -> BTreeSet<(&Labels, &ProfileType)> {
    let (mut label_sets, mut types) = (Distinct::default(), Distinct::default());
    let mut found: HashSet<(u32, u32)> = HashSet::new();
    for CatalogObject { directory, .. } in objects {
        let label_sets = label_sets.numbers(&directory.label_sets);
        let types = types.numbers(&directory.types);
        let touching = directory
            .series_entries()
            .filter(|&(_, _, first, last)| range.touches(first, last));
        found.extend(touching.map(|(l, t, ..)| (label_sets[l as usize], types[t as usize])));
    }
    let (label_sets, types) = (label_sets.items, types.items);
    let mut series = BTreeSet::new();
    series.extend(
        found
            .into_iter()
            .map(|(l, t)| (label_sets[l as usize], types[t as usize])),
    );
    series
}

/// Values that are numbered in order of first appearance.
struct Distinct<'a, T> {
    items: Vec<&'a T>,
    index: HashMap<&'a T, u32>,
}

impl<T> Default for Distinct<'_, T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            index: HashMap::new(),
        }
    }
}

impl<'a, T: Eq + Hash> Distinct<'a, T> {
    /// The numbers of a table's rows.
    fn numbers(&mut self, table: &'a [T]) -> Vec<u32> {
        let number = |item| {
            *self.index.entry(item).or_insert_with(|| {
                self.items.push(item);
                self.items.len() as u32 - 1
            })
        };
        table.iter().map(number).collect()
    }
}
