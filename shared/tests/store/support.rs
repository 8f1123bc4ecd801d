//! Histories of random pushes, a bucket in memory, and the answer that a query must give, computed
//! without the store.

mod bucket;

use std::collections::BTreeMap;

use pilotlight_core::store::{ChunkId, Series, SeriesRows, encode_chunk};
use pilotlight_core::{
    Labels, Profile, ProfileBuilder, ProfileType, Selector, StackId, TimeRange, UnixNanos,
};
use proptest::prelude::*;

pub(crate) use bucket::Bucket;

/// Stacks of names, root first, and their values.
pub(crate) type NamedRows = Vec<(Vec<&'static str>, i64)>;

/// One push: when and whose, and for each of the family's types its rows, as stacks of names.
#[derive(Clone, Debug)]
pub(crate) struct Push {
    pub(crate) id: u8,
    pub(crate) arrival_millis: i64,
    pub(crate) time: i64,
    pub(crate) family: &'static str,
    pub(crate) labels: Vec<(&'static str, &'static str)>,
    pub(crate) types: Vec<(&'static str, NamedRows)>,
}

const NAMES: &[&str] = &["main", "work", "wait", "λ-calculus", "runtime.gc", ""];

pub(crate) fn profile_type(family: &str, sample_type: &str) -> ProfileType {
    format!("{family}:{sample_type}:count:cpu:nanoseconds")
        .parse()
        .unwrap()
}

pub(crate) fn labels(pairs: &[(&str, &str)]) -> Labels {
    Labels::new(
        pairs
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    )
    .unwrap()
}

pub(crate) fn rows() -> impl Strategy<Value = NamedRows> {
    let stack = prop::collection::vec(prop::sample::select(NAMES), 0..5);
    // Small and large values, none so large that sums of a history leave 64 bits.
    let value = prop_oneof![
        0i64..5,
        Just(10_000_000),
        -3i64..0,
        (1i64 << 40)..(1i64 << 50)
    ];
    prop::collection::vec((stack, value), 0..12)
}

pub(crate) fn push() -> impl Strategy<Value = Push> {
    let types = prop_oneof![
        rows().prop_map(|r| ("process_cpu", vec![("cpu", r)])),
        (rows(), rows())
            .prop_map(|(a, b)| ("memory", vec![("alloc_space", a), ("inuse_space", b)])),
    ];
    let labels = (
        prop::sample::select(vec!["a", "b"]),
        prop::sample::select(vec!["eu", "us", ""]),
    );
    (0u8..24, 0i64..40, 0i64..60, types, labels).prop_map(
        |(id, arrival, time, (family, types), (service, region))| {
            let mut labels = vec![("service_name", service)];
            if !region.is_empty() {
                labels.push(("region", region));
            }
            // Minutes, so that some retries fall inside the window of ten and some outside.
            Push {
                id,
                arrival_millis: arrival * 60_000,
                time: time * 60_000_000_000,
                family,
                labels,
                types,
            }
        },
    )
}

impl Push {
    /// Some have none, some are broken.
    pub(crate) fn duration(&self) -> i64 {
        (i64::from(self.id) - 5) * 10
    }

    pub(crate) fn period(&self) -> i64 {
        100 + i64::from(self.id % 3)
    }

    /// The chunk that a worker would make of it.
    pub(crate) fn chunk(&self) -> Vec<u8> {
        let mut builder = ProfileBuilder::new();
        builder.header().period = self.period();
        let mut series = Vec::new();
        for (sample_type, rows) in &self.types {
            let rows = rows
                .iter()
                .map(|(stack, value)| (named_stack(&mut builder, stack), *value))
                .collect();
            let series_of = Series {
                labels: labels(&self.labels),
                profile_type: profile_type(self.family, sample_type),
                time: UnixNanos(self.time),
                duration_nanos: self.duration(),
                total: 0,
            };
            series.push(SeriesRows {
                series: series_of,
                rows,
                links: Vec::new(),
            });
        }
        encode_chunk(ChunkId([self.id; 16]), &builder.finish(), &series).unwrap()
    }
}

/// A small chunk whose id is spread as a hash would be.
pub(crate) fn chunk_of(n: u32) -> Vec<u8> {
    chunk_at(n, i64::from(n))
}

/// The same, taken at a time in milliseconds.
pub(crate) fn chunk_at(n: u32, millis: i64) -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    let stack = builder.named_stack(&["main"]);
    let series = Series {
        labels: labels(&[("service_name", "a")]),
        profile_type: profile_type("process_cpu", "cpu"),
        time: UnixNanos::from_millis(millis),
        ..Series::default()
    };
    let id = (u128::from(n) + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
        .to_le_bytes();
    encode_chunk(
        ChunkId(id),
        &builder.finish(),
        &[SeriesRows {
            series,
            rows: vec![(stack, 1)],
            links: Vec::new(),
        }],
    )
    .unwrap()
}

/// `None` for a stack without frames.
pub(crate) fn named_stack(builder: &mut ProfileBuilder, names: &[&str]) -> Option<StackId> {
    builder.named_stack(names)
}

/// What a profile says, as a map from stack (root first) to value.
pub(crate) fn said(profile: &Profile) -> BTreeMap<Vec<String>, i64> {
    let mut map = BTreeMap::new();
    for (row, &stack) in profile.samples().stacks.iter().enumerate() {
        let mut names: Vec<String> = profile
            .frames(stack)
            .map(|l| {
                profile
                    .lines(l)
                    .iter()
                    .filter_map(|line| line.function)
                    .map(|f| profile.functions()[f.index()].name)
            })
            .map(|names| names.map(|n| profile.text(n)).collect::<Vec<_>>().join(";"))
            .collect();
        names.reverse();
        *map.entry(names).or_default() += profile.samples().values[0][row];
    }
    map.retain(|_, value| *value != 0);
    map
}

/// What a query must answer, and of how many profiles: pushes that count, folded into a map.
pub(crate) fn expected(
    pushes: &[Push],
    selector: &str,
    of_type: &ProfileType,
    range: TimeRange,
) -> (BTreeMap<Vec<String>, i64>, u64) {
    let selector = Selector::parse(selector).unwrap();
    let (mut map, mut profiles) = (BTreeMap::<Vec<String>, i64>::new(), 0);
    for push in counting(pushes) {
        for (sample_type, rows) in &push.types {
            let own_type = profile_type(push.family, sample_type);
            if own_type != *of_type
                || !range.contains(UnixNanos(push.time))
                || !selector.matches(&own_type, &labels(&push.labels))
            {
                continue;
            }
            profiles += 1;
            for (stack, value) in rows {
                *map.entry(stack.iter().map(|s| (*s).to_owned()).collect())
                    .or_default() += value;
            }
        }
    }
    map.retain(|_, value| *value != 0);
    (map, profiles)
}

/// Pushes in order of arrival, without those whose id was counted at most ten minutes before.
pub(crate) fn counting(pushes: &[Push]) -> Vec<&Push> {
    let mut order: Vec<&Push> = pushes.iter().collect();
    order.sort_by_key(|push| push.arrival_millis);
    let mut kept: Vec<&Push> = Vec::new();
    for push in order {
        if !kept
            .iter()
            .any(|k| k.id == push.id && push.arrival_millis - k.arrival_millis <= 600_000)
        {
            kept.push(push);
        }
    }
    kept
}
