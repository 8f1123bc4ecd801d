//! Function projections: the table of functions, and trees of what they call and what calls them.

use pilotlight_core::plans::QueryAnswer;
use pilotlight_core::pyroscope::{self, Budget, Direction};

use super::flamegraph;
use super::messages::{
    FunctionTree, FunctionTreeDirection, FunctionTreeOptions, FunctionTreeSelection,
    FunctionsAnswer, FunctionsOptions,
};
use crate::http::connect::{Answer, Codec};
use crate::platform::errors::Problem;

/// Most levels of a tree.
const MAX_DEPTH: i64 = 128;

/// Most functions of a chain or path: each node of the tree is held against all of them.
const MAX_CHAIN: usize = 128;

/// Which functions are asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Projection {
    /// The table, of at most so many rows; 0 for all.
    Table(usize),
    Tree(TreeProjection),
}

/// Which tree of functions.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TreeProjection {
    /// What a chain of functions calls or what calls it, some levels deep.
    Chain {
        names: Vec<String>,
        directions: Vec<Direction>,
        depth: usize,
    },
    /// What is called by the stacks that begin with a path.
    RootPath { names: Vec<String>, depth: usize },
}

impl Projection {
    /// The table.
    pub(super) fn table(options: FunctionsOptions) -> Result<Self, Problem> {
        usize::try_from(options.limit)
            .map(Self::Table)
            .map_err(|_| Problem::invalid("functions.limit must be 0 or more"))
    }

    /// What an answer holds of it.
    pub(super) fn message(&self, answer: &QueryAnswer) -> Result<FunctionsAnswer, Problem> {
        let mut budget = Budget::default();
        match self {
            Self::Table(limit) => {
                let table = pyroscope::functions(&flamegraph::tree(answer)?, *limit);
                budget.names(table.names())?;
                Ok(FunctionsAnswer::Functions(table.into()))
            }
            Self::Tree(tree) => {
                let tree = tree.message(answer, &mut budget)?;
                Ok(FunctionsAnswer::FunctionTree(tree))
            }
        }
    }
}

/// All functions of one side of a comparison: with those of the other it is known which stay.
pub(super) fn whole_table(answer: &QueryAnswer) -> Result<pyroscope::FunctionTable, Problem> {
    Ok(pyroscope::functions(&flamegraph::tree(answer)?, 0))
}

impl TreeProjection {
    /// Of the options of a request, and the names of a chain or path.
    pub(super) fn of(names: Vec<String>, options: &FunctionTreeOptions) -> Result<Self, Problem> {
        if names.len() > MAX_CHAIN {
            let message = format!(
                "the chain has {} functions; at most {MAX_CHAIN} are allowed",
                names.len()
            );
            return Err(Problem::invalid(message));
        }
        let depth = match options.max_depth.unwrap_or(1) {
            depth @ 0..=MAX_DEPTH => depth as usize,
            depth => {
                let message = format!("max_depth must be from 0 to {MAX_DEPTH} (got {depth})");
                return Err(Problem::invalid(message));
            }
        };
        let directions = match options.direction {
            FunctionTreeDirection::CALLEES => vec![Direction::Callees],
            FunctionTreeDirection::CALLERS => vec![Direction::Callers],
            FunctionTreeDirection::BOTH => vec![Direction::Callees, Direction::Callers],
            _ => {
                return Err(Problem::invalid(
                    "function_tree.direction must be FUNCTION_TREE_DIRECTION_CALLEES, _CALLERS or _BOTH",
                ));
            }
        };
        match options.selection {
            FunctionTreeSelection::ROOT_PATH if directions == [Direction::Callees] => {
                Ok(Self::RootPath { names, depth })
            }
            FunctionTreeSelection::ROOT_PATH => {
                Err(Problem::invalid("a root path can only have callees"))
            }
            FunctionTreeSelection::FUNCTION_CHAIN if names.is_empty() => Err(Problem::invalid(
                "a function chain needs a call site in stack_trace_selector",
            )),
            FunctionTreeSelection::FUNCTION_CHAIN if directions.len() == 2 && names.len() > 1 => {
                Err(Problem::invalid(
                    "callers and callees together require a chain of one function",
                ))
            }
            FunctionTreeSelection::FUNCTION_CHAIN => Ok(Self::Chain {
                names,
                directions,
                depth,
            }),
            _ => Err(Problem::invalid(
                "function_tree.selection must be FUNCTION_TREE_SELECTION_ROOT_PATH or _FUNCTION_CHAIN",
            )),
        }
    }

    /// What an answer holds of it, as far as the budget has room.
    pub(super) fn message(
        &self,
        answer: &QueryAnswer,
        budget: &mut Budget,
    ) -> Result<FunctionTree, Problem> {
        let tree = flamegraph::tree(answer)?;
        let mut found = FunctionTree::default();
        match self {
            Self::RootPath { names, depth } => {
                let root = pyroscope::root_path(&tree, names, *depth, budget)?;
                found.callees = Some(root.into());
            }
            Self::Chain {
                names,
                directions,
                depth,
            } => {
                for &direction in directions {
                    let root = pyroscope::function_tree(&tree, names, direction, *depth, budget)?;
                    match direction {
                        Direction::Callees => found.callees = Some(root.into()),
                        Direction::Callers => found.callers = Some(root.into()),
                    }
                }
            }
        }
        Ok(found)
    }
}

/// An answer in JSON; other codecs are refused with the form.
pub(super) fn answer(codec: Codec, message: &FunctionsAnswer) -> Result<Answer, Problem> {
    codec.answer_of(Vec::new, || {
        serde_json::to_vec(message).map_err(Problem::internal)
    })
}

#[cfg(test)]
mod tests {
    use super::super::form::Form;
    use super::*;
    use crate::api::query::tests::answer_of;
    use pilotlight_core::ProfileBuilder;
    use serde_json::{Value, json};

    fn answer(stacks: &[(&[&str], i64)]) -> QueryAnswer {
        let mut builder = ProfileBuilder::new();
        if !stacks.is_empty() {
            builder.sample_type("cpu", "nanoseconds");
        }
        for (names, value) in stacks {
            let stack = builder.named_stack(names);
            builder.sample(stack, None, &[*value]);
        }
        answer_of(builder.finish())
    }

    fn projection(format: &str, options: Value, names: &[&str]) -> Result<Projection, Problem> {
        let site: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
        let mut request = serde_json::from_value(json!({
            "format": format, "formatOptions": options, "stackTraceSelector": {"callSite": site},
        }))
        .unwrap();
        match Form::of(&mut request, Codec::Json)? {
            Form::Functions(projection) => Ok(projection),
            form => panic!("{form:?}"),
        }
    }

    fn found(format: &str, options: Value, names: &[&str], of: &QueryAnswer) -> Value {
        let projection = projection(format, options, names).unwrap();
        serde_json::to_value(projection.message(of).unwrap()).unwrap()
    }

    const TABLE: &str = "PROFILE_FORMAT_FUNCTIONS";
    const TREE: &str = "PROFILE_FORMAT_FUNCTION_TREE";

    #[test]
    fn a_table() {
        let of = answer(&[(&["main", "a"], 3), (&["main"], 1)]);
        let row =
            |name: &str, total: &str, own: &str| json!({"name": name, "total": total, "self": own});
        let all = [row("a", "3", "3"), row("main", "4", "1")];
        assert_eq!(
            found(TABLE, json!({"functions": {"limit": "0"}}), &[], &of),
            json!({"functions": {"total": "4", "totalFunctions": "2", "functions": all}})
        );
        assert_eq!(
            found(TABLE, json!({"functions": {"limit": 1}}), &[], &of),
            json!({"functions": {"total": "4", "totalFunctions": "2", "functions": all[..1]}})
        );
        assert_eq!(
            found(TABLE, Value::Null, &[], &answer(&[])),
            json!({"functions": {"total": "0", "totalFunctions": "0", "functions": []}})
        );
    }

    #[test]
    fn trees() {
        let of = answer(&[(&["main", "a", "b"], 3), (&["b"], 1)]);
        let options = |direction: &str, selection: &str| {
            json!({"functionTree": {
                "direction": format!("FUNCTION_TREE_DIRECTION_{direction}"),
                "selection": format!("FUNCTION_TREE_SELECTION_{selection}"),
            }})
        };
        let both = found(TREE, options("BOTH", "FUNCTION_CHAIN"), &["a"], &of);
        let leaf = json!({"name": "b", "total": "3", "self": "3"});
        let caller = json!({"name": "main", "total": "3", "self": "0"});
        let root = |child: &Value| json!({"name": "a", "total": "3", "self": "0", "hasChildren": true, "children": [child]});
        assert_eq!(
            both,
            json!({"functionTree": {"callers": {"root": root(&caller)}, "callees": {"root": root(&leaf)}}})
        );
        let path = found(TREE, options("CALLEES", "ROOT_PATH"), &[], &of);
        assert_eq!(
            path["functionTree"]["callees"]["root"]["children"][0]["name"],
            "main"
        );
        let nothing = found(TREE, options("CALLEES", "ROOT_PATH"), &[], &answer(&[]));
        let root = json!({"name": "", "total": "0", "self": "0"});
        assert_eq!(
            nothing,
            json!({"functionTree": {"callees": {"root": root}}})
        );
        for (direction, selection, names) in [
            ("CALLERS", "ROOT_PATH", ["a"].as_slice()),
            ("CALLEES", "FUNCTION_CHAIN", &[]),
            ("BOTH", "FUNCTION_CHAIN", &["a", "b"]),
            ("UNSPECIFIED", "FUNCTION_CHAIN", &["a"]),
            ("CALLEES", "NEXT", &["a"]),
        ] {
            let refused = projection(TREE, options(direction, selection), names).unwrap_err();
            assert_eq!(refused.status, 400, "{direction} {selection}");
        }
        let deep = json!({"functionTree": {"maxDepth": 129}});
        assert!(
            projection(TREE, deep, &[])
                .unwrap_err()
                .message
                .contains("128")
        );
    }
}
