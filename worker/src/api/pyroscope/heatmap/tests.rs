//! Heatmaps against a count of all values, in any order.

use std::collections::BTreeMap;

use pilotlight_core::{ProfileId, SeriesHash, SpanId, UnixNanos, parse_name};
use serde_json::{Value as Json, json};

use super::*;
use crate::api::pyroscope::messages::Exemplar;

const MS: i64 = 1_000_000;
const SERIES: [&str; 4] = [
    "app{region=eu,pod=a}",
    "app{region=eu,pod=b}",
    "app{region=us,pod=a}",
    "app",
];

/// Series, start in nanoseconds, value.
type Drawn = (usize, i64, i64);

/// Of each cell the number of values, and the best.
type Column = (Vec<i32>, Vec<Option<Drawn>>);

fn profile_type() -> ProfileType {
    "cpu:samples:count::".parse().unwrap()
}

fn value(time: i64, value: i64) -> Value {
    Value {
        time: UnixNanos(time),
        value,
        profiles: 1,
        covered: UnixNanos(time).lasting(0),
        durations: 0,
        span: None,
    }
}

fn buckets(start: i64, end: i64, step: f64) -> Buckets {
    let range = TimeRange::of_millis(start, end + 1);
    Buckets::new(range, step).unwrap()
}

/// Values of the series of these names, read twice.
fn heatmap<'v>(
    values: impl Iterator<Item = &'v (usize, Value)> + Clone,
    buckets: Buckets,
    group_by: &[String],
    limit: usize,
    exemplars: Exemplars,
) -> SelectHeatmapResponse {
    let profile_type = profile_type();
    fn feed<'v>(into: &mut impl Values, values: impl Iterator<Item = &'v (usize, Value)>) {
        for (series, value) in values {
            let number = into.series(
                &ProfileType::default(),
                &parse_name(SERIES[*series]).unwrap(),
            );
            into.add(number, *value);
        }
    }
    let mut extents = Extents::new(SeriesGroups::new(&profile_type, group_by), buckets);
    feed(&mut extents, values.clone());
    let mut cells = extents.cells(limit, exemplars);
    feed(&mut cells, values);
    cells.message()
}

/// The same, value by value over all of them.
fn counted(
    values: &[Drawn],
    buckets: Buckets,
    limit: usize,
) -> BTreeMap<String, BTreeMap<i64, Column>> {
    let region = |series: usize| {
        let labels = parse_name(SERIES[series]).unwrap();
        labels.get("region").unwrap_or("").to_owned()
    };
    let inside = |drawn: &&Drawn| buckets.of(UnixNanos(drawn.1)).is_some();
    let values: Vec<Drawn> = values.iter().filter(inside).copied().collect();
    let mut totals = BTreeMap::<String, i64>::new();
    for (series, _, value) in &values {
        *totals.entry(region(*series)).or_default() += value;
    }
    let mut ranked: Vec<_> = totals.into_iter().collect();
    ranked.sort_by_key(|(labels, total)| (-total, labels.clone()));
    if limit > 0 {
        ranked.truncate(limit);
    }
    let is_chosen = |drawn: &&Drawn| ranked.iter().any(|(labels, _)| *labels == region(drawn.0));
    let values: Vec<Drawn> = values.iter().filter(is_chosen).copied().collect();
    let least = values.iter().map(|drawn| drawn.2).min().unwrap_or(0);
    let most = values.iter().map(|drawn| drawn.2).max().unwrap_or(0);
    let mut found = BTreeMap::<String, BTreeMap<i64, Column>>::new();
    for &(series, time, value) in &values {
        // The last cell whose lower bound the value reaches.
        let reaches = |cell: &usize| (value - least) * 20 >= (most - least) * *cell as i64;
        let cell = if most == least {
            0
        } else {
            (0..20usize).rev().find(reaches).unwrap()
        };
        let of_group = found.entry(region(series)).or_default();
        let slot = of_group.entry(buckets.of(UnixNanos(time)).unwrap());
        let (counts, best) = slot.or_insert_with(|| (vec![0; 20], vec![None; 20]));
        counts[cell] += 1;
        let is_better = best[cell].is_none_or(|(s, t, v): Drawn| {
            let hash = |s: usize| SeriesHash::new(&profile_type(), &parse_name(SERIES[s]).unwrap());
            (v, -t, hash(series)) < (value, -time, hash(s))
        });
        if is_better {
            best[cell] = Some((series, time, value));
        }
    }
    found
}

fn exemplar(&(series, time, value): &Drawn) -> Exemplar {
    let labels = parse_name(SERIES[series]).unwrap();
    let id = ProfileId::new(SeriesHash::new(&profile_type(), &labels), UnixNanos(time));
    let others = labels.iter().filter(|(name, _)| *name != "region");
    Exemplar {
        timestamp: time.div_euclid(MS),
        profile_id: id.to_string(),
        value,
        labels: label_pairs(others.map(|(n, v)| (n.to_owned(), v.to_owned())).collect()),
        ..Exemplar::default()
    }
}

#[test]
fn random_values_are_counted() {
    let mut state = 7u64;
    let mut random = |below: i64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as i64 % below
    };
    for round in 0..60 {
        let spread = [1, 3, 40, 1_000_000][round % 4];
        let values: Vec<Drawn> = (0..random(300))
            .map(|_| {
                let time = random(6_000) * MS + random(2);
                (random(4) as usize, time, random(spread) - spread / 4)
            })
            .collect();
        let buckets = buckets(1_000, 5_500, [1.0, 0.7][round % 2]);
        let limit = round % 3;
        let group_by = ["region".to_owned()];
        let expect = counted(&values, buckets, limit);
        let all: Vec<(usize, Value)> = values.iter().map(|v| (v.0, value(v.1, v.2))).collect();
        let found = heatmap(all.iter(), buckets, &group_by, limit, Exemplars::OneEach);
        let again = heatmap(
            all.iter().rev(),
            buckets,
            &group_by,
            limit,
            Exemplars::OneEach,
        );
        assert_eq!(found, again, "the order makes no difference");
        assert_eq!(found.series.len(), expect.len());
        for (series, (region, slots)) in found.series.iter().zip(&expect) {
            let label = series.labels.first().map_or("", |label| &label.value);
            assert_eq!(label, region);
            assert_eq!(series.slots.len(), slots.len());
            for (slot, (time, (counts, best))) in series.slots.iter().zip(slots) {
                assert_eq!((slot.timestamp, &slot.counts), (*time, counts));
                assert_eq!(slot.y_min.len(), CELLS);
                assert!(slot.y_min.is_sorted());
                let best: Vec<Exemplar> = best.iter().flatten().map(exemplar).collect();
                assert_eq!(slot.exemplars, best);
            }
        }
    }
}

#[test]
fn cells_divide_what_lies_between_the_extremes() {
    let of = |values: &[i64]| -> Json {
        let values: Vec<_> = values.iter().map(|&v| (0, value(1, v))).collect();
        let all = heatmap(
            values.iter(),
            buckets(1_000, 1_000, 1.0),
            &[],
            0,
            Exemplars::None,
        );
        serde_json::to_value(all).unwrap()
    };
    assert_eq!(of(&[]), json!({}));
    let mut counts = vec![0; 20];
    counts[0] = 3;
    let slot = json!({"timestamp": "1000", "yMin": vec![7.0; 20], "counts": counts});
    assert_eq!(of(&[7, 7, 7]), json!({"series": [{"slots": [slot]}]}));
    let found = of(&[0, 4, 5, 99, 100]);
    let slot = &found["series"][0]["slots"][0];
    assert_eq!(slot["yMin"][1], 5.0);
    assert_eq!(slot["yMin"][19], 95.0);
    let counts: Vec<i64> = serde_json::from_value(slot["counts"].clone()).unwrap();
    assert_eq!((counts[0], counts[1], counts[19]), (2, 1, 2));
    let found = of(&[i64::MIN, -1, 0, i64::MAX]);
    let slot = &found["series"][0]["slots"][0];
    let counts: Vec<i64> = serde_json::from_value(slot["counts"].clone()).unwrap();
    assert_eq!((counts[0], counts[9], counts[10], counts[19]), (1, 1, 1, 1));
    assert_eq!(slot["yMin"][0], i64::MIN as f64);
}

#[test]
fn spans_have_their_ids() {
    let span: SpanId = "00f067aa0ba902b7".parse().unwrap();
    let trace = "0af7651916cd43dd8448eb211c80319c".parse().unwrap();
    let with = |span, of: i64| Value {
        span: Some(span),
        ..value(5 * MS, of)
    };
    let values = [
        (0, with((span, Some(trace)), 5)),
        (1, with((span, None), 9)),
    ];
    let buckets = buckets(1_000, 1_000, 1.0);
    let found = heatmap(values.iter(), buckets, &[], 0, Exemplars::OneEach);
    let found: Vec<_> = found.series[0].slots[0]
        .exemplars
        .iter()
        .map(|e| (e.value, &*e.span_id, &*e.trace_id, e.profile_id.len()))
        .collect();
    let expect = [
        (
            5,
            "00f067aa0ba902b7",
            "0af7651916cd43dd8448eb211c80319c",
            36,
        ),
        (9, "00f067aa0ba902b7", "", 36),
    ];
    assert_eq!(found, expect);
}

#[test]
fn what_is_held_is_told() {
    let profile_type = profile_type();
    let buckets = buckets(1, 2_000, 0.001);
    let mut extents = Extents::new(SeriesGroups::new(&profile_type, &[]), buckets);
    let labels = parse_name(SERIES[0]).unwrap();
    let group = extents.series(&ProfileType::default(), &labels);
    extents.add(group, value(MS, 1));
    extents.add(group, value(MS, 5));
    let mut cells = extents.cells(0, Exemplars::OneEach);
    let series = cells.series(&ProfileType::default(), &labels);
    for time in 1..=1_000 {
        cells.add(series, value(time * MS, 1));
        cells.add(series, value(time * MS, 2));
    }
    let held = cells.held();
    assert!(held > 1_000 * (SLOT_BYTES + 2 * 512), "{held}");
    // The same again makes it no larger.
    cells.add(series, value(MS, 2));
    assert_eq!(cells.held(), held);
}

#[test]
fn requests_are_checked() {
    let refused = |change: fn(&mut SelectHeatmapRequest)| {
        let mut request = SelectHeatmapRequest {
            profile_type_id: "a:b:c::".to_owned(),
            label_selector: "{}".to_owned(),
            start: 1_000,
            end: 2_000,
            step: 1.0,
            ..Default::default()
        };
        change(&mut request);
        Ask::of(&request)
            .err()
            .map(|problem| (problem.status, problem.message))
    };
    assert_eq!(refused(|_| {}), None);
    assert_eq!(refused(|r| (r.query_type, r.exemplar_type) = (2, 3)), None);
    let message = |change| {
        let (status, message) = refused(change).unwrap();
        assert_eq!(status, 400);
        message
    };
    assert_eq!(
        message(|r| r.query_type = 3),
        "query_type must be individual or span"
    );
    assert_eq!(
        message(|r| r.exemplar_type = -1),
        "exemplar_type must be none, individual or span"
    );
    assert_eq!(
        message(|r| (r.query_type, r.exemplar_type) = (1, 3)),
        "span exemplars require HEATMAP_QUERY_TYPE_SPAN"
    );
    assert_eq!(message(|r| r.step = 0.0), "step must be >= 1ms");
    assert_eq!(message(|r| r.start = 0), "missing time range in the query");
    assert!(message(|r| r.profile_type_id = "x".to_owned()).contains("profile type \"x\""));
}
