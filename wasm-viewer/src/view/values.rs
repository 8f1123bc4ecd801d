//! The values of a tree's nodes: of one profile, or of both sides of a comparison.

use pilotlight_core::{CallTree, DiffTree, FunctionRow, NodeId, Shape, function_table};

use crate::answers::NodeDiff;

/// A tree of one profile or of two.
pub(crate) enum Values {
    Call(Box<CallTree>),
    Diff(Box<DiffTree>),
}

impl Values {
    pub(crate) fn shape(&self) -> &Shape {
        match self {
            Self::Call(tree) => tree.shape(),
            Self::Diff(diff) => diff.shape(),
        }
    }

    /// Totals of both sides; a single profile has zero on the second.
    pub(crate) fn totals(&self, node: NodeId) -> [i64; 2] {
        match self {
            Self::Call(tree) => [tree.total_value(node), 0],
            Self::Diff(diff) => diff.totals(node),
        }
    }

    pub(super) fn own(&self, node: NodeId) -> [i64; 2] {
        match self {
            Self::Call(tree) => [tree.self_value(node), 0],
            Self::Diff(diff) => diff.own(node),
        }
    }

    pub(super) fn rows(&self) -> Vec<FunctionRow<2>> {
        match self {
            Self::Call(tree) => {
                let widen = |r: FunctionRow<1>| FunctionRow {
                    frame: r.frame,
                    own: [r.own[0], 0],
                    total: [r.total[0], 0],
                    nodes: r.nodes,
                };
                function_table(tree).into_iter().map(widen).collect()
            }
            Self::Diff(diff) => function_table(diff),
        }
    }

    /// Both sides, where there are two.
    pub(super) fn sides(&self, own: [i64; 2], total: [i64; 2]) -> Option<NodeDiff> {
        matches!(self, Self::Diff(_)).then(|| NodeDiff {
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

    /// The share of the whole tree.
    pub(super) fn fraction(&self, values: [i64; 2]) -> f64 {
        share(both(values), both(self.totals(NodeId::ROOT)))
    }

    /// The share of each side, where there are two: of the whole tree, or of `normalised_to`, the
    /// total of each side where shares are compared.
    pub(super) fn side_fractions(
        &self,
        values: [i64; 2],
        normalised_to: Option<i128>,
    ) -> Option<[f64; 2]> {
        let whole = match normalised_to {
            Some(total) => [total as f64; 2],
            None => self.totals(NodeId::ROOT).map(|total| total as f64),
        };
        let of_side = |side: usize| share(values[side] as f64, whole[side]);
        matches!(self, Self::Diff(_)).then(|| [of_side(0), of_side(1)])
    }
}

/// A part of a whole; nothing of nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

pub(super) fn both_exact(sides: [i64; 2]) -> i128 {
    i128::from(sides[0]) + i128::from(sides[1])
}

pub(super) fn both(sides: [i64; 2]) -> f64 {
    both_exact(sides) as f64
}

pub(super) fn exact(sides: [i64; 2]) -> String {
    both_exact(sides).to_string()
}
