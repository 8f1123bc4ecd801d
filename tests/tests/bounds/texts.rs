//! Hostile texts, and the words of old CPU profiles.

use crate::text_imports::lines;
use crate::{Case, SIZE, case};

/// Texts of [`SIZE`].
pub(crate) static TEXTS: &[Case] = &[
    folded("equal folded stacks", true, || {
        lines("", |_| "a 1".to_owned())
    }),
    // The one construction that breaks the bound: in 8 bytes stands a name, which takes 101 in the
    // tables (24 each for a location and its line), and two look-ups that grow by doubling.
    Case {
        ceiling: 22.0,
        ..folded("folded stacks of their own", true, || {
            lines("", |i| format!("{i:x} 1"))
        })
    },
    folded("folded stacks of short names", true, || {
        lines("", |i| format!("{};{} 1", i % 10, i % 9))
    }),
    folded("one deep folded stack", false, || {
        format!("{} 1\n", "a;".repeat(SIZE / 2)).into_bytes()
    }),
    folded("deep folded stacks that share nothing", true, || {
        let frames = "a;".repeat(1_000);
        lines("", |i| format!("{};{frames}b 1", i % 10))
    }),
    folded("folded stacks of deep new names", true, || {
        lines("", |i| format!("{i:x};b;c;d;e;f;g;h;i;j;k;l;m;n;o 1"))
    }),
    folded("folded stacks and lines that are none", true, || {
        lines("a 1\n", |_| "x".to_owned())
    }),
    legacy("a heap of equal stacks", true, || {
        lines(HEAP, |_| "1: 1 [1: 1] @ 1".to_owned())
    }),
    legacy("a heap of stacks of their own", true, || {
        lines(HEAP, |i| format!("1: 1 [1: 1] @ {i:x}"))
    }),
    legacy("a heap of long stacks", true, || {
        let frames = " 1 2 3 4 5 6 7 8 9".repeat(100);
        lines(HEAP, |i| format!("1: {i} [1: 1] @{frames}"))
    }),
    legacy("a heap of short stacks of their own", true, || {
        lines(HEAP, |i| format!("1: 1 [1: 1] @ {:x} {i:x}", i / 3))
    }),
    legacy("goroutines", true, || {
        lines("goroutine profile: total 1\n", |i| format!("1 @ 0x{i:x}"))
    }),
    legacy("contention", true, || {
        lines("--- contention:\n", |i| format!("1 1 @ {i:x}"))
    }),
    legacy("threads", true, || {
        lines("--- threadz 1 ---\n", |i| {
            format!("--- Thread 7f (name: a/{i}) stack: ---\n 0x{i:x}")
        })
    }),
    legacy("a heap and mappings", true, || {
        let heap = format!("{HEAP}1: 1 [1: 1] @ 1\nMAPPED_LIBRARIES:\n");
        lines(&heap, |i| {
            format!(
                "{:x}-{:x} r-xp 0 0:0 0 /{i}",
                (i % 60_000) * 2,
                (i % 60_000) * 2 + 1
            )
        })
    }),
    legacy("a CPU profile of equal stacks", true, || {
        words(|_| [1, 1, 9])
    }),
    legacy("a CPU profile of stacks of their own", true, || {
        words(|i| [1, 1, i + 9])
    }),
];

const HEAP: &str = "heap profile: 1: 1 [1: 1] @ heap/1\n";

const fn folded(name: &'static str, accepted: bool, make: fn() -> Vec<u8>) -> Case {
    Case {
        read: |bytes| pilotlight_core::folded::decode(bytes).is_ok(),
        ..case(name, accepted, make)
    }
}

const fn legacy(name: &'static str, accepted: bool, make: fn() -> Vec<u8>) -> Case {
    Case {
        read: |bytes| pilotlight_core::legacy::decode(bytes).is_ok(),
        ..case(name, accepted, make)
    }
}

/// A binary CPU profile of 32-bit words, in gperftools' layout, made of samples of one frame.
fn words(sample: impl Fn(u32) -> [u32; 3]) -> Vec<u8> {
    let samples = (0..SIZE as u32 / 12).flat_map(sample);
    let words = [0u32, 3, 0, 10_000, 0]
        .into_iter()
        .chain(samples)
        .chain([0, 1, 0]);
    words.flat_map(u32::to_le_bytes).collect()
}
