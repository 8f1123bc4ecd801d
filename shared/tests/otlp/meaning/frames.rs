//! Frames: what is kept of each, and how often.

use pilotlight_core::store::read_chunk;
use pilotlight_fixtures::otlp::{key_value, text};

use super::*;

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
