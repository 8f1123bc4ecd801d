//! Whatever recording or labels anyone sends: an error, or a profile like any other.

use crate::properties::round_trips;
use pilotlight_core::jfr::{LabelsSnapshot, Options, decode};

// A recording, and behind the last `|` its labels.
pub(crate) fn target(bytes: &[u8]) {
    let split = bytes.iter().rposition(|&byte| byte == b'|');
    let (recording, labels) = match split {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[][..]),
    };
    let labels = LabelsSnapshot::decode(labels).ok();
    let options = Options {
        period_nanos: None,
        labels: labels.as_ref(),
    };
    match decode(recording, &options) {
        Ok(recording) => {
            assert_eq!(
                recording.types.len(),
                recording.profile.sample_types().len()
            );
            // One without events has no columns, which pprof cannot say.
            if !recording.types.is_empty() {
                round_trips(&recording.profile);
            }
        }
        Err(error) => assert!(error.offset <= bytes.len() && !error.to_string().is_empty()),
    }
}
