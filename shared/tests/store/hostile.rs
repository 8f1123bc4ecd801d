//! Bytes with valid checksums that no writer of ours would make: they are refused, or read as
//! something valid.

use pilotlight_core::plans::{CatalogObject, Outgrown};
use pilotlight_core::store::{
    BlockEntry, Contents, Dataset, Directory, Level, Part, StoreError, SumWindow, chunk_head,
    read_chunk,
};
use pilotlight_core::{By, CallTree, Profile, TimeRange, merge};
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::support::{Bucket, Push, profile_type, push};

/// A section as `docs/format.md` has it, stored without compression and with the right checksum.
pub(crate) fn sealed(raw: &[u8]) -> Vec<u8> {
    sealed_as(raw, raw.len() as u32)
}

/// A section that claims to have `raw_len` bytes before compression.
pub(crate) fn sealed_as(stored: &[u8], raw_len: u32) -> Vec<u8> {
    let stored_len = stored.len() as u32;
    let checksum = xxh3_64_with_seed(stored, u64::from(raw_len) << 32 | u64::from(stored_len));
    [
        &raw_len.to_le_bytes()[..],
        &stored_len.to_le_bytes(),
        &checksum.to_le_bytes(),
        stored,
    ]
    .concat()
}

/// The contents of the section that begins at `at`, and where it ends.
fn open(bytes: &[u8], at: usize) -> (Vec<u8>, usize) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (raw_len, end) = (word(at), at + 16 + word(at + 4));
    let stored = &bytes[at + 16..end];
    (
        if stored.len() == raw_len {
            stored.to_vec()
        } else {
            zstd::bulk::decompress(stored, raw_len).unwrap()
        },
        end,
    )
}

/// Changes to the contents of a section: bytes replaced, cut out or put in, at places relative to
/// its length.
type Edits = Vec<(prop::sample::Index, u8, u8)>;

fn edits() -> impl Strategy<Value = Edits> {
    prop::collection::vec(
        (
            any::<prop::sample::Index>(),
            0u8..4,
            prop_oneof![any::<u8>(), Just(0xff), Just(0x80), 0u8..4],
        ),
        1..6,
    )
}

fn edit(raw: &mut Vec<u8>, edits: &Edits) {
    for (index, kind, byte) in edits {
        let at = index.index(raw.len().max(1));
        match kind {
            0 if at < raw.len() => drop(raw.remove(at)),
            1 => raw.insert(at, *byte),
            _ if at < raw.len() => raw[at] = *byte,
            _ => {}
        }
    }
}

/// Does everything with a profile that might trip over a bad reference.
fn use_profile(profile: &Profile) {
    let merged = merge([profile]).unwrap().profile;
    if !profile.sample_types().is_empty() {
        CallTree::new(profile, 0, By::Name);
        CallTree::new(&merged, 0, By::Name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn edited_chunks(push in push(), section in 0usize..4, edits in edits()) {
        let bytes = push.chunk();
        let mut at = 8;
        let mut edited = bytes[..8].to_vec();
        let mut sections = Vec::new();
        while at < bytes.len() {
            let (raw, end) = open(&bytes, at);
            sections.push(raw);
            at = end;
        }
        let section = section % sections.len();
        edit(&mut sections[section], &edits);
        let body: Vec<u8> = sections[1..].iter().flat_map(|raw| sealed(raw)).collect();
        if section > 0 {
            // The head must know the new length of the body, or that is all that is found out. It
            // stands after the id.
            let head = &sections[0];
            let old_length_end = 16 + head[16..].iter().position(|b| b & 0x80 == 0).unwrap() + 1;
            sections[0] = [&head[..16], &varint(body.len() as u64), &head[old_length_end..]].concat();
        }
        edited.extend(sealed(&sections[0]));
        edited.extend(body);
        let _ = chunk_head(&edited);
        for i in 0..2 {
            if let Ok(profile) = read_chunk(&edited, |at, _| at == i) {
                use_profile(&profile);
            }
        }
    }

    #[test]
    fn edited_directories(pushes in prop::collection::vec(push(), 1..6), level in 0u8..=3, edits in edits()) {
        let mut bucket = Bucket::filled(&pushes);
        (1..=level).for_each(|level| bucket.compact_all(level));
        for object in &mut bucket.catalog {
            let bytes = object.directory.encode().unwrap();
            let (mut raw, _) = open(&bytes, 8);
            edit(&mut raw, &edits);
            if let Ok(directory) = Directory::decode(&[&bytes[..8], &sealed(&raw)].concat()) {
                directory.series().for_each(drop);
                // What it says of the object may be wrong now; asking for it must not be fatal.
                *object = CatalogObject { directory, ..object.clone() };
            }
        }
        ask_all(&bucket);
    }

    #[test]
    fn edited_blocks(
        pushes in prop::collection::vec(push(), 1..6),
        level in 1u8..=3,
        part: prop::sample::Index,
        edits in edits(),
    ) {
        let mut bucket = Bucket::filled(&pushes);
        (1..=level).for_each(|level| bucket.compact_all(level));
        let object = bucket.catalog.last_mut().unwrap();
        let bytes = bucket.objects.get_mut(&object.key).unwrap();
        let Contents::Block(BlockEntry { datasets, .. }) = &mut object.directory.contents else { panic!("not a block") };
        let mut parts: Vec<_> = datasets
            .iter_mut()
            .flat_map(parts_of)
            .collect();
        let chosen = part.index(parts.len());
        let part = &mut parts[chosen];
        // The edited section goes to the end of the object, and the directory says so.
        let (mut raw, _) = open(bytes, part.offset as usize);
        edit(&mut raw, &edits);
        let edited = sealed(&raw);
        (part.offset, part.len) = (bytes.len() as u64, edited.len() as u64);
        bytes.extend(edited);
        ask_all(&bucket);
    }
}

/// Everything that a dataset has in its object.
fn parts_of(d: &mut Dataset) -> Vec<&mut Part> {
    let mut parts = vec![&mut d.symbols];
    parts.extend(&mut d.totals);
    parts.extend(
        d.window_totals
            .iter_mut()
            .map(|(_, part)| part)
            .chain(&mut d.all_totals),
    );
    let pages = d
        .pages
        .iter_mut()
        .chain(d.sums.iter_mut().flat_map(|sums| &mut sums.pages));
    parts.extend(pages.map(|page| &mut page.part));
    parts
}

fn ask_all(bucket: &Bucket) {
    for (family, sample_type) in [
        ("process_cpu", "cpu"),
        ("memory", "alloc_space"),
        ("memory", "inuse_space"),
    ] {
        let of_type = profile_type(family, sample_type);
        // What a directory says of an edited object need not be so: the cost is not compared.
        let answered = bucket.cost_and_answer("", &of_type, TimeRange::ALL, Outgrown::Refuse);
        if let Ok((_, answer)) = answered {
            use_profile(&answer.profile);
        }
        let _ = bucket.try_timeline("", Some(&of_type), TimeRange::ALL, None);
    }
    let _ = bucket.try_timeline("", None, TimeRange::ALL, Some(SumWindow::Hour));
    for level in 1..=3 {
        let sources = bucket
            .catalog
            .iter()
            .filter(|o| (o.level == Level::Segment) == (level == 1) && o.level.number() < level);
        let _ = bucket.try_compact(level, sources.cloned().collect());
    }
}

pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

#[test]
fn claims_beyond_the_cap_are_refused() {
    let chunk =
        |section: Vec<u8>| chunk_head(&[&b"PLTCHNK\x01"[..], &section].concat()).unwrap_err();
    let cap = 32 << 20;
    let error = chunk(sealed_as(b"x", cap + 1));
    assert_eq!(
        error,
        StoreError::TooLarge {
            section: "chunk head",
            size: u64::from(cap) + 1,
            cap: u64::from(cap)
        }
    );
    let mut section = sealed(b"xyz");
    section[..8].copy_from_slice(&[3, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
    assert_eq!(
        chunk(section),
        StoreError::Corrupt {
            section: "chunk head",
            offset: 0,
            problem: "its stored size exceeds its raw size"
        }
    );
    // A frame that holds less than the section says.
    let packed = zstd::bulk::compress(&[7; 1000], 3).unwrap();
    let error = chunk(sealed_as(&packed, 1001));
    assert_eq!(
        error,
        StoreError::Length {
            section: "chunk head",
            needed: 1001,
            found: 1000
        }
    );
    // One that holds more.
    assert!(matches!(
        chunk(sealed_as(&packed, 999)),
        StoreError::Compression(_)
    ));
    assert!(matches!(
        chunk(sealed_as(b"no zstd frame", 999)),
        StoreError::Compression(_)
    ));
}

#[test]
fn labels_cannot_grow_without_end() {
    // A word of 2,000 bytes and one short name for it, in a million label sets.
    let mut raw = [
        varint(2),
        varint(2000),
        varint(1),
        vec![b'v'; 2000],
        vec![b'n'],
        varint(1_000_000),
    ]
    .concat();
    raw.extend([1, 1, 0].repeat(1_000_000));
    let error = Directory::decode(&[&b"PLTDIRE\x01"[..], &sealed(&raw)].concat())
        .unwrap_err()
        .to_string();
    assert!(error.ends_with("labels exceed 64 MiB"), "{error}");
}

/// The sections of a chunk with one sample, of which one is replaced.
fn one_sample(replaced: usize, raw: &[u8]) -> Result<Profile, StoreError> {
    let types = vec![("cpu", vec![(vec!["main"], 1)])];
    let labels = vec![("service_name", "a")];
    let bytes = Push {
        id: 1,
        arrival_millis: 0,
        time: 0,
        family: "process_cpu",
        labels,
        types,
    }
    .chunk();
    let mut sections = Vec::new();
    let mut at = 8;
    while at < bytes.len() {
        let (raw, end) = open(&bytes, at);
        sections.push(raw);
        at = end;
    }
    sections[replaced] = raw.to_vec();
    let body: Vec<u8> = sections[1..].iter().flat_map(|raw| sealed(raw)).collect();
    // One byte of length in a chunk as small as this, after the id.
    sections[0][16] = u8::try_from(body.len())
        .ok()
        .filter(|len| *len < 0x80)
        .unwrap();
    read_chunk(
        &[&bytes[..8], &sealed(&sections[0]), &body].concat(),
        |_, _| true,
    )
}

#[test]
fn rows_are_checked() {
    let check = |raw: &[u8], expect: &str| match one_sample(2, raw) {
        Ok(profile) => assert_eq!(format!("{:?}", profile.samples().values), expect),
        Err(error) => assert_eq!(error.to_string(), expect),
    };
    // Number of rows, steps between stacks, divisor, values.
    check(&[1, 1, 1, 4], "[[2]]");
    check(&[2, 0, 1, 3, 4, 1], "[[6, -3]]");
    check(
        &[2, 1, 0, 1, 4, 4],
        "chunk rows, byte 3: a stack appears twice in one profile",
    );
    check(
        &[1, 2, 1, 4],
        "chunk rows, byte 2: a row points outside the stack table",
    );
    check(
        &[3, 1, 1, 4],
        "chunk rows, byte 1: a count is too large for the bytes that follow",
    );
    check(
        &[1, 1, 1],
        "chunk rows, byte 3: the section ends inside a number",
    );
    check(
        &[1, 1, 1, 4, 0],
        "chunk rows, byte 4: bytes are left over at the end",
    );
    let large = [&[1, 1][..], &varint(1 << 63), &[4]].concat();
    check(
        &large,
        "chunk rows, byte 13: a value does not fit in 64 bits",
    );
}

#[test]
fn a_page_that_claims_too_many_rows_is_refused() {
    let types = vec![("cpu", vec![(vec!["main"], 1)])];
    let push = Push {
        id: 1,
        arrival_millis: 0,
        time: 0,
        family: "process_cpu",
        labels: vec![],
        types,
    };
    let mut bucket = Bucket::filled(&[push]);
    bucket.compact(|_| true);
    let object = &mut bucket.catalog[0];
    let Contents::Block(BlockEntry { datasets, .. }) = &mut object.directory.contents else {
        panic!("not a block")
    };
    let bytes = bucket.objects.get_mut(&object.key).unwrap();
    // One profile, all its numbers zero, and then how many rows it has.
    let edited = sealed(&[vec![1, 0, 0, 0, 0], varint(1 << 40), vec![0; 9]].concat());
    let part = &mut datasets[0].pages[0].part;
    (part.offset, part.len) = (bytes.len() as u64, edited.len() as u64);
    bytes.extend(edited);
    let error = bucket
        .query("", &profile_type("process_cpu", "cpu"), TimeRange::ALL)
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("page, byte 11: more rows than the remaining bytes can hold"),
        "{error}"
    );
}

#[test]
fn empty_push_is_a_chunk() {
    let push = Push {
        id: 1,
        arrival_millis: 0,
        time: 0,
        family: "process_cpu",
        labels: vec![],
        types: vec![("cpu", vec![])],
    };
    let profile = read_chunk(&push.chunk(), |_, _| true).unwrap();
    assert_eq!((profile.len(), profile.sample_types().len()), (0, 1));
}
