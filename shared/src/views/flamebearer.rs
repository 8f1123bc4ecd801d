//! A profile as the JSON that Pyroscope's viewers open (flamebearer).

use serde::Serialize;
use thiserror::Error;

use crate::model::profile::Profile;
use crate::model::profile_type::ProfileType;
use crate::tree::call_tree::CallTree;
use crate::tree::frames::By;
use crate::views::pyroscope::{self, FlameGraph, FlameGraphDiff, flame_graph};

#[derive(Serialize)]
struct File<'a> {
    version: u8,
    flamebearer: Graph<'a>,
    metadata: Metadata,
}

/// The part `flamebearer`: names, and where each node lies.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Graph<'a> {
    names: &'a [String],
    levels: &'a [Vec<i64>],
    num_ticks: i64,
    max_self: i64,
}

impl<'a> From<&'a FlameGraph> for Graph<'a> {
    fn from(graph: &'a FlameGraph) -> Self {
        Self {
            names: &graph.names,
            levels: &graph.levels,
            num_ticks: graph.total,
            max_self: graph.max_self,
        }
    }
}

impl<'a> From<&'a FlameGraphDiff> for Graph<'a> {
    fn from(graph: &'a FlameGraphDiff) -> Self {
        Self {
            names: &graph.names,
            levels: &graph.levels,
            num_ticks: graph.total,
            max_self: graph.max_self,
        }
    }
}

/// The part `metadata`: what the numbers mean.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    format: &'static str,
    spy_name: &'static str,
    sample_rate: i64,
    units: String,
    name: String,
}

impl From<&ProfileType> for Metadata {
    fn from(profile_type: &ProfileType) -> Self {
        let about = pyroscope::metadata(profile_type);
        Self {
            format: "single",
            spy_name: "",
            sample_rate: about.sample_rate,
            units: match profile_type.sample_unit.contains('/') {
                // Parts of something, such as count/1000: the format has no word for them.
                true => profile_type.sample_unit.clone(),
                false => about.units,
            },
            name: about.name,
        }
    }
}

impl Metadata {
    /// That of two profiles of a type.
    pub fn of_two(profile_type: &ProfileType) -> Self {
        Self {
            format: "double",
            ..Self::from(profile_type)
        }
    }
}

/// The profile can't be written as a flame graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the profile has negative values, which this format can't hold; choose pprof, folded stacks or speedscope"
)]
pub struct NegativeValues;

/// Writes one sample type of a profile, functions by their names.
pub fn encode(profile: &Profile, sample_type: usize) -> Result<String, NegativeValues> {
    let tree = CallTree::new(profile, sample_type, By::Name);
    let mut nodes = (0..tree.shape().len() as u32).filter_map(|number| tree.shape().node(number));
    if nodes.any(|node| tree.self_value(node) < 0) {
        return Err(NegativeValues);
    }
    let graph = flame_graph(&tree, 0);
    Ok(encode_graph(&graph, &profile_type(profile, sample_type)))
}

/// The profile type of a sample type of a file, which says no more of it than its name and its unit.
pub fn profile_type(profile: &Profile, sample_type: usize) -> ProfileType {
    let (kind, unit) = profile.type_text(profile.sample_types()[sample_type]);
    ProfileType::of_parts([kind, kind, unit, "", ""])
}

/// Writes a flame graph.
pub fn encode_graph(graph: &FlameGraph, profile_type: &ProfileType) -> String {
    let file = File {
        version: 1,
        flamebearer: Graph::from(graph),
        metadata: Metadata::from(profile_type),
    };
    // Texts and numbers always have a form in JSON.
    serde_json::to_string(&file).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::folded;
    use crate::imports;
    use crate::{ProfileBuilder, testing};

    #[test]
    fn stacks_and_totals_come_back() {
        let drawn = testing::profile("a;b 3\na;c 5\na 2\nz\"\\;b 1\nd 0");
        for (kind, unit) in [
            ("cpu", "nanoseconds"),
            ("wall", "nanoseconds"),
            ("inuse_objects", "count"),
            ("contentions", "count"),
            ("alloc_space", "bytes"),
            ("samples", "count/1000"),
        ] {
            let mut builder = ProfileBuilder::new();
            builder.sample_type(kind, unit);
            for (row, stack) in drawn.samples().stacks.iter().enumerate() {
                let mut names: Vec<&str> = drawn
                    .frames(*stack)
                    .map(|location| {
                        let function = drawn.lines(location)[0].function.expect("named");
                        drawn.text(drawn.functions()[function.index()].name)
                    })
                    .collect();
                names.reverse();
                let stack = builder.named_stack(&names);
                builder.sample(stack, None, &[drawn.samples().values[0][row]]);
            }
            builder.sample(None, None, &[7]);
            let profile = builder.finish();
            let text = encode(&profile, 0).expect("nothing negative");
            let opened = imports::open(text.as_bytes(), 1 << 20).expect("our own");
            assert_eq!(opened.format, Some("flamebearer"));
            let read = opened.decoded.profile;
            assert_eq!(read.type_text(read.sample_types()[0]), (kind, unit));
            let text = |profile: &Profile| folded::encode(profile, 0, 1 << 20).expect("small");
            assert_eq!(text(&read), text(&profile));
        }
    }

    #[test]
    fn negative_values_are_refused() {
        let delta = |values: &[(&str, i64)]| {
            let mut builder = ProfileBuilder::new();
            builder.sample_type("delta", "count");
            for &(name, value) in values {
                let stack = builder.named_stack(&["root", name]);
                builder.sample(stack, None, &[value]);
            }
            encode(&builder.finish(), 0).map(|_| ())
        };
        assert_eq!(delta(&[("up", 50), ("down", -20)]), Err(NegativeValues));
        assert_eq!(delta(&[("up", 50), ("up", -20)]), Ok(()), "a frame has 30");
    }
}
