//! Spans: a query for some of them gives exactly what their samples count, at every level, and no
//! other query notices.

mod links;

use std::collections::BTreeMap;

use pilotlight_core::plans::{
    CompactOutput, CompactPlan, CompactTask, Deletion, Plan, QueryAnswer, SampleQueryPlan,
};
use pilotlight_core::store::{ChunkId, Level, LinkedRow, Series, SeriesRows, encode_chunk};
use pilotlight_core::{
    ProfileBuilder, ProfileType, Selector, SpanId, SpanSelector, TimeRange, TraceId, TraceLink,
    UnixNanos,
};
use proptest::prelude::*;

use crate::support::{Bucket, Push, counting, labels, named_stack, profile_type, push, said};

/// A trace and a span, 0 for none.
pub(crate) type Context = (u8, u8);

/// A push, and for each row of each type the span that it belongs to.
#[derive(Clone, Debug)]
pub(crate) struct LinkedPush {
    pub(crate) push: Push,
    pub(crate) contexts: Vec<Vec<Context>>,
}

pub(crate) fn trace(n: u8) -> Option<TraceId> {
    (n > 0).then(|| format!("{n:02x}").repeat(16).parse().unwrap())
}

pub(crate) fn span(n: u8) -> Option<SpanId> {
    (n > 0).then(|| format!("{n:02x}").repeat(8).parse().unwrap())
}

pub(crate) fn linked_push() -> impl Strategy<Value = LinkedPush> {
    let context = prop_oneof![Just((0u8, 0u8)), (0u8..3, 0u8..5), Just((1, 1)),];
    let contexts = prop::collection::vec(prop::collection::vec(context, 12), 2);
    (push(), contexts).prop_map(|(push, contexts)| LinkedPush { push, contexts })
}

impl LinkedPush {
    fn chunk(&self, with_links: bool) -> Vec<u8> {
        let push = &self.push;
        let mut builder = ProfileBuilder::new();
        builder.header().period = push.period();
        let mut all = Vec::new();
        for ((sample_type, rows), contexts) in push.types.iter().zip(&self.contexts) {
            let mut series = SeriesRows {
                series: Series {
                    labels: labels(&push.labels),
                    profile_type: profile_type(push.family, sample_type),
                    time: UnixNanos(push.time),
                    duration_nanos: push.duration(),
                    total: 0,
                },
                ..SeriesRows::default()
            };
            for ((stack, value), &(t, s)) in rows.iter().zip(contexts) {
                let stack = named_stack(&mut builder, stack);
                series.rows.push((stack, *value));
                let name = builder.string(["", "GET /", "λ"][usize::from(s) % 3]);
                let (trace, span) = (trace(t), span(s));
                if with_links && (trace.is_some() || span.is_some()) {
                    let link = TraceLink { trace, span, name };
                    series.links.push(LinkedRow {
                        link,
                        stack,
                        value: *value,
                    });
                }
            }
            all.push(series);
        }
        encode_chunk(ChunkId([push.id; 16]), &builder.finish(), &all).unwrap()
    }
}

pub(crate) fn filled(pushes: &[LinkedPush], with_links: bool) -> Bucket {
    let mut minutes: BTreeMap<i64, Vec<Vec<u8>>> = BTreeMap::new();
    for push in pushes {
        let chunks = minutes.entry(push.push.arrival_millis).or_default();
        chunks.push(push.chunk(with_links));
    }
    let mut bucket = Bucket::default();
    for (millis, chunks) in minutes {
        bucket.put_segment(millis, &chunks);
    }
    bucket
}

/// What the samples of a context count.
type Chosen = fn(Context) -> bool;

/// Selectors of spans, and what they select.
fn selectors() -> Vec<(SpanSelector, Chosen)> {
    let spans = |all: &[u8]| SpanSelector::Spans(all.iter().filter_map(|&n| span(n)).collect());
    let traces = |all: &[u8]| SpanSelector::Traces(all.iter().filter_map(|&n| trace(n)).collect());
    vec![
        (spans(&[1]), |(_, span)| span == 1),
        (spans(&[2, 4]), |(_, span)| span == 2 || span == 4),
        (spans(&[9]), |_| false),
        (spans(&[]), |_| false),
        (traces(&[1]), |(trace, _)| trace == 1),
        (traces(&[1, 2]), |(trace, _)| trace > 0),
    ]
}

pub(crate) fn query(
    bucket: &Bucket,
    selector: &str,
    of_type: &ProfileType,
    range: TimeRange,
    spans: &SpanSelector,
) -> QueryAnswer {
    let selector = Selector::parse(selector).unwrap();
    let mut plan =
        SampleQueryPlan::new(&selector, of_type, range, spans.clone(), &bucket.catalog).unwrap();
    loop {
        let wants = plan.wants();
        if wants.is_empty() {
            return plan.finish().unwrap();
        }
        // Back to front: the order must not matter.
        for get in wants.iter().rev() {
            plan.provide(get, bucket.read(get)).unwrap();
        }
    }
}

type Said = (BTreeMap<Vec<String>, i64>, u64);

/// Computed without the store, of the pushes that count and are not deleted.
fn expected(
    pushes: &[LinkedPush],
    selector: &str,
    of_type: &ProfileType,
    range: TimeRange,
    chosen: Chosen,
    deletion: Option<&Deletion>,
) -> Said {
    let selector = Selector::parse(selector).unwrap();
    let plain: Vec<Push> = pushes.iter().map(|p| p.push.clone()).collect();
    let (mut map, mut profiles) = (BTreeMap::<Vec<String>, i64>::new(), 0);
    for counted in counting(&plain) {
        let at = plain.iter().position(|p| std::ptr::eq(p, counted)).unwrap();
        let (push, contexts) = (counted, &pushes[at].contexts);
        for ((sample_type, rows), contexts) in push.types.iter().zip(contexts) {
            let (own_type, labels) = (profile_type(push.family, sample_type), labels(&push.labels));
            let time = UnixNanos(push.time);
            let deleted = deletion
                .is_some_and(|d| d.range.contains(time) && d.selector.matches(&own_type, &labels));
            if own_type != *of_type
                || !range.contains(time)
                || !selector.matches(&own_type, &labels)
                || deleted
            {
                continue;
            }
            let mut own = BTreeMap::<(Context, Vec<String>), i64>::new();
            for ((stack, value), &context) in rows.iter().zip(contexts) {
                if chosen(context) {
                    let stack = stack.iter().map(|s| (*s).to_owned()).collect();
                    *own.entry((context, stack)).or_default() += value;
                }
            }
            own.retain(|_, value| *value != 0);
            profiles += u64::from(!own.is_empty());
            for ((_, stack), value) in own {
                *map.entry(stack).or_default() += value;
            }
        }
    }
    map.retain(|_, value| *value != 0);
    (map, profiles)
}

fn answered(answer: &QueryAnswer) -> Said {
    if answer.profile.sample_types().is_empty() {
        return (BTreeMap::new(), answer.profiles);
    }
    (said(&answer.profile), answer.profiles)
}

fn check(bucket: &Bucket, pushes: &[LinkedPush], deletion: Option<&Deletion>, when: &str) {
    let minutes =
        |from: i64, until: i64| TimeRange::of_nanos(from * 60_000_000_000, until * 60_000_000_000);
    let types = [
        profile_type("process_cpu", "cpu"),
        profile_type("memory", "alloc_space"),
        profile_type("memory", "inuse_space"),
    ];
    for of_type in &types {
        for (selector, range) in [
            ("", TimeRange::ALL),
            ("", minutes(7, 31)),
            ("{region=\"eu\"}", TimeRange::ALL),
            ("{service_name=\"a\"}", minutes(0, 45)),
        ] {
            for (spans, chosen) in selectors() {
                let answer = query(bucket, selector, of_type, range, &spans);
                let expect = expected(pushes, selector, of_type, range, chosen, deletion);
                assert_eq!(
                    answered(&answer),
                    expect,
                    "{when}: {of_type}{selector} {spans:?}"
                );
            }
        }
    }
}

/// Bytes that queries and timelines read.
fn bytes_read(bucket: &Bucket) -> Vec<u64> {
    let mut bytes = Vec::new();
    for of_type in [
        profile_type("process_cpu", "cpu"),
        profile_type("memory", "alloc_space"),
    ] {
        for selector in ["", "{region=\"eu\"}"] {
            let answer = bucket.query(selector, &of_type, TimeRange::ALL).unwrap();
            bytes.push(answer.bytes);
            let timeline = bucket.timeline(selector, Some(&of_type), TimeRange::ALL);
            bytes.push(timeline.bytes);
        }
    }
    bytes
}

/// Rewrites what holds deleted profiles, at its own level; segments become a block.
fn delete(bucket: &mut Bucket, deletion: &Deletion) {
    let (segments, blocks): (Vec<_>, Vec<_>) = bucket
        .catalog
        .clone()
        .into_iter()
        .filter(|object| object.level.has_profiles())
        .partition(|object| object.level == Level::Segment);
    let mut jobs: Vec<Vec<_>> = blocks.into_iter().map(|block| vec![block]).collect();
    jobs.extend((!segments.is_empty()).then_some(segments));
    for sources in jobs {
        let keys: Vec<String> = sources.iter().map(|s| s.key.clone()).collect();
        let (token, level) = (bucket.token(), sources[0].level.max(Level::Minutes));
        let task = CompactTask {
            level,
            token,
            unique: token,
            partition: 0,
            partition_bytes: bucket.partition_bytes,
        };
        let mut plan = CompactPlan::without(sources, task, vec![deletion.clone()]).unwrap();
        while !plan.wants().is_empty() {
            for get in plan.wants() {
                plan.provide(&get, bucket.read(&get)).unwrap();
            }
        }
        let output: CompactOutput = plan.finish().unwrap();
        bucket.put_block(&keys, output);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn spans_are_answered_exactly_at_every_level(
        pushes in prop::collection::vec(linked_push(), 1..24),
        compacted: u64,
        partition_bytes in prop_oneof![Just(1u64), Just(1 << 20)],
    ) {
        let (mut bucket, mut plain) = (filled(&pushes, true), filled(&pushes, false));
        for bucket in [&mut bucket, &mut plain] {
            bucket.partition_bytes = partition_bytes;
        }
        let same_bytes = |bucket: &Bucket, plain: &Bucket, when: &str| {
            assert_eq!(bytes_read(bucket), bytes_read(plain), "{when}");
        };
        check(&bucket, &pushes, None, "segments");
        same_bytes(&bucket, &plain, "segments");
        for bucket in [&mut bucket, &mut plain] {
            bucket.compact(|at| compacted >> at & 1 == 1);
        }
        check(&bucket, &pushes, None, "some segments");
        same_bytes(&bucket, &plain, "some segments");
        for level in 1..=3 {
            for bucket in [&mut bucket, &mut plain] {
                bucket.compact_all(level);
            }
            check(&bucket, &pushes, None, &format!("level {level}"));
            same_bytes(&bucket, &plain, &format!("level {level}"));
        }
        // A block of sums has no links, and none of its bytes are due to them.
        let sums = |bucket: &Bucket| {
            let of_sums = bucket.catalog.iter().filter(|object| object.level == Level::Day);
            of_sums.map(|object| object.directory.clone()).collect::<Vec<_>>()
        };
        let (with, without) = (sums(&bucket), sums(&plain));
        prop_assert!(with.iter().flat_map(|d| d.datasets()).all(|d| d.links.is_empty()));
        prop_assert_eq!(with.len(), without.len());
    }

    #[test]
    fn deleted_spans_are_gone(
        pushes in prop::collection::vec(linked_push(), 1..20),
        level in 0u8..=2,
        region in prop::sample::select(vec!["{region=\"eu\"}", "{service_name=\"a\"}", "{}"]),
        until in 0i64..60,
    ) {
        let mut bucket = filled(&pushes, true);
        (1..=level).for_each(|level| bucket.compact_all(level));
        let deletion = Deletion {
            selector: Selector::parse(region).unwrap(),
            range: TimeRange::of_nanos(0, until * 60_000_000_000),
            others: false,
        };
        delete(&mut bucket, &deletion);
        check(&bucket, &pushes, Some(&deletion), &format!("level {level}, deleted"));
        bucket.compact_all(2);
        check(&bucket, &pushes, Some(&deletion), "level 2 of what is left");
    }
}

/// A push of one cpu profile of service a, whose samples belong to these spans.
pub(crate) fn simple(id: u8, minute: i64, contexts: &[Context]) -> LinkedPush {
    let rows = contexts.iter().map(|_| (vec!["main", "work"], 10_000_000));
    LinkedPush {
        push: Push {
            id,
            arrival_millis: minute * 60_000,
            time: minute * 60_000_000_000,
            family: "process_cpu",
            labels: vec![("service_name", "a")],
            types: vec![
                (
                    "samples",
                    contexts.iter().map(|_| (vec!["main", "work"], 1)).collect(),
                ),
                ("cpu", rows.collect()),
            ],
        },
        contexts: vec![contexts.to_vec(); 2],
    }
}
