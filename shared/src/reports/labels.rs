//! Labels in words.

use super::Markdown;
use super::markdown::{Document, NOTHING, code};
use crate::plans::LabelsAnswer;

/// Most values of a label that are written.
const MAX_VALUES: usize = 20;

impl Markdown for LabelsAnswer {
    fn markdown(&self, most: usize) -> String {
        let mut document = Document::new(most);
        let labels = self.labels();
        if labels.is_empty() {
            document.paragraph(&format!("No labels: {NOTHING}"));
        } else {
            document.paragraph(&format!("{} labels.", labels.len()));
        }
        document.table(
            2,
            ["label", "first values", "values"],
            labels.iter().map(|(name, values)| {
                let first: Vec<String> = values
                    .iter()
                    .take(MAX_VALUES)
                    .map(|value| code(value))
                    .collect();
                let count = self.count(name).to_string();
                [code(name), first.join(", "), count]
            }),
        );
        document.finish()
    }
}
