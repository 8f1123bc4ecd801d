//! Hostile profiles.

use pilotlight_core::limits::{MAX_INLINED, MAX_STACK_DEPTH};

use crate::message::Message;
use crate::{Case, SIZE, case};

/// Hostile inputs.
pub(crate) static CASES: &[Case] = &[
    case("empty strings", true, || {
        head(1).repeat(6, SIZE, |_| vec![]).0
    }),
    case("strings of one byte", true, || {
        head(1).repeat(6, SIZE, |_| vec![b'a']).0
    }),
    case("strings of one byte, not UTF-8", true, || {
        head(1).repeat(6, SIZE, |_| vec![0xff]).0
    }),
    case("one string, not UTF-8", true, || {
        head(1).bytes(6, &vec![0xff; SIZE]).0
    }),
    case("a first string that is not empty", true, || {
        head(1).bytes(6, &vec![0x7f; SIZE]).0
    }),
    case("a string of control characters, not UTF-8", true, || {
        head(1)
            .bytes(6, b"")
            .bytes(6, &[&vec![0x7f; SIZE][..], &[0xff]].concat())
            .0
    }),
    case("unknown fields", true, || {
        head(1).repeat(1_000, SIZE, |_| vec![]).0
    }),
    case("sample types", false, || {
        head(1).repeat(1, SIZE, |_| vec![]).0
    }),
    case("comments", true, || head(1).bytes(13, &vec![0; SIZE]).0),
    case("comments, one by one", true, || {
        head(1).each(SIZE / 2, |m, _| m.number(13, 0)).0
    }),
    case("empty mappings", false, || {
        head(1).repeat(3, SIZE, |_| vec![]).0
    }),
    case("empty functions", false, || {
        head(1).repeat(5, SIZE, |_| vec![]).0
    }),
    case("empty locations", false, || {
        head(1).repeat(4, SIZE, |_| vec![]).0
    }),
    case("small mappings", true, || {
        head(1).repeat(3, SIZE, |i| id(i + 1)).0
    }),
    case("small functions", true, || {
        head(1).repeat(5, SIZE, |i| id(i + 1)).0
    }),
    case("small locations", true, || {
        head(1).repeat(4, SIZE, |i| id(i + 1)).0
    }),
    case("mappings numbered backwards", true, || {
        head(1).repeat(3, SIZE, |i| id(0xc_0000 - i)).0
    }),
    case("functions numbered backwards", true, || {
        head(1).repeat(5, SIZE, |i| id(0xc_0000 - i)).0
    }),
    case("locations numbered backwards", true, || {
        head(1).repeat(4, SIZE, |i| id(0xc_0000 - i)).0
    }),
    case("mappings numbered far off", true, || {
        head(1).repeat(3, SIZE, |i| id((1 << 21) + i)).0
    }),
    case("locations numbered far off", true, || {
        head(1).repeat(4, SIZE, |i| id((1 << 21) + i)).0
    }),
    case(
        "mappings, functions and locations numbered far off",
        true,
        || {
            let far = |i: u64| id((1 << 21) + i);
            head(1)
                .repeat(3, SIZE / 3, far)
                .repeat(5, SIZE / 3, far)
                .repeat(4, SIZE / 3, far)
                .0
        },
    ),
    case("locations full of empty lines", true, || {
        let lines = [0x22, 0].repeat(MAX_INLINED);
        head(1)
            .repeat(4, SIZE, |i| [id(i + 1), lines.clone()].concat())
            .0
    }),
    case("one location of empty lines", false, || {
        head(1)
            .bytes(4, &[id(1), [0x22, 0].repeat(SIZE / 2)].concat())
            .0
    }),
    case("empty samples", false, || {
        head(1).repeat(2, SIZE, |_| vec![]).0
    }),
    case("empty samples of 64 types", false, || {
        head(64).repeat(2, SIZE, |_| vec![]).0
    }),
    case("small samples", true, || {
        head(1).repeat(2, SIZE, |_| vec![0x10, 0]).0
    }),
    case("small samples of 2 types", true, || {
        head(2).repeat(2, SIZE, |_| vec![0x12, 2, 0, 0]).0
    }),
    case("small samples of 64 types", true, || {
        head(64)
            .repeat(2, SIZE, |_| [vec![0x12, 64], vec![0; 64]].concat())
            .0
    }),
    case("one sample of packed values", false, || {
        head(1)
            .bytes(2, &Message::default().bytes(2, &vec![0; SIZE]).0)
            .0
    }),
    case("one sample of values, one by one", false, || {
        head(1).bytes(2, &[0x10, 0].repeat(SIZE / 2)).0
    }),
    case("one sample of packed frames", false, || {
        located(1)
            .bytes(2, &Message::default().bytes(1, &vec![1; SIZE]).0)
            .0
    }),
    case("one sample of frames, one by one", false, || {
        located(1).bytes(2, &[0x08, 1].repeat(SIZE / 2)).0
    }),
    case("deep stacks that share nothing", true, || {
        stacks(MAX_STACK_DEPTH)
    }),
    case("stacks of 100 that share nothing", true, || stacks(100)),
    case("stacks of 5 that share nothing", true, || stacks(5)),
    case("stacks of 100 and nothing, in turn", true, || {
        let deep = sample(&[1; 100]);
        located(1)
            .each(SIZE / 110 * 2, |m, i| {
                m.bytes(2, if i % 2 == 0 { &deep } else { &[0x10, 0] })
            })
            .0
    }),
    case("a few stacks longer than what was reserved", true, || {
        // Just beyond a power of two, where a growing vector has the most to spare.
        located(2)
            .each(257, |m, i| {
                m.bytes(2, &sample(&vec![1 + (i % 2) as u8; MAX_STACK_DEPTH]))
            })
            .0
    }),
    case("one sample of empty labels", true, || {
        head(1)
            .bytes(2, &[vec![0x10, 0], [0x1a, 0].repeat(SIZE / 2)].concat())
            .0
    }),
    case("samples of one label each", true, || {
        head(1)
            .repeat(2, SIZE, |i| {
                [
                    vec![0x10, 0],
                    Message::default()
                        .bytes(3, &Message::default().number(3, i + 1).0)
                        .0,
                ]
                .concat()
            })
            .0
    }),
    case("samples of twenty labels", true, || {
        let label = |i: u64| {
            Message::default()
                .bytes(3, &Message::default().number(3, i + 1).0)
                .0
        };
        head(1)
            .repeat(2, SIZE, |i| {
                [vec![0x10, 0], [0x1a, 0].repeat(19), label(i)].concat()
            })
            .0
    }),
    case("samples of equal labels", true, || {
        head(1).repeat(2, SIZE, |_| vec![0x10, 0, 0x1a, 0]).0
    }),
    case("all at once", true, || {
        let part = SIZE / 5;
        let message =
            head(2)
                .repeat(6, part, |_| vec![0xff])
                .repeat(3, part, |i| id((1 << 21) + i));
        let message = message
            .repeat(5, part, |i| id((1 << 21) + i))
            .bytes(4, &id(1))
            .bytes(4, &id(2));
        message
            .each(part / 110, |m, i| {
                m.bytes(2, &sample2(&[1 + (i % 2) as u8; 100]))
            })
            .repeat(4, part, |i| id((1 << 21) + i))
            .0
    }),
];

/// A message with so many sample types.
pub(crate) fn head(types: usize) -> Message {
    Message::default().each(types, |m, _| m.bytes(1, &[]))
}

/// One with so many locations, too.
fn located(locations: usize) -> Message {
    head(1).each(locations, |m, i| m.bytes(4, &id(i + 1)))
}

/// The id of a row.
pub(crate) fn id(id: u64) -> Vec<u8> {
    Message::default().number(1, id).0
}

/// A sample with this stack.
fn sample(frames: &[u8]) -> Vec<u8> {
    [Message::default().bytes(1, frames).0, vec![0x10, 0]].concat()
}

/// The same with two values.
fn sample2(frames: &[u8]) -> Vec<u8> {
    [Message::default().bytes(1, frames).0, vec![0x12, 2, 0, 0]].concat()
}

/// Samples whose stacks of one-byte ids differ at the root already.
fn stacks(depth: usize) -> Vec<u8> {
    let [one, two] = [1, 2].map(|id| sample(&vec![id; depth]));
    located(2)
        .each(SIZE / one.len(), |m, i| {
            m.bytes(2, if i % 2 == 0 { &one } else { &two })
        })
        .0
}
