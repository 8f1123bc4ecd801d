//! Calls of a large query: parts of it, each call for an invocation of its own.

use pilotlight_core::TimeRange;
use pilotlight_core::plans::{Outgrown, Subquery};
use serde::{Deserialize, Serialize};

use crate::tenant::Row;

/// One request may come to 32 invocations. Calls are filled up to a tenth of all that is read, so
/// that two neighbours have more than that together: 21 at most.
const CALL_SHARE: u64 = 10;

/// Head of what an invocation is asked; the rows' directories follow as blobs, and its answer has
/// one blob a part.
#[derive(Serialize, Deserialize)]
pub(super) struct SubqueryCall {
    pub(super) selector: String,
    pub(super) profile_type: String,
    pub(super) range: TimeRange,
    pub(super) outgrown: Outgrown,
    pub(super) parts: Vec<CalledSubquery>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct CalledSubquery {
    pub(super) rows: Vec<Row>,
    pub(super) bytes: u64,
    pub(super) fixed: bool,
}

/// Neighbouring parts together, as far as a call may read that much.
pub(super) fn calls(parts: Vec<Subquery>, subquery_bytes: u64) -> Vec<Vec<Subquery>> {
    let all: u64 = parts.iter().map(|part| part.bytes).sum();
    let most = subquery_bytes.max(all.div_ceil(CALL_SHARE));
    let (mut calls, mut open, mut bytes) = (Vec::new(), Vec::new(), 0);
    for part in parts {
        if !open.is_empty() && bytes + part.bytes > most {
            calls.push(std::mem::take(&mut open));
            bytes = 0;
        }
        bytes += part.bytes;
        open.push(part);
    }
    calls.push(open);
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The calls in which parts of so many megabytes come.
    fn filled(parts: &[u64]) -> Vec<Vec<u64>> {
        let part = |&bytes: &u64| Subquery {
            objects: Vec::new(),
            bytes: bytes << 20,
            fixed: false,
        };
        let found = calls(parts.iter().map(part).collect(), 4 << 20);
        let call = |call: Vec<Subquery>| call.iter().map(|part| part.bytes >> 20).collect();
        found.into_iter().map(call).collect()
    }

    #[test]
    fn calls_are_filled_and_few() {
        assert_eq!(filled(&[1, 2, 1, 1]), [vec![1, 2, 1], vec![1]]);
        assert_eq!(filled(&[9, 1, 3, 4]), [vec![9], vec![1, 3], vec![4]]);
        for parts in [
            vec![3u64; 200],
            (0..200).map(|i| 1 + i % 2 * 60).collect(),
            vec![1; 41],
        ] {
            let found = filled(&parts);
            assert!(found.len() <= 21, "{} calls", found.len());
            assert_eq!(found.iter().map(Vec::len).sum::<usize>(), parts.len());
        }
    }
}
