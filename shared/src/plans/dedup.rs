//! Which chunks count: one that a client sent again, because it never saw our answer, counts once.

use hashbrown::HashMap;

use super::{CatalogObject, PlanError};
use crate::store::{ChunkId, ObjectKey};

/// Chunks with the same id that arrive within this time of each other are one push and its retries: ten minutes.
///
/// Clients that retry at all wait at most five minutes between tries (Alloy's longest backoff). An idle service may well
/// push the same bytes again later, and those count.
pub const RETRY_WINDOW_MILLIS: i64 = 10 * 60 * 1000;

/// Says for each chunk of each object whether it counts; blocks have no chunks, what they counted goes first.
///
/// Does not depend on the order of `objects`.
pub(super) fn counting(objects: &[&CatalogObject]) -> Result<Vec<Vec<bool>>, PlanError> {
    let mut arrivals = Vec::with_capacity(objects.len());
    for object in objects {
        arrivals.push(object.key.parse::<ObjectKey>()?.millis);
    }
    let segments = || (0..objects.len()).filter(|&i| !objects[i].directory.chunks().is_empty());
    let oldest = segments().map(|i| arrivals[i]).min().unwrap_or(i64::MAX);

    let mut seen: HashMap<ChunkId, Vec<i64>> = HashMap::new();
    for counted in objects.iter().flat_map(|object| object.directory.counted()) {
        if counted.arrival_millis >= oldest.saturating_sub(RETRY_WINDOW_MILLIS) {
            seen.entry(counted.id).or_default().push(counted.arrival_millis);
        }
    }
    let mut order: Vec<usize> = segments().collect();
    order.sort_by_key(|&i| (arrivals[i], &objects[i].key));
    let mut counts = vec![Vec::new(); objects.len()];
    for i in order {
        let chunks = objects[i].directory.chunks().iter().map(|chunk| {
            let before = seen.entry(chunk.id).or_default();
            let again = before.iter().any(|&at| at.abs_diff(arrivals[i]) <= RETRY_WINDOW_MILLIS as u64);
            if !again {
                before.push(arrivals[i]);
            }
            !again
        });
        counts[i] = chunks.collect();
    }
    Ok(counts)
}
