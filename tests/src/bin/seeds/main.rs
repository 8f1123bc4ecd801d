//! Inputs from which the fuzzer starts, in a folder a target: `seeds FOLDER` writes our own (they
//! are in `tests/fuzz/seeds`); `seeds FOLDER --corpus` adds real ones, where they are at hand.

mod files;
mod imports;
mod real;
mod requests;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use pilotlight_tests::corpus;

/// Larger ones slow the fuzzer down more than they tell it.
const MAX_BYTES: usize = 24_000;

/// Names and contents.
type Seeds = Vec<(String, Vec<u8>)>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = arguments.first() else {
        eprintln!("usage: seeds FOLDER [--corpus]");
        return ExitCode::FAILURE;
    };
    let mut targets = BTreeMap::from([
        ("pprof", files::pprof()),
        ("legacy", files::legacy()),
        ("jfr", files::jfr()),
        ("otlp", requests::otlp()),
        ("push_v1", requests::push_v1()),
        ("multipart", requests::forms()),
        ("stacks", files::stacks()),
        ("imports", imports::imports()),
        ("selector", requests::selectors()),
        ("token", requests::tokens()),
    ]);
    if arguments.iter().any(|argument| argument == "--corpus") && corpus::root().is_some() {
        targets.entry("pprof").or_default().extend(real::pprof());
        targets.entry("legacy").or_default().extend(real::legacy());
        targets.entry("jfr").or_default().extend(real::jfr());
        targets.entry("otlp").or_default().extend(real::otlp());
        targets.entry("stacks").or_default().extend(real::stacks());
        targets
            .entry("imports")
            .or_default()
            .extend(real::imports());
    }
    for (target, seeds) in targets {
        if let Err(error) = write(&Path::new(folder).join(target), &seeds) {
            eprintln!("{folder}/{target}: {error}");
            return ExitCode::FAILURE;
        }
        println!("{} seeds in {folder}/{target}", seeds.len());
    }
    ExitCode::SUCCESS
}

fn write(folder: &Path, seeds: &Seeds) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    seeds
        .iter()
        .try_for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes))
}

fn named<const N: usize>(seeds: [(&str, Vec<u8>); N]) -> Seeds {
    seeds
        .into_iter()
        .map(|(name, bytes)| (name.to_owned(), bytes))
        .collect()
}
