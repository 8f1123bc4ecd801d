//! Inputs from which the fuzzer starts: `seeds FOLDER` writes our own; `seeds FOLDER --corpus` adds real ones, where they
//! are at hand.

use std::path::Path;
use std::process::ExitCode;

use pilotlight_core::pprof::{encode, encode_gzip};
use pilotlight_tests::demo::{Kind, Moment, SERVICES, profile};
use pilotlight_tests::oracle::unzip;
use pilotlight_tests::{corpus, drawn};

/// Larger ones slow the fuzzer down more than they tell it.
const MAX_BYTES: usize = 24_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = arguments.first() else {
        eprintln!("usage: seeds FOLDER [--corpus]");
        return ExitCode::FAILURE;
    };
    let mut seeds = own();
    if arguments.iter().any(|argument| argument == "--corpus") {
        seeds.extend(from_corpus());
    }
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| seeds.iter().try_for_each(|(name, bytes)| std::fs::write(Path::new(folder).join(name), bytes)));
    match written {
        Ok(()) => {
            println!("{} seeds in {folder}", seeds.len());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{folder}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn own() -> Vec<(String, Vec<u8>)> {
    let every_field = drawn::every_field();
    let small = drawn::profile("cpu/nanoseconds\nmain;a 5 region=eu\nmain;b;b 7 region=us\nmain 1");
    let demo =
        |kind| profile(&Moment { service: &SERVICES[3], region: "eu", kind, before_end: 900 }, 1_700_000_000_000_000_000);
    let form = [
        &b"--X\r\nContent-Disposition: form-data; name=\"profile\"; filename=\"p\"\r\n\r\n"[..],
        &encode_gzip(&small),
        b"\r\n--X\r\nContent-Disposition: form-data; name=\"sample_type_config\"\r\n\r\n",
        br#"{"cpu":{"units":"samples","display-name":"cpu"}}"#,
        b"\r\n--X--\r\n",
    ];
    let seeds = [
        ("every-field", encode(&every_field)),
        ("every-field.gz", encode_gzip(&every_field)),
        ("small", encode(&small)),
        ("small.gz", encode_gzip(&small)),
        ("demo-cpu", encode(&demo(Kind::Cpu))),
        ("demo-memory", encode(&demo(Kind::Memory))),
        ("form", form.concat()),
    ];
    seeds.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect()
}

fn from_corpus() -> Vec<(String, Vec<u8>)> {
    let mut seeds: Vec<(String, Vec<u8>)> =
        corpus::profiles().into_iter().map(|s| (s.name.replace('/', "-"), unzip(&s.bytes))).collect();
    for agent in corpus::AGENTS {
        seeds.extend(corpus::recordings(agent).into_iter().map(|r| (format!("{}-body", r.name.replace('/', "-")), r.body)));
    }
    seeds.retain(|(_, bytes)| bytes.len() <= MAX_BYTES);
    seeds
}
