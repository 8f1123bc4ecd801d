//! Hostile requests, up to the chunks that they become.

use pilotlight_core::UnixNanos;
use pilotlight_core::ingest::{OtlpFormat, OtlpPush, ingest_otlp};
use pilotlight_core::limits::MAX_STACK_DEPTH;

use crate::message::Message;
use crate::{BOUND, Case, SIZE, case};

/// Requests of OTLP: whether each is read, and the most that it may allocate for each of its bytes.
pub(crate) static REQUESTS: &[Case] = &[
    otlp("empty strings of a dictionary", true, || {
        exported(|m| m.repeat(5, SIZE, |_| vec![]))
    }),
    otlp("empty rows of every table", true, || {
        exported(|m| (1..8).fold(m, |m, table| m.repeat(table, SIZE / 7, |_| vec![])))
    }),
    otlp("rows that nothing refers to", true, || {
        exported(|m| m.repeat(2, SIZE, |i| Message::default().number(2, i).0))
    }),
    otlp("empty resources", true, || {
        Message::default().repeat(1, SIZE, |_| vec![]).0
    }),
    otlp("empty profiles", true, || {
        // Each looks up four texts, which is what a request of this size may do.
        let scope = Message::default().repeat(2, SIZE / 2, |_| vec![]).0;
        with_dictionary(&scope, |m| m.bytes(5, b"").bytes(7, b""))
    }),
    otlp("empty samples", true, || {
        sampled(|m| m.repeat(2, SIZE, |_| vec![]), |m| m)
    }),
    otlp("samples of one value each", true, || {
        sampled(|m| m.repeat(2, SIZE, |_| vec![0x22, 1, 1]), |m| m)
    }),
    otlp("samples of stacks of their own", true, || {
        sampled(
            |m| m.repeat(2, SIZE / 3, |i| stacked(i + 1)),
            |m| {
                let stack = |i: u64| packed(1, &[1 + i % 90, 1 + i / 90 % 90, 1 + i / 8_100]);
                let m = m.each(100, |m, _| m.bytes(2, b""));
                m.repeat(7, SIZE * 2 / 3, stack)
            },
        )
    }),
    otlp("samples of attributes that are not there", false, || {
        sampled(
            |m| m.repeat(2, SIZE, |i| [stacked(0), packed(2, &[i + 1])].concat()),
            |m| m,
        )
    }),
    otlp("profiles that share an id", false, || {
        profiles(|m, _| m.bytes(7, &[7; 16]))
    }),
    otlp("profiles with ids of their own", false, || {
        profiles(|m, i| m.bytes(7, format!("{i:016}").as_bytes()))
    }),
    otlp("one deep stack that many samples have", true, || {
        sampled(
            |m| m.repeat(2, SIZE, |_| stacked(1)),
            |m| {
                let m = m.each(2, |m, _| m.bytes(2, b""));
                m.bytes(7, &packed(1, &[1; MAX_STACK_DEPTH]))
            },
        )
    }),
    // What any request may cost besides, a megabyte, is two bytes for each of this small one.
    Case {
        ceiling: BOUND + 2.2,
        ..otlp("services of their own that share a stack", false, || {
            sampled(
                |m| {
                    m.each(20_000, |m, i| {
                        let attribute = packed(2, &[i + 1]);
                        m.bytes(2, &[stacked(1), attribute].concat())
                    })
                },
                |m| {
                    let m = m.each(2, |m, _| m.bytes(2, b""));
                    let m = m.bytes(7, &packed(1, &[1; 1_000]));
                    let service = |i: u64| {
                        let value = Message::default().bytes(1, format!("s{i}").as_bytes()).0;
                        Message::default().number(1, 3).bytes(2, &value).0
                    };
                    let m = m.bytes(6, b"");
                    m.each(20_000, |m, i| m.bytes(6, &service(i)))
                },
            )
        })
    },
];

const fn otlp(name: &'static str, accepted: bool, make: fn() -> Vec<u8>) -> Case {
    Case {
        read: |body| {
            let push = OtlpPush {
                body,
                content_encoding: "",
                format: OtlpFormat::Protobuf,
                tenant: "anonymous",
                client: "",
                now: UnixNanos(1_795_000_000_000_000_000),
                limits: Default::default(),
            };
            ingest_otlp(&push).is_ok_and(|outcome| outcome.rejected_profiles == 0)
        },
        ..case(name, accepted, make)
    }
}

/// A request of this dictionary alone.
fn exported(dictionary: impl Fn(Message) -> Message) -> Vec<u8> {
    Message::default()
        .bytes(2, &dictionary(Message::default()).0)
        .0
}

/// A request of one scope and a dictionary.
fn with_dictionary(scope: &[u8], dictionary: impl Fn(Message) -> Message) -> Vec<u8> {
    let resource = Message::default().bytes(2, scope).0;
    [
        Message::default().bytes(1, &resource).0,
        exported(dictionary),
    ]
    .concat()
}

/// A request of one profile and a dictionary.
fn sampled(
    profile: impl Fn(Message) -> Message,
    dictionary: impl Fn(Message) -> Message,
) -> Vec<u8> {
    let sample_type = Message::default().number(1, 1).number(2, 2).0;
    let profile = profile(Message::default().bytes(1, &sample_type)).0;
    with_dictionary(&Message::default().bytes(2, &profile).0, |m| {
        let texts: [&[u8]; 4] = [b"", b"events", b"count", b"service.name"];
        dictionary(
            texts
                .iter()
                .fold(m, |m, text| m.bytes(5, text))
                .bytes(7, b""),
        )
    })
}

/// A request of profiles of one sample, to each of which something is added.
fn profiles(add: impl Fn(Message, u64) -> Message) -> Vec<u8> {
    let sample_type = Message::default().number(1, 1).number(2, 2).0;
    let profile = Message::default()
        .bytes(1, &sample_type)
        .bytes(2, &stacked(0));
    let scope = Message::default().repeat(2, SIZE, |i| add(Message(profile.0.clone()), i).0);
    with_dictionary(&scope.0, |m| {
        let texts: [&[u8]; 3] = [b"", b"events", b"count"];
        texts
            .iter()
            .fold(m, |m, text| m.bytes(5, text))
            .bytes(7, b"")
    })
}

/// A sample of this row of the table of stacks, with the value 1.
fn stacked(row: u64) -> Vec<u8> {
    Message::default().number(1, row).bytes(4, &[1]).0
}

/// Numbers in one field.
fn packed(field: u64, numbers: &[u64]) -> Vec<u8> {
    let numbers = numbers.iter().fold(Message::default(), |m, &n| m.varint(n));
    Message::default().bytes(field, &numbers.0).0
}
