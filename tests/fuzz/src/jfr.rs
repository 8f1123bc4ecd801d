//! Whatever recording or labels anyone sends: an error, or a profile like any other.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pilotlight_core::jfr::{LabelsSnapshot, Options, decode};
use pilotlight_fuzz::round_trips;

// A recording, and behind the last `|` its labels.
fuzz_target!(|bytes: &[u8]| {
    let split = bytes.iter().rposition(|&byte| byte == b'|');
    let (recording, labels) = match split {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[][..]),
    };
    let labels = LabelsSnapshot::decode(labels).ok();
    let options = Options { period_nanos: None, labels: labels.as_ref() };
    match decode(recording, &options) {
        Ok(recording) => {
            assert_eq!(recording.types.len(), recording.profile.sample_types().len());
            // One without events has no columns, which pprof cannot say.
            if !recording.types.is_empty() {
                round_trips(&recording.profile);
            }
        }
        Err(error) => assert!(error.offset <= bytes.len() && !error.to_string().is_empty()),
    }
});
