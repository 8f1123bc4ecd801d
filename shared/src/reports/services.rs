//! Services in words.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Markdown;
use super::markdown::{Document, code, counted, range};
use crate::base::clamp::clamped;
use crate::plans::ServicesAnswer;
use crate::verbs::format_value;

impl Markdown for ServicesAnswer {
    /// Those with the most profiles come first.
    fn markdown(&self, most: usize) -> String {
        let mut document = Document::new(most);
        let mut rows: Vec<_> = self.totals().collect();
        let mut profiles: BTreeMap<&str, u64> = BTreeMap::new();
        for row in &rows {
            let sum = profiles.entry(row.service).or_default();
            *sum = sum.saturating_add(row.profiles);
        }
        // The types of a service stay together, in their order.
        rows.sort_by_key(|row| (Reverse(profiles[row.service]), row.service));
        let range = range(self.range().from.millis(), self.range().until.millis());
        if rows.is_empty() {
            document.paragraph(&format!("{range}: no service sent a profile."));
            return document.finish();
        }
        document.paragraph(&format!(
            "{range}: {} of {} services, with {} profile types. A query consists of a profile type and labels, such as `TYPE{{service_name=\"NAME\"}}`.",
            self.listed(),
            self.count(),
            rows.len()
        ));
        document.table(
            2,
            [
                "service",
                "profile type",
                "total",
                "previous range",
                "profiles",
            ],
            rows.iter().map(|row| {
                let value = |value: i128| format_value(clamped(value), &row.id.sample_unit);
                [
                    code(row.service),
                    code(&row.id.to_string()),
                    value(row.total),
                    // A range with far fewer profiles is no measure of change.
                    format!(
                        "{} in {}",
                        value(row.previous),
                        counted(row.previous_profiles)
                    ),
                    row.profiles.to_string(),
                ]
            }),
        );
        document.finish()
    }
}
