//! A query over many agents: a thousand small profiles, decoding included.

use std::collections::HashSet;
use std::hint::black_box;

use criterion::{Criterion, Throughput};
use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::{Merged, Merger, Profile, gzip, pprof};
use pilotlight_fixtures::fleet;

const AGENTS: usize = 1_000;

/// Measures inflating, opening and merging them. One second native is the target for the merge.
pub(crate) fn measure(criterion: &mut Criterion) {
    let pushed = fleet::profiles(AGENTS);
    describe(&pushed);
    let mut group = criterion.benchmark_group("agents1000");
    group.throughput(Throughput::Elements(AGENTS as u64));
    group.bench_function("inflate", |b| {
        b.iter(|| {
            pushed
                .iter()
                .for_each(|gz| drop(black_box(gzip::inflate(gz, MAX_PROFILE_BYTES))))
        });
    });
    group.bench_function("open", |b| {
        b.iter(|| pushed.iter().for_each(|gz| drop(black_box(open(gz)))))
    });
    group.bench_function("merge", |b| {
        b.iter_with_large_drop(|| merge(&pushed).finish_as_met())
    });
    group.bench_function("canonical", |b| {
        b.iter_with_large_drop(|| merge(&pushed).finish())
    });
    group.finish();
}

fn open(gz: &[u8]) -> Profile {
    pprof::open(gz, MAX_PROFILE_BYTES).expect("our own").profile
}

fn merge(pushed: &[Vec<u8>]) -> Merger {
    let mut merger = Merger::new();
    for gz in pushed {
        merger.add(&open(black_box(gz))).expect("the same types");
    }
    merger
}

/// Says what the profiles are like, and holds the merge to their sums.
fn describe(pushed: &[Vec<u8>]) {
    let profiles: Vec<Profile> = pushed.iter().map(|gz| open(gz)).collect();
    let raw: usize = profiles.iter().map(|p| pprof::encode(p).len()).sum();
    let mean = |sum: usize| sum / AGENTS;
    let sum = |of: fn(&Profile) -> usize| profiles.iter().map(of).sum::<usize>();
    let Merged {
        profile: union,
        saturated,
    } = merge(pushed).finish();
    println!(
        "agents1000: each {} bytes gzipped, {} raw, {} stacks, {} frames deep, {} locations, {} functions, {} strings",
        mean(pushed.iter().map(Vec::len).sum()),
        mean(raw),
        mean(sum(Profile::len)),
        sum(|p| p
            .samples()
            .stacks
            .iter()
            .map(|&s| p.frames(s).count())
            .sum())
            / sum(Profile::len),
        mean(sum(|p| p.locations().len())),
        mean(sum(|p| p.functions().len())),
        mean(sum(|p| p.strings().len())),
    );
    println!(
        "agents1000: together {} stacks, {} rows of the prefix tree, {} locations, {} functions",
        union.len(),
        union.stacks().len(),
        union.locations().len(),
        union.functions().len(),
    );
    let total: i128 = profiles.iter().map(|p| p.total(0)).sum();
    assert_eq!((union.total(0), saturated), (total, 0));
    let different: HashSet<&[u8]> = pushed.iter().map(Vec::as_slice).collect();
    assert_eq!(different.len(), AGENTS, "no two agents saw the same");
}
