//! Replays the fuzzer's seeds, damaged copies of them, and the inputs that it kept on this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use pilotlight_fixtures::counting::measure;
use pilotlight_fuzz::{MAX_ALLOCATED, TARGETS, Target};
use pilotlight_tests::demo::random::Random;

/// Damaged copies of each seed.
const COPIES: u64 = 200;

/// One test for each target, so that they run in parallel and a failure names its target.
macro_rules! replay {
    ($($target:ident)*) => {
        $(#[test]
        fn $target() {
            replay(stringify!($target));
        })*

        #[test]
        fn every_target_is_replayed_and_has_seeds() {
            let replayed = [$(stringify!($target)),*];
            assert_eq!(TARGETS.map(|(name, _)| name), replayed);
            let mut folders = files(&seeds());
            folders.sort();
            assert_eq!(folders, replayed.map(|name| seeds().join(name)));
        }
    };
}

replay!(imports jfr legacy multipart otlp pprof push_v1 selector stacks symbols token);

fn seeds() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds")
}

/// The paths in a folder; none where there is no folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("a folder's entry").path())
        .collect()
}

/// Replays what a target has. Copies are damaged the same way in every run.
fn replay(name: &str) {
    let (_, target) = TARGETS
        .into_iter()
        .find(|(target, _)| *target == name)
        .expect("a target");
    let (seeds, kept) = (
        inputs([seeds(), MADE.clone()].map(|folder| folder.join(name))),
        kept(name),
    );
    for (path, bytes) in seeds.iter().chain(&kept) {
        check(target, name, path, bytes);
    }
    for (path, bytes) in &seeds {
        for copy in 0..COPIES {
            let mut chance = chance(path, copy);
            let (_, other) = &seeds[chance.below(seeds.len())];
            check(target, name, path, &damaged(bytes, other, &mut chance));
        }
    }
    println!(
        "{} seeds with {COPIES} copies each, {} kept inputs",
        seeds.len(),
        kept.len()
    );
}

/// The folder of seeds that are made from the corpus.
static MADE: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz-seeds");
    let status = Command::new(env!("CARGO_BIN_EXE_seeds"))
        .arg(&folder)
        .arg("--corpus")
        .stdout(Stdio::null())
        .status()
        .expect("the program runs");
    assert!(status.success(), "the seeds cannot be written");
    folder
});

/// What the fuzzer found on this machine.
fn kept(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../xtask/fuzz");
    inputs(["corpus", "crashes"].map(|part| folder.join(name).join(part)))
}

/// The files of folders, in order.
fn inputs(folders: [PathBuf; 2]) -> Vec<(PathBuf, Vec<u8>)> {
    let mut paths: Vec<PathBuf> = folders.iter().flat_map(|folder| files(folder)).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).expect("an input");
        (path, bytes)
    };
    paths.into_iter().map(read).collect()
}

/// Runs a target. If it panics, the bytes are written to a file.
fn check(target: Target, name: &str, path: &Path, bytes: &[u8]) {
    let input = Input { name, path, bytes };
    let (used, ()) = measure(|| target(bytes));
    assert!(
        used.peak <= MAX_ALLOCATED,
        "{} bytes are allocated for {}",
        used.peak,
        bytes.len()
    );
    drop(input);
}

/// An input that is being read.
struct Input<'a> {
    /// Of the target.
    name: &'a str,
    path: &'a Path,
    bytes: &'a [u8],
}

impl Drop for Input<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("broken-{}", self.name));
            let written = fs::write(&file, self.bytes);
            println!(
                "{}, or a copy of it; the bytes are in {} ({written:?})",
                self.path.display(),
                file.display()
            );
        }
    }
}

/// Chance that depends on a file's name, so that a new file changes no other's copies.
fn chance(path: &Path, copy: u64) -> Random {
    let name = path.file_name().expect("a file").as_encoded_bytes();
    let words: Vec<u64> = name.iter().map(|byte| u64::from(*byte)).collect();
    Random::of(&[&words[..], &[copy]].concat())
}

/// A copy with one to four of the faults that mutate an input best: bits flipped, bytes that are extreme, a part left out,
/// said twice or taken from another input, the end cut off.
fn damaged(bytes: &[u8], other: &[u8], chance: &mut Random) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    for _ in 0..=chance.below(4) {
        let at = chance.below(copy.len().max(1));
        let end = (at + 1 + chance.below(32)).min(copy.len());
        match chance.below(6) {
            0 if at < copy.len() => copy[at] ^= 1 << chance.below(8),
            1 if at < copy.len() => {
                copy[at] = [0, 1, 0x7f, 0x80, 0xff, b'-', b'9', b'"'][chance.below(8)]
            }
            2 => drop(copy.drain(at..end)),
            3 => {
                let part = copy[at..end].to_vec();
                copy.splice(at..at, part);
            }
            4 if !other.is_empty() => {
                let from = chance.below(other.len());
                let until = (from + 1 + chance.below(64)).min(other.len());
                copy.splice(at..at, other[from..until].iter().copied());
            }
            _ => copy.truncate(at),
        }
    }
    copy
}
