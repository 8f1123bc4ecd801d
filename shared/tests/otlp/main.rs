//! OTLP: what requests of each layout and encoding become.

mod json;
mod layouts;
mod meaning;
mod refusals;

use std::collections::BTreeMap;

use pilotlight_core::ingest::{IngestError, OtlpFormat, OtlpIngested, OtlpPush, ingest_otlp};
use pilotlight_core::store::{ChunkId, chunk_head, read_chunk};
use pilotlight_core::{Profile, UnixNanos};

pub(crate) const NOW: UnixNanos = UnixNanos(1_795_000_000_000_000_000);
/// When the profiles of tests begin.
pub(crate) const START: u64 = 1_794_999_990_000_000_000;

pub(crate) fn push(body: &[u8], format: OtlpFormat) -> Result<OtlpIngested, IngestError> {
    ingest_otlp(&OtlpPush {
        body,
        content_encoding: "",
        format,
        tenant: "one",
        client: "192.0.2.1",
        now: NOW,
        limits: Default::default(),
    })
}

pub(crate) fn pushed(body: &[u8]) -> OtlpIngested {
    push(body, OtlpFormat::Protobuf).expect("a request")
}

/// Everything a request stores: of each series, by labels and type, the stacks (the root first) and
/// their values.
pub(crate) fn stored(ingested: &OtlpIngested) -> BTreeMap<String, BTreeMap<String, i64>> {
    let mut all = BTreeMap::<_, BTreeMap<_, _>>::new();
    for chunk in &ingested.ingested.chunks {
        let head = chunk_head(&chunk.bytes).expect("our own chunk");
        for (at, series) in head.series.iter().enumerate() {
            let labels: Vec<String> = series
                .labels
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let name = format!("{} {{{}}}", series.profile_type, labels.join(", "));
            let profile = read_chunk(&chunk.bytes, |i, _| i == at).expect("our own chunk");
            let rows: &mut BTreeMap<String, i64> = all.entry(name).or_default();
            for (stack, value) in stacks(&profile) {
                *rows.entry(stack).or_default() += value;
            }
        }
    }
    all
}

pub(crate) fn stacks(profile: &Profile) -> Vec<(String, i64)> {
    let samples = profile.samples();
    let rows = samples.stacks.iter().zip(&samples.values[0]);
    rows.map(|(&stack, &value)| {
        let mut names: Vec<String> = profile
            .frames(stack)
            .flat_map(|location| profile.lines(location).to_vec())
            .map(|line| {
                let function = line.function.expect("a function");
                profile
                    .text(profile.functions()[function.index()].name)
                    .to_owned()
            })
            .collect();
        names.reverse();
        (names.join(";"), value)
    })
    .collect()
}

/// Identities of all chunks.
pub(crate) fn ids(ingested: &OtlpIngested) -> Vec<ChunkId> {
    let chunks = ingested.ingested.chunks.iter();
    chunks
        .map(|chunk| chunk_head(&chunk.bytes).expect("our own chunk").id)
        .collect()
}
