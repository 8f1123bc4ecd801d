//! Formats that only people open: totals and top functions of real files, as independent scripts
//! read them (`tests/golden/imports/*.py`, which write the texts beside them).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::DeflateDecoder;
use json_slabs::Builder;
use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::pprof::encode;
use pilotlight_core::{Profile, UnsupportedFormat, imports};
use pilotlight_tests::corpus;
use serde_json::Value;

/// Functions listed for each sample type.
const LISTED: usize = 10;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/imports")
}

/// Names of files and what a script says of each.
fn expected() -> Vec<(String, String)> {
    let entries = std::fs::read_dir(golden()).expect("the golden files");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "txt"));
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("text");
        for part in text.split("file ").skip(1) {
            let (name, rest) = part.split_once('\n').expect("a name");
            if is_made(name) || corpus::root().is_some() {
                files.push((name.to_owned(), rest.to_owned()));
            }
        }
    }
    files
}

/// Whether a file is one that a script beside the golden texts made.
fn is_made(file: &str) -> bool {
    file.starts_with("made/")
}

/// A file of the corpus, or one that was made; of a zip archive, which the page opens and not a reader, the file in it.
fn read(file: &str) -> Vec<u8> {
    if is_made(file) {
        return std::fs::read(golden().join(file)).expect("a file beside the golden texts");
    }
    let bytes = corpus::read(file).expect("the corpus is there").bytes;
    if !file.ends_with(".zip") {
        return bytes;
    }
    // The header of a file has 30 bytes, and its name and an extra field behind them.
    let length = |at: usize| usize::from(bytes[at]) | usize::from(bytes[at + 1]) << 8;
    let start = 30 + length(26) + length(28);
    let mut inflated = Vec::new();
    DeflateDecoder::new(&bytes[start..])
        .read_to_end(&mut inflated)
        .expect("a deflated file");
    inflated
}

/// The same of a profile: each type with its total, and the functions with most of their own.
fn described(profile: &Profile) -> String {
    let mut text = String::new();
    for (column, &value_type) in profile.sample_types().iter().enumerate() {
        let (kind, unit) = profile.type_text(value_type);
        writeln!(text, "type {kind} {unit} {}", profile.total(column)).expect("text grows");
        let samples = profile.samples();
        let mut own: BTreeMap<String, i64> = BTreeMap::new();
        for (&stack, &value) in samples.stacks.iter().zip(&samples.values[column]) {
            if let Some(leaf) = profile.frames(stack).next() {
                *own.entry(name(profile, leaf)).or_default() += value;
            }
        }
        let mut rows: Vec<(String, i64)> = own.into_iter().filter(|row| row.1 > 0).collect();
        rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        for (name, value) in rows.iter().take(LISTED) {
            writeln!(text, "self {value} {name}").expect("text grows");
        }
    }
    text
}

/// The innermost function of a location, else its address.
fn name(profile: &Profile, location: pilotlight_core::LocationId) -> String {
    let line = profile.lines(location).first();
    match line.and_then(|line| line.function) {
        Some(function) => {
            let name = profile.functions()[function.index()].name;
            profile.text(name).to_owned()
        }
        None => format!("{:#x}", profile.locations()[location.index()].address),
    }
}

#[test]
fn real_files_say_what_another_reader_finds() {
    let mut wrong = Vec::new();
    for (file, expected) in expected() {
        match imports::open(&read(&file), MAX_PROFILE_BYTES) {
            Ok(opened) => {
                let found = described(&opened.decoded.profile);
                if found.trim() != expected.trim() {
                    wrong.push(format!("{file}: expected\n{expected}found\n{found}"));
                }
            }
            Err(error) => wrong.push(format!("{file}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The viewer loads the second reader for what the first says it does not read.
#[test]
fn the_first_reader_leaves_them_to_the_second() {
    let mut wrong = Vec::new();
    for (file, _) in expected() {
        let bytes = read(&file);
        let opened = imports::open(&bytes, MAX_PROFILE_BYTES);
        if opened.is_ok_and(|opened| opened.format.is_none()) {
            continue;
        }
        match pilotlight_core::open(&bytes, MAX_PROFILE_BYTES) {
            Err(pilotlight_core::OpenError::Unsupported(UnsupportedFormat::Imported(_))) => {}
            Ok(_) => wrong.push(format!("{file}: opened")),
            Err(error) => wrong.push(format!("{file}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lists of numbers moved into arrays of their own, as samply and the Firefox Profiler do.
pub(super) fn move_lists(value: &mut Value, builder: &mut Builder) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let whole: Option<Vec<i32>> = items
                .iter()
                .map(|item| item.as_i64()?.try_into().ok())
                .collect();
            let numbers: Option<Vec<f64>> = items.iter().map(Value::as_f64).collect();
            let slab = match (whole, numbers) {
                (Some(whole), _) => builder.add_slab_from_vec(whole),
                (None, Some(numbers)) => builder.add_slab_from_vec(numbers),
                _ => return items.iter_mut().for_each(|item| move_lists(item, builder)),
            };
            *value = serde_json::json!({ "$s": slab.0 });
        }
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|field| move_lists(field, builder)),
        _ => {}
    }
}

#[test]
fn a_container_of_arrays_says_what_its_json_says() {
    for file in ["samply/ls-profile.json", "firefox/processed-3.json"] {
        let Some(json) = corpus::read(file).map(|read| read.bytes) else {
            return;
        };
        let mut value: Value = serde_json::from_slice(&json).expect("JSON");
        let mut builder = Builder::new();
        move_lists(&mut value, &mut builder);
        let file = builder.finish(value.to_string().as_bytes());
        let opened = imports::open(&file, MAX_PROFILE_BYTES).expect("opens");
        assert_eq!(opened.format, Some("Firefox profile (JsonSlabs)"));
        let expected = imports::open(&json, MAX_PROFILE_BYTES).expect("opens");
        assert_eq!(
            encode(&opened.decoded.profile),
            encode(&expected.decoded.profile)
        );
        assert_eq!(opened.decoded.warnings, expected.decoded.warnings);
    }
}
