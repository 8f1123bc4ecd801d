//! What holds for every profile, and for every chunk that a push makes.

use pilotlight_core::ingest::Chunk;
use pilotlight_core::pprof::{decode, encode, encode_gzip, open};
use pilotlight_core::store::{chunk_head, read_chunk};
use pilotlight_core::{Profile, canonical};

/// Most bytes after inflation: room for what libFuzzer makes (4 kB, or as large as the largest seed).
pub(crate) const CAP: usize = 1 << 20;

/// Written and read again, a profile is the same; in canonical order, to the byte.
pub(crate) fn round_trips(profile: &Profile) {
    let again = decode(&encode(profile)).expect("what we write we read");
    assert_eq!(again.warnings, Vec::<String>::new());
    let once = canonical(profile);
    assert_eq!(canonical(&again.profile), once);
    assert_eq!(canonical(&once), once);
    let bytes = encode(&once);
    let inflated = open(&encode_gzip(&once), usize::MAX)
        .expect("our own gzip")
        .profile;
    assert_eq!(encode(&inflated), bytes);
}

/// Each series of a chunk is read by itself, has the total that the head says, and is a profile like any other.
pub(crate) fn is_whole(chunk: &Chunk) {
    let head = chunk_head(&chunk.bytes).expect("our own chunk");
    for (wanted, series) in head.series.iter().enumerate() {
        let one = read_chunk(&chunk.bytes, |i, _| i == wanted).expect("our own chunk");
        assert_eq!(one.total(0), i128::from(series.total));
        round_trips(&one);
    }
}
