//! One open tree with what is marked in it.

use pilotlight_core::flame::{Paint, paint};
use pilotlight_core::{
    CallTree, DiffTree, FunctionRow as Row, NodeId, Pattern, Shape, function_table, search,
};

use crate::answers::{
    DiffTotals, FunctionRow, NodeDetail, NodeDiff, PathStep, SearchInfo, TablePage, TreeInfo,
};
use crate::error::SessionError;

/// A tree of one profile or of two.
pub(crate) enum Values {
    Call(Box<CallTree>),
    Diff(Box<DiffTree>),
}

/// A tree, what was searched and selected in it, and how its table is sorted.
pub struct View {
    pub(crate) values: Values,
    kind: String,
    unit: String,
    normalised: bool,
    depths: Vec<u32>,
    /// Colour of each frame.
    pub(crate) paints: Vec<Paint>,
    rows: Vec<Row<2>>,
    /// For each frame whether it matches, and the matching nodes.
    pub(crate) matches: Option<(Vec<bool>, Vec<NodeId>)>,
    /// The selected function's frame.
    pub(crate) selected: Option<usize>,
    sorted: Option<(Order, Vec<u32>)>,
}

/// A column of the function table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Sort {
    Own,
    Total,
    Name,
    Delta,
}

#[derive(PartialEq)]
struct Order {
    sort: Sort,
    descending: bool,
    filter: String,
}

impl Sort {
    /// `self`, `total`, `name` or `delta`.
    pub fn parse(text: &str) -> Result<Self, SessionError> {
        match text {
            "self" => Ok(Self::Own),
            "total" => Ok(Self::Total),
            "name" => Ok(Self::Name),
            "delta" => Ok(Self::Delta),
            other => Err(SessionError::Sort(other.to_owned())),
        }
    }
}

impl Values {
    pub(crate) fn shape(&self) -> &Shape {
        match self {
            Self::Call(tree) => tree.shape(),
            Self::Diff(diff) => diff.tree().shape(),
        }
    }

    /// Totals of both sides; a single profile has zero on the second.
    pub(crate) fn totals(&self, node: NodeId) -> [i64; 2] {
        match self {
            Self::Call(tree) => [tree.total_value(node), 0],
            Self::Diff(diff) => diff.tree().totals(node),
        }
    }

    fn own(&self, node: NodeId) -> [i64; 2] {
        match self {
            Self::Call(tree) => [tree.self_value(node), 0],
            Self::Diff(diff) => diff.tree().own(node),
        }
    }

    fn rows(&self) -> Vec<Row<2>> {
        match self {
            Self::Call(tree) => {
                let widen = |r: Row<1>| Row {
                    frame: r.frame,
                    own: [r.own[0], 0],
                    total: [r.total[0], 0],
                    nodes: r.nodes,
                };
                function_table(tree).into_iter().map(widen).collect()
            }
            Self::Diff(diff) => function_table(diff.tree()),
        }
    }
}

impl View {
    pub(crate) fn new(values: Values, kind: &str, unit: &str, normalised: bool) -> Self {
        let shape = values.shape();
        let color = |f: &pilotlight_core::Frame| {
            paint(shape.text(f.name), shape.text(f.file), shape.text(f.module))
        };
        Self {
            depths: shape.depths(),
            paints: shape.frames().iter().map(color).collect(),
            rows: values.rows(),
            kind: kind.to_owned(),
            unit: unit.to_owned(),
            normalised,
            matches: None,
            selected: None,
            sorted: None,
            values,
        }
    }

    pub(crate) fn info(&self, id: u32) -> TreeInfo {
        let [base, comparison] = self.values.totals(NodeId::ROOT);
        let diff = matches!(self.values, Values::Diff(_)).then(|| DiffTotals {
            base: base as f64,
            comparison: comparison as f64,
            base_exact: base.to_string(),
            comparison_exact: comparison.to_string(),
            normalised: self.normalised,
        });
        TreeInfo {
            id,
            nodes: self.shape().len() as u32,
            depth: self.depths.iter().max().map_or(0, |d| d + 1),
            kind: self.kind.clone(),
            unit: self.unit.clone(),
            total: base as f64,
            total_exact: base.to_string(),
            diff,
        }
    }

    pub(crate) fn shape(&self) -> &Shape {
        self.values.shape()
    }

    pub(crate) fn node(&self, number: u32) -> Result<NodeId, SessionError> {
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

    /// All about a node. Of a comparison, `self` and `total` are both sides together, as they are
    /// drawn.
    pub fn detail(&self, number: u32) -> Result<NodeDetail, SessionError> {
        let node = self.node(number)?;
        let shape = self.shape();
        let frame = shape.frame(node);
        let (own, total) = (self.values.own(node), self.values.totals(node));
        // The root is no function; it stands for all of them.
        let row = shape.frame_index(node).checked_sub(1).map(|i| self.rows[i]);
        let row = row.unwrap_or(Row {
            frame: 0,
            own,
            total,
            nodes: 1,
        });
        Ok(NodeDetail {
            node: number,
            func: shape.frame_index(node) as u32,
            name: shape.name(node).to_owned(),
            file: shape.text(frame.file).to_owned(),
            line: frame.line as f64,
            module: shape.text(frame.module).to_owned(),
            depth: self.depths[number as usize],
            children: shape.children(node).count() as u32,
            own: both(own),
            total: both(total),
            self_exact: exact(own),
            total_exact: exact(total),
            fraction: self.fraction(total),
            self_fraction: self.fraction(own),
            function_self: both(row.own),
            function_total: both(row.total),
            occurrences: row.nodes,
            path: shape
                .path(node)
                .iter()
                .map(|&n| PathStep {
                    node: n.0,
                    name: shape.name(n).to_owned(),
                })
                .collect(),
            key: self.key(number)?,
            diff: self.sides(own, total),
            function_diff: self.sides(row.own, row.total),
        })
    }

    /// The nodes below a node, the largest first, equals from left to right.
    pub fn children(&self, number: u32) -> Result<Vec<u32>, SessionError> {
        Ok(self.largest_first(self.shape().children(self.node(number)?)))
    }

    /// All nodes of a node's function, in the order of [`Self::children`]; the root's only itself.
    pub fn occurrences(&self, number: u32) -> Result<Vec<u32>, SessionError> {
        let frame = self.shape().frame_index(self.node(number)?);
        Ok(self.nodes_of(frame))
    }

    /// The neighbour in a direction, the node itself when there is none.
    pub fn step(&self, number: u32, direction: &str) -> Result<u32, SessionError> {
        let node = self.node(number)?;
        let shape = self.shape();
        let parent = shape.parent(node);
        let found = match direction {
            "parent" => Some(parent),
            // The heaviest child: the way down that a person most often wants.
            "child" => self.children(number)?.first().map(|&c| NodeId(c)),
            "next" => shape.children(parent).find(|c| c.0 > node.0),
            "previous" => shape.children(parent).take_while(|c| c.0 < node.0).last(),
            other => return Err(SessionError::Direction(other.to_owned())),
        };
        Ok(found
            .filter(|_| node != NodeId::ROOT || direction == "child")
            .unwrap_or(node)
            .0)
    }

    /// Marks what matches.
    pub fn search(&mut self, query: &str) -> Result<SearchInfo, SessionError> {
        let Some(pattern) = Pattern::parse(query)? else {
            self.matches = None;
            return Ok(SearchInfo::default());
        };
        let (frames, nodes, total) = match &self.values {
            Values::Call(tree) => {
                let m = search(tree, &pattern);
                (m.frames, m.nodes, [m.total[0], 0])
            }
            Values::Diff(diff) => {
                let m = search(diff.tree(), &pattern);
                (m.frames, m.nodes, m.total)
            }
        };
        let info = SearchInfo {
            matches: nodes.len() as u32,
            fraction: self.fraction(total),
            total: both(total),
        };
        self.matches = Some((frames, nodes));
        Ok(info)
    }

    /// The n-th match, counted around the end in either direction; 0 when there is none.
    pub fn match_at(&self, n: i32) -> u32 {
        match &self.matches {
            Some((_, nodes)) if !nodes.is_empty() => {
                nodes[(i64::from(n)).rem_euclid(nodes.len() as i64) as usize].0
            }
            _ => 0,
        }
    }

    /// Marks the function of a node; the root, or a number that is no node, clears.
    pub fn select(&mut self, number: u32) {
        self.selected = self
            .shape()
            .node(number)
            .map(|n| self.shape().frame_index(n))
            .filter(|&frame| frame != 0);
    }

    /// Stable key of a node.
    pub fn key(&self, number: u32) -> Result<String, SessionError> {
        Ok(format!("{:016x}", self.shape().key(self.node(number)?)))
    }

    /// The node of a key, 0 when it is not in this tree.
    pub fn find(&self, key: &str) -> u32 {
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
        if self
            .sorted
            .as_ref()
            .is_none_or(|(known, _)| *known != order)
        {
            let rows = self.sort_rows(&order)?;
            self.sorted = Some((order, rows));
        }
        let sorted = self.sorted.as_ref().map_or(&[][..], |(_, rows)| rows);
        let page = sorted.iter().skip(offset as usize).take(limit as usize);
        Ok(TablePage {
            rows: page.map(|&i| self.row(&self.rows[i as usize])).collect(),
            count: sorted.len() as u32,
        })
    }

    /// The largest node of a function.
    pub fn node_of(&self, func: u32) -> u32 {
        self.nodes_of(func as usize)
            .first()
            .map_or(NodeId::ROOT.0, |&node| node)
    }

    fn nodes_of(&self, frame: usize) -> Vec<u32> {
        let nodes = (0..self.shape().len() as u32).map(NodeId);
        self.largest_first(nodes.filter(|&node| self.shape().frame_index(node) == frame))
    }

    fn largest_first(&self, nodes: impl Iterator<Item = NodeId>) -> Vec<u32> {
        let mut nodes: Vec<NodeId> = nodes.collect();
        nodes.sort_by_key(|&node| {
            (
                std::cmp::Reverse(both_exact(self.values.totals(node))),
                node,
            )
        });
        nodes.iter().map(|node| node.0).collect()
    }

    fn sort_rows(&self, order: &Order) -> Result<Vec<u32>, SessionError> {
        let pattern = Pattern::parse(&order.filter)?;
        let name = |i: u32| {
            let frame = &self.shape().frames()[self.rows[i as usize].frame];
            (self.shape().text(frame.name), self.shape().text(frame.file))
        };
        let mut rows: Vec<u32> = (0..self.rows.len() as u32).collect();
        rows.retain(|&i| pattern.as_ref().is_none_or(|p| p.matches(name(i).0)));
        let key = |i: u32| -> i128 {
            let row = &self.rows[i as usize];
            match order.sort {
                Sort::Own => both_exact(row.own),
                Sort::Total => both_exact(row.total),
                Sort::Delta => i128::from(row.total[1]) - i128::from(row.total[0]),
                Sort::Name => 0,
            }
        };
        // Equal values stay in order of name, whichever way they are sorted.
        rows.sort_by(|&a, &b| {
            let by_value = if order.descending {
                key(b).cmp(&key(a))
            } else {
                key(a).cmp(&key(b))
            };
            let by_name = name(a).cmp(&name(b));
            by_value.then(if order.sort == Sort::Name && order.descending {
                by_name.reverse()
            } else {
                by_name
            })
        });
        Ok(rows)
    }

    fn row(&self, row: &Row<2>) -> FunctionRow {
        let frame = &self.shape().frames()[row.frame];
        FunctionRow {
            func: row.frame as u32,
            name: self.shape().text(frame.name).to_owned(),
            file: self.shape().text(frame.file).to_owned(),
            own: both(row.own),
            total: both(row.total),
            self_fraction: self.fraction(row.own),
            total_fraction: self.fraction(row.total),
            diff: self.sides(row.own, row.total),
        }
    }

    fn sides(&self, own: [i64; 2], total: [i64; 2]) -> Option<NodeDiff> {
        matches!(self.values, Values::Diff(_)).then(|| NodeDiff {
            base_self: own[0] as f64,
            base_total: total[0] as f64,
            comparison_self: own[1] as f64,
            comparison_total: total[1] as f64,
            state: match total {
                [0, c] if c != 0 => "new",
                [b, 0] if b != 0 => "gone",
                _ => "same",
            },
        })
    }

    fn fraction(&self, values: [i64; 2]) -> f64 {
        let whole = both(self.values.totals(NodeId::ROOT));
        if whole > 0.0 {
            both(values) / whole
        } else {
            0.0
        }
    }
}

fn both_exact(sides: [i64; 2]) -> i128 {
    i128::from(sides[0]) + i128::from(sides[1])
}

fn both(sides: [i64; 2]) -> f64 {
    both_exact(sides) as f64
}

fn exact(sides: [i64; 2]) -> String {
    both_exact(sides).to_string()
}
