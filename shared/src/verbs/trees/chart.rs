//! A flame chart as a tree: what can be done with a tree can be done with a chart.
//!
//! Its nodes are spans in the order of time, their values nanoseconds. Time in which nothing ran,
//! in front of or between the children of a node, is a node without a name (a pause), so that the
//! widths of the nodes before it put each node at its place. What a span has of its own, it has in
//! its pauses and behind its last child.

use crate::model::id::{LabelSetId, StringId};
use crate::model::profile::Profile;
use crate::tree::call_tree::{CallTree, Frame, NodeId, Shape, Tree};
use crate::tree::fold;
use crate::tree::frames::By;
use crate::tree::self_values::SelfValues;
use crate::verbs::filter::time::nanos_a_unit;
use crate::verbs::trees::visits::{Span, TimelineError, Visit, timeline};

/// A flame chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Spans and pauses; the root lasts from the first sample to the end of the last.
    pub tree: CallTree,
    /// When the first sample was taken, as the profile counts its times; of an empty chart the
    /// first of all samples.
    pub start: i64,
    /// The frame of pauses; no other node has it.
    pub pause: usize,
}

/// The chart of a value column, of the samples whose labels `keep` takes: those of a thread, for
/// what runs side by side cannot be drawn in one chart. It is empty where no such sample has a
/// value, and `None` where the profile has no times.
///
/// A sample lasts as long as its value says, where that is a time, and else until the next one,
/// but no longer than twice the median time between two; the next one ends it at the latest. Where
/// times are counted by samples, these come early or late: one that is half a period late at most
/// leaves no gap. A longer gap lacks a sample: its thread did not run.
pub fn chart(
    profile: &Profile,
    sample_type: usize,
    keep: impl Fn(Option<LabelSetId>) -> bool,
) -> Result<Option<Chart>, TimelineError> {
    let samples = &profile.samples;
    let (Some(times), Some(values)) = (&samples.times, samples.values.get(sample_type)) else {
        return Ok(None);
    };
    let mut taken: Vec<(Visit, i64)> = Vec::new();
    let merged = fold::build([(profile, sample_type)], By::Function, |_, [nodes]| {
        let rows = times.iter().zip(values).zip(&samples.labels);
        let valued = rows.filter(|((_, value), _)| **value != 0).zip(nodes);
        taken.extend(valued.filter(|((_, labels), _)| keep(**labels)).map(
            |(((&time, &value), _), &node)| {
                let node = NodeId(node);
                (Visit { time, node }, value)
            },
        ));
    });
    taken.sort_by_key(|(visit, _)| visit.time);
    let start = match taken.first() {
        Some((first, _)) => first.time,
        None => times.iter().min().copied().unwrap_or(0),
    };
    let factor = nanos_a_unit(profile, sample_type);
    let visits = with_ends(&taken, factor, period(profile, sample_type));
    let end = visits.iter().map(|visit| visit.time).max().unwrap_or(start);
    let spans = timeline(merged.shape(), &visits, end)?;
    let mut shape = merged.shape;
    let pause = shape.frames.len();
    shape.frames.push(Frame {
        name: StringId::EMPTY,
        file: StringId::EMPTY,
        module: StringId::EMPTY,
        line: 0,
    });
    let tree = tree(shape, &spans, start, end, pause as u32);
    Ok(Some(Chart { tree, start, pause }))
}

/// Nanoseconds between two samples of a column that counts time by samples; 0 of one whose times
/// are measured, such as those of a trace, which has no period, or delays.
fn period(profile: &Profile, column: usize) -> i64 {
    let (kind, unit) = profile.type_text(profile.sample_types[column]);
    let header = &profile.header;
    let has_period = header
        .period_type
        .is_some_and(|of| profile.text(of.unit) == unit);
    match nanos_a_unit(profile, column) {
        Some(factor) if has_period && matches!(kind, "cpu" | "wall") => {
            header.period.saturating_mul(factor)
        }
        _ => 0,
    }
}

/// Visits, by time, and the ends of their samples as visits to the root. Where something starts as
/// another ends, the start comes last, and so counts. No gap is left that is not longer than
/// half of `period`.
fn with_ends(taken: &[(Visit, i64)], factor: Option<i64>, period: i64) -> Vec<Visit> {
    let longest = match factor {
        Some(_) => i64::MAX,
        None => median_step(taken).saturating_mul(2),
    };
    let ends = taken.iter().enumerate().map(|(i, (visit, value))| {
        let next = taken.get(i + 1).map(|(next, _)| next.time);
        let length = match factor {
            Some(factor) => value.saturating_mul(factor).max(0),
            None => next.map_or(longest / 2, |next| next.saturating_sub(visit.time)),
        };
        let end = visit.time.saturating_add(length.min(longest));
        let is_near = |next: &i64| *next <= end.saturating_add(period / 2);
        Visit {
            time: next.filter(is_near).unwrap_or(end),
            node: NodeId::ROOT,
        }
    });
    ends.chain(taken.iter().map(|(visit, _)| *visit)).collect()
}

/// The median time between two visits, of those between which there is some; 1 without any.
fn median_step(taken: &[(Visit, i64)]) -> i64 {
    let mut steps: Vec<i64> = taken
        .windows(2)
        .map(|pair| pair[1].0.time.saturating_sub(pair[0].0.time))
        .filter(|&step| step > 0)
        .collect();
    let middle = steps.len() / 2;
    if steps.is_empty() {
        return 1;
    }
    *steps.select_nth_unstable(middle).1
}

/// A span whose end is not reached yet.
struct Open {
    node: u32,
    end: i64,
    /// Up to when its children and pauses reach.
    filled: i64,
}

/// Spans, by start, then depth, and the pauses between them.
fn tree(shape: Shape, spans: &[Span], start: i64, end: i64, pause: u32) -> CallTree {
    let mut nodes = Nodes::default();
    nodes.push(0, 0);
    let mut own: Vec<(u32, i64)> = Vec::new();
    let mut open = vec![Open {
        node: 0,
        end,
        filled: start,
    }];
    let close = |own: &mut Vec<(u32, i64)>, span: Open| {
        let rest = span.end.saturating_sub(span.filled);
        if rest > 0 {
            own.push((span.node, rest));
        }
    };
    for span in spans {
        while open.len() > span.depth as usize {
            open.pop()
                .into_iter()
                .for_each(|last| close(&mut own, last));
        }
        let Some(parent) = open.last_mut() else {
            break;
        };
        let gap = span.start.saturating_sub(parent.filled);
        if gap > 0 {
            own.push((nodes.push(parent.node, pause), gap));
        }
        parent.filled = span.end;
        let frame = shape.frame_of[span.node.index()];
        let node = nodes.push(parent.node, frame);
        open.push(Open {
            node,
            end: span.end,
            filled: span.start,
        });
    }
    while let Some(last) = open.pop() {
        close(&mut own, last);
    }
    let own = SelfValues::sum(nodes.parents.len(), own.iter().copied());
    let Shape {
        strings, frames, ..
    } = shape;
    Tree::of_preorder(strings, frames, nodes.parents, nodes.frames, [own])
}

#[derive(Default)]
struct Nodes {
    parents: Vec<u32>,
    frames: Vec<u32>,
}

impl Nodes {
    fn push(&mut self, parent: u32, frame: u32) -> u32 {
        self.parents.push(parent);
        self.frames.push(frame);
        self.parents.len() as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProfileBuilder;
    use crate::views::flame::{BoxKind, Viewport, layout_chart};

    /// Time, stack and value of each sample.
    fn check(unit: &str, samples: &[(i64, &str, i64)], expect: &str) {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", unit);
        for &(time, stack, value) in samples {
            let names: Vec<&str> = stack.split(';').filter(|name| !name.is_empty()).collect();
            let stack = builder.named_stack(&names);
            builder.sample_at(time, stack, None, &[value]);
        }
        let chart = chart(&builder.finish(), 0, |_| true).unwrap().unwrap();
        let shape = chart.tree.shape();
        let words = (0..shape.len() as u32).map(|node| {
            let node = NodeId(node);
            let name = match shape.frame_index(node) {
                frame if frame == chart.pause => "-",
                _ => shape.name(node),
            };
            let depth = ".".repeat(shape.depth(node) as usize);
            let (own, total) = (chart.tree.self_value(node), chart.tree.total_value(node));
            format!("{depth}{name} {total} {own}")
        });
        assert_eq!(words.collect::<Vec<_>>().join("\n"), expect);
    }

    #[test]
    fn samples_last_as_long_as_they_say() {
        check(
            "nanoseconds",
            &[(100, "main;a", 10), (110, "main;b", 5), (120, "main;a", 5)],
            "total 25 0\n.main 15 0\n..a 10 10\n..b 5 5\n.- 5 5\n.main 5 0\n..a 5 5",
        );
        // The next one ends it, and one that comes too late leaves a pause within its caller.
        check(
            "microseconds",
            &[(0, "main", 9), (1_000, "main;a", 2), (2_000, "main", 1)],
            "total 3000 0\n.main 3000 1000\n..- 1000 1000\n..a 1000 1000",
        );
    }

    /// Samples of 10 that come late, early, very late, and after one that is missing.
    #[test]
    fn samples_half_a_period_late_are_joined() {
        let check = |kind: &str, period_unit: &str, expect: &str| {
            let mut builder = ProfileBuilder::new();
            builder.sample_type(kind, "nanoseconds");
            let stack = builder.named_stack(&["main"]);
            for time in [0, 12, 20, 35, 51, 71] {
                builder.sample_at(time, stack, None, &[10]);
            }
            let period_type = builder.value_type("cpu", period_unit);
            let header = builder.header();
            (header.period_type, header.period) = (Some(period_type), 10);
            let profile = builder.finish();
            assert_eq!(profile.total(0), 60);
            let chart = chart(&profile, 0, |_| true).unwrap().unwrap();
            let lengths = chart.tree.shape().children(NodeId::ROOT);
            let lengths = lengths.map(|node| chart.tree.total_value(node).to_string());
            assert_eq!(lengths.collect::<Vec<_>>().join(" "), expect, "{kind}");
        };
        // Every second one is a pause.
        check("cpu", "nanoseconds", "45 6 10 10 10");
        check("wall", "nanoseconds", "45 6 10 10 10");
        for (kind, unit) in [("delay", "nanoseconds"), ("wall", "count")] {
            check(kind, unit, "10 2 18 5 10 6 10 10 10");
        }
    }

    /// Spans of a third of a pixel and pauses of two thirds: one box, of a span and not of a pause.
    #[test]
    fn narrow_spans_between_pauses_are_drawn() {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        let stack = builder.named_stack(&["main"]);
        for i in 0..30 {
            builder.sample_at(i * 3, stack, None, &[1]);
        }
        // A pause that has room is no box, and ends one.
        builder.sample_at(300, stack, None, &[30]);
        let chart = chart(&builder.finish(), 0, |_| true).unwrap().unwrap();
        let view = Viewport {
            zoom: NodeId::ROOT,
            x0: 0.0,
            x1: 1.0,
            width: 110.0,
            depth0: 1,
            depth1: 2,
        };
        let boxes = layout_chart(&chart.tree, chart.pause, view);
        let drawn: Vec<_> = boxes
            .iter()
            .map(|b| (b.x.round(), b.width.round(), b.kind))
            .collect();
        let run = |i: i32| (2.0 * i as f32, if i < 14 { 2.0 } else { 1.0 }, BoxKind::Run);
        let runs = (0..15).map(run);
        let expect: Vec<_> = runs.chain([(100.0, 10.0, BoxKind::Node)]).collect();
        assert_eq!(drawn, expect);
        let shape = chart.tree.shape();
        assert!(boxes.iter().all(|b| shape.name(b.node) == "main"));
    }

    #[test]
    fn counts_last_until_the_next() {
        check(
            "count",
            &[
                (0, "main;a", 1),
                (10, "main", 3),
                (20, "main;a", 1),
                (100, "b", 1),
            ],
            "total 110 0\n.main 40 0\n..a 10 10\n..- 10 10\n..a 20 20\n.- 60 60\n.b 10 10",
        );
        check("count", &[(7, "a", 1)], "total 1 0\n.a 1 1");
    }

    #[test]
    fn nothing_without_times() {
        let profile = crate::testing::profile("a 1");
        assert!(chart(&profile, 0, |_| true).unwrap().is_none());
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        let stack = builder.named_stack(&["a"]);
        builder.sample_at(i64::MIN, stack, None, &[i64::MAX]);
        builder.sample_at(i64::MAX, stack, None, &[-1]);
        let profile = builder.finish();
        let nobody = chart(&profile, 0, |_| false).unwrap().unwrap();
        assert_eq!((nobody.tree.shape().len(), nobody.start), (1, i64::MIN));
        assert!(chart(&profile, 0, |_| true).unwrap().is_some());
    }
}
