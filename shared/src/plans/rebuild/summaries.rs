//! What becomes of summaries when a catalog is rebuilt.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::known::{Known, digest};
use crate::store::ObjectKey;

/// What becomes of summaries and their sources.
#[derive(Default)]
pub(super) struct Summaries {
    pub(super) outdated: HashSet<u64>,
    /// Some of their sources are gone.
    pub(super) alone: HashSet<u64>,
    /// The other sources of those.
    pub(super) expired: HashSet<u64>,
}

impl Summaries {
    pub(super) fn of(known: &[Known], counting: &HashSet<u64>) -> Self {
        let (mut found, mut begins) = (Self::default(), HashMap::<i64, u64>::new());
        let raw = known
            .iter()
            .filter(|known| known.key.level.is_block_of_profiles());
        for block in raw.filter(|block| counting.contains(&digest(&block.row.key))) {
            let token = begins.entry(block.key.millis).or_default();
            *token = block.token.max(*token);
        }
        let judged: HashSet<u64> = known.iter().map(|known| digest(&known.row.key)).collect();
        let mut jobs: BTreeMap<(u64, u64), Vec<&Known>> = BTreeMap::new();
        for summary in known.iter().filter(|known| !known.summarizes.is_empty()) {
            let alone = if summary.partition.count > 1 {
                0
            } else {
                digest(&summary.row.key)
            };
            jobs.entry((summary.token, alone))
                .or_default()
                .push(summary);
        }
        for ((token, _), job) in jobs {
            let names = || job.iter().map(|summary| digest(&summary.row.key));
            let sources = job.iter().flat_map(|summary| &summary.summarizes);
            let (there, gone): (Vec<&String>, _) =
                sources.partition(|s| counting.contains(&digest(s)));
            // A block that begins as one which is gone, and is later than the summary, was made
            // from that.
            let later = |s: &&String| {
                s.parse()
                    .ok()
                    .and_then(|key: ObjectKey| begins.get(&key.millis))
                    > Some(&token)
            };
            // So was one that is there and does not count.
            let refused = |s: &&String| judged.contains(&digest(s));
            if gone.iter().any(|s| later(s) || refused(s)) {
                found.outdated.extend(names());
            } else if !gone.is_empty() && names().any(|name| counting.contains(&name)) {
                found.alone.extend(names());
                found.expired.extend(there.into_iter().map(|s| digest(s)));
            }
        }
        found
    }
}
