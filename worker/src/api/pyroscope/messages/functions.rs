//! Functions instead of a flame graph. Clients and servers agree on names and not yet on numbers, so
//! these messages are answered in JSON only.
//!
//! Source: the pull requests grafana/pyroscope#5665 and #5666, and the calls of Profiles Drilldown.

use pilotlight_core::pyroscope;
use serde::Serialize;

use super::json;

messages! {
    request ProfileFormatOptions {
        functions: optional FunctionsOptions = 1,
        function_tree: optional FunctionTreeOptions = 2 ["functionTree"],
    }

    request FunctionsOptions {
        /// Most functions of the table; 0 for all.
        limit: int64 = 1,
    }

    request FunctionTreeOptions {
        direction: int32("json::enumeration::<_, FunctionTreeDirection>") = 1,
        selection: int32("json::enumeration::<_, FunctionTreeSelection>") = 2,
        /// Levels below the root; 1 when it is not set.
        max_depth: optional int64 = 3 ["maxDepth"],
    }
}

/// Which way a tree goes. The numbers are ours.
pub(crate) struct FunctionTreeDirection;

impl FunctionTreeDirection {
    pub(crate) const CALLEES: i32 = 1;
    pub(crate) const CALLERS: i32 = 2;
    pub(crate) const BOTH: i32 = 3;
}

impl json::NamedValues for FunctionTreeDirection {
    const VALUES: &'static [(&'static str, i32)] = &[
        ("FUNCTION_TREE_DIRECTION_UNSPECIFIED", 0),
        ("FUNCTION_TREE_DIRECTION_CALLEES", Self::CALLEES),
        ("FUNCTION_TREE_DIRECTION_CALLERS", Self::CALLERS),
        ("FUNCTION_TREE_DIRECTION_BOTH", Self::BOTH),
    ];
}

/// Where a tree begins. The numbers are ours.
pub(crate) struct FunctionTreeSelection;

impl FunctionTreeSelection {
    pub(crate) const ROOT_PATH: i32 = 1;
    pub(crate) const FUNCTION_CHAIN: i32 = 2;
}

impl json::NamedValues for FunctionTreeSelection {
    const VALUES: &'static [(&'static str, i32)] = &[
        ("FUNCTION_TREE_SELECTION_UNSPECIFIED", 0),
        ("FUNCTION_TREE_SELECTION_ROOT_PATH", Self::ROOT_PATH),
        (
            "FUNCTION_TREE_SELECTION_FUNCTION_CHAIN",
            Self::FUNCTION_CHAIN,
        ),
    ];
}

/// An answer with one of the two, of a profile or of both sides of a comparison.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum FunctionsAnswer {
    Functions(FunctionTable),
    FunctionTree(FunctionTree),
    #[serde(rename = "functions")]
    FunctionsDiff(Sides<FunctionTable>),
    #[serde(rename = "functionTree")]
    FunctionTreeDiff(Sides<FunctionTree>),
}

#[derive(Debug, Serialize)]
pub(crate) struct Sides<T> {
    pub(crate) left: T,
    pub(crate) right: T,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FunctionTable {
    #[serde(serialize_with = "json::int64_text")]
    total: i64,
    #[serde(serialize_with = "json::uint64_text")]
    total_functions: u64,
    functions: Vec<FunctionStats>,
}

#[derive(Debug, Serialize)]
struct FunctionStats {
    name: String,
    #[serde(serialize_with = "json::int64_text")]
    total: i64,
    #[serde(rename = "self", serialize_with = "json::int64_text")]
    own: i64,
}

impl From<pyroscope::FunctionTable> for FunctionTable {
    fn from(table: pyroscope::FunctionTable) -> Self {
        let functions = table.functions.into_iter();
        Self {
            total: table.total,
            total_functions: table.total_functions,
            functions: functions
                .map(
                    |pyroscope::FunctionStats { name, total, own }| FunctionStats {
                        name,
                        total,
                        own,
                    },
                )
                .collect(),
        }
    }
}

/// The directions that were asked for; without a root where the chain stands nowhere.
#[derive(Debug, Default, Serialize)]
pub(crate) struct FunctionTree {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) callers: Option<CallTree>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) callees: Option<CallTree>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CallTree {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) root: Option<CallTreeNode>,
}

impl From<Option<pyroscope::FunctionNode>> for CallTree {
    fn from(root: Option<pyroscope::FunctionNode>) -> Self {
        Self {
            root: root.map(Into::into),
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallTreeNode {
    name: String,
    #[serde(serialize_with = "json::int64_text")]
    total: i64,
    #[serde(rename = "self", serialize_with = "json::int64_text")]
    own: i64,
    #[serde(skip_serializing_if = "json::is_unset")]
    has_children: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<CallTreeNode>,
}

impl From<pyroscope::FunctionNode> for CallTreeNode {
    /// Recursion is as deep as the tree: 128 levels at most.
    fn from(node: pyroscope::FunctionNode) -> Self {
        Self {
            name: node.name,
            total: node.total,
            own: node.own,
            has_children: node.has_children,
            children: node.children.into_iter().map(Self::from).collect(),
        }
    }
}
