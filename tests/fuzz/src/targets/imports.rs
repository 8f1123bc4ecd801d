//! Whatever file a stranger drops on the page: an error that says what and where, or a profile like
//! any other.

use crate::properties::{CAP, round_trips};
use pilotlight_core::imports;

pub(crate) fn target(bytes: &[u8]) {
    match imports::open(bytes, CAP) {
        Ok(opened) => {
            let profile = opened.decoded.profile;
            let times = profile.samples().times.as_ref().map(Vec::len);
            assert!(times.is_none_or(|count| count == profile.len()));
            round_trips(&profile);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
