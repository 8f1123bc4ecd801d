//! Series.

use super::*;
use crate::plans::{Point, Steps, Timeline, TimelineSeries};

#[test]
fn series_by_labels() {
    let series = |name: &str, points: &[(i64, i64)]| TimelineSeries {
        profile_type: "cpu:x:count::".parse().unwrap(),
        labels: crate::parse_name(name).unwrap(),
        points: points
            .iter()
            .map(|&(seconds, total)| Point {
                time: UnixNanos(seconds * 1_000_000_000),
                total,
                profiles: 1,
                covered: UnixNanos(seconds * 1_000_000_000).lasting(0),
                durations: 0,
            })
            .collect(),
    };
    let timeline = Timeline {
        series: vec![
            series("app{pod=1}", &[(0, 1), (30, 2)]),
            series("app{pod=2}", &[(0, 4), (59, 8)]),
            series("app{}", &[(10, 16)]),
        ],
        ..Timeline::default()
    };
    let profile_type = "cpu:x:count::".parse().unwrap();
    let report = |by: &[&str], limit| {
        let by = by.iter().map(|&name| name.to_owned()).collect();
        let steps = Steps::of(RANGE, 2);
        SeriesReport::new(
            "cpu{}".to_owned(),
            &profile_type,
            &timeline,
            RANGE,
            steps,
            by,
            limit,
        )
        .unwrap()
    };
    let found = json_of(&report(&["pod"], 2));
    let expect = json!([
        {"labels": {}, "total": 16, "profiles": 1, "points": [16, 0], "counts": [1, 0], "covered": [0, 0], "duration": 0},
        {"labels": {"pod": "2"}, "total": 12, "profiles": 2, "points": [4, 8], "counts": [1, 1], "covered": [0, 0], "duration": 0},
    ]);
    assert_eq!(found["series"], expect);
    assert_eq!(
        found["coverage"],
        json!({"series": 3, "shown": 2, "share": 28.0 / 31.0})
    );
    let all = report(&[], 5);
    assert_eq!(all.series[0].points, [21, 10]);
    assert_eq!(
        all.series[0].counts.iter().sum::<u64>(),
        all.series[0].profiles
    );
    let text = all.markdown(4_000);
    assert!(text.contains("| 1970-01-01T00:00:30Z | 10 |"), "{text}");
    let of_type = json_of(&report(&["__type__", "__period_type__"], 5));
    assert_eq!(
        of_type["series"][0]["labels"],
        json!({"__type__": "x", "__period_type__": ""}),
        "labels that series have by their type"
    );
    assert_eq!(of_type["series"][0]["total"], 31);
    let text = report(&["pod"], 5).markdown(4_000);
    assert!(text.contains("| without `pod` | 16 |"), "{text}");
    assert!(
        text.contains("| `pod=\"2\"` | 12 | 2 | 4;\u{a0}8 |"),
        "{text}"
    );
}

#[test]
fn a_share_of_more_than_64_bits() {
    let of_pod = |pod: i64| TimelineSeries {
        profile_type: "cpu:x:count::".parse().unwrap(),
        labels: crate::parse_name(&format!("app{{pod={pod}}}")).unwrap(),
        points: vec![Point {
            time: UnixNanos(0),
            total: i64::MAX,
            profiles: 1,
            covered: UnixNanos(0).lasting(0),
            durations: 0,
        }],
    };
    let timeline = Timeline {
        series: (0..100).map(of_pod).collect(),
        ..Timeline::default()
    };
    let report = SeriesReport::new(
        "cpu{}".to_owned(),
        &"cpu:x:count::".parse().unwrap(),
        &timeline,
        RANGE,
        Steps::of(RANGE, 1),
        vec!["pod".to_owned()],
        10,
    );
    assert_eq!(json_of(&report.unwrap())["coverage"]["share"], 0.1);
}
