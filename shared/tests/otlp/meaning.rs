//! Services, labels, types, identities.

mod frames;

use pilotlight_core::ingest::OtlpFormat;
use pilotlight_core::store::chunk_head;
use pilotlight_fixtures::otlp::{Out, Profile, Request, Resource, Sample, Style, Version};

use crate::{NOW, START, ids, push, pushed, stored};

pub(crate) const STYLE: Style = Style {
    version: Version::V1_11,
    packed: true,
    dictionary_first: false,
};

pub(crate) fn profile(sample_type: (&'static str, &'static str)) -> Profile {
    Profile {
        sample_type,
        time: START,
        duration: 5_000_000_000,
        samples: vec![Sample {
            stack: vec![2, 1],
            values: vec![3],
            ..Sample::default()
        }],
        ..Profile::default()
    }
}

pub(crate) fn request(resources: Vec<Resource>) -> Request {
    Request {
        functions: vec!["main", "work"],
        attributes: vec![
            ("service.name", "cart"),
            ("thread.id", "17"),
            ("thread.name", "pool"),
        ],
        links: vec![([0xab; 16], [0xcd; 8])],
        resources,
    }
}

pub(crate) fn resource(service: &'static str, profiles: Vec<Profile>) -> Resource {
    Resource {
        attributes: vec![("service.name", service)],
        profiles,
    }
}

fn series(request: &Request) -> Vec<String> {
    stored(&pushed(&request.encode(STYLE)))
        .into_keys()
        .collect()
}

#[test]
fn names_of_types() {
    let check = |profile: Profile, expect: &str| {
        let request = request(vec![resource("a", vec![profile])]);
        assert_eq!(series(&request), [format!("{expect} {{service_name=a}}")]);
    };
    let with_period = |sample_type, period_type, period| Profile {
        period_type: Some(period_type),
        period,
        ..profile(sample_type)
    };
    let cpu = ("cpu", "nanoseconds");
    check(
        with_period(("samples", "count"), cpu, 10),
        "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
    );
    check(
        with_period(("samples", "count"), cpu, 0),
        "process_cpu:samples:count:cpu:nanoseconds",
    );
    // What a collector makes of the second type of Go's profiles is not counted twice.
    check(
        with_period(cpu, cpu, 10),
        "cpu:cpu:nanoseconds:cpu:nanoseconds",
    );
    check(
        with_period(("itimer", "ns"), ("itimer", "ns"), 1),
        "itimer:itimer:ns:itimer:ns",
    );
    check(
        profile(("off_cpu", "nanoseconds")),
        "off_cpu:off_cpu:nanoseconds::",
    );
    check(profile(("events", "count")), "events:events:count::");
}

#[test]
fn services_and_labels() {
    let of = |attributes: &[(&'static str, &'static str)]| {
        let attributes = attributes.to_vec();
        let resource = Resource {
            attributes,
            profiles: vec![profile(("events", "count"))],
        };
        series(&request(vec![resource]))
    };
    let expect = |labels: &str| vec![format!("events:events:count:: {{{labels}}}")];
    assert_eq!(of(&[]), expect("service_name=unknown_service"));
    assert_eq!(
        of(&[("process.executable.name", "java")]),
        expect("process.executable.name=java, service_name=unknown_service:java")
    );
    assert_eq!(
        of(&[
            ("service.name", "shop"),
            ("k8s.pod.name", "shop-1"),
            ("k8s.pod.name", "later"),
            ("__private", "x"),
            ("empty", ""),
            ("process.command_line", "java -Dpassword=1"),
        ]),
        expect("k8s.pod.name=shop-1, service_name=shop")
    );
}

#[test]
fn samples_choose_services_and_series() {
    let mut one = profile(("events", "count"));
    let sample = |attributes: &[u64]| Sample {
        attributes: attributes.to_vec(),
        link: 1,
        ..one.samples[0].clone()
    };
    one.samples = vec![sample(&[2]), sample(&[1, 2]), sample(&[3])];
    let found = series(&request(vec![resource("shop", vec![one])]));
    assert_eq!(
        found,
        [
            "events:events:count:: {service_name=cart}",
            "events:events:count:: {service_name=shop, thread.name=pool}",
            "events:events:count:: {service_name=shop}",
        ]
    );
}

#[test]
fn generic_functions_of_go_are_one() {
    let mut of_go = request(vec![resource("a", vec![profile(("events", "count"))])]);
    of_go.functions = vec!["main.main", "main.Map[go.shape.int]"];
    let stored = stored(&pushed(&of_go.encode(STYLE)));
    let stacks: Vec<_> = stored.values().flat_map(|stacks| stacks.keys()).collect();
    assert_eq!(stacks, ["main.main;main.Map[...]"]);
}

#[test]
fn spans_that_cannot_be_kept_are_counted() {
    let mut one = profile(("events", "count"));
    let sample = |attributes: &[u64]| Sample {
        attributes: attributes.to_vec(),
        ..one.samples[0].clone()
    };
    one.samples = vec![sample(&[1]), sample(&[2]), sample(&[])];
    let of = |profiles| Request {
        attributes: vec![("span_id", "short"), ("span_id", "00f067aa0ba902b7")],
        ..request(vec![resource("shop", profiles)])
    };
    let lost = |profiles| {
        let outcome = pushed(&of(profiles).encode(STYLE));
        let chunks = outcome.ingested.chunks.iter();
        chunks.map(|chunk| chunk.lost_links).collect::<Vec<_>>()
    };
    assert_eq!(lost(vec![one.clone()]), [1]);
    assert_eq!(lost(vec![one.clone(), one]), [2]);
}

#[test]
fn one_chunk_for_a_service() {
    let resources = (0..200).map(|i| {
        let mut resource = resource(["a", "b"][i % 2], vec![profile(("events", "count"))]);
        let pod: &'static str = format!("pod-{i}").leak();
        resource.attributes.push(("k8s.pod.name", pod));
        resource
    });
    let request = request(resources.collect());
    let outcome = pushed(&request.encode(STYLE));
    assert_eq!(outcome.rejected_profiles, 0);
    assert_eq!(outcome.ingested.chunks.len(), 2);
    assert_eq!(stored(&outcome).len(), 200);
}

#[test]
fn the_period_is_that_of_its_profiles() {
    let cpu = Profile {
        period_type: Some(("cpu", "nanoseconds")),
        period: 50_000_000,
        ..profile(("samples", "count"))
    };
    let request = request(vec![resource(
        "a",
        vec![cpu, profile(("off_cpu", "nanoseconds"))],
    )]);
    let outcome = pushed(&request.encode(STYLE));
    let periods: Vec<i64> = outcome
        .ingested
        .chunks
        .iter()
        .map(|chunk| chunk_head(&chunk.bytes).unwrap().period)
        .collect();
    assert_eq!(periods, [0, 50_000_000]);
    let totals: Vec<i64> = stored(&outcome)
        .into_values()
        .flat_map(|stacks| stacks.into_values())
        .collect();
    assert_eq!(totals, [3, 150_000_000]);
}

#[test]
fn without_a_time_it_is_now() {
    let untimed = Profile {
        time: 0,
        ..profile(("events", "count"))
    };
    let outcome = pushed(&request(vec![resource("a", vec![untimed])]).encode(STYLE));
    let head = chunk_head(&outcome.ingested.chunks[0].bytes).unwrap();
    assert_eq!(head.series[0].time, NOW);
}

#[test]
fn a_profile_with_an_id_counts_once_in_any_company() {
    let with_id = |id: u8| Profile {
        id: vec![id; 16],
        ..profile(("events", "count"))
    };
    let encode = |profiles, style| {
        ids(&pushed(
            &request(vec![resource("a", profiles)]).encode(style),
        ))
    };
    let alone = encode(vec![with_id(1)], STYLE);
    let other_layout = Style {
        version: Version::V1_9,
        packed: false,
        dictionary_first: true,
    };
    assert_eq!(encode(vec![with_id(1)], other_layout), alone);
    let eighth = Style {
        version: Version::V1_8,
        ..STYLE
    };
    assert_eq!(encode(vec![with_id(1)], eighth), alone);
    let together = encode(vec![with_id(2), with_id(1)], STYLE);
    assert!(
        together.contains(&alone[0]) && together.len() == 2,
        "{together:?}"
    );
    // Twice in one request.
    let twice = pushed(&request(vec![resource("a", vec![with_id(1), with_id(1)])]).encode(STYLE));
    assert_eq!(ids(&twice), alone);
    let total: i64 = stored(&twice)
        .into_values()
        .flat_map(|s| s.into_values())
        .sum();
    assert_eq!(total, 3);
    // Without an identity the bytes are it.
    let none = profile(("events", "count"));
    assert_eq!(
        encode(vec![none.clone()], STYLE),
        encode(vec![none.clone()], STYLE)
    );
    assert_ne!(
        encode(vec![none.clone()], STYLE),
        encode(vec![none.clone(), none], STYLE)
    );
}

#[test]
fn empty_requests_and_broken_ones() {
    let empty = pushed(b"");
    assert!(!empty.is_refused());
    assert_eq!(empty.response(OtlpFormat::Protobuf), b"");
    assert_eq!(
        push(b"{}", OtlpFormat::Json)
            .unwrap()
            .response(OtlpFormat::Json),
        b"{}"
    );
    let no_dictionary = Out::default().message(
        1,
        Out::default().message(2, Out::default().message(2, Out::default().fixed(3, START))),
    );
    let error = push(&no_dictionary.0, OtlpFormat::Protobuf).unwrap_err();
    assert_eq!((error.status(), error.code()), (400, "invalid_argument"));
    let whole = request(vec![resource("a", vec![profile(("events", "count"))])]).encode(STYLE);
    for cut in 1..whole.len() {
        // Where a message ends, what is left is one too.
        if let Err(error) = push(&whole[..cut], OtlpFormat::Protobuf) {
            assert_eq!(error.status(), 400, "{error}");
        }
    }
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            let _ = push(&damaged, OtlpFormat::Protobuf);
        }
    }
}
