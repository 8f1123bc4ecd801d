//! Objects of every version that was ever written, kept for ever: what they say must not change.
//!
//! `BLESS=1 cargo test -p pilotlight-core --test store fixtures` writes those of the current
//! version anew. Only a format that has not been released yet may be blessed again; a released one
//! gets a new version and new files.

use std::fmt::Write;
use std::path::PathBuf;

use pilotlight_core::store::{
    CatalogDay, CatalogRow, Directory, ShareId, SumWindow, SymbolTable, SymbolTableBuilder,
    SymbolTableHead, chunk_head, encode_share, read_chunk, read_ids, share_head,
};
use pilotlight_core::verbs::SymbolFrame;
use pilotlight_core::verbs::programs::{Layout, Segment, Symbols};
use pilotlight_core::{Profile, TimeRange, UnixNanos};

use crate::support::{Bucket, Push, profile_type, said};

const CURRENT: u8 = 1;

fn pushes() -> Vec<Push> {
    let push = |id, minute: i64, region, types| Push {
        id,
        arrival_millis: 1_700_000_000_000 + minute * 60_000,
        time: (1_700_000_000_000 + minute * 60_000) * 1_000_000,
        family: "memory",
        labels: vec![("service_name", "checkout"), ("region", region)],
        types,
    };
    let alloc = vec![
        (vec!["main", "serve", "json.encode"], 4096),
        (vec!["main", "runtime.gc"], -512),
        (vec![], 1),
    ];
    let inuse = vec![(vec!["main", "serve"], 1 << 40)];
    vec![
        push(
            1,
            0,
            "eu",
            vec![
                ("alloc_space", alloc.clone()),
                ("inuse_space", inuse.clone()),
            ],
        ),
        push(2, 0, "us", vec![("alloc_space", inuse)]),
        push(
            3,
            1,
            "eu",
            vec![("alloc_space", alloc), ("inuse_space", vec![])],
        ),
        push(1, 2, "eu", vec![]),
    ]
}

fn profile_text(profile: &Profile) -> String {
    let header = profile.header();
    let mut text = format!(
        "time {} duration {} period {}\n",
        header.time_nanos, header.duration_nanos, header.period
    );
    said(profile)
        .iter()
        .for_each(|(stack, value)| writeln!(text, "  {} {value}", stack.join(";")).unwrap());
    text
}

fn chunk_text(bytes: &[u8]) -> String {
    let head = chunk_head(bytes).unwrap();
    let mut text = format!("chunk {} period {}\n", head.id, head.period);
    for (i, series) in head.series.iter().enumerate() {
        let labels: Vec<String> = series
            .labels
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        writeln!(
            text,
            "{} {{{}}} total {}",
            series.profile_type,
            labels.join(","),
            series.total
        )
        .unwrap();
        text += &profile_text(&read_chunk(bytes, |at, _| at == i).unwrap());
    }
    text
}

fn object_text(key: &str, bytes: &[u8]) -> String {
    let directory = Directory::of_object(bytes).unwrap();
    let mut text = String::new();
    for (labels, of_type, first, last) in directory.series() {
        let labels: Vec<String> = labels
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        writeln!(
            text,
            "{of_type} {{{}}} {} to {}",
            labels.join(","),
            first.millis(),
            last.millis()
        )
        .unwrap();
    }
    if let Some(block) = directory.block() {
        let ids = block
            .ids
            .map(|part| read_ids(&bytes[part.offset as usize..][..part.len as usize]).unwrap());
        let ids = ids.unwrap_or_default();
        ids.counted
            .iter()
            .for_each(|c| writeln!(text, "counted {} at {}", c.id, c.arrival_millis).unwrap());
        writeln!(text, "made of {:?}", ids.made_of).unwrap();
        writeln!(
            text,
            "token {} of {} segments, sums of {:?}",
            block.token, block.segments, block.summarizes
        )
        .unwrap();
    }
    let bucket = Bucket::of_object(key, bytes);
    for sample_type in ["alloc_space", "inuse_space"] {
        let of_type = profile_type("memory", sample_type);
        let answer = bucket.query("", &of_type, TimeRange::ALL).unwrap();
        write!(
            text,
            "{of_type} of {} profiles: {}",
            answer.profiles,
            profile_text(&answer.profile)
        )
        .unwrap();
        let timeline = bucket
            .try_timeline("", Some(&of_type), TimeRange::ALL, Some(SumWindow::Hour))
            .unwrap();
        for series in timeline.series {
            let points: Vec<String> = series
                .points
                .iter()
                .map(|p| format!("{}: {} of {}", p.time.millis(), p.total, p.profiles))
                .collect();
            writeln!(text, "  timeline {}", points.join(", ")).unwrap();
        }
    }
    text
}

#[test]
fn fixtures_say_what_they_always_said() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store");
    let mut bucket = Bucket::filled(&pushes());
    let segment = bucket.catalog[0].key.clone();
    let written = pushes()[0].chunk();
    let mut objects = vec![
        ("chunk", String::new(), written),
        ("segment", segment.clone(), bucket.objects[&segment].clone()),
    ];
    // One block of each level. That of sums is read without its source.
    for (level, name) in [(1, "block"), (2, "hour"), (3, "day")] {
        bucket.compact_all(level);
        let block = bucket.catalog.last().unwrap().key.clone();
        objects.push((name, block.clone(), bucket.objects[&block].clone()));
    }

    for (name, key, bytes) in objects {
        let say = |bytes: &[u8]| {
            if key.is_empty() {
                chunk_text(bytes)
            } else {
                object_text(&key, bytes)
            }
        };
        for version in 1..=CURRENT {
            let (data, text) = (
                folder.join(format!("{name}-{version}.bin")),
                folder.join(format!("{name}-{version}.txt")),
            );
            if version == CURRENT && std::env::var_os("BLESS").is_some() {
                std::fs::write(&data, &bytes).unwrap();
                std::fs::write(&text, say(&bytes)).unwrap();
            }
            let expect = std::fs::read_to_string(&text).unwrap();
            assert_eq!(
                say(&std::fs::read(&data).unwrap()),
                expect,
                "{}",
                data.display()
            );
            // Compressors may change their output, so what is written today is compared by what it
            // says.
            assert_eq!(
                say(&bytes),
                expect,
                "what is written today, against {}",
                text.display()
            );
        }
    }
}

/// What a day of the catalog says.
fn catalog_text(bytes: &[u8]) -> String {
    let day = CatalogDay::decode(bytes).unwrap();
    let mut text = format!("written {}\n", day.written.millis());
    for row in day.rows {
        let series = Directory::decode(&row.directory).unwrap().series().count();
        writeln!(text, "{} of {} bytes, {series} series", row.key, row.size).unwrap();
    }
    text
}

#[test]
fn the_catalog_says_what_it_always_said() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store");
    let rows = Bucket::filled(&pushes()).catalog.into_iter().map(|object| {
        let directory = object.directory.encode().unwrap();
        CatalogRow {
            key: object.key,
            size: object.size,
            directory,
        }
    });
    let written = UnixNanos::from_millis(1_700_000_000_000);
    let bytes = CatalogDay {
        written,
        rows: rows.collect(),
    }
    .encode()
    .unwrap();
    for version in 1..=CURRENT {
        let (data, text) = (
            folder.join(format!("catalog-{version}.bin")),
            folder.join(format!("catalog-{version}.txt")),
        );
        if version == CURRENT && std::env::var_os("BLESS").is_some() {
            std::fs::write(&data, &bytes).unwrap();
            std::fs::write(&text, catalog_text(&bytes)).unwrap();
        }
        let expect = std::fs::read_to_string(&text).unwrap();
        assert_eq!(
            catalog_text(&std::fs::read(&data).unwrap()),
            expect,
            "{}",
            data.display()
        );
        assert_eq!(
            catalog_text(&bytes),
            expect,
            "what is written today, against {}",
            text.display()
        );
    }
}

/// What a share says.
fn share_text(bytes: &[u8]) -> String {
    let (name, at) = share_head(bytes).unwrap();
    let content = String::from_utf8_lossy(&bytes[at..]);
    format!("{} {name}\n{content}", ShareId::of(20_780, bytes))
}

#[test]
fn a_share_says_what_it_always_said() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store");
    let bytes = encode_share("night shift.txt", b"main;work 7\nmain;idle 25\n").unwrap();
    let (data, text) = (folder.join("share-1.bin"), folder.join("share-1.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&data, &bytes).unwrap();
        std::fs::write(&text, share_text(&bytes)).unwrap();
    }
    let expect = std::fs::read_to_string(&text).unwrap();
    assert_eq!(share_text(&std::fs::read(&data).unwrap()), expect);
    // Nothing is compressed: its bytes are its name.
    assert_eq!(share_text(&bytes), expect, "what is written today");
}

/// What a symbol table says.
fn symbol_table_text(bytes: &[u8]) -> String {
    let table = SymbolTable::decode(bytes).unwrap();
    let SymbolTableHead { ids, file, layout } = table.head();
    let mut text = format!("{ids:?} {file} {layout:?}\n");
    for address in (0x0ff0..=0x1060).step_by(0x10) {
        let mut frames = Vec::new();
        table.frames(address, &mut frames);
        let frame =
            |f: &SymbolFrame| format!("{} ({}) {}:{}", f.name, f.system_name, f.file, f.line);
        let frames: Vec<String> = frames.iter().map(frame).collect();
        text += &format!("{address:x} {}\n", frames.join(" < "));
    }
    text
}

#[test]
fn a_symbol_table_says_what_it_always_said() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store");
    let frame = |name: &str, file: &str, line| SymbolFrame {
        name: name.to_owned(),
        system_name: format!("_Z{name}"),
        file: file.to_owned(),
        line,
        column: 3,
    };
    let mut builder = SymbolTableBuilder::new();
    builder.range(0x1000, &[frame("outer", "a.c", 4)]);
    builder.range(
        0x1010,
        &[frame("inner", "b.h", 70), frame("outer", "a.c", 5)],
    );
    builder.range(0x1030, &[]);
    builder.range(0x1040, &[frame("last", "", 0)]);
    let head = SymbolTableHead {
        ids: vec!["0123abcd".to_owned()],
        file: "shop.debug".to_owned(),
        layout: Layout::Segments(vec![Segment {
            address: 0x1000,
            size: 0x50,
            offset: 0x400,
            file_size: 0x50,
            align: 0x1000,
            executable: true,
        }]),
    };
    let bytes = builder.finish(head).unwrap().encode().unwrap();
    let (data, text) = (folder.join("symbols-1.bin"), folder.join("symbols-1.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&data, &bytes).unwrap();
        std::fs::write(&text, symbol_table_text(&bytes)).unwrap();
    }
    let expect = std::fs::read_to_string(&text).unwrap();
    assert_eq!(symbol_table_text(&std::fs::read(&data).unwrap()), expect);
    assert_eq!(symbol_table_text(&bytes), expect, "what is written today");
}
