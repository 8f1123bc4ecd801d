//! What holds for every profile.

use pilotlight_core::pprof::{decode, encode, encode_gzip, open};
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
