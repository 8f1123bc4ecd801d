//! The call graph: functions as nodes, calls as edges, and of both only what matters.
//!
//! It is that of `go tool pprof -svg`, in its numbers and in what it leaves out: nodes whose total
//! is below a fraction of the whole, edges whose value is, and all but so many of the nodes. Those
//! that stay are where paths meet or end: a function with one caller and one callee, that does
//! nothing itself, says least. Where functions between two that stay are left out, a residual edge
//! joins these, unless one is reached from the other in another way.
//!
//! Self and total of a node are those of [`function_table`]. A call counts once for each sample,
//! however often it is on its stack; a function that calls itself has no edge for that.

use hashbrown::HashMap;

use crate::tree::call_tree::{NodeId, Tree};
use crate::tree::table::{FunctionRow, function_table, size};

/// What is left out of a graph.
#[derive(Clone, Copy, Debug)]
pub struct Trimming {
    /// Nodes stay whose total is at least this share of the whole.
    pub node_fraction: f64,
    /// Edges stay whose value is at least this share of the whole.
    pub edge_fraction: f64,
    /// Most nodes that stay.
    pub nodes: usize,
}

impl Default for Trimming {
    /// What pprof does when nothing is said.
    fn default() -> Self {
        Self {
            node_fraction: 0.005,
            edge_fraction: 0.001,
            nodes: 80,
        }
    }
}

/// Functions and calls.
#[derive(Clone, Debug)]
pub struct CallGraph<const SIDES: usize> {
    /// The functions that stay, what says most first.
    pub nodes: Vec<FunctionRow<SIDES>>,
    /// The calls between them, in order of caller, then callee.
    pub edges: Vec<Edge<SIDES>>,
    /// How many functions there were.
    pub functions: usize,
}

/// Calls of a function by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge<const SIDES: usize> {
    /// The caller, as an index of [`CallGraph::nodes`].
    pub from: usize,
    /// The callee, likewise.
    pub to: usize,
    /// Value of the samples that were in such a call, a side each.
    pub total: [i64; SIDES],
    /// Some of these calls went through functions that are left out.
    pub residual: bool,
}

/// The graph of a tree. Linear in the tree, but for the order of what stays.
pub fn call_graph<const SIDES: usize>(tree: &Tree<SIDES>, trim: Trimming) -> CallGraph<SIDES> {
    let mut nodes = function_table(tree);
    let functions = nodes.len();
    let whole = size(tree.totals(NodeId::ROOT));
    let part = |fraction: f64| (whole as f64 * fraction) as u128;
    let (least_node, least_edge) = (part(trim.node_fraction), part(trim.edge_fraction));
    nodes.retain(|row| size(row.total).max(size(row.own)) > 0 && size(row.total) >= least_node);
    let edges = |nodes: &[FunctionRow<SIDES>]| {
        let mut edges = edges(tree, nodes);
        edges.retain(|edge| size(edge.total) >= least_edge);
        edges
    };
    let all = edges(&nodes);
    let scores = scores(&nodes, &all);
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(scores[i]), nodes[i].frame));
    order.truncate(trim.nodes);
    let nodes: Vec<FunctionRow<SIDES>> = order.into_iter().map(|i| nodes[i]).collect();
    let mut edges = edges(&nodes);
    remove_redundant(nodes.len(), &mut edges);
    CallGraph {
        nodes,
        edges,
        functions,
    }
}

/// What is known of an edge while the tree is read.
struct Found<const SIDES: usize> {
    total: [i64; SIDES],
    residual: bool,
    /// The calls below this node count already.
    until: u32,
}

/// The calls between functions, in order of caller, then callee.
fn edges<const SIDES: usize>(tree: &Tree<SIDES>, nodes: &[FunctionRow<SIDES>]) -> Vec<Edge<SIDES>> {
    const NONE: u32 = u32::MAX;
    let shape = tree.shape();
    let mut index = vec![NONE; shape.frames.len()];
    for (i, row) in (0..).zip(nodes) {
        index[row.frame] = i;
    }
    // For each node of the tree the function at or above it that stays, and whether others are
    // between.
    let mut above = vec![(NONE, false); shape.len()];
    let mut found: HashMap<(u32, u32), Found<SIDES>> = HashMap::new();
    for i in 1..shape.len() {
        let to = index[shape.frame_of[i] as usize];
        let (from, skipped) = above[shape.parents[i] as usize];
        if to == NONE {
            above[i] = (from, true);
            continue;
        }
        above[i] = (to, false);
        if from == NONE || from == to {
            continue;
        }
        let edge = found.entry((from, to)).or_insert(Found {
            total: [0; SIDES],
            residual: false,
            until: 0,
        });
        if i as u32 >= edge.until {
            edge.until = shape.ends[i];
            edge.residual |= skipped;
            for (sum, more) in edge.total.iter_mut().zip(tree.totals(NodeId(i as u32))) {
                *sum = sum.saturating_add(more);
            }
        }
    }
    let mut edges: Vec<Edge<SIDES>> = found
        .into_iter()
        .map(|((from, to), edge)| Edge {
            from: from as usize,
            to: to as usize,
            total: edge.total,
            residual: edge.residual,
        })
        .collect();
    edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
    edges
}

/// How much each node says: its total, times the entropy of the calls into it and out of it, and its
/// self value. Where calls begin or end the entropy is taken for 1.
fn scores<const SIDES: usize>(nodes: &[FunctionRow<SIDES>], edges: &[Edge<SIDES>]) -> Vec<u128> {
    let mut callers = vec![Flow::default(); nodes.len()];
    let mut callees: Vec<Flow> = nodes.iter().map(|row| Flow::new(size(row.own))).collect();
    for edge in edges {
        callees[edge.from].add(size(edge.total));
        callers[edge.to].add(size(edge.total));
    }
    for edge in edges {
        callees[edge.from].part(size(edge.total));
        callers[edge.to].part(size(edge.total));
    }
    let score = |(row, (callers, callees)): (&FunctionRow<SIDES>, (&Flow, &Flow))| {
        let entropy = callers.entropy(0) + callees.entropy(size(row.own));
        (entropy * size(row.total) as f64) as u128 + size(row.own)
    };
    nodes
        .iter()
        .zip(callers.iter().zip(&callees))
        .map(score)
        .collect()
}

/// How the calls into a function, or out of it, are divided.
#[derive(Clone, Copy, Default)]
struct Flow {
    sum: u128,
    calls: u32,
    entropy: f64,
}

impl Flow {
    fn new(own: u128) -> Self {
        Self {
            sum: own,
            ..Self::default()
        }
    }

    fn add(&mut self, value: u128) {
        self.sum += value;
        self.calls += 1;
    }

    /// Adds what a part of the sum says, once the sum is known.
    fn part(&mut self, value: u128) {
        if value > 0 {
            let share = value as f64 / self.sum as f64;
            self.entropy -= share * share.log2();
        }
    }

    fn entropy(mut self, own: u128) -> f64 {
        if self.calls == 0 {
            return 1.0;
        }
        self.part(own);
        self.entropy
    }
}

/// Removes residual edges whose ends are joined in another way, the least first: of what says least,
/// and of that, of the calls into it. One that is larger than a call that is seen stays.
fn remove_redundant<const SIDES: usize>(nodes: usize, edges: &mut Vec<Edge<SIDES>>) {
    let mut into: Vec<Vec<Edge<SIDES>>> = vec![Vec::new(); nodes];
    for edge in edges.drain(..) {
        into[edge.to].push(edge);
    }
    for to in (0..nodes).rev() {
        let mut order = into[to].clone();
        order.sort_by_key(|edge| (size(edge.total), std::cmp::Reverse(edge.from)));
        for edge in order.iter().take_while(|edge| edge.residual) {
            if is_joined(&into, edge.from, to) {
                into[to].retain(|other| other.from != edge.from);
            }
        }
    }
    edges.extend(into.into_iter().flatten());
    edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
}

/// Whether a node is reached from another by more than the edge between them.
fn is_joined<const SIDES: usize>(into: &[Vec<Edge<SIDES>>], from: usize, to: usize) -> bool {
    let mut seen = vec![false; into.len()];
    seen[to] = true;
    let mut waiting = vec![to];
    while let Some(at) = waiting.pop() {
        for edge in &into[at] {
            if (edge.from, edge.to) == (from, to) || seen[edge.from] {
                continue;
            }
            if edge.from == from {
                return true;
            }
            seen[edge.from] = true;
            waiting.push(edge.from);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;
    use crate::{By, CallTree, Scale, diff};

    const ALL: Trimming = Trimming {
        node_fraction: 0.0,
        edge_fraction: 0.0,
        nodes: 1000,
    };

    fn draw<const SIDES: usize>(tree: &Tree<SIDES>, trim: Trimming) -> String {
        let graph = call_graph(tree, trim);
        let words = |values: [i64; SIDES]| values.map(|v| v.to_string()).join(",");
        let name = |i: usize| {
            let frame = &tree.shape().frames()[graph.nodes[i].frame];
            tree.shape().text(frame.name)
        };
        let mut nodes: Vec<String> = (0..graph.nodes.len())
            .map(|i| {
                let row = &graph.nodes[i];
                format!("{} {}/{}", name(i), words(row.total), words(row.own))
            })
            .collect();
        let mut edges: Vec<String> = graph
            .edges
            .iter()
            .map(|e| {
                let arrow = if e.residual { ".." } else { "->" };
                format!("{}{arrow}{} {}", name(e.from), name(e.to), words(e.total))
            })
            .collect();
        nodes.sort();
        edges.sort();
        format!("{} | {}", nodes.join(", "), edges.join(", "))
    }

    fn check(stacks: &str, trim: Trimming, expect: &str) {
        let tree = CallTree::new(&profile(stacks), 0, By::Name);
        assert_eq!(draw(&tree, trim), expect);
    }

    #[test]
    fn calls_count_once_a_sample() {
        check(
            "main;f;g;f;g 3\nmain;f;f 2\nmain;g 1",
            ALL,
            "f 5/2, g 4/4, main 6/0 | f->g 3, g->f 3, main->f 5, main->g 1",
        );
    }

    #[test]
    fn what_is_left_out_is_bridged() {
        let least = Trimming {
            node_fraction: 0.2,
            ..ALL
        };
        check(
            "main;once;work 50\nmain;twice;work 30\nmain;rest 20",
            least,
            "main 100/0, once 50/0, rest 20/20, twice 30/0, work 80/80 | main->once 50, main->rest 20, main->twice 30, once->work 50, twice->work 30",
        );
        let least = Trimming {
            node_fraction: 0.4,
            ..ALL
        };
        // By way of `twice`; but `main` reaches `work` by `once`, too.
        check(
            "main;once;work 50\nmain;twice;work 30\nmain;rest 20",
            least,
            "main 100/0, once 50/0, work 80/80 | main->once 50, once->work 50",
        );
        check(
            "main;a;b;work 50\nmain;c;work 30\nother 20",
            Trimming {
                node_fraction: 0.6,
                ..ALL
            },
            "main 80/0, work 80/80 | main..work 80",
        );
    }

    #[test]
    fn of_many_nodes_those_stay_where_paths_meet() {
        check(
            "main;pass;on;fork;left 50\nmain;pass;on;fork;right 50",
            Trimming { nodes: 4, ..ALL },
            "fork 100/0, left 50/50, main 100/0, right 50/50 | fork->left 50, fork->right 50, main..fork 100",
        );
    }

    #[test]
    fn small_edges_are_left_out() {
        check(
            "main;a 99\nmain;b;a 1\nb 50",
            Trimming {
                edge_fraction: 0.01,
                ..ALL
            },
            "a 100/100, b 51/50, main 100/0 | b->a 1, main->a 99, main->b 1",
        );
        check(
            "main;a 99\nmain;b;a 1\nb 50",
            Trimming {
                edge_fraction: 0.02,
                ..ALL
            },
            "a 100/100, b 51/50, main 100/0 | main->a 99",
        );
    }

    #[test]
    fn two_sides() {
        let (base, comparison) = (profile("a;b 3\nc 1"), profile("a;b 1\na;c 2"));
        let d = diff((&base, 0), (&comparison, 0), By::Name, Scale::Absolute);
        assert_eq!(
            draw(&d, Trimming::default()),
            "a 3,3/0,0, b 3,1/3,1, c 1,2/1,2 | a->b 3,1, a->c 0,2"
        );
    }

    #[test]
    fn of_nothing_there_is_none() {
        check("a;b 0", Trimming::default(), " | ");
    }
}
