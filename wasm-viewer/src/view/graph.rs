//! The call graph of a tree.

use pilotlight_core::FunctionRow;
use pilotlight_core::call_graph::{CallGraph, Edge, Trimming, call_graph};

use super::View;
use super::table;
use super::values::{Values, both};
use crate::answers::{Graph, GraphEdge};

impl View {
    /// The graph of this tree's functions, trimmed as pprof does. Of a tree upside down, or of a
    /// chart, it means nothing.
    pub fn graph(&self) -> Graph {
        match &self.values {
            Values::Call(tree) => {
                self.told(call_graph(tree, Trimming::default()), |[one]| [one, 0])
            }
            Values::Diff(diff) => self.told(call_graph(diff, Trimming::default()), |sides| sides),
        }
    }

    fn told<const SIDES: usize>(
        &self,
        graph: CallGraph<SIDES>,
        sides: fn([i64; SIDES]) -> [i64; 2],
    ) -> Graph {
        let edge = |edge: &Edge<SIDES>| {
            let total = sides(edge.total);
            GraphEdge {
                from: edge.from as u32,
                to: edge.to as u32,
                total: both(total),
                base: total[0] as f64,
                comparison: total[1] as f64,
                fraction: self.values.fraction(total),
                residual: edge.residual,
            }
        };
        let rows = graph.nodes.iter().map(|row| FunctionRow {
            frame: row.frame,
            own: sides(row.own),
            total: sides(row.total),
            nodes: row.nodes,
        });
        let (nodes, paints) = rows
            .map(|row| {
                let paint = self.paint_word(row.frame, row.total);
                (table::answer(&self.values, &row), paint)
            })
            .unzip();
        Graph {
            nodes,
            paints,
            edges: graph.edges.iter().map(edge).collect(),
            functions: graph.functions as u32,
        }
    }
}
