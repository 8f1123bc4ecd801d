//! Whatever JSON of speedscope, trie or tree a stranger sends: an error that says where, or a
//! profile like any other.

use crate::properties::round_trips;
use pilotlight_core::pprof::Decoded;
use pilotlight_core::preorder::{PreorderError, decode_tree, decode_trie};
use pilotlight_core::speedscope;

pub(crate) fn target(bytes: &[u8]) {
    check(speedscope::decode(bytes));
    for read in [decode_trie, decode_tree] as [fn(&[u8]) -> Result<Decoded, PreorderError>; 2] {
        let decoded = read(bytes);
        if let Err(error) = &decoded {
            assert!(error.at <= bytes.len());
        }
        check(decoded);
    }
}

fn check<Error: std::fmt::Display>(decoded: Result<Decoded, Error>) {
    match decoded {
        Ok(decoded) => {
            assert!(decoded.warnings.len() <= 1, "{:?}", decoded.warnings);
            round_trips(&decoded.profile);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
