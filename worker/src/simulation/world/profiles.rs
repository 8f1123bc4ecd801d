//! Profiles that are pushed, and what is found of them.

use std::collections::BTreeMap;

use pilotlight_core::{
    ProfileBuilder, UnixNanos, parse_name,
    plans::QueryAnswer,
    store::{ChunkId, Series, SeriesRows, encode_chunk},
};

/// What is counted in every profile.
pub(crate) const TYPE: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

/// How often each profile is in an answer: each is one sample of value 1 in a function of its own.
pub(crate) fn counts(answer: &QueryAnswer) -> BTreeMap<u32, i64> {
    let profile = &answer.profile;
    let samples = profile.samples();
    let name = |row: usize| {
        let location = profile.frames(samples.stacks[row]).next().unwrap();
        let function = profile.lines(location)[0].function.unwrap();
        profile.text(profile.functions()[function.index()].name)[1..]
            .parse()
            .unwrap()
    };
    (0..samples.stacks.len())
        .map(|row| (name(row), samples.values[0][row]))
        .collect()
}

/// A pushed profile of its own kind.
pub(crate) fn chunk(n: u32, millis: i64) -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    let stack = builder.named_stack(&[&format!("f{n}")]);
    let series = Series {
        labels: parse_name(&format!("app{}", n % 5)).unwrap(),
        profile_type: TYPE.parse().unwrap(),
        time: UnixNanos::from_millis(millis),
        ..Series::default()
    };
    let mut id = [7; 16];
    id[..4].copy_from_slice(&n.to_le_bytes());
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
