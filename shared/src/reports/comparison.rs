//! What changed between two selections: which functions take more than before, and which less.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::functions::FunctionOrder;
use super::markdown::{ABOVE_ROWS, Document, code, fitting, range, sum};
use super::{Markdown, Source, share};
use crate::base::sort::sort_by;
use crate::plans::QueryAnswer;
use crate::tree::frames::By;
use crate::tree::table::function_table;
use crate::verbs::{format_mean, format_percent, format_value};
use crate::views::pyroscope::{Budget, TooLarge};

/// How the sides are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ComparisonScale {
    /// By their parts of each side's whole, so that sides of different length or load compare.
    Share,
    /// By their values.
    Absolute,
}

/// The functions whose values changed most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The side before.
    pub baseline: Source,
    /// The side after.
    pub comparison: Source,
    /// How the sides are compared.
    pub scale: ComparisonScale,
    /// By which values.
    #[serde(skip)]
    order: FunctionOrder,
    /// Functions that take more than before; the largest change first.
    pub grew: Vec<ChangedFunction>,
    /// Functions that take less than before; the largest change first.
    pub shrank: Vec<ChangedFunction>,
    /// How many there are.
    pub coverage: ChangeCoverage,
}

/// A function's values on both sides. Where a side does not have it, they are 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFunction {
    /// Its name.
    pub name: String,
    /// Self value before.
    pub baseline_self: i64,
    /// Self value after.
    #[serde(rename = "self")]
    pub own: i64,
    /// Total before.
    pub baseline_total: i64,
    /// Total after.
    pub total: i64,
    /// The self value after as a part of its side's whole, less that before.
    pub self_share_change: f64,
    /// The same of the totals.
    pub total_share_change: f64,
}

/// How many functions changed, and how many of them are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ChangeCoverage {
    /// Functions of both sides together.
    pub functions: u64,
    /// Those that take more than before.
    pub grew: u64,
    /// Those that take less than before.
    pub shrank: u64,
}

/// One side of a comparison: the functions of an answer, which is not needed any more then.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonSide {
    source: Source,
    functions: BTreeMap<String, Values>,
}

/// A function's values on one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Values {
    own: i64,
    total: i64,
}

/// A change that can be ordered: a difference of values, or of shares with a common denominator.
struct Change<'a> {
    name: &'a str,
    before: Values,
    after: Values,
    by: i128,
}

impl ComparisonSide {
    /// Of an answer.
    pub fn new(source: Source, answer: &QueryAnswer) -> Result<Self, TooLarge> {
        let tree = answer.tree(By::Name)?;
        let shape = tree.shape();
        let functions = function_table(&tree).into_iter().map(|row| {
            let values = Values {
                own: row.own[0],
                total: row.total[0],
            };
            let name = shape.text(shape.frames()[row.frame].name);
            (name.to_owned(), values)
        });
        Ok(Self {
            functions: functions.collect(),
            source,
        })
    }
}

impl Comparison {
    /// Compares two sides of one profile type by the self values or totals of functions, with at
    /// most `limit` functions in each list.
    pub fn new(
        baseline: ComparisonSide,
        comparison: ComparisonSide,
        order: FunctionOrder,
        scale: ComparisonScale,
        limit: usize,
    ) -> Result<Self, TooLarge> {
        let mut functions: BTreeMap<&str, [Values; 2]> = BTreeMap::new();
        for (side, of_side) in [&baseline, &comparison].into_iter().enumerate() {
            for (name, values) in &of_side.functions {
                functions.entry(name).or_default()[side] = *values;
            }
        }
        let wholes = [baseline.source.total, comparison.source.total];
        let change = |(name, sides): (_, [Values; 2])| {
            let [before, after] = sides.map(|values| match order {
                FunctionOrder::Own => i128::from(values.own),
                FunctionOrder::Total => i128::from(values.total),
            });
            let by = match scale {
                ComparisonScale::Absolute => after - before,
                // after / whole after - before / whole before, times both wholes: exact.
                ComparisonScale::Share => match wholes.map(i128::from) {
                    [0, 0] => 0,
                    [0, _] => after,
                    [_, 0] => -before,
                    [whole_before, whole_after] => after * whole_before - before * whole_after,
                },
            };
            let [before, after] = sides;
            Change {
                name,
                before,
                after,
                by,
            }
        };
        let changes: Vec<Change> = functions.into_iter().map(change).collect();
        let functions = changes.len() as u64;
        let (mut grew, mut shrank): (Vec<Change>, Vec<Change>) = changes
            .into_iter()
            .filter(|change| change.by != 0)
            .partition(|change| change.by > 0);
        let coverage = ChangeCoverage {
            functions,
            grew: grew.len() as u64,
            shrank: shrank.len() as u64,
        };
        let mut budget = Budget::default();
        let mut shown = |changes: &mut Vec<Change>| -> Result<Vec<ChangedFunction>, TooLarge> {
            // Of equal changes the larger function comes first, and of equal ones that whose name does.
            let size = |change: &Change| {
                let larger = change.before.total.max(change.after.total);
                (Reverse(change.by.abs()), Reverse(larger))
            };
            sort_by(changes, |a, b| size(a).cmp(&size(b)));
            changes.truncate(limit);
            budget.names(changes.iter().map(|change| change.name))?;
            let part = |side: usize, value: i64| share(value, wholes[side]);
            let function = |change: &Change| {
                let Change {
                    name,
                    before,
                    after,
                    ..
                } = change;
                ChangedFunction {
                    name: (*name).to_owned(),
                    baseline_self: before.own,
                    own: after.own,
                    baseline_total: before.total,
                    total: after.total,
                    self_share_change: part(1, after.own) - part(0, before.own),
                    total_share_change: part(1, after.total) - part(0, before.total),
                }
            };
            Ok(changes.iter().map(function).collect())
        };
        Ok(Self {
            grew: shown(&mut grew)?,
            shrank: shown(&mut shrank)?,
            scale,
            order,
            coverage,
            baseline: baseline.source,
            comparison: comparison.source,
        })
    }
}

impl Markdown for Comparison {
    fn markdown(&self, most: usize) -> String {
        let mut document = Document::new(most);
        let side = |source: &Source| {
            format!(
                "{}, {}: {}",
                code(&source.query),
                range(source.from, source.until),
                sum(source)
            )
        };
        document.paragraph(&format!("Baseline: {}", side(&self.baseline)));
        document.paragraph(&format!("Comparison: {}", side(&self.comparison)));
        if self.baseline.profiles == 0 || self.comparison.profiles == 0 {
            return document.finish();
        }
        document.paragraph(&self.per_profile());
        let ChangeCoverage {
            functions,
            grew,
            shrank,
        } = self.coverage;
        document.paragraph(&format!(
            "By {}, {grew} of {functions} functions use more than before and {shrank} use less. {}",
            match self.order {
                FunctionOrder::Own => "self values",
                FunctionOrder::Total => "totals",
            },
            match self.scale {
                ComparisonScale::Share => "Percentages are of each side's total.",
                ComparisonScale::Absolute => "Absolute values are compared.",
            }
        ));
        let row = |change: &ChangedFunction| {
            [
                code(&change.name),
                self.value(0, change.baseline_self),
                self.value(1, change.own),
                self.value(0, change.baseline_total),
                self.value(1, change.total),
            ]
        };
        for (what, changes, of, tables) in [
            ("more", &self.grew, grew, 2),
            ("less", &self.shrank, shrank, 1),
        ] {
            // What the first table leaves is for the second.
            let room = document.room() / tables;
            let rows = fitting(changes.iter().map(row), room.saturating_sub(ABOVE_ROWS));
            let head = format!("uses {what} ({} of {of})", rows.len());
            document.table(
                1,
                [
                    &head,
                    "self before",
                    "self after",
                    "total before",
                    "total after",
                ],
                rows,
            );
        }
        document.finish()
    }
}

impl Comparison {
    /// What a profile of each side has: sides may have different numbers of them.
    fn per_profile(&self) -> String {
        let mean = |source: &Source| source.total as f64 / source.profiles.max(1) as f64;
        let [before, after] = [mean(&self.baseline), mean(&self.comparison)];
        let change = match before {
            0.0 => String::new(),
            _ => format!(" ({:+.1} %)", (after / before - 1.0) * 100.0),
        };
        let value =
            |source: &Source| format_mean(source.total, source.profiles, &self.comparison.unit);
        format!(
            "Per profile: {} before, {} after{change}.",
            value(&self.baseline),
            value(&self.comparison)
        )
    }

    /// A value of a side in words.
    fn value(&self, side: usize, value: i64) -> String {
        let source = [&self.baseline, &self.comparison][side];
        match self.scale {
            ComparisonScale::Share => format_percent(value.into(), source.total.into()),
            // A side without profiles has no unit.
            ComparisonScale::Absolute if source.unit.is_empty() => value.to_string(),
            ComparisonScale::Absolute => format_value(value, &source.unit),
        }
    }
}
