//! Files of our own making.

use pilotlight_core::folded;
use pilotlight_core::pprof::{encode, encode_gzip};
use pilotlight_tests::demo::{Kind, Moment, SERVICES, profile};
use pilotlight_tests::jfr::{Integers, every_event};
use pilotlight_tests::{drawn, legacy as old, preorder};

use crate::{Seeds, named};

pub(super) fn pprof() -> Seeds {
    let every_field = drawn::every_field();
    let small = drawn::profile("cpu/nanoseconds\nmain;a 5 region=eu\nmain;b;b 7 region=us\nmain 1");
    let demo = |kind| {
        profile(
            &Moment {
                service: &SERVICES[3],
                region: "eu",
                kind,
                before_end: 900,
            },
            1_700_000_000_000_000_000,
        )
    };
    let form = [
        &b"--X\r\nContent-Disposition: form-data; name=\"profile\"; filename=\"p\"\r\n\r\n"[..],
        &encode_gzip(&small),
        b"\r\n--X\r\nContent-Disposition: form-data; name=\"sample_type_config\"\r\n\r\n",
        br#"{"cpu":{"units":"samples","display-name":"cpu"}}"#,
        b"\r\n--X--\r\n",
    ];
    let seeds = [
        ("every-field", encode(&every_field)),
        ("every-field.gz", encode_gzip(&every_field)),
        ("small", encode(&small)),
        ("small.gz", encode_gzip(&small)),
        ("demo-cpu", encode(&demo(Kind::Cpu))),
        ("demo-memory", encode(&demo(Kind::Memory))),
        ("form", form.concat()),
    ];
    named(seeds)
}

pub(super) fn legacy() -> Seeds {
    let files = old::drawn().into_iter().enumerate();
    // Names repeat where one way of writing is used for two kinds of content.
    let mut seeds: Seeds = files
        .map(|(i, (name, _, bytes))| (format!("{i:02}-{}", name.replace([' ', ','], "-")), bytes))
        .collect();
    let folded = folded::encode(&drawn::every_field(), 0, 1 << 20).expect("small");
    let wide: Vec<u8> = "\u{feff}a;é 1\r\nb 2"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    seeds.extend(named([
        ("folded", folded.into_bytes()),
        (
            "folded-odd",
            b"# x\n// y\na;;b c 1\r\na;b c 2\n 5\na 1.5\na\t-7\n".to_vec(),
        ),
        ("folded-utf16", wide),
    ]));
    seeds
}

/// A recording, and behind a `|` the labels of its contexts.
pub(super) fn jfr() -> Seeds {
    // contexts {7: {labels {1: 2}}}, strings {1: "tier", 2: "gold", 9: "GET /"}
    let labels = b"|\x0a\x0a\x08\x07\x12\x06\x0a\x04\x08\x01\x10\x02\
        \x12\x08\x08\x01\x12\x04tier\x12\x08\x08\x02\x12\x04gold\x12\x09\x08\x09\x12\x05GET /";
    let [compressed, raw] = [Integers::Compressed, Integers::Raw].map(every_event);
    named([
        ("labels", [&compressed, &labels[..]].concat()),
        ("two-chunks", [&compressed[..], &raw].concat()),
        ("compressed", compressed),
        ("raw", raw),
    ])
}

/// speedscope's JSON, a trie and a tree.
pub(super) fn stacks() -> Seeds {
    let stacks = [
        ("main", 1),
        ("main;work;é", 300),
        ("main;worker", 7),
        ("other", 2),
    ];
    let stacks: preorder::Stacks = stacks
        .map(|(stack, value)| (stack.to_owned(), value))
        .into();
    let schema = "https://www.speedscope.app/file-format-schema.json";
    let json = format!(
        r#"{{"$schema":"{schema}","shared":{{"frames":[{{"name":"a","file":"a.rb","line":1,"col":2}},{{"name":"b"}}]}},
"profiles":[{{"type":"evented","name":"one","unit":"seconds","startValue":0,"endValue":4,"events":[
{{"type":"O","frame":0,"at":1}},{{"type":"O","frame":1,"at":2.5}},{{"type":"C","frame":1,"at":3e0}},{{"type":"C","frame":0,"at":4}}]}},
{{"type":"sampled","name":"two","unit":"bytes","samples":[[0,1],[1],[]],"weights":[1,2.5,3]}}]}}"#
    );
    named([
        ("speedscope", json.into_bytes()),
        ("trie", preorder::trie(&stacks)),
        ("tree", preorder::tree(&stacks)),
    ])
}
