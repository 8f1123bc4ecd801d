//! The functions that matter most.

use serde::Serialize;

use super::markdown::{ABOVE_ROWS, Document, about, code, fitting};
use super::{Markdown, Source, share};
use crate::base::sort::sort_by;
use crate::plans::QueryAnswer;
use crate::tree::frames::By;
use crate::tree::search::Pattern;
use crate::tree::table::{FunctionRow, function_table};
use crate::verbs::{format_percent, format_value};
use crate::views::pyroscope::{Budget, TooLarge};

/// Which functions come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionOrder {
    /// Those with the largest self values.
    Own,
    /// Those with the largest totals.
    Total,
}

/// The functions of a profile with the largest values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TopFunctions {
    /// The profiles.
    #[serde(flatten)]
    pub source: Source,
    /// The largest first.
    pub functions: Vec<FunctionValues>,
    /// How much of the whole they are.
    pub coverage: FunctionCoverage,
}

/// A function's values over all places where it is called.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionValues {
    /// Its name.
    pub name: String,
    /// A source file in which it was found; empty when none is known.
    pub file: String,
    /// Without what it calls.
    #[serde(rename = "self")]
    pub own: i64,
    /// With what it calls; a recursive function counts once for each sample.
    pub total: i64,
    /// The self value as a part of the whole.
    pub self_share: f64,
    /// The total as a part of the whole.
    pub total_share: f64,
}

/// How much of a profile some of its functions are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionCoverage {
    /// How many functions there are, or how many a search found.
    pub functions: u64,
    /// How many of them are shown.
    pub shown: u64,
    /// Their self values together as a part of the whole.
    pub self_share: f64,
}

impl TopFunctions {
    /// The largest `limit` functions of an answer: all of them, or those whose names match `search`.
    pub fn new(
        source: Source,
        answer: &QueryAnswer,
        order: FunctionOrder,
        search: Option<&Pattern>,
        limit: usize,
    ) -> Result<Self, TooLarge> {
        let tree = answer.tree(By::Name)?;
        let shape = tree.shape();
        let name = |row: &FunctionRow<1>| shape.text(shape.frames()[row.frame].name);
        let mut rows = function_table(&tree);
        rows.retain(|row| search.is_none_or(|pattern| pattern.matches(name(row))));
        sort_by(&mut rows, |a, b| {
            let by = |row: &FunctionRow<1>| match order {
                FunctionOrder::Own => (row.own[0], row.total[0]),
                FunctionOrder::Total => (row.total[0], row.own[0]),
            };
            by(b).cmp(&by(a)).then_with(|| name(a).cmp(name(b)))
        });
        let functions = rows.len() as u64;
        rows.truncate(limit);
        // Many functions may share a file whose name is as long as a push.
        let file = |row: &FunctionRow<1>| shape.text(shape.frames()[row.frame].file);
        Budget::default().names(rows.iter().flat_map(|row| [name(row), file(row)]))?;
        let own = rows
            .iter()
            .fold(0i64, |sum, row| sum.saturating_add(row.own[0]));
        let coverage = FunctionCoverage {
            functions,
            shown: rows.len() as u64,
            self_share: share(own, source.total),
        };
        let values = |row: &FunctionRow<1>| FunctionValues {
            name: name(row).to_owned(),
            file: file(row).to_owned(),
            own: row.own[0],
            total: row.total[0],
            self_share: share(row.own[0], source.total),
            total_share: share(row.total[0], source.total),
        };
        Ok(Self {
            functions: rows.iter().map(values).collect(),
            source,
            coverage,
        })
    }
}

impl Markdown for TopFunctions {
    fn markdown(&self, most: usize) -> String {
        let (source, coverage) = (&self.source, &self.coverage);
        let mut document = Document::new(most);
        about(&mut document, source);
        if source.profiles == 0 {
            return document.finish();
        }
        if coverage.functions == 0 {
            document.paragraph("No function name matches the search.");
            return document.finish();
        }
        let percent = |value: i64| format_percent(value.into(), source.total.into());
        let row = |function: &FunctionValues| {
            [
                code(&function.name),
                format_value(function.own, &source.unit),
                percent(function.own),
                format_value(function.total, &source.unit),
                percent(function.total),
            ]
        };
        let room = document.room().saturating_sub(ABOVE_ROWS);
        let rows = fitting(self.functions.iter().map(row), room);
        let shown = &self.functions[..rows.len()];
        let own = shown
            .iter()
            .fold(0i64, |sum, function| sum.saturating_add(function.own));
        document.paragraph(&format!(
            "Showing {} of {} functions; their self values are {} of the total.",
            shown.len(),
            coverage.functions,
            percent(own)
        ));
        document.table(1, ["function", "self", "self %", "total", "total %"], rows);
        document.finish()
    }
}
