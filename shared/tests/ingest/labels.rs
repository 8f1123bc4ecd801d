//! Labels of samples: which make series, and how much of them is read.

use pilotlight_core::limits::MAX_SERIES_A_PUSH;
use pilotlight_core::plans::{CatalogObject, Plan, SampleQueryPlan};
use pilotlight_core::store::{Level, SegmentWriter};
use pilotlight_core::{Label, LabelValue, SpanSelector, StringId, TimeRange};

use super::*;

#[test]
fn series_are_counted_before_they_are_made() {
    let of = |labels: usize, types: usize| {
        let mut builder = ProfileBuilder::new();
        for n in 0..types {
            builder.sample_type(&format!("t{n}"), "count");
        }
        builder.header().time_nanos = NOW.0;
        let stack = builder.named_stack(&["main"]);
        // One label with so many values would be left out.
        for n in 0..labels {
            let mut set = [("pod", n / 100), ("shard", n % 100)]
                .map(|(key, n)| builder.text_label(key, &format!("p{n}")));
            let set = builder.label_set(&mut set);
            builder.sample(stack, set, &vec![1; types]);
        }
        pprof::encode(&builder.finish())
    };
    assert_eq!(
        pushed(&of(MAX_SERIES_A_PUSH, 1)).unwrap().series.len(),
        MAX_SERIES_A_PUSH
    );
    assert_eq!(
        pushed(&of(MAX_SERIES_A_PUSH / 2, 2)).unwrap().series.len(),
        MAX_SERIES_A_PUSH
    );
    refused(&of(MAX_SERIES_A_PUSH + 1, 1), "more than 5000 series");
    refused(&of(MAX_SERIES_A_PUSH / 2 + 1, 2), "more than 5000 series");
    refused(&of(50_000, 1), "more than 5000 series");
}

#[test]
fn text_of_labels_is_bounded() {
    // The request's own labels count for each series.
    let of = |series: usize, length: usize| {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "ns");
        builder.header().time_nanos = NOW.0;
        let stack = builder.named_stack(&["main"]);
        for n in 0..series {
            let mut set = [("pod", n / 100), ("shard", n % 100)].map(|(key, n)| Label {
                key: builder.string(key),
                value: LabelValue::Text(
                    builder.string(&format!("{n:0width$}", width = length / 2)),
                ),
            });
            let set = builder.label_set(&mut set);
            builder.sample(stack, set, &[1]);
        }
        pprof::encode(&builder.finish())
    };
    assert_eq!(pushed(&of(1_000, 1_000)).unwrap().series.len(), 1_000);
    refused(&of(1_100, 1_000), "more than 1048576 bytes");
    refused(&of(1, 4_098), "invalid sample labels");
}

#[test]
fn sets_that_differ_in_numbers_are_one_series() {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("space", "bytes");
    builder.header().time_nanos = NOW.0;
    let (stack, bytes, pod) = (
        builder.named_stack(&["main"]),
        builder.string("bytes"),
        builder.string("pod"),
    );
    let (size, text) = (
        |n| LabelValue::Number(n, StringId::EMPTY),
        LabelValue::Text(builder.string("a")),
    );
    for n in 0..1_000 {
        let set = builder.label_set(&mut [
            Label {
                key: bytes,
                value: size(n),
            },
            Label {
                key: pod,
                value: text,
            },
        ]);
        builder.sample(stack, set, &[1]);
        let set = builder.label_set(&mut [Label {
            key: bytes,
            value: size(n),
        }]);
        builder.sample(stack, set, &[10]);
    }
    builder.sample(stack, None, &[100]);
    let head = pushed(&pprof::encode(&builder.finish())).unwrap();
    let totals: Vec<_> = head
        .series
        .iter()
        .map(|series| (series.labels.get("pod"), series.total))
        .collect();
    assert_eq!(totals, [(Some("a"), 1_000), (None, 10_100)]);
}

/// A profile of samples of one stack, each with these labels.
fn labelled(samples: &[&[(&str, &str)]]) -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("samples", "count");
    builder.sample_type("cpu", "nanoseconds");
    builder.header().time_nanos = NOW.0;
    let stack = builder.named_stack(&["main"]);
    for labels in samples {
        let mut labels: Vec<Label> = labels
            .iter()
            .map(|(key, value)| builder.text_label(key, value))
            .collect();
        let set = builder.label_set(&mut labels);
        builder.sample(stack, set, &[1, 10_000_000]);
    }
    pprof::encode(&builder.finish())
}

#[test]
fn trace_labels_make_links_and_no_series() {
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let (one, two) = ("00f067aa0ba902b7", "00f067aa0ba902b8");
    let samples: [&[(&str, &str)]; 5] = [
        &[
            ("span_id", one),
            ("trace_id", trace),
            ("span_name", "GET /"),
        ],
        &[("profile_id", two), ("region", "eu")],
        &[("span_id", "too short"), ("region", "eu")],
        &[("region", "eu")],
        &[],
    ];
    let body = labelled(&samples);
    let push = Push {
        query: "name=app&format=pprof",
        content_type: "",
        body: &body,
        tenant: "one",
        client: "192.0.2.1",
        now: NOW,
        limits: Default::default(),
    };
    let chunk = ingest(&push).unwrap().chunks.pop().expect("a chunk");
    let head = chunk_head(&chunk.bytes).expect("a head");
    // Two types, with region and without.
    assert_eq!((head.series.len(), chunk.lost_links), (4, 1));
    assert!(head.series.iter().all(|s| s.labels.len() <= 3));

    let mut writer = SegmentWriter::new();
    writer.push(&chunk.bytes).unwrap();
    let (bytes, directory) = writer.finish().unwrap();
    let object = CatalogObject {
        key: "t/one/s0/l0/1790000000000-0000000000000001.seg".to_owned(),
        level: Level::Segment,
        size: bytes.len() as u64,
        directory,
    };
    let total = |query: &str, spans: SpanSelector| {
        let of_type = "process_cpu:cpu:nanoseconds::".parse().unwrap();
        let (selector, objects) = (Selector::parse(query).unwrap(), [object.clone()]);
        let mut plan =
            SampleQueryPlan::new(&selector, &of_type, TimeRange::ALL, spans, &objects).unwrap();
        while let Some(get) = plan.wants().pop() {
            let part = &bytes[get.offset as usize..(get.offset + get.length) as usize];
            plan.provide(&get, part).unwrap();
        }
        let answer = plan.finish().unwrap();
        let profile = &answer.profile;
        match profile.sample_types().len() {
            0 => 0,
            _ => profile.total(0),
        }
    };
    let spans =
        |all: &[&str]| SpanSelector::Spans(all.iter().map(|s| s.parse().unwrap()).collect());
    assert_eq!(total("{}", spans(&[one])), 10_000_000);
    assert_eq!(total("{}", spans(&[one, two])), 20_000_000);
    assert_eq!(total("{region=\"eu\"}", spans(&[one, two])), 10_000_000);
    let traces = SpanSelector::Traces([trace.parse().unwrap()].into());
    assert_eq!(total("{}", traces), 10_000_000);
    assert_eq!(total("{}", spans(&["1111111111111111"])), 0);
}
