//! `{"labels":{"region":["eu","us"]}}`

use std::collections::{BTreeMap, BTreeSet};

use pilotlight_core::{
    Selector, TimeRange,
    plans::{CatalogObject, label_values},
};
use serde::Serialize;

/// Label names and their values.
#[derive(Debug, Serialize)]
pub(super) struct Labels {
    labels: BTreeMap<String, BTreeSet<String>>,
}

/// The labels of the selected series.
pub(super) fn answer(objects: &[CatalogObject], selector: &Selector, range: TimeRange) -> Labels {
    Labels {
        labels: label_values(objects, selector, selector.profile_type.as_ref(), range),
    }
}
