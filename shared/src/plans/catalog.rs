//! Questions that directories answer by themselves.
//!
//! A chunk's time is exact; a dataset of a block counts as a whole when its span touches the range.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::CatalogObject;
use crate::base::units::TimeRange;
use crate::model::labels::{Labels, SERVICE_NAME};
use crate::model::profile_type::ProfileType;
use crate::selector::Selector;

/// A service that has profiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Its name; empty for series without one.
    pub name: String,
    /// Types of profiles that it has, in order.
    pub types: Vec<ProfileType>,
}

/// Services with profiles in `range`, in order of name.
pub fn services(objects: &[CatalogObject], range: TimeRange) -> Vec<Service> {
    let mut found: BTreeMap<&str, BTreeSet<&ProfileType>> = BTreeMap::new();
    for (labels, profile_type) in series(objects, range) {
        found
            .entry(labels.get(SERVICE_NAME).unwrap_or(""))
            .or_default()
            .insert(profile_type);
    }
    let service = |(name, types): (&str, BTreeSet<&ProfileType>)| Service {
        name: name.to_owned(),
        types: types.into_iter().cloned().collect(),
    };
    found.into_iter().map(service).collect()
}

/// Label names and their values among selected series with profiles in `range`.
pub fn label_values(
    objects: &[CatalogObject],
    selector: &Selector,
    profile_type: Option<&ProfileType>,
    range: TimeRange,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut unique: BTreeSet<(&Labels, &ProfileType)> = BTreeSet::new();
    unique.extend(series(objects, range));
    for (labels, of_type) in unique {
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

fn series(
    objects: &[CatalogObject],
    range: TimeRange,
) -> impl Iterator<Item = (&Labels, &ProfileType)> {
    let all = objects.iter().flat_map(|object| object.directory.series());
    all.filter(move |&(_, _, first, last)| range.touches(first, last))
        .map(|(labels, of_type, _, _)| (labels, of_type))
}
