//! Real files and requests, those that are small.

use pilotlight_tests::corpus;
use pilotlight_tests::oracle::unzip;

use crate::{MAX_BYTES, Seeds};

pub(super) fn pprof() -> Seeds {
    let mut seeds: Seeds = corpus::profiles()
        .into_iter()
        .map(|s| (s.name.replace('/', "-"), unzip(&s.bytes)))
        .collect();
    for agent in corpus::AGENTS {
        seeds.extend(
            corpus::recordings(agent)
                .into_iter()
                .map(|r| (format!("{}-body", r.name.replace('/', "-")), r.body)),
        );
    }
    small(seeds)
}

pub(super) fn jfr() -> Seeds {
    let names = ["nativemem", "new_spancontext", "wall_tick_sample"];
    let files = names.map(|name| corpus::read(&format!("jfr/{name}.jfr.gz")));
    small(
        files
            .into_iter()
            .flatten()
            .map(|file| (file.name.replace('/', "-"), unzip(&file.bytes)))
            .collect(),
    )
}

pub(super) fn otlp() -> Seeds {
    let files =
        ["alloc", "itimer"].map(|name| corpus::read(&format!("agents/java/out-{name}.otlp")));
    let files = files.into_iter().flatten();
    small(
        files
            .map(|file| (file.name.replace('/', "-"), file.bytes))
            .collect(),
    )
}

pub(super) fn stacks() -> Seeds {
    let names = [
        "0.0.1/simple.speedscope.json",
        "0.6.0/two-sampled.speedscope.json",
        "invalid/out-of-order-events.json",
    ];
    let files = names.map(|name| corpus::read(&format!("speedscope/speedscope/{name}")));
    let files = files.into_iter().flatten();
    small(
        files
            .map(|file| (file.name.replace('/', "-"), file.bytes))
            .collect(),
    )
}

pub(super) fn legacy() -> Seeds {
    let pprof = [
        "cppbench.contention",
        "cppbench.cpu",
        "cppbench.heap",
        "cppbench.thread",
        "go.crc32.cpu",
        "java.contention",
    ]
    .map(|name| format!("pprof/{name}"));
    let folded = [
        "recursion.txt",
        "simple-crlf.txt",
        "simple-utf16-le.txt",
        "simple-with-invalids.txt",
    ]
    .map(|name| format!("speedscope/stackcollapse/{name}"));
    let files = pprof
        .iter()
        .chain(&folded)
        .filter_map(|name| corpus::read(name));
    small(
        files
            .map(|file| (file.name.replace('/', "-"), file.bytes))
            .collect(),
    )
}

fn small(mut seeds: Seeds) -> Seeds {
    seeds.retain(|(_, bytes)| bytes.len() <= MAX_BYTES);
    seeds
}

/// The files that the golden texts of imports describe.
pub(super) fn imports() -> Seeds {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/imports");
    let texts = std::fs::read_dir(golden).into_iter().flatten().flatten();
    let texts = texts.filter_map(|entry| std::fs::read_to_string(entry.path()).ok());
    let names: Vec<String> = texts
        .flat_map(|text| {
            let names = text.lines().filter_map(|line| line.strip_prefix("file "));
            names.map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    let bytes = |name: &str| match name.starts_with("made/") {
        // A script beside the texts made it.
        true => std::fs::read(format!("{golden}/{name}")).ok(),
        false => corpus::read(name).map(|file| file.bytes),
    };
    let files = names.iter().filter_map(|name| {
        let bytes = unzip(&bytes(name)?);
        Some((name.replace('/', "-"), bytes))
    });
    small(files.collect())
}
