//! Function projections: the table of functions, and trees of what they call and what calls them.

use pilotlight_core::plans::QueryAnswer;
use pilotlight_core::pyroscope::{self, Direction};
use pilotlight_core::{By, Scale, diff};

use super::flamegraph;
use super::messages::{
    CallTree as CallTreeMessage, FunctionTable, FunctionTree, FunctionTreeDirection,
    FunctionTreeSelection, FunctionsAnswer, ProfileFormat, SelectMergeStacktracesRequest, Sides,
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
    /// Of a request; `None` when its format is another one. The names of a tree are those of the
    /// call site, which selects nothing then.
    pub(super) fn of(request: &mut SelectMergeStacktracesRequest) -> Result<Option<Self>, Problem> {
        let options = request.format_options.take().unwrap_or_default();
        match ProfileFormat::of(request.format) {
            Some(ProfileFormat::Functions) => {
                let limit = options.functions.unwrap_or_default().limit;
                let limit = usize::try_from(limit)
                    .map_err(|_| Problem::invalid("functions.limit is below 0"))?;
                Ok(Some(Self::Table(limit)))
            }
            Some(ProfileFormat::FunctionTree) => {
                if request.max_nodes.is_some() {
                    return Err(Problem::invalid(
                        "max_nodes does not go with a function tree",
                    ));
                }
                let options = options.function_tree.unwrap_or_default();
                let site = request.stack_trace_selector.as_mut();
                let names = site.map(|site| std::mem::take(&mut site.call_site));
                let names = names.unwrap_or_default().into_iter();
                let names: Vec<String> = names.map(|location| location.name).collect();
                let depth = match options.max_depth.unwrap_or(1) {
                    depth @ 0..=MAX_DEPTH => depth as usize,
                    depth => {
                        let message = format!("max_depth is {depth}, not from 0 to {MAX_DEPTH}");
                        return Err(Problem::invalid(message));
                    }
                };
                Self::tree(names, options.direction, options.selection, depth).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn tree(
        names: Vec<String>,
        direction: i32,
        selection: i32,
        depth: usize,
    ) -> Result<Self, Problem> {
        if names.len() > MAX_CHAIN {
            let message = format!(
                "a chain of {} functions is longer than the {MAX_CHAIN} allowed",
                names.len()
            );
            return Err(Problem::invalid(message));
        }
        let directions = match direction {
            FunctionTreeDirection::CALLEES => vec![Direction::Callees],
            FunctionTreeDirection::CALLERS => vec![Direction::Callers],
            FunctionTreeDirection::BOTH => vec![Direction::Callees, Direction::Callers],
            _ => {
                return Err(Problem::invalid(
                    "the direction of the function tree is missing",
                ));
            }
        };
        match selection {
            FunctionTreeSelection::ROOT_PATH if directions == [Direction::Callees] => {
                Ok(Self::RootPath { names, depth })
            }
            FunctionTreeSelection::ROOT_PATH => {
                Err(Problem::invalid("a root path has callees only"))
            }
            FunctionTreeSelection::FUNCTION_CHAIN if names.is_empty() => Err(Problem::invalid(
                "a function chain needs a call site in stack_trace_selector",
            )),
            FunctionTreeSelection::FUNCTION_CHAIN if directions.len() == 2 && names.len() > 1 => {
                Err(Problem::invalid(
                    "both directions need a chain of one function",
                ))
            }
            FunctionTreeSelection::FUNCTION_CHAIN => Ok(Self::Chain {
                names,
                directions,
                depth,
            }),
            _ => Err(Problem::invalid(
                "the selection of the function tree is missing",
            )),
        }
    }

    /// What an answer holds of it.
    pub(super) fn message(&self, answer: &QueryAnswer) -> Result<FunctionsAnswer, Problem> {
        let Self::Table(limit) = self else {
            return Ok(FunctionsAnswer::FunctionTree(self.tree_of(answer)?));
        };
        let table = pyroscope::functions(&flamegraph::tree(answer), *limit);
        Ok(FunctionsAnswer::Functions(table.into()))
    }

    /// The same of both sides of a comparison.
    pub(super) fn diff(
        &self,
        left: &QueryAnswer,
        right: &QueryAnswer,
    ) -> Result<FunctionsAnswer, Problem> {
        let Self::Table(limit) = self else {
            let (left, right) = (self.tree_of(left)?, self.tree_of(right)?);
            return Ok(FunctionsAnswer::FunctionTreeDiff(Sides { left, right }));
        };
        let has_types = |answer: &QueryAnswer| !answer.profile.sample_types().is_empty();
        let [left, right] = match (has_types(left), has_types(right)) {
            (true, true) => {
                let sides = ((&left.profile, 0), (&right.profile, 0));
                let tree = diff(sides.0, sides.1, By::Name, Scale::Absolute);
                pyroscope::functions_diff(tree.tree(), *limit)
            }
            // What is missing has no functions.
            _ => [left, right].map(|side| pyroscope::functions(&flamegraph::tree(side), *limit)),
        };
        let (left, right) = (FunctionTable::from(left), FunctionTable::from(right));
        Ok(FunctionsAnswer::FunctionsDiff(Sides { left, right }))
    }

    fn tree_of(&self, answer: &QueryAnswer) -> Result<FunctionTree, Problem> {
        let tree = flamegraph::tree(answer);
        let mut found = FunctionTree::default();
        let (names, directions, depth) = match self {
            Self::Chain {
                names,
                directions,
                depth,
            } => (names, directions.as_slice(), *depth),
            Self::RootPath { names, depth } => (names, [Direction::Callees].as_slice(), *depth),
            Self::Table(_) => return Ok(found),
        };
        for &direction in directions {
            let root = match self {
                Self::RootPath { .. } => pyroscope::root_path(&tree, names, depth),
                _ => pyroscope::function_tree(&tree, names, direction, depth),
            };
            let root = root.map_err(|error| Problem::new(429, "resource_exhausted", error))?;
            let branch = CallTreeMessage {
                root: root.map(Into::into),
            };
            match direction {
                Direction::Callees => found.callees = Some(branch),
                Direction::Callers => found.callers = Some(branch),
            }
        }
        Ok(found)
    }
}

/// An answer in the one form in which clients can read it.
pub(super) fn answer(codec: Codec, message: &FunctionsAnswer) -> Result<Answer, Problem> {
    match codec {
        Codec::Json => codec.answer_of(Vec::new, || {
            serde_json::to_vec(message).map_err(Problem::internal)
        }),
        Codec::Proto | Codec::GrpcWeb(_) => Err(Problem::unimplemented(
            "functions are answered in JSON only",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        QueryAnswer {
            profile: builder.finish(),
            profiles: 1,
            objects: 1,
            bytes: 1,
            saturated: false,
            rounded: false,
        }
    }

    fn projection(
        format: &str,
        options: Value,
        names: &[&str],
    ) -> Result<Option<Projection>, Problem> {
        let site: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
        let mut request: SelectMergeStacktracesRequest = serde_json::from_value(json!({
            "format": format, "formatOptions": options, "stackTraceSelector": {"callSite": site},
        }))
        .unwrap();
        Projection::of(&mut request)
    }

    fn found(format: &str, options: Value, names: &[&str], of: &QueryAnswer) -> Value {
        let projection = projection(format, options, names).unwrap().unwrap();
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
        let sides = Projection::Table(1)
            .diff(&of, &answer(&[(&["main"], 9)]))
            .unwrap();
        let sides = serde_json::to_value(sides).unwrap();
        assert_eq!(
            sides["functions"]["left"]["functions"],
            json!([row("main", "4", "1")])
        );
        assert_eq!(
            sides["functions"]["right"]["functions"],
            json!([row("main", "9", "9")])
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
        let caller = json!({"name": "main", "total": "3", "self": "3"});
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
        assert_eq!(
            projection("PROFILE_FORMAT_TREE", Value::Null, &[]),
            Ok(None)
        );
    }
}
