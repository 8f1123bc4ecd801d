//! Hostile programs: what they make the reader allocate is counted, and stays in proportion to
//! their size.

use std::io::Write;

use pilotlight_core::{Mapping, Profile, ProfileBuilder, StringId, SymbolFlags};
use pilotlight_fixtures::counting::{Counting, measure};
use pilotlight_symbols::{MAX_BINARY_BYTES, Symbolized, SymbolsError, symbolize};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes allocated for each byte of a program, at most.
const BOUND: usize = 16;
/// What any program may make the reader allocate besides.
const FIXED: usize = 1 << 20;
/// About the size of each text.
const SIZE: usize = 1 << 20;

/// A profile of so many addresses of `/bin/app`, which is mapped where its file says.
fn profile(addresses: u64) -> Profile {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    let file = builder.string("/bin/app");
    let mapping = builder.mapping(Mapping {
        start: 0,
        limit: 1 << 40,
        offset: 0,
        file,
        build_id: StringId::EMPTY,
        symbols: SymbolFlags::default(),
    });
    for address in 1..=addresses {
        let location = builder.location(Some(mapping), address, false, &[]);
        let stack = builder.stack(None, location);
        builder.sample(Some(stack), None, &[1]);
    }
    builder.finish()
}

/// What a program does for a profile, within the bound.
fn read(what: &str, program: &[u8], profile: Profile) -> Result<Symbolized, SymbolsError> {
    let profiles = [profile];
    let (used, named) = measure(|| symbolize("app", program, &profiles));
    let allowed = BOUND * program.len() + FIXED;
    assert!(
        used.peak <= allowed,
        "{what}: {} bytes for {}, {allowed} are allowed",
        used.peak,
        program.len()
    );
    named.map(|mut named| named.remove(0))
}

#[test]
fn texts_take_memory_in_proportion_to_their_size() {
    for (record, around) in [
        ("FUNC 0 0 0\n", ""),
        ("0 0 0 0\n", "FUNC 0 0 0\n"),
        ("0 0 ", "FUNC 0 0 0\nINLINE 0 0 0 0 "),
        ("INLINE 0 0 0 0 0 0\n", "FUNC 0 0 0\n"),
        ("PUBLIC 0 0\n", ""),
        ("MODULE a b c d\n", ""),
        ("INFO CODE_ID 0\n", ""),
        ("\n", ""),
    ] {
        let text = format!(
            "MODULE a b 0 app\n{around}{}",
            record.repeat(SIZE / record.len())
        );
        let named = read(record, text.as_bytes(), profile(1)).expect("is whole");
        assert_eq!((named.addresses, named.named), (1, 0), "{record}");
    }
    for record in ["FILE", "INLINE_ORIGIN"] {
        let rows: String = (0..SIZE / 12)
            .map(|row| format!("{record} {row} a\n"))
            .collect();
        let text = format!("MODULE a b 0 app\n{rows}");
        assert!(read(record, text.as_bytes(), profile(1)).is_ok());
    }
}

#[test]
fn calls_inlined_everywhere_do_not_multiply() {
    const ADDRESSES: u64 = 64;
    let calls = "INLINE 0 1 0 0 0 ff\n".repeat(5000);
    let text = format!("MODULE a b 0 app\nINLINE_ORIGIN 0 deep\nFUNC 0 ff 0 main\n{calls}");
    let named = read("calls", text.as_bytes(), profile(ADDRESSES)).expect("is whole");
    let profile = named.profile.expect("the first address has names");
    let lines = profile.location_ids().map(|id| profile.lines(id).len());
    // 16 for each address, and the 4,096 that one may have.
    assert_eq!(lines.sum::<usize>(), 4096);
}

#[test]
fn names_that_are_too_long_are_left_out() {
    let long = "x".repeat(5000);
    let text = format!("MODULE a b 0 app\nFILE 0 {long}\nFUNC 0 ff 0 {long}\n0 ff 1 0\n");
    let named = read("names", text.as_bytes(), profile(64)).expect("is whole");
    assert_eq!(named.named, 0);
}

/// ELF with sections that are compressed by a method, each with the size that it says it has.
fn elf(method: u32, sections: &[(&str, u64, &[u8])]) -> Vec<u8> {
    const HEADER: u64 = 64;
    const ROW: usize = 64;
    let mut names = b"\0.shstrtab\0".to_vec();
    let mut contents = Vec::new();
    // The first row is of no section.
    let mut rows = vec![0; ROW];
    let mut section = |name: usize, kind: u32, flags: u64, content: &[u8]| {
        let offset = HEADER + contents.len() as u64;
        rows.extend((name as u32).to_le_bytes());
        rows.extend(kind.to_le_bytes());
        for field in [flags, 0, offset, content.len() as u64, 0, 1, 0] {
            rows.extend(field.to_le_bytes());
        }
        contents.extend(content);
    };
    for (name, size, packed) in sections {
        let mut content = u64::from(method).to_le_bytes().to_vec();
        content.extend(size.to_le_bytes());
        content.extend(1u64.to_le_bytes());
        content.extend(*packed);
        section(names.len(), 1, 0x800, &content);
        names.extend(name.as_bytes());
        names.push(0);
    }
    section(1, 3, 0, &names);

    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    for half in [3u16, 62, 1, 0] {
        file.extend(half.to_le_bytes());
    }
    for field in [0, 0, HEADER + contents.len() as u64] {
        file.extend(field.to_le_bytes());
    }
    let count = (rows.len() / ROW) as u16;
    for half in [0, 0, HEADER as u16, 56, 0, ROW as u16, count, count - 1] {
        file.extend(half.to_le_bytes());
    }
    [file, contents, rows].concat()
}

const ZLIB: u32 = 1;
const ZSTD: u32 = 2;

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("a Vec takes all");
    encoder.finish().expect("a Vec takes all")
}

#[test]
fn the_size_that_a_section_says_is_not_believed() {
    // Noise: of something plainer, 40 bytes may be a megabyte.
    let noise = |i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8;
    let bytes: Vec<u8> = (0..8192).map(noise).collect();
    let zstd = zstd::bulk::compress(&bytes, 1).expect("a Vec takes all");
    for (method, packed) in [(ZLIB, zlib(&bytes)), (ZSTD, zstd)] {
        for (size, packed, says) in [
            (
                MAX_BINARY_BYTES / 2,
                &packed[..40],
                "ELF: section .debug_info: ",
            ),
            (
                100,
                &packed[..],
                "ELF: section .debug_info: its inflated size differs",
            ),
            (MAX_BINARY_BYTES, &packed[..40], "the binary has 1073742"),
            (
                u64::MAX,
                &packed[..40],
                "the binary has 18446744073709551615 bytes",
            ),
        ] {
            let file = elf(method, &[(".debug_info", size, packed)]);
            let error = read("a section", &file, profile(1)).expect_err("lies");
            let said = error.to_string();
            assert!(said.starts_with(says), "{method}, {size}: {said}");
        }
    }
}

#[test]
fn sections_together_inflate_to_what_is_allowed() {
    let packed = zlib(&[0; 8192]);
    let sections: [(&str, u64, &[u8]); 2] = [
        (".debug_abbrev", 8192, &packed),
        (".debug_info", MAX_BINARY_BYTES - 4096, &packed),
    ];
    let said = |sections| {
        let read = read("sections", &elf(ZLIB, sections), profile(1));
        read.expect_err("is too large").to_string()
    };
    assert!(said(&sections[1..]).starts_with("ELF: section .debug_info: "));
    assert!(said(&sections).contains("are allowed"));
}
