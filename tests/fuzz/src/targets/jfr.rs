//! Whatever recording or labels anyone sends: an error, or a profile like any other.

use crate::properties::round_trips;
use pilotlight_core::Profile;
use pilotlight_core::jfr::{LabelsSnapshot, Options, decode, decode_with_times};

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
        times: false,
    };
    match decode(recording, &options) {
        Ok(decoded) => {
            let columns = decoded.types.len();
            assert_eq!(columns, decoded.profile.sample_types().len());
            // Events one by one have the same sums, where times and threads are sound too.
            if let Ok(timed) = decode_with_times(recording)
                && timed.warnings == decoded.warnings
            {
                let total = |of: &Profile, column| of.total(column);
                assert!((0..columns).all(|column| {
                    total(&timed.profile, column) == total(&decoded.profile, column)
                }));
            }
            // One without events has no columns, which pprof cannot say.
            if columns > 0 {
                round_trips(&decoded.profile);
            }
        }
        Err(error) => assert!(error.offset <= bytes.len() && !error.to_string().is_empty()),
    }
}
