//! What the browser gets to know: plain values, named as in the TypeScript interface. Values are
//! `f64` for drawing and sorting, and exact text beside it where a person may read or copy it.

use serde::Serialize;

/// An opened or merged profile.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)] // Field by field in the TypeScript interface.
pub struct ProfileInfo {
    pub id: u32,
    pub name: String,
    /// Of the file, for people; empty when it was made here.
    pub format: String,
    pub types: Vec<TypeInfo>,
    pub default_type: u32,
    pub samples: u32,
    pub timed: bool,
    pub labelled: bool,
    pub functions: u32,
    pub addresses: u32,
    pub time_nanos: String,
    pub duration_nanos: String,
    pub period: f64,
    pub period_type: String,
    pub period_unit: String,
    pub comments: Vec<String>,
    pub warnings: Vec<String>,
}

/// A sample type and its sum.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct TypeInfo {
    #[serde(rename = "type")]
    pub kind: String,
    pub unit: String,
    pub total: f64,
    pub total_exact: String,
}

/// A tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct TreeInfo {
    pub id: u32,
    pub nodes: u32,
    pub depth: u32,
    #[serde(rename = "type")]
    pub kind: String,
    pub unit: String,
    pub total: f64,
    pub total_exact: String,
    pub whole: f64,
    pub whole_exact: String,
    pub unmatched: Vec<u32>,
    pub undrawn: u32,
    pub inverted: bool,
    pub cut: Option<u32>,
    pub start: Option<f64>,
    pub left: Option<TypeInfo>,
    pub diff: Option<DiffTotals>,
}

/// How much of a profile there is at each moment. Times are seconds since the first sample.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct HeatmapInfo {
    pub start: f64,
    pub end: f64,
    pub column: f64,
    pub rows: u32,
    pub cells: Vec<f64>,
    pub has_idle: bool,
}

/// A key of labels.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct LabelKey {
    pub name: String,
    pub values: u32,
    pub fraction: f64,
}

/// Part of the values of a key.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct LabelPage {
    pub rows: Vec<LabelRow>,
    pub count: u32,
    pub pattern: Option<String>,
}

/// One value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct LabelRow {
    pub text: String,
    pub pattern: Option<String>,
    pub fraction: f64,
}

/// What ran side by side with others: a thread, by its process and name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Thread {
    pub name: String,
    pub total: f64,
}

/// What calls a function, and what it calls.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Sandwich {
    pub callers: TreeInfo,
    pub callees: TreeInfo,
}

/// Both sides of a difference as wholes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct DiffTotals {
    pub base: f64,
    pub comparison: f64,
    pub base_exact: String,
    pub comparison_exact: String,
    /// Of shares, what 100 % is: both totals before the steps.
    pub normalised_to: Option<f64>,
}

/// All about a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct NodeDetail {
    pub node: u32,
    pub func: u32,
    pub name: String,
    pub file: String,
    pub line: f64,
    pub module: String,
    pub depth: u32,
    pub children: u32,
    #[serde(rename = "self")]
    pub own: f64,
    pub total: f64,
    pub self_exact: String,
    pub total_exact: String,
    pub fraction: f64,
    pub self_fraction: f64,
    pub function_self: f64,
    pub function_total: f64,
    pub occurrences: u32,
    pub start: Option<f64>,
    /// From the root on; empty in lists.
    pub path: Vec<PathStep>,
    pub diff: Option<NodeDiff>,
    pub function_diff: Option<NodeDiff>,
}

/// One step of the way from the root.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct PathStep {
    pub node: u32,
    pub name: String,
}

/// Both sides of a node or function.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct NodeDiff {
    pub base_self: f64,
    pub base_total: f64,
    pub comparison_self: f64,
    pub comparison_total: f64,
    pub state: &'static str,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct SearchInfo {
    pub matches: u32,
    pub fraction: f64,
    pub total: f64,
    /// In a comparison, the share of each side.
    pub side_fractions: Option<[f64; 2]>,
}

/// Part of the function table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct TablePage {
    pub rows: Vec<FunctionRow>,
    pub count: u32,
}

/// One function.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct FunctionRow {
    pub func: u32,
    pub name: String,
    pub file: String,
    #[serde(rename = "self")]
    pub own: f64,
    pub total: f64,
    pub self_fraction: f64,
    pub total_fraction: f64,
    pub diff: Option<NodeDiff>,
}

/// A source line of a function.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Line {
    pub function: String,
    pub line: f64,
    #[serde(rename = "self")]
    pub own: f64,
    pub total: f64,
    pub self_fraction: f64,
    pub total_fraction: f64,
}

/// Functions and the calls between them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Graph {
    pub nodes: Vec<FunctionRow>,
    /// A colour word for each node, as boxes have it.
    pub paints: Vec<u32>,
    pub edges: Vec<GraphEdge>,
    pub functions: u32,
}

/// Calls of a function by another; both are indices of the graph's nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct GraphEdge {
    pub from: u32,
    pub to: u32,
    /// Both sides together.
    pub total: f64,
    pub base: f64,
    pub comparison: f64,
    pub fraction: f64,
    pub residual: bool,
}
