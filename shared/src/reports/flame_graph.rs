//! The largest nodes of a flame graph as an indented list.

use std::cmp::Reverse;

use serde::Serialize;

use super::markdown::{ABOVE_ROWS, Document, about, code, row_bytes};
use super::{Markdown, Source};
use crate::plans::QueryAnswer;
use crate::tree::frames::By;
use crate::verbs::{format_percent, format_value};
use crate::views::pyroscope::{Budget, OTHER, OutlineRow, TooLarge, outline};

/// The largest nodes of a flame graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlameGraphReport {
    /// The profiles.
    #[serde(flatten)]
    pub source: Source,
    /// Each node before what it calls; of siblings the largest total first, `other` last.
    pub nodes: Vec<OutlineRow>,
    /// How many nodes are folded into those that are called `other`.
    pub coverage: NodeCoverage,
}

/// How many nodes are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NodeCoverage {
    /// Rows, those of `other` included.
    pub shown: u64,
    /// Nodes that are folded into `other`.
    pub folded: u64,
}

impl FlameGraphReport {
    /// The largest `nodes` nodes of an answer, and one `other` for each node of which some children
    /// are folded.
    pub fn new(source: Source, answer: &QueryAnswer, nodes: usize) -> Result<Self, TooLarge> {
        let mut budget = Budget::default();
        let (rows, folded) = outline(&answer.tree(By::Name)?, nodes, &mut budget)?;
        let coverage = NodeCoverage {
            shown: rows.len() as u64,
            folded,
        };
        Ok(Self {
            source,
            nodes: rows,
            coverage,
        })
    }
}

impl Markdown for FlameGraphReport {
    fn markdown(&self, most: usize) -> String {
        let source = &self.source;
        let mut document = Document::new(most);
        about(&mut document, source);
        if source.profiles == 0 {
            return document.finish();
        }
        let row = |node: &OutlineRow| {
            [
                format!("{} {}", node.depth, code(&node.name)),
                format_value(node.total, &source.unit),
                format_percent(node.total.into(), source.total.into()),
                format_value(node.own, &source.unit),
            ]
        };
        // What is folded has no name, so it says nothing here.
        let named = self.nodes.iter().filter(|node| node.name != OTHER);
        let mut rows: Vec<(i64, [String; 4])> = named.map(|node| (node.total, row(node))).collect();
        let all = rows.len() as u64 + self.coverage.folded;
        let rows = largest(&mut rows, document.room().saturating_sub(ABOVE_ROWS));
        document.paragraph(&format!(
            "The {} largest of {all} nodes, each before its callees. A number before a name is its depth.",
            rows.len()
        ));
        document.table(1, ["function", "total", "total %", "self"], rows);
        document.finish()
    }
}

/// As many rows as have room, the largest ones, in order. What calls another one has no less.
fn largest(rows: &mut Vec<(i64, [String; 4])>, room: usize) -> Vec<[String; 4]> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&row| (Reverse(rows[row].0), row));
    let mut left = room;
    let mut has_room = vec![false; rows.len()];
    for row in order {
        let Some(rest) = left.checked_sub(row_bytes(&rows[row].1)) else {
            break;
        };
        (left, has_room[row]) = (rest, true);
    }
    let rows = rows.drain(..).zip(has_room);
    rows.filter_map(|((_, row), has_room)| has_room.then_some(row))
        .collect()
}
