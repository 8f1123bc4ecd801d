//! `{"labels":{"region":["eu","us"]}}`, and `"counts":{"pod":12000}` of labels whose values are cut

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
    /// How many values a label has of which not all are listed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    counts: BTreeMap<String, usize>,
}

impl LabelsAnswer {
    /// The labels of the selected series.
    pub fn new(objects: &[CatalogObject], selector: &Selector, range: TimeRange) -> Self {
        Self {
            labels: label_values(objects, selector, selector.profile_type.as_ref(), range),
            counts: BTreeMap::new(),
        }
    }

    /// With at most so many values of each label, the first ones.
    #[must_use]
    pub fn limited(mut self, limit: usize) -> Self {
        for (name, values) in &mut self.labels {
            if let Some(first_left_out) = values.iter().nth(limit).cloned() {
                self.counts.insert(name.clone(), values.len());
                values.split_off(&first_left_out);
            }
        }
        self
    }

    /// How many values a label has.
    pub(crate) fn count(&self, name: &str) -> usize {
        let listed = || self.labels.get(name).map_or(0, BTreeSet::len);
        self.counts.get(name).copied().unwrap_or_else(listed)
    }

    /// The values of each label.
    pub(crate) fn labels(&self) -> &BTreeMap<String, BTreeSet<String>> {
        &self.labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_values_and_how_many_there_are() {
        let values = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect();
        let answer = LabelsAnswer {
            labels: [
                ("pod".to_owned(), values(&["a", "b", "c"])),
                ("region".to_owned(), values(&["eu", "us"])),
            ]
            .into(),
            counts: BTreeMap::new(),
        };
        let answer = answer.limited(2);
        assert_eq!(
            serde_json::to_string(&answer).unwrap(),
            r#"{"labels":{"pod":["a","b"],"region":["eu","us"]},"counts":{"pod":3}}"#
        );
        assert_eq!((answer.count("pod"), answer.count("region")), (3, 2));
        assert_eq!(answer.count("none"), 0);
    }
}
