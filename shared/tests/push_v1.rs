//! Requests to `push.v1`: what agents sent, what is refused, and what makes two requests one.

use pilotlight_core::ingest::{IngestLimits, Ingested, Sender, ingest_push_v1};
use pilotlight_core::push_v1::{PushRequest, RawSample, RawSeries, from_proto};
use pilotlight_core::store::{ChunkHead, ChunkId, chunk_head};
use pilotlight_core::{ProfileBuilder, UnixNanos, gzip, pprof};

const NOW: UnixNanos = UnixNanos(1_790_000_000_000_000_000);
const UUID: &str = "6f1a2b3c-0000-4000-8000-0123456789ab";

fn sender<'a>(tenant: &'a str, client: &'a str) -> Sender<'a> {
    Sender {
        tenant,
        client,
        now: NOW,
        limits: Default::default(),
    }
}

fn profile(kind: &str, value: i64) -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    builder.sample_type(kind, "nanoseconds");
    builder.header().time_nanos = NOW.0;
    let stack = builder.named_stack(&["main"]);
    builder.sample(stack, None, &[value]);
    pprof::encode(&builder.finish())
}

fn series<'a>(labels: &[(&str, &str)], samples: &[(&[u8], &str)]) -> RawSeries<'a> {
    let pair = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    let sample = |&(profile, id): &(&[u8], &str)| RawSample {
        profile: profile.to_vec().into(),
        id: id.to_owned(),
    };
    RawSeries {
        labels: labels.iter().map(pair).collect(),
        samples: samples.iter().map(sample).collect(),
    }
}

fn pushed(series: Vec<RawSeries<'_>>) -> Ingested {
    ingest_push_v1(&PushRequest { series }, &sender("a", "192.0.2.1")).expect("a request")
}

fn heads(ingested: &Ingested) -> Vec<ChunkHead> {
    let head = |chunk: &pilotlight_core::ingest::Chunk| chunk_head(&chunk.bytes).expect("a head");
    ingested.chunks.iter().map(head).collect()
}

/// Each series as `type{labels}` and its total.
fn shown(ingested: &Ingested) -> Vec<String> {
    let heads = heads(ingested);
    let series = heads.iter().flat_map(|head| &head.series);
    series
        .map(|series| {
            let labels: Vec<_> = series
                .labels
                .iter()
                .map(|(n, v)| format!("{n}={v}"))
                .collect();
            format!(
                "{} {{{}}} {}",
                series.profile_type,
                labels.join(","),
                series.total
            )
        })
        .collect()
}

fn id(labels: &[(&str, &str)], profile: &[u8], id: &str, tenant: &str, client: &str) -> ChunkId {
    let request = PushRequest {
        series: vec![series(labels, &[(profile, id)])],
    };
    heads(&ingest_push_v1(&request, &sender(tenant, client)).expect("a request"))[0].id
}

#[test]
#[allow(clippy::disallowed_methods, reason = "a test is a driver")]
fn what_python_sent() {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/corpus/agents/py140"
    );
    let mut types = std::collections::BTreeMap::new();
    for number in ["001", "002", "004", "005"] {
        let body = std::fs::read(format!("{folder}/{number}.body")).expect("a body");
        let body = gzip::inflate(&body, 1 << 24).expect("gzip").unwrap_or(body);
        let request = from_proto(&body).expect("a request");
        let ingested = ingest_push_v1(&request, &sender("a", "")).expect("a request");
        assert!(ingested.rejected.is_empty(), "{:?}", ingested.rejected);
        for series in heads(&ingested).into_iter().flat_map(|head| head.series) {
            assert!(series.labels.get("service_name").is_some());
            assert_eq!(series.labels.get("process.runtime.name"), Some("cpython"));
            assert!(
                series
                    .labels
                    .iter()
                    .all(|(name, _)| !name.starts_with("__"))
            );
            *types.entry(series.profile_type.to_string()).or_insert(0) += series.total;
        }
        let again = ingest_push_v1(&request, &sender("a", "elsewhere")).expect("a request");
        let ids = |ingested| {
            heads(ingested)
                .into_iter()
                .map(|head| head.id)
                .collect::<Vec<_>>()
        };
        assert_eq!(ids(&again), ids(&ingested), "its ids are its own");
    }
    let types: Vec<_> = types.into_iter().collect();
    println!("{types:?}");
    assert!(types.iter().any(|(name, total)| {
        name == "process_cpu:cpu:nanoseconds:cpu:nanoseconds" && *total > 0
    }));
}

#[test]
fn each_series_is_a_chunk_of_its_own() {
    let (cpu, wall) = (profile("cpu", 5), profile("wall", 7));
    let ingested = pushed(vec![
        series(
            &[
                ("__name__", "process_cpu"),
                ("service_name", "shop"),
                ("pod-x", "p"),
                ("label 🦀", "v"),
                ("__session_id__", "1"),
                ("__delta__", "false"),
                ("empty", ""),
            ],
            &[(&cpu, "")],
        ),
        series(&[("__name__", "wall")], &[(&wall, ""), (b"", "")]),
    ]);
    assert_eq!(
        shown(&ingested),
        [
            "process_cpu:cpu:nanoseconds:: {label 🦀=v,pod-x=p,service_name=shop} 5",
            "wall:wall:nanoseconds:: {service_name=unknown_service} 7",
        ]
    );
}

#[test]
fn names_that_pyroscope_relabels() {
    let of = |name: &str, kind: &str| {
        let profile = profile(kind, 1);
        let labels = [("__name__", name), ("service_name", "a")];
        let shown = shown(&pushed(vec![series(&labels, &[(&profile, "")])]));
        shown[0].split(' ').next().unwrap().to_owned()
    };
    assert_eq!(
        of("godeltaprof_memory", "alloc_space"),
        "memory:alloc_space:nanoseconds::"
    );
    assert_eq!(of("wall", "cpu"), "process_cpu:cpu:nanoseconds::");
    assert_eq!(of("wall", "wall"), "wall:wall:nanoseconds::");
    assert_eq!(
        of("", "cpu"),
        "process_cpu:cpu:nanoseconds::",
        "named by what it holds"
    );
}

#[test]
fn what_is_wrong_with_one_keeps_no_other_out() {
    let good = profile("cpu", 5);
    let ingested = pushed(vec![
        series(&[("a", "1"), ("a", "2")], &[(&good, "x")]),
        series(
            &[("service_name", "shop")],
            &[(&good, ""), (b"\x0a\x7f", "y")],
        ),
        series(&[("", "2")], &[(&good, "z")]),
    ]);
    assert_eq!(ingested.chunks.len(), 1);
    let texts: Vec<_> = ingested
        .rejected
        .iter()
        .map(|rejected| format!("{}: {}", rejected.part, rejected.error))
        .collect();
    assert_eq!(
        texts,
        [
            "series with index 0 and id \"x\": label \"a\" is given twice",
            "series with index 1 and id \"y\": pprof: not a valid protobuf message at byte 0: a length runs past the end",
            "series with index 2 and id \"z\": a series label with the value \"2\" has no name",
        ]
    );
    let none = ingest_push_v1(&PushRequest::default(), &sender("a", "")).expect_err("nothing");
    assert_eq!(
        (none.status(), none.to_string().as_str()),
        (400, "no profiles received")
    );
}

#[test]
fn one_identity_whoever_encodes_it() {
    let labels = [("service_name", "shop"), ("region", "eu")];
    let turned = [("region", "eu"), ("service_name", "shop")];
    let profile_of = profile("cpu", 5);
    let other = profile("cpu", 6);
    let first = id(&labels, &profile_of, UUID, "a", "1");
    assert_eq!(first, id(&turned, &other, &UUID.to_uppercase(), "a", "2"));
    assert_ne!(
        first,
        id(&labels, &profile_of, UUID, "b", "1"),
        "another tenant"
    );
    assert_ne!(
        first,
        id(&labels[..1], &profile_of, UUID, "a", "1"),
        "another series"
    );
    // Without an id that is one, the bytes and the sender decide.
    for none in ["", "1", "00000000-0000-0000-0000-000000000000"] {
        let plain = id(&labels, &profile_of, none, "a", "1");
        let packed = pprof::encode_gzip(&pprof::open(&profile_of, 1 << 20).expect("pprof").profile);
        assert_eq!(plain, id(&turned, &packed, none, "a", "1"), "gzip or not");
        assert_ne!(plain, id(&labels, &other, none, "a", "1"));
        assert_ne!(plain, id(&labels, &profile_of, none, "a", "2"));
    }
}

#[test]
fn all_profiles_of_a_request_share_one_bound() {
    let bomb = pprof::encode_gzip(&{
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        builder.string(&"x".repeat(9 << 20));
        builder.finish()
    });
    let ingested = pushed(vec![series(&[], &[(&bomb, ""), (&bomb, "")])]);
    assert_eq!(ingested.rejected.len(), 1);
    assert_eq!(ingested.rejected[0].error.status(), 413);
}

#[test]
fn what_has_no_room_is_told_apart_from_what_is_refused() {
    let (small, large) = (profile("cpu", 1), profile(&"long".repeat(50), 1));
    let request = PushRequest {
        series: vec![series(&[], &[(&small, ""), (&large, "")])],
    };
    let with = |limits: IngestLimits| {
        let sender = Sender {
            limits,
            ..sender("one", "192.0.2.1")
        };
        let ingested = ingest_push_v1(&request, &sender).expect("a request");
        let cut = ingested
            .rejected
            .iter()
            .map(|one| one.error.is_too_large_inflated());
        (ingested.profile_bytes, cut.collect::<Vec<_>>())
    };
    let (both, one) = (small.len() + large.len(), small.len());
    assert_eq!(with(IngestLimits::default()), (both as u64, vec![]));
    let max_inflated = IngestLimits {
        max_inflated: both - 1,
        ..IngestLimits::default()
    };
    assert_eq!(with(max_inflated), (one as u64, vec![true]));
    let max_profile_bytes = IngestLimits {
        max_profile_bytes: one,
        ..IngestLimits::default()
    };
    assert_eq!(with(max_profile_bytes), (one as u64, vec![false]));
}
