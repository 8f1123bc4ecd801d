//! Which segments to compact next.

use super::dedup::RETRY_WINDOW_MILLIS;
use crate::store::ObjectKey;
use crate::units::UnixNanos;

/// Most bytes of segments in one job: 12 MiB.
///
/// All are held at once, so that each is fetched with one request. The output is at most as large and while it grows is
/// there twice, which makes 36; tables being gathered have a cap of 8 and take half as much again to be written; one
/// chunk is open. That is below the 64 MB of a plan, as a test measures.
pub const MAX_JOB_BYTES: u64 = 12 << 20;

/// Most segments in one job: 800. A worker may make 1,000 requests in one invocation, and needs some for the catalog.
pub const MAX_JOB_OBJECTS: usize = 800;

/// Segments of an hour that is not over yet are compacted once there are so many: 64. A query reads each of them with a
/// request of its own, six at a time: about half a second.
pub const MIN_JOB_OBJECTS: usize = 64;

/// An hour is over a minute later, when flushes that began in it have ended.
const SLACK_MILLIS: i64 = 60_000;

const HOUR_MILLIS: i64 = 3_600_000;

/// An object as `pick_job` needs to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectSummary {
    /// Its name in the bucket.
    pub key: String,
    /// Its length in bytes.
    pub size: u64,
}

/// What to compact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactJob {
    /// Segments that become one block, in order of arrival.
    pub sources: Vec<String>,
    /// Blocks that may have counted a chunk of the sources already. Only their directories are needed.
    pub neighbours: Vec<String>,
}

/// Picks the oldest segments that are due: those of an hour that is over, or those of the current one when they are many.
///
/// Give the objects of one tenant that are not deleted. The segments of an hour may take several jobs; each job leaves
/// fewer of them, so calling again until nothing is due comes to an end.
pub fn pick_job(objects: &[ObjectSummary], now: UnixNanos) -> Option<CompactJob> {
    let keyed = objects.iter().filter_map(|object| Some((object.key.parse::<ObjectKey>().ok()?, object)));
    let (mut segments, blocks): (Vec<_>, Vec<_>) = keyed.partition(|(key, _)| key.level == 0);
    segments.sort_by(|a, b| (a.0.millis, &a.1.key).cmp(&(b.0.millis, &b.1.key)));

    let same_hour = |a: &(ObjectKey, _), b: &(ObjectKey, _)| hour(a.0.millis) == hour(b.0.millis);
    let due = segments.chunk_by(same_hour).find(|group| {
        let over = (hour(group[0].0.millis) + 1) * HOUR_MILLIS + SLACK_MILLIS <= now.millis();
        over || group.len() >= MIN_JOB_OBJECTS
    })?;
    let mut bytes = 0u64;
    let fits = |(i, (_, object)): &(usize, &(ObjectKey, &ObjectSummary))| {
        bytes = bytes.saturating_add(object.size);
        // The first goes whatever its size, else it would never go.
        *i == 0 || (*i < MAX_JOB_OBJECTS && bytes <= MAX_JOB_BYTES)
    };
    let taken: Vec<_> = due.iter().enumerate().take_while(fits).map(|(_, segment)| segment).collect();

    // A block's key has the time of its first source, and its sources lie within an hour.
    let (first, last) = (taken[0].0.millis, taken[taken.len() - 1].0.millis);
    let near = first - HOUR_MILLIS - RETRY_WINDOW_MILLIS..=last + RETRY_WINDOW_MILLIS;
    let mut neighbours: Vec<_> =
        blocks.iter().filter(|(key, _)| near.contains(&key.millis)).map(|(_, b)| b.key.clone()).collect();
    neighbours.sort();
    Some(CompactJob { sources: taken.iter().map(|(_, object)| object.key.clone()).collect(), neighbours })
}

fn hour(millis: i64) -> i64 {
    millis.div_euclid(HOUR_MILLIS)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 1_700_000_000_000 / HOUR_MILLIS * HOUR_MILLIS;

    fn objects(spec: &[(u8, i64, u64)]) -> Vec<ObjectSummary> {
        let tenant = crate::store::Tenant::anonymous();
        let key = |level, millis| ObjectKey { tenant: tenant.clone(), shard: 0, level, millis, unique: 1 }.to_string();
        spec.iter().map(|&(level, at, size)| ObjectSummary { key: key(level, HOUR + at), size }).collect()
    }

    /// Times of sources and neighbours, relative to the hour.
    fn check(spec: &[(u8, i64, u64)], now: i64, expect: Option<(&[i64], &[i64])>) {
        let times =
            |keys: Vec<String>| keys.iter().map(|k| k.parse::<ObjectKey>().unwrap().millis - HOUR).collect::<Vec<_>>();
        let job = pick_job(&objects(spec), UnixNanos::from_millis(HOUR + now));
        let got = job.map(|job| (times(job.sources), times(job.neighbours)));
        assert_eq!(got, expect.map(|(a, b)| (a.to_vec(), b.to_vec())));
    }

    #[test]
    fn an_hour_that_is_over() {
        let spec = [(0, 5, 1), (0, 0, 1), (0, HOUR_MILLIS, 1)];
        check(&spec, HOUR_MILLIS + SLACK_MILLIS - 1, None);
        check(&spec, HOUR_MILLIS + SLACK_MILLIS, Some((&[0, 5], &[])));
        check(&[(0, 3, MAX_JOB_BYTES + 1)], HOUR_MILLIS * 2, Some((&[3], &[])));
        check(&[], 0, None);
    }

    #[test]
    fn many_segments() {
        let many: Vec<_> = (0..MIN_JOB_OBJECTS as i64).map(|i| (0, i, 1)).collect();
        let times: Vec<_> = (0..MIN_JOB_OBJECTS as i64).collect();
        check(&many, 100, Some((&times, &[])));
        check(&many[1..], 100, None);
    }

    #[test]
    fn jobs_are_bounded() {
        let half = MAX_JOB_BYTES / 2;
        check(&[(0, 0, half), (0, 1, half), (0, 2, 1)], HOUR_MILLIS * 2, Some((&[0, 1], &[])));
        check(&[(0, 0, half), (0, 1, half + 1), (0, 2, 1)], HOUR_MILLIS * 2, Some((&[0], &[])));
        let many: Vec<_> = (0..=MAX_JOB_OBJECTS as i64).map(|i| (0, i, 1)).collect();
        let job = pick_job(&objects(&many), UnixNanos::from_millis(HOUR + HOUR_MILLIS * 2)).unwrap();
        assert_eq!(job.sources.len(), MAX_JOB_OBJECTS);
    }

    #[test]
    fn neighbours_are_blocks_with_near_sources() {
        let far = HOUR_MILLIS + RETRY_WINDOW_MILLIS;
        let spec = [(0, 0, 1), (0, 9, 1), (1, -far, 1), (1, -far - 1, 1), (1, 9 + RETRY_WINDOW_MILLIS, 1), (1, far, 1)];
        check(&spec, HOUR_MILLIS * 2, Some((&[0, 9], &[-far, 9 + RETRY_WINDOW_MILLIS])));
    }
}
