//! A flame chart: what ran when, from samples in the order of time.
//!
//! A visit says at which node of a tree a thread was found; that holds until the next visit.
//! Neighbours that share callers share their spans, so a span is as long as a function was found
//! running without a break. A visit to the root means that nothing ran. Time is whatever the visits
//! count it in; nothing is added to it or divided.

use thiserror::Error;

use crate::tree::call_tree::{NodeId, Shape};

/// Most spans of a chart: 2^24. One takes 24 bytes, so 384 MiB. A second of samples at 1 kHz, each
/// 100 frames deep and unlike the one before, makes 100,000.
const MAX_SPANS: usize = 1 << 24;

/// Where a thread was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// When.
    pub time: i64,
    /// At which node; the root when nothing ran.
    pub node: NodeId,
}

/// A function running without a break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First instant.
    pub start: i64,
    /// First instant after it; later than `start`.
    pub end: i64,
    /// Row in the chart; the root, which has no span, would have 0.
    pub depth: u32,
    /// The node; [`Shape::frame`] says what it shows.
    pub node: NodeId,
}

/// Why there is no chart.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum TimelineError {
    /// Too many spans.
    #[error("the chart has more than {MAX_SPANS} spans up to {until} ns; choose a shorter range")]
    TooManySpans {
        /// Where the limit was reached.
        until: i64,
    },
}

/// The spans of some visits, by start, then depth. Visits may come in any order; of those at one
/// time the last counts. The last of all holds until `until`, if that is later. Time is that of
/// sorting, then linear in visits and spans.
pub fn timeline(shape: &Shape, visits: &[Visit], until: i64) -> Result<Vec<Span>, TimelineError> {
    chart(shape, visits, until, MAX_SPANS)
}

fn chart(
    shape: &Shape,
    visits: &[Visit],
    until: i64,
    most: usize,
) -> Result<Vec<Span>, TimelineError> {
    let mut visits: Vec<Visit> = visits.to_vec();
    visits.sort_by_key(|visit| visit.time);
    let depths = shape.depths();
    let mut spans: Vec<Span> = Vec::new();
    // Spans that run now, outermost first, and nodes to be entered, innermost first.
    let mut running: Vec<usize> = Vec::new();
    let mut entered: Vec<NodeId> = Vec::new();
    for (i, visit) in visits.iter().enumerate() {
        if visits
            .get(i + 1)
            .is_some_and(|next| next.time == visit.time)
        {
            continue;
        }
        // Up from the node to the innermost one that is running already; what runs below that has
        // ended.
        let mut node = visit.node;
        loop {
            let depth = depths[node.index()] as usize;
            while running.len() > depth {
                running
                    .pop()
                    .into_iter()
                    .for_each(|span| spans[span].end = visit.time);
            }
            let is_running = running.len() == depth
                && running.last().is_none_or(|&span| spans[span].node == node);
            if is_running {
                break;
            }
            entered.push(node);
            node = shape.parent(node);
        }
        if spans.len() + entered.len() > most {
            return Err(TimelineError::TooManySpans { until: visit.time });
        }
        while let Some(node) = entered.pop() {
            running.push(spans.len());
            spans.push(Span {
                start: visit.time,
                end: visit.time,
                depth: running.len() as u32,
                node,
            });
        }
    }
    let end = visits.last().map_or(until, |last| until.max(last.time));
    for span in running {
        spans[span].end = end;
    }
    // Those that the last visit began, where it lasts no time.
    spans.retain(|span| span.end > span.start);
    Ok(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;
    use crate::{By, CallTree};

    fn tree() -> CallTree {
        // 1 main, 2 a, 3 x, 4 b, 5 other
        CallTree::new(&profile("main;a;x 1\nmain;b 1\nother 1"), 0, By::Name)
    }

    fn check(visits: &[(i64, u32)], until: i64, expect: &str) {
        let tree = tree();
        let visits: Vec<Visit> = visits
            .iter()
            .map(|&(time, node)| Visit {
                time,
                node: NodeId(node),
            })
            .collect();
        let spans = timeline(tree.shape(), &visits, until).unwrap();
        let words = spans.iter().map(|s| {
            format!(
                "{}{} {}-{}",
                ".".repeat(s.depth as usize),
                tree.shape().name(s.node),
                s.start,
                s.end
            )
        });
        assert_eq!(words.collect::<Vec<_>>().join("\n"), expect);
    }

    #[test]
    fn neighbours_share_spans() {
        check(
            &[(10, 3), (20, 2), (30, 4), (40, 3)],
            50,
            ".main 10-50\n..a 10-30\n...x 10-20\n..b 30-40\n..a 40-50\n...x 40-50",
        );
        check(
            &[(10, 3), (20, 5), (30, 0), (35, 5)],
            40,
            ".main 10-20\n..a 10-20\n...x 10-20\n.other 20-30\n.other 35-40",
        );
    }

    #[test]
    fn order_and_ends() {
        check(&[(20, 5), (10, 1)], 30, ".main 10-20\n.other 20-30");
        // Of two at one time the last counts, and does not cut what runs through.
        check(&[(10, 1), (20, 5), (20, 1)], 30, ".main 10-30");
        check(&[(10, 1), (20, 4)], 15, ".main 10-20");
        check(
            &[(i64::MIN, 1)],
            i64::MAX,
            ".main -9223372036854775808-9223372036854775807",
        );
        check(&[], 5, "");
    }

    #[test]
    fn has_a_limit() {
        let visits = [
            Visit {
                time: 1,
                node: NodeId(3),
            },
            Visit {
                time: 2,
                node: NodeId(5),
            },
        ];
        assert_eq!(
            chart(tree().shape(), &visits, 3, 3),
            Err(TimelineError::TooManySpans { until: 2 })
        );
        assert_eq!(chart(tree().shape(), &visits, 3, 4).unwrap().len(), 4);
    }
}
