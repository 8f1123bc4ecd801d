//! Which objects to compact next.

#[cfg(test)]
mod tests;

use crate::base::sort::sort_by;
use crate::base::units::UnixNanos;
use crate::plans::compact::input::day_bytes;
use crate::store::{Directory, Level, ObjectKey};

/// Most bytes of their sources that a job over segments, or a partition of a job over blocks,
/// holds: 12 MiB.
///
/// All are held at once, so that each is fetched with one request. The output is at most as large
/// and while it grows is there twice, which makes 36; tables being gathered have a cap of 8 and
/// take half as much again to be written, open sums one of 8; one chunk or page is open. That is
/// below the 64 MB of a plan, as a test measures.
pub const MAX_PARTITION_BYTES: u64 = 12 << 20;

/// Most bytes of the sources of a job over blocks: 512 MiB, or about 44 partitions, two minutes of
/// all visits of the schedule. An hour or day with more takes several jobs.
pub const MAX_JOB_BYTES: u64 = 512 << 20;

/// Most sources of one job: 800. A worker may make 1,000 requests in one invocation, and needs some
/// for the catalog.
pub const MAX_JOB_OBJECTS: usize = 800;

/// So many objects of one tier become one of the next while their hour is not over: 4. Segments are
/// of tier 0.
///
/// A query reads each object with a request of its own, and merges the stacks of each. A busy
/// tenant writes five segments in half a minute; its hour has three blocks of half a minute, three
/// of two minutes and seven of eight minutes at most: four of these do not fit into
/// [`MAX_PARTITION_BYTES`], so they stay.
pub const MIN_JOB_OBJECTS: usize = 4;

/// An object over which so many jobs have failed is set aside: 3. What fails for a reason that
/// passes (the bucket, a deployment) rarely does so three times, and a damaged object must not keep
/// all others waiting.
pub const MAX_FAILURES: u32 = 3;

/// An hour is over a minute later, when flushes that began in it have ended.
const HOUR_SLACK_MILLIS: i64 = 60_000;

/// A day is over ten minutes later: its last hour is compacted by then, and the schedule has
/// caught up.
const DAY_SLACK_MILLIS: i64 = 10 * 60_000;

const HOUR_MILLIS: i64 = 3_600_000;
const DAY_MILLIS: i64 = 24 * HOUR_MILLIS;

/// An object as [`pick_job`] needs to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobCandidate {
    /// Its name in the bucket.
    pub key: String,
    /// Its length in bytes.
    pub size: u64,
    /// How many segments it is or was made of, which tells its tier.
    pub segments: u64,
    /// How many bytes of it go into sums of its day ([`JobCandidate::new`] counts them).
    pub day_bytes: u64,
    /// Whether a block of level 3 sums it up: the block's directory names it.
    pub summarized: bool,
    /// How many jobs over it have failed.
    pub failures: u32,
}

impl JobCandidate {
    /// An object that no job was over yet.
    pub fn new(key: &str, size: u64, directory: &Directory) -> Self {
        let segments = directory.block().map_or(1, |block| block.segments);
        Self {
            key: key.to_owned(),
            size,
            segments,
            day_bytes: day_bytes(directory),
            summarized: false,
            failures: 0,
        }
    }
}

/// What to compact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactJob {
    /// Level of the blocks to be made. Those with profiles replace the sources.
    pub level: Level,
    /// What becomes one block, or one for each partition, in order of arrival.
    pub sources: Vec<String>,
}

/// An object and its parsed name.
type Keyed<'a> = (ObjectKey, &'a JobCandidate);

/// Picks the job that is due and gains most:
///
/// 1. segments of an hour that is over;
/// 2. the blocks of level 1 of an hour that is over, when there are several: a query over days
///    reads one of each service instead;
/// 3. the blocks of a day that is over, for its sums: a query over weeks reads those alone;
/// 4. objects of one tier of an hour that is not over, once there are enough; of the lowest tier
///    first, since a query decodes every chunk of a segment. They come last, because a busy tenant
///    always has some.
///
/// Oldest first within each. Give the objects of one catalog that are not deleted. An hour or day
/// with more than a job's bytes takes several jobs. Each leaves fewer segments, fewer blocks of
/// level 1 or fewer that are not summarized, so calling again until nothing is due comes to an end.
pub fn pick_job(objects: &[JobCandidate], now: UnixNanos) -> Option<CompactJob> {
    let parsed = objects
        .iter()
        .filter_map(|object| Some((object.key.parse::<ObjectKey>().ok()?, object)));
    let mut keyed: Vec<Keyed> = parsed.filter(|(_, object)| is_able(object)).collect();
    sort_by(&mut keyed, |a, b| {
        (a.0.millis, &a.1.key).cmp(&(b.0.millis, &b.1.key))
    });
    let now = now.millis();
    let sources_of = |level: Level| {
        keyed
            .iter()
            .filter(|(key, _)| level.is_made_of(key.level))
            .collect::<Vec<_>>()
    };
    let segments: Vec<&Keyed> = keyed
        .iter()
        .filter(|(key, _)| key.level == Level::Segment)
        .collect();
    segments_left(&segments, now)
        .or_else(|| hour(&sources_of(Level::Hour), now))
        .or_else(|| day(&sources_of(Level::Day), now))
        .or_else(|| tier(&sources_of(Level::Minutes), now))
}

fn segments_left(segments: &[&Keyed], now: i64) -> Option<CompactJob> {
    let due = spans(segments, HOUR_MILLIS)
        .find(|hour| is_over(hour, HOUR_MILLIS, HOUR_SLACK_MILLIS, now))?;
    Some(job(
        Level::Minutes,
        fitting(due, MAX_PARTITION_BYTES, |object| object.size),
    ))
}

/// Until an hour has ended: in the minute after, all of its blocks are about to become one. A job
/// has one partition. Where blocks are so large that a partition does not hold enough of them, they
/// stay as they are: there would be as many after.
///
/// A tier with twice as many as it takes goes first, the highest of them: with few visits segments
/// are due at each of them.
fn tier(objects: &[&Keyed], now: i64) -> Option<CompactJob> {
    let mut running =
        spans(objects, HOUR_MILLIS).filter(|hour| !is_over(hour, HOUR_MILLIS, 0, now));
    running.find_map(|hour| {
        let highest = hour.iter().map(|object| tier_of(object)).max()?;
        let overfull = (0..=highest).rev().map(|tier| (tier, 2 * MIN_JOB_OBJECTS));
        let full = (0..=highest).map(|tier| (tier, MIN_JOB_OBJECTS));
        overfull.chain(full).find_map(|(tier, least)| {
            let of_tier: Vec<&Keyed> = hour
                .iter()
                .copied()
                .filter(|object| tier_of(object) == tier)
                .collect();
            if of_tier.len() < least {
                return None;
            }
            let mut jobs = (0..=of_tier.len() - MIN_JOB_OBJECTS)
                .map(|at| fitting(&of_tier[at..], MAX_PARTITION_BYTES, |object| object.size));
            let gains = |sources: &&[&Keyed]| tier == 0 || sources.len() >= MIN_JOB_OBJECTS;
            jobs.find(gains).map(|sources| job(Level::Minutes, sources))
        })
    })
}

/// The tier of an object: 0 for a segment, and [`MIN_JOB_OBJECTS`] or more of one tier make one of
/// the next.
fn tier_of((key, object): &Keyed) -> u32 {
    match key.level {
        Level::Segment => 0,
        _ => object.segments.max(1).ilog(MIN_JOB_OBJECTS as u64).max(1),
    }
}

/// An hour without segments, since those would have been picked before. A block that is alone, or
/// too large to go with a neighbour, stays as it is.
fn hour(blocks: &[&Keyed], now: i64) -> Option<CompactJob> {
    let mut due = spans(blocks, HOUR_MILLIS)
        .filter(|hour| is_over(hour, HOUR_MILLIS, HOUR_SLACK_MILLIS, now));
    let several = |hour: &[&Keyed]| {
        let starts = (0..hour.len())
            .map(|at| fitting(&hour[at..], MAX_JOB_BYTES, |object| object.size).len());
        starts
            .enumerate()
            .find(|&(_, len)| len > 1)
            .map(|(at, len)| job(Level::Hour, &hour[at..at + len]))
    };
    due.find_map(several)
}

/// Whether jobs may take an object.
fn is_able(object: &JobCandidate) -> bool {
    object.failures < MAX_FAILURES && !object.summarized
}

/// A day whose hours are compacted, since those would have been picked before.
fn day(blocks: &[&Keyed], now: i64) -> Option<CompactJob> {
    let due =
        spans(blocks, DAY_MILLIS).find(|day| is_over(day, DAY_MILLIS, DAY_SLACK_MILLIS, now))?;
    Some(job(
        Level::Day,
        fitting(due, MAX_JOB_BYTES, |object| object.day_bytes),
    ))
}

/// Objects in order of arrival, by the hour or day in which they arrived.
fn spans<'a>(
    objects: &'a [&'a Keyed<'a>],
    millis: i64,
) -> impl Iterator<Item = &'a [&'a Keyed<'a>]> {
    objects.chunk_by(move |a, b| a.0.millis.div_euclid(millis) == b.0.millis.div_euclid(millis))
}

fn is_over(span: &[&Keyed], millis: i64, slack: i64, now: i64) -> bool {
    span.first().is_some_and(|(key, _)| {
        (key.millis.div_euclid(millis) + 1).saturating_mul(millis) <= now.saturating_sub(slack)
    })
}

/// As many of the first objects as fit a job of at most so many bytes.
fn fitting<'a, 'k>(
    objects: &'a [&'k Keyed<'k>],
    most: u64,
    bytes: impl Fn(&JobCandidate) -> u64,
) -> &'a [&'k Keyed<'k>] {
    let mut sum = 0u64;
    let fits = |(at, (_, object)): &(usize, &&Keyed)| {
        sum = sum.saturating_add(bytes(object));
        // The first goes whatever its size, else it would never go.
        *at == 0 || (*at < MAX_JOB_OBJECTS && sum <= most)
    };
    &objects[..objects.iter().enumerate().take_while(fits).count()]
}

fn job(level: Level, sources: &[&Keyed]) -> CompactJob {
    CompactJob {
        level,
        sources: sources
            .iter()
            .map(|(_, object)| object.key.clone())
            .collect(),
    }
}
