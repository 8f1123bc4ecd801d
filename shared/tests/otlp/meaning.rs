//! Services, labels, types, identities.

use pilotlight_core::ingest::OtlpFormat;
use pilotlight_core::store::{chunk_head, read_chunk};
use pilotlight_fixtures::otlp::{
    Out, Profile, Request, Resource, Sample, Style, Version, key_value, text,
};

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
    assert_eq!(outcome.ingested.series(), 200);
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

/// Frames without lines keep their address and the build that it is of; columns are kept; a frame
/// that has only a type is called by it.
#[test]
fn frames_keep_what_they_have() {
    let empty = Out::default;
    let strings = [
        "",
        "events",
        "count",
        "/bin/app",
        "profile.frame.type",
        "f",
        "a.c",
        "process.executable.build_id.gnu",
        "service.name",
        "by index",
        "abc123",
    ];
    let mut dictionary = empty()
        .message(1, empty())
        .message(
            1,
            empty()
                .int(1, 0x1000)
                .int(2, 0x9000)
                .int(3, 0x40)
                .int(4, 3)
                .ints(5, true, &[1]),
        )
        .message(2, empty())
        .message(2, empty().int(1, 1).int(2, 0x1234).ints(4, true, &[2]))
        .message(
            2,
            empty()
                .message(3, empty().int(1, 1).int(2, 7).int(3, 9))
                .ints(4, true, &[3]),
        )
        .message(2, empty().ints(4, true, &[4]))
        .message(3, empty())
        .message(3, empty().int(1, 5).int(3, 6).int(4, 2))
        .message(6, empty())
        // A value by index.
        .message(6, empty().int(1, 7).message(2, empty().int(8, 10)))
        .message(6, empty().int(1, 4).message(2, text("native")))
        .message(6, empty().int(1, 4).message(2, text("cpython")))
        .message(6, empty().int(1, 4).message(2, text("abort-marker")))
        .message(7, empty())
        .message(7, empty().ints(1, true, &[1, 2, 3]));
    for text in strings {
        dictionary = dictionary.bytes(5, text.as_bytes());
    }
    let sample = empty().int(1, 1).fixed(5, START);
    let profile = empty()
        .message(1, empty().int(1, 1).int(2, 2))
        .message(2, sample)
        .fixed(3, START);
    let by_index = empty().int(3, 8).message(2, empty().int(8, 9));
    let owner = empty()
        .message(1, by_index)
        .message(
            1,
            key_value("list", empty().message(5, empty().message(1, text("only")))),
        )
        .message(1, key_value("number", empty().int(3, 12)))
        .message(1, key_value("truth", empty().int(2, 1)));
    let resource = empty()
        .message(1, owner)
        .message(2, empty().message(2, profile));
    let body = empty().message(1, resource).message(2, dictionary);
    let outcome = pushed(&body.0);
    assert_eq!(outcome.rejected_profiles, 0, "{}", outcome.reasons());
    let bytes = &outcome.ingested.chunks[0].bytes;
    let labels: Vec<_> = chunk_head(bytes).unwrap().series[0]
        .labels
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    assert_eq!(
        labels,
        [
            "list=only",
            "number=12",
            "service_name=by index",
            "truth=true"
        ]
    );
    let read = read_chunk(bytes, |_, _| true).unwrap();
    let frames: Vec<String> = read
        .frames(read.samples().stacks[0])
        .map(|id| {
            let location = read.locations()[id.index()];
            let mapping = location
                .mapping
                .map(|id| read.mappings()[id.index()])
                .expect("a mapping");
            let lines: Vec<String> = read
                .lines(id)
                .iter()
                .map(|line| {
                    let function = read.functions()[line.function.unwrap().index()];
                    let (name, file) = (read.text(function.name), read.text(function.file));
                    format!("{name} {file}:{}:{}", line.line, line.column)
                })
                .collect();
            let (file, build) = (read.text(mapping.file), read.text(mapping.build_id));
            let (address, start, offset) = (location.address, mapping.start, mapping.offset);
            format!("{address:#x} {file} {build} {start:#x}+{offset:#x} {lines:?}")
        })
        .collect();
    assert_eq!(
        frames,
        [
            "0x1234 /bin/app abc123 0x1000+0x40 []",
            "0x0 cpython  0x0+0x0 [\"f a.c:7:9\"]",
            "0x0 abort-marker  0x0+0x0 []",
        ]
    );
}

/// A stack that many services share would be copied for each.
#[test]
fn shared_stacks_cannot_multiply() {
    let deep: Vec<u64> = (0..16_000).map(|i| 1 + i % 2).collect();
    let resources = (0..2_000).map(|i| {
        let mut one = profile(("events", "count"));
        one.samples[0].stack = deep.clone();
        resource(format!("service-{i}").leak(), vec![one])
    });
    let request = request(resources.collect());
    let error = push(&request.encode(STYLE), OtlpFormat::Protobuf).unwrap_err();
    assert_eq!(error.status(), 413, "{error}");
    assert!(
        error
            .to_string()
            .contains("copying shared stacks and names to each"),
        "{error}"
    );
}
