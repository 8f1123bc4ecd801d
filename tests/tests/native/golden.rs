//! Real profiles, decoded and written out again: nothing may get lost, and the text must be what
//! Go's own tool prints.

use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::pprof::{decode, encode, encode_gzip, open};
use pilotlight_core::{Profile, canonical};
use pilotlight_tests::demo::{Kind, Moment, SERVICES, profile as demo_profile};
use pilotlight_tests::oracle::{Oracle, RawProfile};
use pilotlight_tests::{corpus, drawn, go, text};
use prost::Message;

fn read(bytes: &[u8], name: &str) -> Profile {
    let decoded = open(bytes, MAX_PROFILE_BYTES).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(decoded.warnings, Vec::<String>::new(), "{name}");
    decoded.profile
}

/// Real profiles, where they are at hand, and two of our own.
fn samples() -> Vec<corpus::Sample> {
    let demo = demo_profile(
        &Moment {
            service: &SERVICES[0],
            region: "eu",
            kind: Kind::Cpu,
            before_end: 300,
        },
        1_700_000_000,
    );
    let own = [("every field", drawn::every_field()), ("demo", demo)];
    let own = own.map(|(name, profile)| corpus::Sample {
        name: name.to_owned(),
        bytes: encode_gzip(&profile),
    });
    corpus::profiles().into_iter().chain(own).collect()
}

#[test]
fn encoding_and_decoding_again_is_the_identity() {
    for sample in samples() {
        let name = &sample.name;
        let first = read(&sample.bytes, name);
        let bytes = encode(&first);
        let second = decode(&bytes)
            .unwrap_or_else(|e| panic!("{name}, encoded: {e}"))
            .profile;
        assert_eq!(text::raw(&first), text::raw(&second), "{name}");
        let (first, second) = (canonical(&first), canonical(&second));
        assert_eq!(first, second, "{name}");
        // In canonical order even the tables are the same, and so are the bytes.
        let bytes = encode(&first);
        let again = read(&bytes, name);
        assert_eq!(encode(&again), bytes, "{name}");
        assert_eq!(encode(&read(&encode_gzip(&first), name)), bytes, "{name}");
    }
}

#[test]
fn another_reader_sees_the_same_in_what_we_write() {
    for sample in samples() {
        let (before, after) = (
            Oracle::read(&sample.bytes),
            Oracle::read(&encode(&read(&sample.bytes, &sample.name))),
        );
        assert_eq!(before.types, after.types, "{}", sample.name);
        assert_eq!(before.period_type, after.period_type, "{}", sample.name);
        assert_eq!(before.samples, after.samples, "{}", sample.name);
    }
}

#[test]
fn field_order_and_packing_do_not_matter() {
    for sample in samples() {
        let raw = pilotlight_tests::oracle::unzip(&sample.bytes);
        let expect = text::raw(&read(&raw, &sample.name));
        let (fields, strings): (Vec<_>, Vec<_>) = top_fields(&raw)
            .into_iter()
            .partition(|field| field[0] != 6 << 3 | 2);
        // The order among rows of one kind carries meaning; that of the kinds does not. Strings
        // last is Go's order.
        let reordered = |parts: [&[Vec<u8>]; 2]| parts.concat().concat();
        for bytes in [
            reordered([&strings, &fields]),
            reordered([&fields, &strings]),
        ] {
            assert_eq!(
                text::raw(&read(&bytes, &sample.name)),
                expect,
                "{}",
                sample.name
            );
        }
        let mut kinds = fields;
        kinds.sort_by_key(|field| std::cmp::Reverse(field[0]));
        assert_eq!(
            text::raw(&read(&reordered([&kinds, &strings]), &sample.name)),
            expect,
            "{}",
            sample.name
        );
        let unpacked = unpack_samples(&raw);
        assert_ne!(
            unpacked, raw,
            "{}: there was nothing to unpack",
            sample.name
        );
        assert_eq!(
            text::raw(&read(&unpacked, &sample.name)),
            expect,
            "{}",
            sample.name
        );
    }
}

/// The fields of a message, each with its key, as they stand. Profiles use varints and bytes only.
fn top_fields(message: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = message;
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let start = rest;
        let key = prost::encoding::decode_varint(&mut rest).expect("a key");
        let value = prost::encoding::decode_varint(&mut rest).expect("a number or a length");
        if key & 7 == 2 {
            rest = &rest[value as usize..];
        }
        fields.push(start[..start.len() - rest.len()].to_vec());
    }
    fields
}

/// The same profile with each location id and value of a sample as a field of its own.
fn unpack_samples(message: &[u8]) -> Vec<u8> {
    use prost::encoding::{WireType, encode_key, encode_varint};
    let mut out = Vec::new();
    for field in top_fields(message) {
        if field[0] != 2 << 3 | 2 {
            out.extend(field);
            continue;
        }
        let sample = RawProfile::decode(&*field)
            .expect("one sample")
            .sample
            .remove(0);
        let mut row = Vec::new();
        // Values before ids: their order among each other means nothing.
        for (tag, numbers) in [
            (2, sample.value.iter().map(|v| *v as u64).collect()),
            (1, sample.location_id.clone()),
        ] {
            let numbers: Vec<u64> = numbers;
            for number in numbers {
                encode_key(tag, WireType::Varint, &mut row);
                encode_varint(number, &mut row);
            }
        }
        for label in &sample.label {
            prost::encoding::message::encode(3, label, &mut row);
        }
        encode_key(2, WireType::LengthDelimited, &mut out);
        encode_varint(row.len() as u64, &mut out);
        out.extend(row);
    }
    out
}

#[test]
fn text_is_what_go_prints() {
    if !go::available() {
        return;
    }
    for sample in samples() {
        let profile = read(&sample.bytes, &sample.name);
        let mut theirs = go::raw(&sample.bytes);
        if profile.mappings().is_empty() {
            // Go makes one up, so that it can look for symbols.
            theirs = theirs
                .replace(" M=1 ", " ")
                .replace("1: 0x0/0x0/0x0   \n", "");
        }
        check_lines(&text::raw(&profile), &go::renumbered(&theirs), &sample.name);
    }
}

/// What Go printed for profiles in old formats, which are read here as they are.
#[test]
fn text_is_the_one_stored_in_the_corpus() {
    for name in [
        "cppbench.contention",
        "cppbench.cpu",
        "cppbench.heap",
        "cppbench.thread",
        "go.crc32.cpu",
        "java.contention",
    ] {
        let (Some(old), Some(expect)) = (
            corpus::read(&format!("pprof/{name}")),
            corpus::read(&format!("pprof/{name}.string")),
        ) else {
            return;
        };
        let profile = read(&old.bytes, name);
        check_lines(
            &text::raw(&profile),
            &String::from_utf8_lossy(&expect.bytes),
            name,
        );
        let again = read(&encode_gzip(&profile), name);
        assert_eq!(canonical(&again), canonical(&profile), "{name}, encoded");
    }
}

#[test]
fn text_of_our_own_profiles() {
    check_golden("every-field", &text::raw(&drawn::every_field()));
    let (mut cpu, mut memory) = (String::new(), String::new());
    for service in &SERVICES {
        for (kind, out) in [(Kind::Cpu, &mut cpu), (Kind::Memory, &mut memory)] {
            let profile = demo_profile(
                &Moment {
                    service,
                    region: "us",
                    kind,
                    before_end: 90,
                },
                1_700_000_000_000_000_000,
            );
            let shown = text::raw(&read(&encode_gzip(&profile), service.name));
            out.push_str(&format!("# {}\n{shown}", service.name));
        }
    }
    check_golden("demo-cpu", &cpu);
    check_golden("demo-memory", &memory);
}

/// Compares with the file in `tests/golden`, or writes it when `BLESS` is set.
fn check_golden(name: &str, text: &str) {
    let path = format!("{}/golden/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).unwrap_or_else(|e| panic!("{path}: {e}"));
        return;
    }
    let expect =
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}; BLESS=1 makes it"));
    check_lines(
        text,
        &expect,
        &format!("{path} (BLESS=1 writes it anew, to be read in the diff)"),
    );
}

/// Equal, or the first lines that differ.
fn check_lines(found: &str, expect: &str, name: &str) {
    let first = found
        .lines()
        .zip(expect.lines())
        .enumerate()
        .find(|(_, (found, expect))| found != expect);
    if let Some((line, (found, expect))) = first {
        panic!(
            "{name}, line {}:\n   found {found:?}\nexpected {expect:?}",
            line + 1
        );
    }
    assert_eq!(
        found.lines().count(),
        expect.lines().count(),
        "{name}: number of lines"
    );
}
