//! `{"labels":{"region":["eu","us"]}}`

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::base::units::TimeRange;
use crate::plans::catalog::label_values;
use crate::plans::plan::CatalogObject;
use crate::selector::Selector;

/// Label names and their values.
#[derive(Debug, Serialize)]
pub struct LabelsAnswer {
    labels: BTreeMap<String, BTreeSet<String>>,
}

impl LabelsAnswer {
    /// The labels of the selected series.
    pub fn new(objects: &[CatalogObject], selector: &Selector, range: TimeRange) -> Self {
        Self {
            labels: label_values(objects, selector, selector.profile_type.as_ref(), range),
        }
    }
}
