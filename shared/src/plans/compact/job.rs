//! Which objects to compact next.

use super::input::day_bytes;
use crate::base::sort::sort_by;
use crate::base::units::UnixNanos;
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
pub struct ObjectSummary {
    /// Its name in the bucket.
    pub key: String,
    /// Its length in bytes.
    pub size: u64,
    /// How many segments it is or was made of, which tells its tier.
    pub segments: u64,
    /// How many bytes of it go into sums of its day ([`ObjectSummary::new`] counts them).
    pub day_bytes: u64,
    /// Whether a block of level 3 sums it up: the block's directory names it.
    pub summed: bool,
    /// How many jobs over it have failed.
    pub failures: u32,
}

impl ObjectSummary {
    /// An object that no job was over yet.
    pub fn new(key: &str, size: u64, directory: &Directory) -> Self {
        let segments = directory.block().map_or(1, |block| block.segments);
        Self {
            key: key.to_owned(),
            size,
            segments,
            day_bytes: day_bytes(directory),
            summed: false,
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
type Keyed<'a> = (ObjectKey, &'a ObjectSummary);

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
/// level 1 or fewer that are not summed up, so calling again until nothing is due comes to an end.
pub fn pick_job(objects: &[ObjectSummary], now: UnixNanos) -> Option<CompactJob> {
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
fn is_able(object: &ObjectSummary) -> bool {
    object.failures < MAX_FAILURES && !object.summed
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
    bytes: impl Fn(&ObjectSummary) -> u64,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Tenant;

    const DAY: i64 = 1_700_000_000_000 / DAY_MILLIS * DAY_MILLIS;
    const MINUTE: i64 = 60_000;

    fn object(level: u8, at: i64, size: u64) -> ObjectSummary {
        let level = Level::try_from(level).unwrap();
        let key = ObjectKey {
            tenant: Tenant::anonymous(),
            shard: 0,
            level,
            millis: DAY + at,
            unique: 1,
        }
        .to_string();
        ObjectSummary {
            key,
            size,
            segments: 1,
            day_bytes: size / 2,
            summed: false,
            failures: 0,
        }
    }

    fn objects(spec: &[(u8, i64, u64)]) -> Vec<ObjectSummary> {
        spec.iter()
            .map(|&(level, at, size)| object(level, at, size))
            .collect()
    }

    /// Level of the output and times of the sources, relative to the day.
    fn check(objects: &[ObjectSummary], now: i64, expect: Option<(u8, &[i64])>) {
        let time = |key: &String| key.parse::<ObjectKey>().unwrap().millis - DAY;
        let job = pick_job(objects, UnixNanos::from_millis(DAY + now));
        let got = job.map(|job| {
            (
                job.level.number(),
                job.sources.iter().map(time).collect::<Vec<_>>(),
            )
        });
        assert_eq!(got, expect.map(|(level, times)| (level, times.to_vec())));
    }

    #[test]
    fn segments_of_an_hour_that_is_over() {
        let spec = objects(&[(0, 5, 1), (0, 0, 1), (0, HOUR_MILLIS, 1)]);
        check(&spec, HOUR_MILLIS + HOUR_SLACK_MILLIS - 1, None);
        check(&spec, HOUR_MILLIS + HOUR_SLACK_MILLIS, Some((1, &[0, 5])));
        check(
            &objects(&[(0, 3, MAX_PARTITION_BYTES + 1)]),
            HOUR_MILLIS * 2,
            Some((1, &[3])),
        );
        check(&[], 0, None);
    }

    #[test]
    fn many_segments() {
        let many: Vec<_> = (0..MIN_JOB_OBJECTS as i64)
            .map(|i| object(0, i, 1))
            .collect();
        let times: Vec<_> = (0..MIN_JOB_OBJECTS as i64).collect();
        check(&many, 100, Some((1, &times)));
        check(&many[1..], 100, None);
        check(&many, HOUR_MILLIS, None);
        check(&many, HOUR_MILLIS + HOUR_SLACK_MILLIS, Some((1, &times)));
    }

    #[test]
    fn jobs_are_bounded() {
        let half = MAX_PARTITION_BYTES / 2;
        check(
            &objects(&[(0, 0, half), (0, 1, half), (0, 2, 1)]),
            HOUR_MILLIS * 2,
            Some((1, &[0, 1])),
        );
        check(
            &objects(&[(0, 0, half), (0, 1, half + 1), (0, 2, 1)]),
            HOUR_MILLIS * 2,
            Some((1, &[0])),
        );
        let many: Vec<_> = (0..=MAX_JOB_OBJECTS as i64)
            .map(|i| object(0, i, 1))
            .collect();
        let job = pick_job(&many, UnixNanos::from_millis(DAY + HOUR_MILLIS * 2)).unwrap();
        assert_eq!(job.sources.len(), MAX_JOB_OBJECTS);
    }

    #[test]
    fn blocks_of_an_hour() {
        let over = HOUR_MILLIS + HOUR_SLACK_MILLIS;
        check(&objects(&[(1, 0, 1), (1, 9, 1)]), over, Some((2, &[0, 9])));
        check(&objects(&[(1, 0, 1), (1, 9, 1)]), over - 1, None);
        check(
            &objects(&[(1, 0, 1), (1, HOUR_MILLIS, 1)]),
            3 * HOUR_MILLIS,
            None,
        );
        check(
            &objects(&[(1, 0, 1), (1, 9, 1), (2, 5, 1)]),
            over,
            Some((2, &[0, 9])),
        );
        check(
            &objects(&[(1, 0, 1), (1, 9, 1), (0, 20, 1)]),
            over,
            Some((1, &[20])),
        );
        let large = MAX_JOB_BYTES;
        check(
            &objects(&[(1, 0, large), (1, 1, large), (1, 2, 1)]),
            over,
            None,
        );
        check(
            &objects(&[(1, 0, large), (1, 1, 1), (1, 2, 1)]),
            over,
            Some((2, &[1, 2])),
        );
    }

    #[test]
    fn tiers_of_an_hour() {
        let spec = |made_of: &[u64]| -> Vec<_> {
            let block = |(&segments, at)| ObjectSummary {
                segments,
                ..object(u8::from(segments > 1), at, 1)
            };
            made_of.iter().zip(0..).map(block).collect()
        };
        check(&spec(&[4, 4, 4]), 100, None);
        check(&spec(&[4, 5, 15, 7]), 100, Some((1, &[0, 1, 2, 3])));
        check(
            &spec(&[4, 5, 16, 4, 4, 4]),
            100,
            Some((1, &[0, 1, 3, 4, 5])),
        );
        check(
            &spec(&[16, 16, 16, 16, 4, 4, 4]),
            100,
            Some((1, &[0, 1, 2, 3])),
        );
        // The lowest first.
        check(
            &spec(&[4, 4, 4, 4, 1, 1, 1, 1]),
            100,
            Some((1, &[4, 5, 6, 7])),
        );
        check(&spec(&[4, 4, 4, 4, 1, 1, 1]), 100, Some((1, &[0, 1, 2, 3])));
        check(&spec(&[4, 4, 4, 4]), HOUR_MILLIS, None);
        check(
            &spec(&[4, 4, 4, 4]),
            HOUR_MILLIS + HOUR_SLACK_MILLIS,
            Some((2, &[0, 1, 2, 3])),
        );
        // As many as a partition holds.
        let mut large = spec(&[4; 7]);
        (large[0].size, large[4].size) = (MAX_PARTITION_BYTES, MAX_PARTITION_BYTES - 3);
        check(&large, 100, Some((1, &[1, 2, 3, 4])));
        large[4].size += 1;
        check(&large, 100, None);
        // Segments become blocks, however large they are.
        let large: Vec<_> = (0..4)
            .map(|at| object(0, at, MAX_PARTITION_BYTES / 2))
            .collect();
        check(&large, 100, Some((1, &[0, 1])));
        check(&spec(&[2, 2, 2, 1, 1, 1]), 100, None);
    }

    #[test]
    fn blocks_of_a_day() {
        let over = DAY_MILLIS + DAY_SLACK_MILLIS;
        let mut spec = objects(&[
            (2, 0, 1),
            (1, HOUR_MILLIS, 1),
            (1, DAY_MILLIS + 5, 1),
            (3, 0, 1),
        ]);
        check(&spec, over - 1, None);
        check(&spec, over, Some((3, &[0, HOUR_MILLIS])));
        spec[0].summed = true;
        check(&spec, over, Some((3, &[HOUR_MILLIS])));
        spec[1].summed = true;
        check(&spec, over, None);
        // Half of their bytes go into sums.
        let large = objects(&[(2, 0, MAX_JOB_BYTES), (2, 5, MAX_JOB_BYTES), (2, 9, 2)]);
        check(&large, over, Some((3, &[0, 5])));
    }

    #[test]
    fn what_fails_is_set_aside() {
        let mut spec = objects(&[(0, 0, 1), (0, 5, 1), (1, 7, 1)]);
        spec[0].failures = MAX_FAILURES - 1;
        check(&spec, HOUR_MILLIS * 2, Some((1, &[0, 5])));
        spec[0].failures = MAX_FAILURES;
        check(&spec, HOUR_MILLIS * 2, Some((1, &[5])));
        spec[1].failures = MAX_FAILURES;
        check(&spec, HOUR_MILLIS * 2, None);
        check(&spec, DAY_MILLIS * 2, Some((3, &[7])));
    }

    /// Five days of arrivals: a segment each 30 seconds, 4 MB in each hour's first, and a minute
    /// without any. A block has as many bytes as its sources, the worst there is; a day's sums have
    /// as many as they were made from.
    #[test]
    fn days_of_arrivals_drain() {
        let (mut objects, mut pushed, mut rewritten, mut jobs, mut most) = (Vec::new(), 0, 0, 0, 0);
        let days = 5;
        let mut work = |objects: &mut Vec<ObjectSummary>, now: i64, limit: usize| {
            for _ in 0..limit {
                let Some(job) = pick_job(objects, UnixNanos::from_millis(DAY + now)) else {
                    return;
                };
                let of_job = |object: &ObjectSummary| job.sources.contains(&object.key);
                let bytes = |of: fn(&ObjectSummary) -> u64| {
                    objects.iter().filter(|o| of_job(o)).map(of).sum::<u64>()
                };
                let size = if job.level == Level::Day {
                    bytes(|o| o.day_bytes)
                } else {
                    bytes(|o| o.size)
                };
                let segments = bytes(|o| o.segments);
                assert!(size <= MAX_JOB_BYTES, "{size}");
                jobs += 1;
                rewritten += size;
                let output = job.sources[0]
                    .parse::<ObjectKey>()
                    .unwrap()
                    .successor(job.level, jobs);
                match job.level {
                    Level::Day => objects
                        .iter_mut()
                        .filter(|o| of_job(o))
                        .for_each(|o| o.summed = true),
                    _ => objects.retain(|o| !of_job(o)),
                }
                objects.push(ObjectSummary {
                    key: output.to_string(),
                    segments,
                    ..object(job.level.number(), 0, size)
                });
            }
        };
        for minute in 0..days * 24 * 60 {
            for half in 0..2 {
                let size = if minute % 60 == 0 { 2 << 20 } else { 40_000 };
                objects.push(object(0, minute * MINUTE + half * 30_000, size));
                pushed += size;
            }
            // One job a minute: fewer than the schedule does.
            work(&mut objects, (minute + 1) * MINUTE, 1);
            most = most.max(objects.iter().filter(|o| o.key.contains("/l0/")).count());
        }
        let later = days * DAY_MILLIS + DAY_SLACK_MILLIS;
        work(&mut objects, later, 1000);
        assert_eq!(
            pick_job(&objects, UnixNanos::from_millis(DAY + later)),
            None
        );
        let of_level = |level: u8| {
            objects
                .iter()
                .filter(|o| o.key.contains(&format!("/l{level}/")))
                .count()
        };
        let amplification = rewritten as f64 / pushed as f64;
        println!(
            "{jobs} jobs, {amplification:.2} bytes rewritten for each pushed, at most {most} segments at once"
        );
        // One block an hour and one of sums a day, in partitions.
        assert_eq!([0, 1, 2, 3].map(of_level), [0, 0, 120, 5]);
        assert!(most <= 2 * MIN_JOB_OBJECTS, "{most}");
        // Three times into blocks of level 1, of which a few reach the third tier, of level 2, and
        // half of it into sums.
        assert!(amplification <= 4.5, "{amplification}");
    }

    /// Four segments a minute and one job a minute: the segments are enough for one each time,
    /// and the rest is done all the same.
    #[test]
    fn no_job_starves() {
        let (mut objects, mut unique, mut most) = (Vec::new(), 1, 0);
        let end = DAY_MILLIS + HOUR_MILLIS / 2;
        for minute in 0..end / MINUTE {
            let times = (0..4).map(|at| minute * MINUTE + at * 15_000);
            objects.extend(times.map(|at| object(0, at, 1)));
            let now = (minute + 1) * MINUTE;
            let Some(job) = pick_job(&objects, UnixNanos::from_millis(DAY + now)) else {
                continue;
            };
            let is_source = |object: &ObjectSummary| job.sources.contains(&object.key);
            let segments = objects
                .iter()
                .filter(|o| is_source(o))
                .map(|o| o.segments)
                .sum();
            let first: ObjectKey = job.sources[0].parse().unwrap();
            unique += 1;
            let key = first.successor(job.level, unique).to_string();
            if job.level == Level::Day {
                objects
                    .iter_mut()
                    .filter(|o| is_source(o))
                    .for_each(|o| o.summed = true);
            } else {
                objects.retain(|object| !is_source(object));
            }
            objects.push(ObjectSummary {
                key,
                segments,
                ..object(1, 0, 1)
            });
            let arrived = |object: &&ObjectSummary| object.key.parse::<ObjectKey>().unwrap().millis;
            let this_hour = DAY + now.div_euclid(HOUR_MILLIS) * HOUR_MILLIS;
            most = most.max(objects.iter().filter(|o| arrived(o) >= this_hour).count());
        }
        let of_level = |level: u8| {
            let folder = format!("/l{level}/");
            objects.iter().filter(|o| o.key.contains(&folder)).count()
        };
        assert_eq!((of_level(2), of_level(3)), (24, 1));
        assert!(most <= 30, "{most} objects in the running hour");
    }
}
