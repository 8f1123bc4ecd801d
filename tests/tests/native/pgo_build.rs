//! `go build -pgo` takes what becomes of pushed profiles.

use std::fs;
use std::path::Path;

use pilotlight_core::ingest::{Push, ingest};
use pilotlight_core::pprof::encode_gzip;
use pilotlight_core::store::read_chunk;
use pilotlight_core::verbs::{PgoOptions, pgo};
use pilotlight_core::{Profile, UnixNanos, merge};
use pilotlight_tests::go_program::Program;
use pilotlight_tests::pgo::{calls, go_calls};

/// A pushed profile as it is stored: its counts of samples.
fn stored(profile: &[u8], host: usize) -> Profile {
    let push = Push {
        query: &format!("name=busy%7Bhost%3Dh{host}%7D&format=pprof"),
        content_type: "",
        body: profile,
        tenant: "one",
        client: "192.0.2.1",
        now: UnixNanos(1_795_168_800_000_000_000),
        limits: Default::default(),
    };
    let ingested = ingest(&push).expect("a push");
    read_chunk(&ingested.chunks[0].bytes, |at, _| at == 0).expect("a chunk")
}

#[test]
fn the_compiler_uses_what_several_hosts_pushed() {
    let Some(program) = Program::new(Path::new(env!("CARGO_TARGET_TMPDIR")), "pgo-build") else {
        return;
    };
    let profile = program.profile();
    let hosts = [0, 1, 2].map(|host| stored(&profile, host));
    let trimmed = pgo(&merge(&hosts).unwrap().profile, PgoOptions::default());
    let file = encode_gzip(&trimmed);
    program.check(&file);

    let found = go_calls(&program.path("default.pgo"));
    let mut expect = go_calls(&program.path("cpu.pb.gz"));
    expect.values_mut().for_each(|weight| *weight *= 3);
    assert_eq!(found, expect);
    assert_eq!(calls(&file, 0), expect);
    assert!(fs::metadata(program.path("cpu.pb.gz")).unwrap().len() > file.len() as u64);
}
