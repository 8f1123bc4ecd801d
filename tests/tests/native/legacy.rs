//! Profiles in the formats from before `profile.proto`: small ones drawn here, for what the real
//! ones lack. Where Go is installed, its own `pprof` judges; what it would not tell is checked
//! beside.

use pilotlight_core::ingest::{Push, ingest};
use pilotlight_core::legacy::{LegacyError, decode, sniff};
use pilotlight_core::limits::{MAX_PROFILE_BYTES, MAX_STACK_DEPTH};
use pilotlight_core::pprof::{self, encode, open};
use pilotlight_core::store::chunk_head;
use pilotlight_core::{Profile, UnixNanos, canonical};
use pilotlight_tests::legacy::{drawn, words};
use pilotlight_tests::{go, text};

fn read(bytes: &[u8], name: &str) -> Profile {
    let decoded = open(bytes, MAX_PROFILE_BYTES).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(decoded.warnings, Vec::<String>::new(), "{name}");
    decoded.profile
}

#[test]
fn all_are_recognised_and_survive_encoding() {
    for (name, format, bytes) in drawn() {
        assert_eq!(sniff(&bytes), Some(format), "{name}");
        let profile = read(&bytes, name);
        let again =
            pprof::decode(&encode(&profile)).unwrap_or_else(|e| panic!("{name}, encoded: {e}"));
        assert_eq!(again.warnings, Vec::<String>::new(), "{name}");
        assert_eq!(canonical(&again.profile), canonical(&profile), "{name}");
        assert_eq!(text::raw(&again.profile), text::raw(&profile), "{name}");
    }
}

#[test]
fn text_is_what_go_prints() {
    if !go::available() {
        return;
    }
    let drawn = drawn();
    let half = drawn.len().div_ceil(2);
    // Each run of Go's tool takes a fifth of a second.
    std::thread::scope(|scope| {
        for files in drawn.chunks(half) {
            scope.spawn(move || {
                files
                    .iter()
                    .for_each(|(name, _, bytes)| check_against_go(name, bytes))
            });
        }
    });
}

fn check_against_go(name: &str, bytes: &[u8]) {
    let profile = read(bytes, name);
    let mut theirs = go::raw(bytes);
    if profile.mappings().is_empty() {
        // Go makes one up, so that it can look for symbols.
        theirs = theirs
            .replace(" M=1 ", " ")
            .replace("1: 0x0/0x0/0x0   \n", "");
    }
    // Go has a period type without a name where we have none.
    assert_eq!(
        text::raw(&profile),
        go::renumbered(theirs.trim_start_matches("PeriodType:  \n")),
        "{name}"
    );
}

#[test]
fn estimates_are_those_of_go() {
    if !go::available() {
        return;
    }
    // Knuth's generator: counts and sizes over all magnitudes.
    let mut state = 1u64;
    let mut random = |bits: u32| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) % (1 << (1 + (state >> 33) % u64::from(bits))) + 1
    };
    let row = |i| {
        let (count, size) = (random(12), random(22));
        format!("{count}: {} [0: 0] @ {i:#x}\n", count * size)
    };
    let heap = format!(
        "heap profile: 0: 0 [0: 0] @ heap_v2/524288\n{}",
        (1..5000).map(row).collect::<String>()
    );
    check_against_go("5,000 sizes", heap.as_bytes());
}

#[test]
fn the_header_names_the_same_frames_to_drop_as_go() {
    if !go::available() {
        return;
    }
    for wanted in ["heap v2", "heapz v2", "contention", "threads"] {
        let (name, _, bytes) = drawn()
            .into_iter()
            .find(|(name, ..)| *name == wanted)
            .expect("is drawn");
        let frames = |profile: &Profile| {
            let header = profile.header();
            [header.drop_frames, header.keep_frames].map(|id| profile.text(id).to_owned())
        };
        let ours = frames(&read(&bytes, name));
        assert_eq!(ours, frames(&read(&go::to_proto(&bytes), name)), "{name}");
        assert!(!ours[0].is_empty(), "{name}");
    }
}

#[test]
fn a_push_may_be_legacy_too() {
    for (name, _, body) in drawn() {
        let push = Push {
            query: "name=app&format=pprof",
            content_type: "",
            body: &body,
            tenant: "anonymous",
            client: "",
            now: UnixNanos(1_700_000_000_000_000_000),
            limits: Default::default(),
        };
        let ingested = ingest(&push).unwrap_or_else(|e| panic!("{name}: {e}"));
        let profile = read(&body, name);
        let positive = profile
            .samples()
            .values
            .iter()
            .filter(|column| column.iter().any(|&value| value > 0))
            .count();
        let heads = ingested.chunks.iter().map(|chunk| chunk_head(&chunk.bytes));
        let series: usize = heads.map(|head| head.expect("our own").series.len()).sum();
        assert_eq!(series, positive, "{name}");
    }
}

#[test]
fn what_go_refuses_or_misreads_is_read() {
    // Go needs a memory map behind the threads.
    let threads =
        b"--- threadz 1 ---\n--- Thread 7f (name: a/1) stack: ---\n0x10 0x21\n--- Thread 7e (name: b/2) stack: ---\n";
    let profile = read(threads, "threads without a map");
    assert_eq!((profile.total(0), profile.locations().len()), (2, 2));
    // Go's lines end at 64 KiB.
    let deep = format!(
        "x profile: total 1\n1 @{}\n",
        " 0x00007f7f7f7f7f7f".repeat(MAX_STACK_DEPTH)
    );
    assert_eq!(
        read(deep.as_bytes(), "a deep stack").stacks().len(),
        MAX_STACK_DEPTH
    );
    // Go takes leading zeros for an octal number.
    assert_eq!(
        read(b"x profile: total 1\n010 @ 0x1\n", "a zero in front").total(0),
        10
    );
    let damaged =
        decode(b"x profile: total 1\n1 @ 0x2\n# \xff\n").expect("a comment may hold anything");
    assert_eq!(
        damaged.warnings,
        ["some bytes are not UTF-8 and are read as \u{fffd}"]
    );
}

#[test]
fn says_where_it_is_wrong() {
    let check = |bytes: &[u8], message: &str| match open(bytes, MAX_PROFILE_BYTES) {
        Err(error) => assert_eq!(error.to_string(), message),
        Ok(_) => panic!(
            "{} is read; expected: {message}",
            String::from_utf8_lossy(bytes)
        ),
    };
    let heap = |row: &str| {
        format!("heap profile: 1: 2 [3: 4] @ heap/512\n1: 2 [3: 4] @ 0x5\n{row}\n").into_bytes()
    };
    check(
        &heap("t*: 5"),
        "legacy heap profile, line 3: expected a line like \"1: 2 [3: 4] @ 0x5\": \"t*: 5\"",
    );
    check(
        &heap("0: 8 [3: 4] @"),
        "legacy heap profile, line 3: 8 bytes in 0 objects: \"0: 8 [3: 4] @\"",
    );
    check(
        &heap("1: 9223372036854775808 [3: 4] @"),
        "legacy heap profile, line 3: 9223372036854775808 has more than 64 bits: \"1: 9223372036854775808 [3: 4] @\"",
    );
    check(
        &heap("1: 8 [3: 4] @ 0x12345678901234567"),
        "legacy heap profile, line 3: the address 0x12345678901234567 has more than 64 bits: \
         \"1: 8 [3: 4] @ 0x12345678901234567\"",
    );
    check(
        b"heap profile: 1: 2 [3: 4] @ heap_v9/512",
        "legacy heap profile, line 1: unknown sampling method: \"heap profile: 1: 2 [3: 4] @ heap_v9/512\"",
    );
    check(
        b"x profile: total 1\n\n1 @ 5",
        "legacy count profile, line 3: expected a line like \"1 @ 0x2 0x3\": \"1 @ 5\"",
    );
    let deep = format!(
        "x profile: total 1\n1 @{}",
        " 0x5".repeat(MAX_STACK_DEPTH + 1)
    );
    let start: String = deep.chars().skip(19).take(80).collect();
    check(
        deep.as_bytes(),
        &format!(
            "legacy count profile, line 2: a stack of 16385 frames; at most 16384 are allowed: \"{start}…\""
        ),
    );
    check(
        b"--- threadz 1 ---\n-- odd\n",
        "legacy thread profile, line 2: expected a line like \"--- Thread 7f79 (name: main/14748) stack: ---\": \"-- odd\"",
    );
    check(
        b"--- mutex:\nformat = java\n",
        "legacy contention profile, line 2: an unknown name: \"format = java\"",
    );
    check(
        b"--- contentionz 1 ---\nsampling period = often\n",
        "legacy contention profile, line 2: not a number: \"sampling period = often\"",
    );
    check(
        b"--- contentionz 1 ---\nformat = java\n1 1 @ 0x5\n",
        "legacy contention profile: the resolution=… line is missing",
    );
    check(
        b"--- heapz 1 ---\nresolution = bytes\n1 0 @ 0x5\n",
        "legacy Java heap profile, line 3: 1 bytes in 0 objects: \"1 0 @ 0x5\"",
    );
    let cpu = |rest: &[u64]| [words(&[0, 3, 0, 10, 0], 8, false), words(rest, 8, false)].concat();
    check(
        &cpu(&[1]),
        "legacy CPU profile, byte 40: the profile ends inside a sample",
    );
    check(
        &cpu(&[1, 3, 5, 6]),
        "legacy CPU profile, byte 40: a stack is deeper than the 2 words left",
    );
    check(
        &cpu(&[1 << 62, 1, 5]),
        "legacy CPU profile, byte 40: a sample's time exceeds 64 bits",
    );
    check(
        &words(&[0, 3, 0, u64::MAX, 0], 8, false),
        "legacy CPU profile, byte 24: invalid period: 18446744073709551615 µs",
    );
    assert_eq!(
        decode(b"hello\nworld").expect_err("no profile"),
        LegacyError::Unknown("hello".to_owned())
    );
    // What looks like nothing is reported as what it most likely was meant to be.
    check(
        b"hello",
        "pprof: not a valid protobuf message at byte 2: an unknown wire type",
    );
}

#[test]
fn a_cut_or_a_flipped_bit_never_panics() {
    for (name, _, bytes) in drawn() {
        for at in 0..bytes.len().min(600) {
            let _ = decode(&bytes[..at]);
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            if let Ok(decoded) = decode(&flipped) {
                let again = pprof::decode(&encode(&decoded.profile))
                    .unwrap_or_else(|e| panic!("{name}, byte {at}: {e}"));
                assert_eq!(
                    canonical(&again.profile),
                    canonical(&decoded.profile),
                    "{name}, byte {at}"
                );
            }
        }
    }
}

/// Overlapping mappings, each of which could be stretched, and as many addresses: to go through all
/// mappings for each address would be 900 million steps.
#[test]
fn many_mappings_and_many_addresses_take_moments() {
    const COUNT: u64 = 30_000;
    let mut text = "heap profile: 1: 1 [1: 1] @ heapprofile\n".to_owned();
    for i in 0..COUNT {
        text.push_str(&format!("1: 1 [1: 1] @ {:#x}\n", 1 + i * 0x1000));
    }
    text.push_str("MAPPED_LIBRARIES:\n");
    for i in 0..COUNT {
        text.push_str(&format!(
            "{:x}-{:x} r-xp {:x} 08:01 7 /lib/{i}.so\n",
            i * 0x1000 + 0x800,
            u64::MAX - i,
            i * 8
        ));
    }
    let profile = read(text.as_bytes(), "many mappings");
    assert_eq!(
        (profile.len() as u64, profile.mappings().len() as u64),
        (COUNT, COUNT)
    );
}
