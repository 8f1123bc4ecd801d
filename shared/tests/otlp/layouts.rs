//! The layout is found by what the fields are on the wire, whatever a sender leaves out.

use pilotlight_fixtures::otlp::{Profile, Request, Resource, Sample, Style, VERSIONS, Version};
use proptest::prelude::*;

use crate::{START, pushed, stored};

/// All styles in which senders of a version are known to write.
fn styles() -> Vec<Style> {
    let mut all = Vec::new();
    for version in VERSIONS {
        for packed in [true, false] {
            for dictionary_first in [true, false] {
                all.push(Style {
                    version,
                    packed,
                    dictionary_first,
                });
            }
        }
    }
    all
}

fn request(samples: Vec<Sample>) -> Request {
    Request {
        functions: vec!["main", "work", "wait"],
        attributes: vec![("thread.name", "a"), ("thread.name", "b")],
        links: vec![([7; 16], [9; 8])],
        resources: vec![Resource {
            attributes: vec![("service.name", "shop")],
            profiles: vec![Profile {
                time: START,
                duration: 5,
                ..Profile::of_cpu(samples)
            }],
        }],
    }
}

/// The same request in every style stores the same.
fn check(samples: Vec<Sample>, expect: &[(&str, &str, i64)], may: fn(Style) -> bool) {
    let request = request(samples);
    for style in styles().into_iter().filter(|style| may(*style)) {
        let stored = stored(&pushed(&request.encode(style)));
        let mut rows = Vec::new();
        for (series, stacks) in &stored {
            let (_, labels) = series.split_once(' ').expect("labels");
            assert!(
                series.starts_with("process_cpu:cpu:nanoseconds:cpu:nanoseconds "),
                "{series}"
            );
            rows.extend(
                stacks
                    .iter()
                    .map(|(stack, value)| (labels, stack.as_str(), *value)),
            );
        }
        assert_eq!(rows, expect, "{style:?}");
    }
}

fn sample(stack: &[u64], values: &[u64], attributes: &[u64], times: &[u64]) -> Sample {
    Sample {
        stack: stack.to_vec(),
        values: values.to_vec(),
        attributes: attributes.to_vec(),
        link: 0,
        times: times.to_vec(),
    }
}

const ALONE: &str = "{service_name=shop}";
const A: &str = "{service_name=shop, thread.name=a}";

#[test]
fn values_alone() {
    let samples = vec![
        sample(&[2, 1], &[3], &[], &[]),
        sample(&[3, 1], &[4], &[], &[]),
    ];
    check(
        samples,
        &[(ALONE, "main;wait", 40), (ALONE, "main;work", 30)],
        |_| true,
    );
}

#[test]
fn values_and_attributes() {
    let samples = vec![
        sample(&[2, 1], &[3], &[1], &[]),
        sample(&[3, 1], &[4], &[1], &[]),
    ];
    check(
        samples,
        &[(A, "main;wait", 40), (A, "main;work", 30)],
        |_| true,
    );
}

#[test]
fn timestamps_alone_count_one_each() {
    let times = [START + 1, START + 2];
    let samples = vec![
        sample(&[2, 1], &[], &[], &times),
        sample(&[3, 1], &[], &[], &times[..1]),
    ];
    check(
        samples,
        &[(ALONE, "main;wait", 10), (ALONE, "main;work", 20)],
        |_| true,
    );
}

#[test]
fn timestamps_and_attributes() {
    let times = [START + 1, START + 2, START + 3];
    // Writers that do not pack have no timestamps; one attribute then looks like a link.
    check(
        vec![sample(&[2, 1], &[], &[1], &times)],
        &[(A, "main;work", 30)],
        |style| style.packed,
    );
}

#[test]
fn values_timestamps_and_attributes() {
    let times = [START + 1, START + 2];
    let samples = vec![sample(&[2, 1], &[100_000, 2], &[1], &times)];
    check(samples, &[(A, "main;work", 1_000_020)], |_| true);
}

#[test]
fn values_that_stand_where_attributes_may() {
    // Nothing but numbers tells these apart: more values than there are attributes.
    let times = [START + 1, START + 2];
    let samples = vec![sample(&[2, 1], &[700, 800], &[], &times)];
    check(samples, &[(ALONE, "main;work", 15_000)], |_| true);
}

#[test]
fn links() {
    let linked = |values: &[u64], attributes: &[u64]| Sample {
        link: 1,
        ..sample(&[2, 1], values, attributes, &[])
    };
    check(
        vec![linked(&[3], &[])],
        &[(ALONE, "main;work", 30)],
        |style| style.packed,
    );
    check(vec![linked(&[3], &[1])], &[(A, "main;work", 30)], |style| {
        // A writer of 1.8 that packs nothing and has links is not known.
        style.packed || !matches!(style.version, Version::V1_8 | Version::V1_9)
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// A request that has one sample with values and attributes tells its layout; all others are
    /// read by it.
    #[test]
    fn one_sample_tells_for_all(
        rows in proptest::collection::vec(
            (1u64..4, 0u64..3, proptest::collection::vec(1u64..1_000, 1..4), any::<bool>()), 0..12),
        style in 0usize..20,
    ) {
        let style = styles()[style];
        let mut samples = vec![sample(&[2, 1], &[5], &[1], &[])];
        let mut total = 5;
        for (leaf, attribute, values, timed) in rows {
            let attributes = if attribute == 0 { vec![] } else { vec![attribute] };
            let times: Vec<u64> = values.iter().map(|value| START + value).collect();
            total += values.iter().sum::<u64>() as i64;
            // Packed writers alone write timestamps.
            let times = if timed && style.packed { times } else { Vec::new() };
            samples.push(sample(&[leaf, 1], &values, &attributes, &times));
        }
        let stored = stored(&pushed(&request(samples).encode(style)));
        let found: i64 = stored.values().flat_map(|stacks| stacks.values()).sum();
        prop_assert_eq!(found, total * 10, "{:?}", style);
    }
}
