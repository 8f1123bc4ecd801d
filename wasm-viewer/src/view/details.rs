//! What is known of a node, and the nodes around it.

use std::cmp::Reverse;

use pilotlight_core::{FunctionRow, NodeId};

use super::View;
use super::values::{both, both_exact, exact};
use crate::answers::{NodeDetail, PathStep};
use crate::error::SessionError;

impl View {
    /// All about a node, with the way to it from the root.
    pub fn detail(&self, number: u32) -> Result<NodeDetail, SessionError> {
        let shape = self.shape();
        let path = shape.path(self.node(number)?);
        let step = |&node: &NodeId| PathStep {
            node: node.0,
            name: shape.name(node).to_owned(),
        };
        Ok(NodeDetail {
            path: path.iter().map(step).collect(),
            ..self.row(number)?
        })
    }

    /// A node as lists have it: without the way to it, for a list of deep nodes would be mostly
    /// that. Of a comparison, `self` and `total` are both sides together, as they are drawn.
    pub fn row(&self, number: u32) -> Result<NodeDetail, SessionError> {
        let node = self.node(number)?;
        let shape = self.shape();
        let frame = shape.frame(node);
        let (own, total) = (self.own(node), self.values.totals(node));
        // The root is no function; it stands for all of them.
        let row = self.table.of(shape.frame_index(node));
        let row = row.unwrap_or(FunctionRow {
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
            children: self.children_of(node).count() as u32,
            own: both(own),
            total: both(total),
            self_exact: exact(own),
            total_exact: exact(total),
            fraction: self.values.fraction(total),
            self_fraction: self.values.fraction(own),
            function_self: both(row.own),
            function_total: both(row.total),
            occurrences: row.nodes,
            start: self.start_of(node),
            path: Vec::new(),
            diff: self.values.sides(own, total),
            function_diff: self.values.sides(row.own, row.total),
        })
    }

    /// The nodes below a node, the largest first, equals from left to right.
    pub fn children(&self, number: u32) -> Result<Vec<u32>, SessionError> {
        Ok(self.largest_first(self.children_of(self.node(number)?)))
    }

    /// All nodes of a node's function, in the order of [`Self::children`]; the root's only itself.
    pub fn occurrences(&self, number: u32) -> Result<Vec<u32>, SessionError> {
        let frame = self.shape().frame_index(self.node(number)?);
        Ok(self.nodes_of(frame))
    }

    /// The largest node of a function.
    pub fn node_of(&self, func: u32) -> u32 {
        self.nodes_of(func as usize)
            .first()
            .map_or(NodeId::ROOT.0, |&node| node)
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
            "next" => self.children_of(parent).find(|c| c.0 > node.0),
            "previous" => self.children_of(parent).take_while(|c| c.0 < node.0).last(),
            other => return Err(SessionError::Direction(other.to_owned())),
        };
        Ok(found
            .filter(|_| node != NodeId::ROOT || direction == "child")
            .unwrap_or(node)
            .0)
    }

    fn nodes_of(&self, frame: usize) -> Vec<u32> {
        let nodes = (0..self.shape().len() as u32).map(NodeId);
        self.largest_first(nodes.filter(|&node| self.shape().frame_index(node) == frame))
    }

    fn largest_first(&self, nodes: impl Iterator<Item = NodeId>) -> Vec<u32> {
        let mut nodes: Vec<NodeId> = nodes.collect();
        nodes.sort_by_key(|&node| (Reverse(both_exact(self.values.totals(node))), node));
        nodes.iter().map(|node| node.0).collect()
    }
}
