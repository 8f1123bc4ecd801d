//! Which objects become one, at which time.

use super::*;
use crate::store::TenantId;

const DAY: i64 = 1_700_000_000_000 / DAY_MILLIS * DAY_MILLIS;
const MINUTE: i64 = 60_000;

fn object(level: u8, at: i64, size: u64) -> JobCandidate {
    let level = Level::try_from(level).unwrap();
    let key = ObjectKey {
        tenant: TenantId::anonymous(),
        shard: 0,
        level,
        millis: DAY + at,
        unique: 1,
    }
    .to_string();
    JobCandidate {
        key,
        size,
        segments: 1,
        day_bytes: size / 2,
        summarized: false,
        failures: 0,
    }
}

fn objects(spec: &[(u8, i64, u64)]) -> Vec<JobCandidate> {
    spec.iter()
        .map(|&(level, at, size)| object(level, at, size))
        .collect()
}

/// Level of the output and times of the sources, relative to the day.
fn check(objects: &[JobCandidate], now: i64, expect: Option<(u8, &[i64])>) {
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
        let block = |(&segments, at)| JobCandidate {
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
    spec[0].summarized = true;
    check(&spec, over, Some((3, &[HOUR_MILLIS])));
    spec[1].summarized = true;
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
    let mut work = |objects: &mut Vec<JobCandidate>, now: i64, limit: usize| {
        for _ in 0..limit {
            let Some(job) = pick_job(objects, UnixNanos::from_millis(DAY + now)) else {
                return;
            };
            let of_job = |object: &JobCandidate| job.sources.contains(&object.key);
            let bytes = |of: fn(&JobCandidate) -> u64| {
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
                    .for_each(|o| o.summarized = true),
                _ => objects.retain(|o| !of_job(o)),
            }
            objects.push(JobCandidate {
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
        let is_source = |object: &JobCandidate| job.sources.contains(&object.key);
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
                .for_each(|o| o.summarized = true);
        } else {
            objects.retain(|object| !is_source(object));
        }
        objects.push(JobCandidate {
            key,
            segments,
            ..object(1, 0, 1)
        });
        let arrived = |object: &&JobCandidate| object.key.parse::<ObjectKey>().unwrap().millis;
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
