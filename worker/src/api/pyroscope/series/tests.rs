//! Timelines of groups, and what is refused.

use super::*;
use crate::api::query::tests::timeline;
use pilotlight_core::{ProfileId, SeriesHash, TimeRange};
use serde_json::{Value as Json, json};

fn answer(
    timeline: &Timeline,
    buckets: Buckets,
    group_by: &[String],
    how: Aggregation,
    limit: usize,
) -> Json {
    serde_json::to_value(super::answer(timeline, buckets, group_by, how, limit)).unwrap()
}

const MS: i64 = 1_000_000;

fn range(from: i64, last: i64) -> TimeRange {
    TimeRange::of_millis(from, last + 1)
}

/// Of each group and bucket the largest value is told, of equal ones the earliest.
#[test]
fn points_have_exemplars() {
    let profile_type = "a:y:count::".parse().unwrap();
    let by = ["region".to_owned()];
    let buckets = Buckets::new(range(1000, 3000), 1.0).unwrap();
    let timeline = timeline(&[
        (
            "a:y:count::",
            "app{region=eu,pod=a}",
            &[(500 * MS, 5), (600 * MS, 9), (2500 * MS, 4)],
        ),
        ("a:y:count::", "app{region=eu,pod=b}", &[(550 * MS, 9)]),
        ("a:y:count::", "app{region=us}", &[(700 * MS, 9)]),
    ]);
    let mut sums = Sums::new(SeriesGroups::new(&profile_type, &by), buckets);
    sums.add_timeline(&timeline);
    let mut exemplars = PointExemplars::new(SeriesGroups::new(&profile_type, &by), buckets);
    for series in &timeline.series {
        let number = exemplars.series(&series.profile_type, &series.labels);
        for &Point { time, total, .. } in &series.points {
            let value = Value {
                time,
                value: total,
                profiles: 1,
                covered: time.lasting(0),
                durations: 0,
                span: None,
            };
            exemplars.add(number, value);
        }
    }
    assert!(exemplars.held() > 3 * 512);
    let found = sums.message(Aggregation::Sum, 0, exemplars.finish());
    let told = |series: usize, point: usize| {
        let point = &found.series[series].points[point];
        assert_eq!(point.exemplars.len(), 1);
        let one = &point.exemplars[0];
        let labels: Vec<&str> = one.labels.iter().map(|l| l.value.as_str()).collect();
        (point.value, one.timestamp, one.value, labels.join(" "))
    };
    assert_eq!(told(0, 0), (23.0, 550, 9, "b app".to_owned()));
    assert_eq!(told(0, 1), (4.0, 2500, 4, "a app".to_owned()));
    assert_eq!(told(1, 0), (9.0, 700, 9, "app".to_owned()));
    let hash = SeriesHash::new(&profile_type, &timeline.series[2].labels);
    let id = ProfileId::new(hash, UnixNanos(700 * MS)).to_string();
    assert_eq!(found.series[1].points[0].exemplars[0].profile_id, id);
}

#[test]
fn groups_and_aggregates() {
    let timeline = timeline(&[
        (
            "a:y:count::",
            "app{region=eu}",
            &[(500 * MS, 1), (600 * MS, 2), (2500 * MS, 4)],
        ),
        ("a:y:count::", "app{region=us}", &[(700 * MS, 9)]),
    ]);
    let buckets = Buckets::new(range(1000, 3000), 1.0).unwrap();
    let by = ["region".to_owned()];
    let point = |value: f64, time: &str| json!({"value": value, "timestamp": time});
    let eu = json!([{"name": "region", "value": "eu"}]);
    let us = json!({"labels": [{"name": "region", "value": "us"}], "points": [point(9.0, "1000")]});
    assert_eq!(
        answer(&timeline, buckets, &by, Aggregation::Sum, 0),
        json!({"series": [{"labels": eu, "points": [point(3.0, "1000"), point(4.0, "3000")]}, us]})
    );
    assert_eq!(
        answer(&timeline, buckets, &by, Aggregation::Average, 0)["series"][0]["points"][0],
        point(1.5, "1000")
    );
    assert_eq!(
        answer(&timeline, buckets, &by, Aggregation::Sum, 1),
        json!({ "series": [us] })
    );
    // One profile of 9 against averages of 1.5 and 4.
    assert_eq!(
        answer(&timeline, buckets, &by, Aggregation::Average, 1),
        json!({ "series": [us] })
    );
    assert_eq!(
        answer(&timeline, buckets, &[], Aggregation::Sum, 0),
        json!({"series": [{"points": [point(12.0, "1000"), point(4.0, "3000")]}]})
    );
    assert_eq!(
        answer(&Timeline::default(), buckets, &by, Aggregation::Sum, 0),
        json!({})
    );
}

/// Of averages those are kept that are large, not those of many profiles.
#[test]
fn averages_are_ranked_by_themselves() {
    let many: Vec<_> = (0..100).map(|n| ((500 + n) * MS, 1)).collect();
    let timeline = timeline(&[
        ("a:y:count::", "app{pod=many}", &many),
        ("a:y:count::", "app{pod=one}", &[(700 * MS, 50)]),
    ]);
    let buckets = Buckets::new(range(1000, 3000), 1.0).unwrap();
    let by = ["pod".to_owned()];
    let largest =
        |how| answer(&timeline, buckets, &by, how, 1)["series"][0]["labels"][0]["value"].clone();
    assert_eq!(largest(Aggregation::Sum), "many");
    assert_eq!(largest(Aggregation::Average), "one");
}
