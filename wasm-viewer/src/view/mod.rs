//! One open tree with what is marked in it.

use pilotlight_core::flame::{Paint, paint};
use pilotlight_core::verbs::Chart;
use pilotlight_core::{Frame, NodeId, Shape};

use crate::answers::{DiffTotals, TablePage, TreeInfo};
use crate::error::SessionError;

mod boxes;
mod details;
mod graph;
mod marks;
mod table;
mod turned;
mod values;

pub use boxes::Widths;
pub use table::Sort;
pub(crate) use values::Values;

use table::{Order, Table};
use values::both_exact;

/// A tree, what was searched and selected in it, and its table of functions.
pub struct View {
    values: Values,
    kind: String,
    unit: String,
    /// Of a comparison in shares, what 100 % is.
    normalised_to: Option<i128>,
    /// What the tree is a part of.
    whole: i128,
    /// Numbers of the steps that matched nothing.
    unmatched: Vec<u32>,
    /// Whether callers are below what they call.
    inverted: bool,
    /// The depth below which callers are left out.
    cut: Option<u32>,
    depths: Vec<u32>,
    /// Colour of each frame.
    paints: Vec<Paint>,
    table: Table,
    /// For each frame whether it matches, and the matching nodes.
    matches: Option<(Vec<bool>, Vec<NodeId>)>,
    /// The selected function's frame.
    selected: Option<usize>,
    /// Of a flame chart, the frame of its pauses.
    pause: Option<usize>,
    /// Of a flame chart, when each node begins, in nanoseconds since the recording's first sample.
    starts: Vec<i64>,
}

impl View {
    pub(crate) fn new(values: Values, kind: &str, unit: &str) -> Self {
        let shape = values.shape();
        let color = |f: &Frame| paint(shape.text(f.name), shape.text(f.file), shape.text(f.module));
        Self {
            depths: shape.depths(),
            paints: shape.frames().iter().map(color).collect(),
            table: Table::new(&values),
            kind: kind.to_owned(),
            unit: unit.to_owned(),
            normalised_to: None,
            whole: both_exact(values.totals(NodeId::ROOT)),
            unmatched: Vec::new(),
            inverted: false,
            cut: None,
            matches: None,
            selected: None,
            pause: None,
            starts: Vec::new(),
            values,
        }
    }

    /// A flame chart. Its values are times, whatever the profile counts. `first` is when the
    /// recording's first sample was taken.
    pub(crate) fn chart(chart: Chart, first: i64) -> Self {
        let pause = chart.pause;
        let start = chart.start.saturating_sub(first);
        let mut view = Self::new(Values::Call(Box::new(chart.tree)), "time", "nanoseconds");
        view.table.without(pause);
        let shape = view.values.shape();
        for node in (1..shape.len() as u32).map(NodeId) {
            let parent = shape.parent(node);
            if shape.frame_index(node) == pause && parent != NodeId::ROOT {
                let paused = view.values.totals(node);
                view.table.add_own(shape.frame_index(parent), paused);
            }
        }
        Self {
            pause: Some(pause),
            starts: view.starts_from(start),
            ..view
        }
    }

    /// When each node begins: with its parent, or where the node before it ends.
    fn starts_from(&self, start: i64) -> Vec<i64> {
        let shape = self.values.shape();
        // Of each node, when it begins and up to when its children reach. Parents come first.
        let mut spans = vec![(start, start)];
        for node in (1..shape.len() as u32).map(NodeId) {
            let filled = &mut spans[shape.parent(node).0 as usize].1;
            let begin = *filled;
            *filled = begin.saturating_add(self.values.totals(node)[0]);
            spans.push((begin, begin));
        }
        spans.into_iter().map(|(begin, _)| begin).collect()
    }

    /// Of a flame chart, the seconds between the recording's first sample and a node.
    fn start_of(&self, node: NodeId) -> Option<f64> {
        let nanos = self.starts.get(node.0 as usize)?;
        Some(*nanos as f64 / 1e9)
    }

    /// Whether a node is a pause of a flame chart.
    fn is_pause(&self, node: NodeId) -> bool {
        self.pause == Some(self.shape().frame_index(node))
    }

    /// The children of a node, without pauses.
    fn children_of(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let children = self.shape().children(node);
        children.filter(|&child| !self.is_pause(child))
    }

    /// The value of a node alone. In a flame chart that includes its pauses.
    fn own(&self, node: NodeId) -> [i64; 2] {
        let mut own = self.values.own(node);
        if self.pause.is_some() && node != NodeId::ROOT {
            let pauses = self
                .shape()
                .children(node)
                .filter(|&child| self.is_pause(child));
            own[0] += pauses
                .map(|pause| self.values.totals(pause)[0])
                .sum::<i64>();
        }
        own
    }

    /// Says of what the steps made this tree, and which of them matched nothing.
    pub(crate) fn derived(self, whole: i128, unmatched: Vec<u32>) -> Self {
        Self {
            whole,
            unmatched,
            ..self
        }
    }

    /// Says of a comparison what both totals were scaled to before its steps.
    pub(crate) fn normalised_to(self, total: Option<i128>) -> Self {
        Self {
            normalised_to: total,
            ..self
        }
    }

    pub(crate) fn info(&self, id: u32) -> TreeInfo {
        let [base, comparison] = self.values.totals(NodeId::ROOT);
        let diff = matches!(self.values, Values::Diff(_)).then(|| DiffTotals {
            base: base as f64,
            comparison: comparison as f64,
            base_exact: base.to_string(),
            comparison_exact: comparison.to_string(),
            normalised_to: self.normalised_to.map(|total| total as f64),
        });
        TreeInfo {
            id,
            nodes: self.frames(),
            undrawn: self.undrawn(),
            depth: self.depths.iter().max().map_or(0, |d| d + 1),
            kind: self.kind.clone(),
            unit: self.unit.clone(),
            total: base as f64,
            total_exact: base.to_string(),
            whole: self.whole as f64,
            whole_exact: self.whole.to_string(),
            unmatched: self.unmatched.clone(),
            inverted: self.inverted,
            cut: self.cut,
            start: self.start_of(NodeId::ROOT),
            left: None,
            diff,
        }
    }

    /// How many nodes there are, without pauses.
    fn frames(&self) -> u32 {
        let all = self.shape().len();
        let pauses = match self.pause {
            None => 0,
            Some(_) => {
                let nodes = (0..all as u32).filter_map(|n| self.shape().node(n));
                nodes.filter(|&node| self.is_pause(node)).count()
            }
        };
        (all - pauses) as u32
    }

    /// How many nodes have no width, as they have no value above zero.
    fn undrawn(&self) -> u32 {
        let nodes = (0..self.shape().len() as u32).filter_map(|n| self.shape().node(n));
        let without = nodes.filter(|&node| both_exact(self.values.totals(node)) <= 0);
        without.count() as u32
    }

    /// Both sides of the root together.
    fn total(&self) -> i128 {
        both_exact(self.values.totals(NodeId::ROOT))
    }

    fn shape(&self) -> &Shape {
        self.values.shape()
    }

    fn node(&self, number: u32) -> Result<NodeId, SessionError> {
        self.shape()
            .node(number)
            .ok_or(SessionError::NoNode(number))
    }

    /// Names of nodes.
    pub fn names(&self, nodes: &[u32]) -> Result<Vec<String>, SessionError> {
        nodes
            .iter()
            .map(|&n| Ok(self.shape().name(self.node(n)?).to_owned()))
            .collect()
    }

    /// Stable key of a node.
    pub fn key(&self, number: u32) -> Result<String, SessionError> {
        let node = self.node(number)?;
        // In a chart the same path comes again and again.
        Ok(match self.pause {
            Some(_) => format!("@{}", node.0),
            None => format!("{:016x}", self.shape().key(node)),
        })
    }

    /// The node of a key, 0 when it is not in this tree.
    pub fn find(&self, key: &str) -> u32 {
        if self.pause.is_some() {
            let number = key.strip_prefix('@').and_then(|number| number.parse().ok());
            return number
                .filter(|&number| self.node(number).is_ok())
                .unwrap_or(0);
        }
        u64::from_str_radix(key, 16)
            .ok()
            .and_then(|key| self.shape().find(key))
            .unwrap_or(NodeId::ROOT)
            .0
    }

    /// Part of the table.
    pub fn table(
        &mut self,
        sort: Sort,
        descending: bool,
        filter: &str,
        offset: u32,
        limit: u32,
    ) -> Result<TablePage, SessionError> {
        let order = Order {
            sort,
            descending,
            filter: filter.to_owned(),
        };
        self.table.page(&self.values, order, offset, limit)
    }
}
