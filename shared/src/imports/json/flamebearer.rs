//! Flame graphs of Pyroscope (flamebearer JSON).
//!
//! Source of the shape: the field tables of Grafana Pyroscope's public API. A level is a list of
//! nodes from left to right, each of four numbers: distance from the end of the node before, total,
//! self, name. The nodes below one lie within it. The first level is the whole and no function.
//!
//! The nodes of a comparison have seven numbers: three of each side and the name. Both sides are
//! read, as two sample types.

use serde::Deserialize;

use crate::base::limits::MAX_STACK_DEPTH;
use crate::formats::decoded::Decoded;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::{Start, without_mark};
use crate::imports::error::FormatError;
use crate::imports::frames::Frame;
use crate::imports::json::columns::{Lists, Texts};
use crate::model::builder::ProfileBuilder;
use crate::model::id::{LocationId, StackId};

pub(crate) const NAME: &str = "flamebearer";

/// Sample types of a comparison.
const SIDES: [&str; 2] = ["baseline", "comparison"];

/// Ticks of a second, where ticks are nanoseconds.
const NANOSECONDS: f64 = 1e9;

#[derive(Deserialize)]
struct Document {
    flamebearer: Graph,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Graph {
    names: Texts,
    levels: Lists,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    format: String,
    /// How many ticks are a second.
    sample_rate: Option<f64>,
    units: String,
    name: String,
}

impl Metadata {
    /// Type and unit of the values.
    fn sample_type(&self) -> (&str, &str) {
        let unit = match self.units.as_str() {
            "samples" if self.sample_rate == Some(NANOSECONDS) => "nanoseconds",
            "" | "samples" | "objects" => "count",
            unit => unit,
        };
        let kind = if self.name.is_empty() {
            "samples"
        } else {
            &self.name
        };
        (kind, unit)
    }
}

/// Whether this is a flame graph.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::Flamebearer)
}

/// Decodes a file. Time and memory are linear in its size.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let document: Document = serde_json::from_slice(without_mark(bytes))
        .map_err(|error| FormatError::json(NAME, &error))?;
    let (graph, metadata) = (&document.flamebearer, &document.metadata);
    let mut builder = ProfileBuilder::new();
    let (kind, unit) = metadata.sample_type();
    let is_double = metadata.format == "double";
    if is_double {
        for side in SIDES {
            builder.sample_type(side, unit);
        }
    } else {
        builder.sample_type(kind, unit);
    }
    let mut reader = Reader {
        locations: vec![None; graph.names.len()],
        names: &graph.names,
        builder,
        sides: if is_double { 2 } else { 1 },
    };
    let mut above = Vec::new();
    for (depth, level) in graph.levels.iter().enumerate() {
        let level = reader.level(depth, level, &above);
        above = level.map_err(|(node, problem)| {
            FormatError::at(NAME, format!("level {depth}, node {node}"), problem)
        })?;
    }
    Ok(Decoded {
        profile: reader.builder.finish(),
        warnings: Vec::new(),
    })
}

/// Where a node lies, in both sides together, and its stack; the whole has none.
struct Node {
    start: i64,
    end: i64,
    stack: Option<StackId>,
}

struct Reader<'a> {
    names: &'a Texts,
    /// Of each name.
    locations: Vec<Option<LocationId>>,
    builder: ProfileBuilder,
    /// How many sides a node has.
    sides: usize,
}

impl Reader<'_> {
    /// Adds the nodes of a level; an error says at which.
    fn level(
        &mut self,
        depth: usize,
        level: &[i64],
        above: &[Node],
    ) -> Result<Vec<Node>, (usize, String)> {
        let width = 3 * self.sides + 1;
        let nodes = level.chunks(width);
        let mut level = Vec::with_capacity(nodes.len());
        // The end of the node before, and which node above this one is in.
        let (mut end, mut parent) = (0i64, 0);
        for (number, node) in nodes.enumerate() {
            let problem = |problem: &str| (number, problem.to_owned());
            if depth > MAX_STACK_DEPTH {
                return Err(problem("a stack has more than 16384 frames (the maximum)"));
            }
            let Some((&name, values)) = node.split_last().filter(|_| node.len() == width) else {
                return Err((
                    number,
                    format!("expected {width} numbers, got {}", node.len()),
                ));
            };
            let sum = |column: usize| {
                let column = values.iter().skip(column).step_by(3);
                column.fold(0i64, |sum, value| sum.saturating_add(*value))
            };
            let (distance, total) = (sum(0), sum(1));
            if distance < 0 || total < 0 {
                return Err(problem("a distance or a total is negative"));
            }
            let start = end.saturating_add(distance);
            end = start.saturating_add(total);
            let stack = if depth == 0 {
                None
            } else {
                let begun = |next: &Node| next.start <= start;
                while above.get(parent + 1).is_some_and(begun) && above[parent].end <= start {
                    parent += 1;
                }
                let within = above.get(parent);
                let within = within.filter(|above| above.start <= start && end <= above.end);
                let within =
                    within.ok_or_else(|| problem("the node is not within a node above it"))?;
                let location = self
                    .location(name)
                    .ok_or_else(|| (number, format!("there is no name with index {name}")))?;
                Some(self.builder.stack(within.stack, location))
            };
            let own: [i64; 2] = [2, 5].map(|at| values.get(at).copied().unwrap_or(0));
            if own != [0, 0] {
                self.builder.sample(stack, None, &own);
            }
            level.push(Node { start, end, stack });
        }
        Ok(level)
    }

    fn location(&mut self, name: i64) -> Option<LocationId> {
        let index = usize::try_from(name).ok()?;
        let text = self.names.get(index)?;
        if let Some(known) = self.locations[index] {
            return Some(known);
        }
        let name = self.builder.string(text);
        let location = Frame::named(name).location(&mut self.builder);
        self.locations[index] = Some(location);
        Some(location)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    fn open(names: &str, levels: &str, metadata: &str) -> Result<Decoded, FormatError> {
        let text = format!(
            r#"{{"version":1,"flamebearer":{{"names":[{names}],"levels":[{levels}],"numTicks":8,
            "maxSelf":5}},"metadata":{{{metadata}}},"timeline":null}}"#
        );
        decode(text.as_bytes())
    }

    #[test]
    fn nodes_lie_within_those_above() {
        let names = r#""total","main","a","b""#;
        let levels = "[0,9,1,0],[1,8,0,1],[1,3,3,2,0,4,4,3,0,1,1,2]";
        let metadata =
            r#""format":"single","sampleRate":1000000000,"units":"samples","name":"cpu""#;
        let decoded = open(names, levels, metadata).expect("opens");
        assert_eq!(
            drawn(&decoded.profile),
            "cpu/nanoseconds\n 1\nmain;a 3\nmain;b 4\nmain;a 1\n"
        );
    }

    #[test]
    fn both_sides_of_a_comparison() {
        let names = r#""total","a","b","c""#;
        let levels = "[0,2,0,0,3,0,0],[0,2,2,0,0,0,1,0,0,0,0,3,1,2],[2,0,0,0,2,2,3]";
        let metadata = r#""format":"double","units":"bytes","name":"inuse_space""#;
        let decoded = open(names, levels, metadata).expect("opens");
        assert_eq!(
            drawn(&decoded.profile),
            "baseline/bytes\ncomparison/bytes\na 2 0\nb 0 1\nb;c 0 2\n"
        );
    }

    #[test]
    fn what_is_wrong() {
        let single = r#""format":"single""#;
        for (levels, expect) in [
            (
                "[0,1,0,0],[0,2,2,0]",
                "level 1, node 0: the node is not within a node above it",
            ),
            (
                "[0,1,0,0],[0,1,1]",
                "level 1, node 0: expected 4 numbers, got 3",
            ),
            (
                "[0,1,0,0],[0,1,1,7]",
                "level 1, node 0: there is no name with index 7",
            ),
            (
                "[0,1,0,0],[-1,1,1,0]",
                "level 1, node 0: a distance or a total is negative",
            ),
            (
                "[],[0,1,1,0]",
                "level 1, node 0: the node is not within a node above it",
            ),
        ] {
            let error = open(r#""total""#, levels, single).expect_err("is damaged");
            assert_eq!(error.to_string(), format!("flamebearer, {expect}"));
        }
    }

    #[test]
    fn units() {
        for (metadata, expect) in [
            ("", "samples/count\n"),
            (r#""units":"samples","sampleRate":100"#, "samples/count\n"),
            (
                r#""units":"objects","name":"inuse_objects""#,
                "inuse_objects/count\n",
            ),
            (
                r#""units":"lock_nanoseconds","name":"delay""#,
                "delay/lock_nanoseconds\n",
            ),
        ] {
            let decoded = open("", "", metadata).expect("opens");
            assert_eq!(drawn(&decoded.profile), expect);
        }
    }
}
