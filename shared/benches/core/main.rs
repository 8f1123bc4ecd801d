//! How fast the core is, with results asserted, and beside google/pprof where Go is installed.
//!
//! `cargo bench -p pilotlight-core` measures; figures with date and machine are in
//! `docs/performance.md`.

#![allow(clippy::disallowed_methods)] // Benches read files; the core may not.

mod agents;
mod compare;
mod verbs;
mod views;

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput};
use pilotlight_core::flame::{Viewport, layout};
use pilotlight_core::{
    By, CallTree, Merger, NodeId, Pattern, Profile, Scale, canonical, diff, function_table, gzip,
    pprof, search,
};
use pilotlight_fixtures::synthetic;

/// Samples of the two synthetic profiles.
const SIZES: [(&str, usize); 2] = [("150k", 150_000), ("420k", 420_000)];

/// How many profiles a merge adds up.
const MERGED: usize = 4;

fn main() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut criterion = Criterion::default()
        .output_directory(&folder.join("criterion"))
        .sample_size(10)
        .configure_from_args();
    let mut inputs = Vec::new();
    for (name, samples) in SIZES {
        let raw = pprof::encode(&synthetic::profile(samples));
        // As decoding leaves it, which is how profiles come to a merge.
        let profile = pprof::decode(&raw).expect("our own").profile;
        let different =
            (0..MERGED).map(|seed| pprof::encode(&synthetic::another(samples, seed as u64)));
        let different: Vec<Vec<u8>> = different.collect();
        measure(&mut criterion, name, &profile, &raw);
        views::measure(&mut criterion, name, &profile);
        merge_different(&mut criterion, name, &different);
        let write = |name: String, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).expect("the target folder can be written");
            path
        };
        write(format!("{name}.pb.gz"), &pprof::encode_gzip(&profile));
        inputs.push(compare::Input {
            size: name,
            path: write(format!("{name}.pb"), &raw),
            different: different
                .iter()
                .enumerate()
                .map(|(i, raw)| write(format!("{name}-{i}.pb"), raw))
                .collect(),
        });
    }
    agents::measure(&mut criterion);
    criterion.final_summary();
    compare::with_go(&folder.join("criterion"), &inputs);
}

fn measure(criterion: &mut Criterion, name: &str, profile: &Profile, raw: &[u8]) {
    let samples = profile.len();
    let total = profile.total(0);
    let gz = pprof::encode_gzip(profile);
    let merged = merge(&[profile; MERGED]);
    assert_eq!(merged.total(0), total * MERGED as i128);
    assert_eq!(
        merged.len(),
        canonical(profile).len(),
        "equal samples are added up"
    );
    let tree = CallTree::new(profile, 0, By::Function);
    assert_eq!(i128::from(tree.total()), total);
    println!(
        "{name}: {} bytes, {samples} samples, {} nodes",
        raw.len(),
        tree.shape().len()
    );

    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(raw.len() as u64));
    group.bench_function("inflate", |b| {
        b.iter_with_large_drop(|| gzip::inflate(black_box(&gz), usize::MAX - 1))
    });
    group.bench_function("decode", |b| {
        b.iter_with_large_drop(|| {
            let decoded = pprof::decode(black_box(raw)).expect("our own");
            assert_eq!(decoded.profile.len(), samples);
            decoded
        });
    });
    group.bench_function("encode", |b| {
        b.iter_with_large_drop(|| pprof::encode(black_box(profile)))
    });
    group.bench_function("merge4", |b| {
        b.iter_with_large_drop(|| merge(&[black_box(profile); MERGED]))
    });
    group.bench_function("canonical", |b| {
        b.iter_with_large_drop(|| canonical(black_box(profile)))
    });
    group.bench_function("tree", |b| {
        b.iter_with_large_drop(|| CallTree::new(black_box(profile), 0, By::Function))
    });
    group.bench_function("diff", |b| {
        b.iter_with_large_drop(|| {
            diff(
                (black_box(profile), 0),
                (&merged, 0),
                By::Function,
                Scale::Normalised,
            )
        });
    });
    group.bench_function("table", |b| {
        b.iter_with_large_drop(|| function_table(black_box(&tree)))
    });
    let pattern = Pattern::parse("Type99")
        .expect("plain text")
        .expect("not empty");
    group.bench_function("search", |b| {
        b.iter_with_large_drop(|| search(black_box(&tree), &pattern))
    });
    let view = Viewport {
        zoom: NodeId::ROOT,
        x0: 0.0,
        x1: 1.0,
        width: 1600.0,
        depth0: 0,
        depth1: 40,
    };
    group.bench_function("layout", |b| {
        b.iter_batched(
            || view,
            |view| layout(black_box(&tree), view),
            BatchSize::SmallInput,
        )
    });
    verbs::measure(&mut group, profile);
    group.finish();
}

/// A merge of profiles that share symbols and some stacks, as those of several processes do.
fn merge_different(criterion: &mut Criterion, name: &str, raw: &[Vec<u8>]) {
    let profiles: Vec<Profile> = raw
        .iter()
        .map(|raw| pprof::decode(raw).expect("our own").profile)
        .collect();
    let profiles: Vec<&Profile> = profiles.iter().collect();
    let merged = merge(&profiles);
    assert_eq!(
        merged.total(0),
        profiles.iter().map(|p| p.total(0)).sum::<i128>()
    );
    println!("{name}: four different ones have {} samples", merged.len());
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(
        raw.iter().map(|raw| raw.len() as u64).sum(),
    ));
    group.bench_function("different4", |b| {
        b.iter_with_large_drop(|| merge(black_box(&profiles)))
    });
    group.finish();
}

fn merge(profiles: &[&Profile]) -> Profile {
    let mut merger = Merger::new();
    profiles
        .iter()
        .for_each(|profile| merger.add(profile).expect("the same types"));
    let merged = merger.finish_as_met();
    assert_eq!(merged.saturated, 0);
    merged.profile
}
