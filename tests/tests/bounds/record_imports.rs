//! Hostile files of perf and Perfetto.

use pilotlight_core::imports::open;
use pilotlight_core::limits::MAX_PROFILE_BYTES;

use crate::{Case, Message, SIZE, case};

pub(crate) static RECORD_IMPORTS: &[Case] = &[
    import("perf.data samples of nothing", true, || {
        perf(1 << 16, |_| record(9, 2, &[7]))
    }),
    import("perf.data samples of addresses of their own", true, || {
        let holds = 1 | 1 << 1 | 1 << 2 | 1 << 8;
        perf(holds, |row| record(9, 2, &[row, 6 | 6 << 32, row, 1]))
    }),
    import("perf.data files of their own", false, || {
        perf(1, |row| record(1, 2, &[6, row << 12, 1 << 12, 0, row + 1]))
    }),
    import("perf.data files over each other", true, || {
        perf(1, |row| match row {
            0 => record(9, 2, &[7]),
            _ => record(1, 2, &[6, row, 1 << 40, 0, 0x61]),
        })
    }),
    import(
        "perf.data processes with files of their parents",
        true,
        || {
            perf(1, |row| match row {
                0 => record(9, 2, &[7]),
                1..9_000 => record(1, 2, &[6, row << 12, 1 << 12, 0, 0x61]),
                // The child has one more, and then another program.
                _ => match row % 3 {
                    0 => record(7, 0, &[7 | 6 << 32, 7 | 6 << 32, 0]),
                    1 => record(1, 2, &[7, 1 << 50, 1 << 12, 0, 0x61]),
                    _ => record(3, 1 << 13, &[7 | 7 << 32, 0x61]),
                },
            })
        },
    ),
    import("perf.data threads of their own", false, || {
        perf(1 << 1, |row| record(9, 2, &[row | row << 32]))
    }),
    import("perf.data events", false, || {
        perf(1, |_| {
            let event = [48 << 32, 0, 0, 1, 0, 0, 1, 2, 3];
            record(64, 0, &event)
        })
    }),
    import("stackprof dumps of numbers", true, || {
        let numbers = b"i\x06i\x06i\x06".repeat(SIZE / 6);
        let length = (SIZE as u32 / 6 * 3).to_le_bytes();
        let raw = [b"[\x03", &length[..3], &numbers].concat();
        dump(b"i\x06{\0", 1, &raw)
    }),
    import("stackprof dumps of frames", false, || {
        let frames: Vec<u8> = (0..SIZE as u32 / 11)
            .flat_map(|row| {
                let [a, b, c, _] = row.to_le_bytes();
                [b'i', 3, a, b, c, b'{', 6, b';', 6, b'i', 0]
            })
            .collect();
        dump(&frames, SIZE / 11, b"[\0")
    }),
    import("stackprof dumps of links to a long text", false, || {
        // Object 2, and symbol 5 of the first frame.
        let long = [
            &b"0\"\x02\xff\xff"[..],
            &[b'a'; 0xffff],
            b"i\x06{\x06:\x09file@\x07",
        ]
        .concat();
        let count = SIZE / 11;
        let frames = (0..count as u32).flat_map(|row| {
            let [a, b, c, _] = row.to_le_bytes();
            [b'i', 3, a, b, c, b'{', 6, b';', 10, b'@', 7]
        });
        let frames: Vec<u8> = frames.collect();
        dump(&[long, frames].concat(), count + 2, b"[\0")
    }),
    import("stackprof dumps of texts", true, || {
        let texts = [
            &b"[\x03"[..],
            &(SIZE as u32 / 2).to_le_bytes()[..3],
            &b"\"\0".repeat(SIZE / 2),
        ];
        dump(&[&b"0"[..], &texts.concat()].concat(), 1, b"[\0")
    }),
    import("Perfetto writers", false, || {
        Message::default()
            .repeat(1, SIZE, |row| number(10, row + 1))
            .0
    }),
    import("Perfetto stacks that nobody needs", false, || {
        interned(|row| Message::default().bytes(7, &number(1, row)))
    }),
    import("Perfetto texts that nobody needs", false, || {
        interned(|row| Message::default().bytes(5, &number(1, row)))
    }),
    import("Perfetto samples", true, || {
        perfetto(|_| Message::default().number(8, 1).bytes(66, &number(4, 1)).0)
    }),
    import("Perfetto samples of Chrome", false, || {
        perfetto(|_| {
            let stacks = Message::default().bytes(1, &[1; 4000]).0;
            Message::default().bytes(54, &stacks).0
        })
    }),
    import("Perfetto slices", false, || {
        perfetto(|_| Message::default().bytes(11, &number(9, 1)).0)
    }),
    import("Perfetto slices of names", true, || {
        perfetto(|row| {
            let event = match row % 2 {
                0 => Message::default().number(9, 1).bytes(23, b"doSomething"),
                _ => Message::default().number(9, 2).number(11, 0),
            };
            let packet = Message::default().number(8, row << 20).number(10, 1);
            // The first one needs none before it.
            let flags = 2 | u64::from(row == 0);
            packet.number(13, flags).number(58, 6).bytes(11, &event.0).0
        })
    }),
    import("Perfetto tracks", false, || {
        perfetto(|row| Message::default().bytes(60, &number(1, row)).0)
    }),
    import("Perfetto clocks", false, || {
        perfetto(|row| {
            let clock = Message::default().bytes(1, &number(1, 1000 + row)).0;
            Message::default().bytes(6, &clock).0
        })
    }),
];

const fn import(name: &'static str, accepted: bool, make: fn() -> Vec<u8>) -> Case {
    Case {
        read: |bytes| open(bytes, MAX_PROFILE_BYTES).is_ok(),
        ..case(name, accepted, make)
    }
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn record(kind: u64, misc: u64, body: &[u64]) -> Vec<u8> {
    let length = 8 + 8 * body.len() as u64;
    [words(&[kind | misc << 32 | length << 48]), words(body)].concat()
}

/// A recording of an event whose samples hold this.
fn perf(holds: u64, row: impl Fn(u64) -> Vec<u8>) -> Vec<u8> {
    let mut bytes = [b"PERFILE2".to_vec(), words(&[16])].concat();
    bytes.extend(record(64, 0, &[48 << 32, 0, 0, holds, 0, 0, 7]));
    for number in 0.. {
        if bytes.len() >= SIZE {
            break;
        }
        bytes.extend(row(number));
    }
    bytes
}

fn number(field: u64, number: u64) -> Vec<u8> {
    Message::default().number(field, number).0
}

/// A trace of these packets, and a first one with a stack.
fn perfetto(packet: impl Fn(u64) -> Vec<u8>) -> Vec<u8> {
    let stack = Message::default().number(1, 1).number(2, 1).0;
    let data = Message::default().bytes(7, &stack).bytes(6, &number(1, 1));
    let first = Message::default().number(8, 1).bytes(12, &data.0).0;
    Message::default()
        .bytes(1, &first)
        .repeat(1, SIZE, packet)
        .0
}

/// A trace of packets with such interned data.
fn interned(data: impl Fn(u64) -> Message) -> Vec<u8> {
    perfetto(|row| Message::default().bytes(12, &data(row).0).0)
}

/// A dump of stackprof with so many frames, and this list of stacks.
fn dump(frames: &[u8], count: usize, raw: &[u8]) -> Vec<u8> {
    let [a, b, c, _] = (count as u32).to_le_bytes();
    [
        b"\x04\x08{\x0a:\x09mode:\x09wall:\x0dintervali\x06:\x0csamplesi\x06:\x0bframes{\x03",
        &[a, b, c][..],
        frames,
        b":\x08raw",
        raw,
    ]
    .concat()
}
