//! Days and months: what is read of them, and what their blocks hold.

use pilotlight_core::ProfileBuilder;
use pilotlight_core::store::{ChunkId, Partition, Series, SeriesRows, SumScope, encode_chunk};

use super::*;
use crate::service::Numbers;

/// A day that is divided by its sources: each block has data of another time, and none may answer
/// for the source of the other.
#[test]
fn partitions_of_a_day_answer_one_range() {
    let second = 1_000_000_000;
    let push = |id, time, region| Push {
        id,
        arrival_millis: i64::from(id) * 60_000,
        time,
        family: "process_cpu",
        labels: vec![("service_name", "a"), ("region", region)],
        types: vec![("cpu", vec![(vec!["main"], 1 << id)])],
    };
    let day = SumWindow::Day.nanos();
    let times = [
        (-7_200 * second, "eu"),
        (-53 * second, "us"),
        (60 * second, "us"),
    ];
    let orders = [[0, 1, 2], [1, 0, 2], [1, 2, 0]];
    for order in orders {
        let pushes: Vec<Push> = (0..)
            .zip(order)
            .map(|(id, at): (u8, usize)| push(id, times[at].0, times[at].1))
            .collect();
        let mut bucket = Bucket {
            partition_bytes: 0,
            ..Bucket::filled(&pushes)
        };
        (0..3).for_each(|_| bucket.compact_to(1, &[0]));
        bucket.compact_to(3, &[0, 1, 2]);
        let summaries = bucket.catalog.iter().filter(|o| o.level == Level::Day);
        assert_eq!(summaries.count(), 3);
        for from in [-60 * second, -3_600 * second, -day, -7_230 * second] {
            for until in [-1, 30 * second, 3_600 * second, day] {
                let range = TimeRange::of_nanos(from, until);
                for selector in ["", r#"{region="us"}"#] {
                    let window = Some(SumWindow::Hour);
                    let timeline = bucket.try_timeline(selector, None, range, window).unwrap();
                    check_timeline(&timeline, &pushes, selector, range, window);
                    let cpu = profile_type("process_cpu", "cpu");
                    let answer = bucket.query(selector, &cpu, range).unwrap();
                    check_query(&answer, &pushes, selector, &cpu, range);
                }
            }
        }
    }
}

/// A day of a service: `series` instances, a profile of each every `seconds`, and one segment an
/// hour; as the schedule compacts it.
fn day(bucket: &mut Bucket, numbers: &mut Numbers, day: i64, series: i64, seconds: i64) {
    let day_nanos = SumWindow::Day.nanos();
    for hour in 0..24 {
        let mut chunks = Vec::new();
        for at in 0..3600 / seconds {
            let mut builder = ProfileBuilder::new();
            let stacks = ["main", "handle", "parse", "render", "wait"]
                .map(|name| builder.named_stack(&["main", name]));
            let time =
                day * day_nanos + hour * SumWindow::Hour.nanos() + at * seconds * 1_000_000_000;
            let instances = (0..series).map(|instance| {
                let series = Series {
                    labels: labels(&[
                        ("service_name", "checkout"),
                        ("instance", &instance.to_string()),
                    ]),
                    profile_type: profile_type("process_cpu", "cpu"),
                    time: UnixNanos(time + instance * 7_000_000),
                    duration_nanos: seconds * 1_000_000_000,
                    total: 0,
                };
                let rows = stacks
                    .iter()
                    .map(|&stack| (stack, numbers.below(500) as i64 * 10_000_000))
                    .collect();
                SeriesRows {
                    series,
                    rows,
                    links: Vec::new(),
                }
            });
            let instances: Vec<_> = instances.collect();
            let mut id = [0; 16];
            id[..8].copy_from_slice(&time.to_le_bytes());
            chunks.push(encode_chunk(ChunkId(id), builder.profile(), &instances).unwrap());
        }
        let half = chunks.len() / 2;
        let millis = (day * 24 + hour) * 3_600_000;
        let first = bucket.catalog.len();
        for (part, chunks) in [&chunks[..half], &chunks[half..]].into_iter().enumerate() {
            bucket.put_segment(millis + part as i64, chunks);
            bucket.compact_to(1, &[first + part]);
        }
        bucket.compact_to(2, &[first, first + 1]);
    }
    let hours: Vec<usize> = (bucket.catalog.len() - 24..bucket.catalog.len()).collect();
    bucket.compact_to(3, &hours);
}

#[test]
fn a_query_over_days_reads_their_sums_alone() {
    let (mut bucket, mut numbers) = (Bucket::default(), Numbers(3));
    (0..2).for_each(|at| day(&mut bucket, &mut numbers, at, 3, 300));
    let cpu = profile_type("process_cpu", "cpu");
    let day_nanos = SumWindow::Day.nanos();
    let range = |from: i64, until: i64| TimeRange::of_nanos(from, until);
    let profiles_a_day = 24 * 12 * 3;
    let check = |selector: &str, range: TimeRange, profiles: u64, objects: u64| {
        let answer = bucket.query(selector, &cpu, range).unwrap();
        assert_eq!(
            (answer.profiles, answer.objects, answer.rounded),
            (profiles, objects, false),
            "{selector} {range:?}"
        );
        answer.bytes
    };
    check("", TimeRange::ALL, 2 * profiles_a_day, 2);
    check("", range(0, day_nanos), profiles_a_day, 1);
    check(
        r#"{instance="1"}"#,
        range(0, day_nanos),
        profiles_a_day / 3,
        1,
    );
    let whole: u64 = bucket.catalog.iter().map(|object| object.size).sum();
    assert!(check("", range(0, 2 * day_nanos), 2 * profiles_a_day, 2) < whole / 20);
    // Hours on both sides are in the sums of their days for all series, but not for each; minutes
    // are in their hours.
    let hour = SumWindow::Hour.nanos();
    check("", range(hour, day_nanos + hour), profiles_a_day, 2);
    check(
        r#"{instance="1"}"#,
        range(hour, day_nanos + hour),
        profiles_a_day / 3,
        24,
    );
    let minute = SumWindow::Minute.nanos();
    check(
        "",
        range(hour + minute, day_nanos + hour),
        profiles_a_day - 3,
        3,
    );
}

/// The totals of 30 days of a hundred series, an hour a point.
#[test]
fn a_month_of_a_timeline_is_small() {
    let (mut bucket, mut numbers) = (Bucket::default(), Numbers(5));
    // Every day is like the next; the sizes of two are enough to know.
    (0..2).for_each(|at| day(&mut bucket, &mut numbers, at, 100, 1800));
    let second = 1_000_000_000;
    let timeline = |from: i64, until: i64, resolution| {
        let range = TimeRange::of_nanos(from, until);
        let timeline = bucket.try_timeline("", None, range, resolution).unwrap();
        (
            timeline.bytes,
            timeline.series.iter().map(|s| s.profiles()).sum::<u64>(),
        )
    };
    let day_nanos = SumWindow::Day.nanos();
    let (bytes, profiles) = timeline(0, 2 * day_nanos, Some(SumWindow::Hour));
    assert_eq!(profiles, 2 * 24 * 2 * 100);
    let (with_edges, _) = timeline(
        90 * second,
        2 * day_nanos - 90 * second,
        Some(SumWindow::Hour),
    );
    println!(
        "two days: {bytes} bytes; with cut edges {with_edges}; each profile {}",
        timeline(0, 2 * day_nanos, None).0
    );
    assert!(
        bytes * 15 + (with_edges - bytes) < 1 << 20,
        "{bytes}, with edges {with_edges}"
    );
    // Told apart by service alone, a point takes the place of a hundred.
    let range = TimeRange::of_nanos(0, 2 * day_nanos);
    let services = bucket
        .grouped_timeline("", None, range, Some(SumWindow::Hour), Grouping::Service)
        .unwrap();
    assert_eq!(
        (services.series.len(), services.series[0].profiles()),
        (1, 2 * 24 * 2 * 100)
    );
    assert!(services.bytes * 20 < bytes, "{} of {bytes}", services.bytes);
}

#[test]
fn blocks_hold_what_their_level_says() {
    let (mut bucket, mut numbers) = (Bucket::default(), Numbers(3));
    day(&mut bucket, &mut numbers, 0, 3, 60);
    let kinds = |at: usize| {
        let dataset = &bucket.catalog[at].directory.datasets()[0];
        let sums: Vec<_> = dataset
            .sums
            .iter()
            .map(|sums| (sums.window, sums.scope))
            .collect();
        (
            dataset.profiles,
            !dataset.pages.is_empty(),
            dataset.totals.is_some(),
            dataset.window_totals.map(|t| t.0),
            sums,
        )
    };
    let hour = [
        (SumWindow::Hour, SumScope::All),
        (SumWindow::Hour, SumScope::Series),
        (SumWindow::Minute, SumScope::All),
    ];
    assert_eq!(
        kinds(0),
        (180, true, true, Some(SumWindow::Minute), hour.to_vec())
    );
    let day = [
        (SumWindow::Day, SumScope::All),
        (SumWindow::Hour, SumScope::All),
        (SumWindow::Day, SumScope::Series),
    ];
    assert_eq!(
        kinds(24),
        (4320, false, false, Some(SumWindow::Hour), day.to_vec())
    );
    let block = bucket.catalog[24].directory.block().unwrap();
    let sources: Vec<&String> = bucket.catalog[..24]
        .iter()
        .map(|object| &object.key)
        .collect();
    assert_eq!(block.summarizes.iter().collect::<Vec<_>>(), sources);
    assert_eq!(
        (block.token, block.partition, block.ids),
        (
            7 + 3 * 24 + 1,
            Partition {
                number: 0,
                count: 1
            },
            None
        )
    );
}
