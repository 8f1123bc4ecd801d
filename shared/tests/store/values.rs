//! Single profiles: the values of each, of its spans and of call sites, and each found again by its
//! id, against what the pushes say, at every level.

mod kept;
mod stored;

use std::collections::BTreeMap;

use pilotlight_core::plans::{
    CatalogObject, Plan, SampleQueryPlan, StacksOf, StacksPlan, Value, Values, ValuesOf, ValuesPlan,
};
use pilotlight_core::store::{Contents, Level, SumWindow};
use pilotlight_core::verbs::{FrameFilter, FunctionNames, StackSelector};
use pilotlight_core::{
    Labels, ProfileId, ProfileIds, ProfileType, SampleSelector, Selector, SeriesHash, SpanSelector,
    TimeRange, UnixNanos,
};
use proptest::prelude::*;

use crate::spans::{LinkedPush, filled, linked_push, span};
use crate::support::{Bucket, Push, labels, profile_type, said};
use kept::{All, Together};
use stored::{Stored, selected, spans_of, stored};

/// Labels, start, value, and the span with its trace as text.
type Shown = (Labels, i64, i64, String);

fn shown(all: All) -> Vec<Shown> {
    let show = |(series, value): &(u32, Value)| {
        assert_eq!(value.profiles, 1);
        let labels = all.series[*series as usize].clone();
        (
            labels,
            value.time.0,
            value.value,
            format!("{:?}", value.span),
        )
    };
    let mut shown: Vec<Shown> = all.values.iter().map(show).collect();
    shown.sort();
    shown
}

fn drive<P: Plan>(bucket: &Bucket, mut plan: P) -> P {
    loop {
        let wants = plan.wants();
        if wants.is_empty() {
            return plan;
        }
        // Back to front: the order must not matter.
        for get in wants.iter().rev() {
            plan.provide(get, bucket.read(get)).unwrap();
        }
    }
}

/// What is asked: a selector, a type and a range.
type Asked<'a> = (&'a str, &'a ProfileType, TimeRange);

fn values(bucket: &Bucket, (selector, of_type, range): Asked, of: ValuesOf) -> Vec<Shown> {
    let selector = Selector::parse(selector).unwrap();
    let plan = ValuesPlan::new(
        &selector,
        of_type,
        range,
        of,
        &bucket.catalog,
        All::default(),
    );
    shown(drive(bucket, plan.unwrap()).finish().unwrap())
}

fn of_stacks<V: Values>(
    bucket: &Bucket,
    (selector, of_type, range): Asked,
    stacks: &StackSelector,
    of: StacksOf,
    into: V,
) -> V {
    let plan = StacksPlan::new(
        &Selector::parse(selector).unwrap(),
        of_type,
        range,
        stacks.clone(),
        of,
        &bucket.catalog,
        into,
    );
    let plan = drive(bucket, plan.unwrap());
    assert!(!plan.rounded());
    plan.finish().unwrap()
}

fn begins(names: &[&str]) -> StackSelector {
    StackSelector {
        call_site: names.iter().map(|&name| name.to_owned()).collect(),
        ..StackSelector::default()
    }
}

fn names(names: &[&str]) -> FunctionNames {
    FunctionNames {
        names: names.iter().map(|&name| name.to_owned()).collect(),
        patterns: Vec::new(),
    }
}

fn check(bucket: &Bucket, pushes: &[LinkedPush], when: &str) {
    let plain: Vec<Push> = pushes.iter().map(|p| p.push.clone()).collect();
    let minutes =
        |from: i64, until: i64| TimeRange::of_nanos(from * 60_000_000_000, until * 60_000_000_000);
    for of_type in [
        profile_type("process_cpu", "cpu"),
        profile_type("memory", "inuse_space"),
    ] {
        for (selector, range) in [
            ("", TimeRange::ALL),
            ("{region=\"eu\"}", TimeRange::ALL),
            ("{service_name=\"a\"}", minutes(7, 31)),
        ] {
            let when = format!("{when}: {of_type}{selector}");
            let asked = (selector, &of_type, range);
            let stored = stored(pushes, &plain, selector, &of_type, range);
            let one = |profile: &Stored, value: i64| {
                let Stored { labels, time, .. } = profile;
                (labels.clone(), time.0, value, "None".to_owned())
            };
            let total = |profile: &Stored| profile.rows.iter().map(|row| row.1).sum();
            let mut expect: Vec<Shown> = stored.iter().map(|p| one(p, total(p))).collect();
            expect.sort();
            assert_eq!(values(bucket, asked, ValuesOf::Profiles), expect, "{when}");

            let mut expect: Vec<Shown> = stored.iter().flat_map(spans_of).collect();
            expect.sort();
            assert_eq!(values(bucket, asked, ValuesOf::Spans), expect, "{when}");

            let filtered = |included, excluded| StackSelector {
                frames: FrameFilter { included, excluded },
                ..StackSelector::default()
            };
            let site_without = StackSelector {
                frames: filtered(names(&[]), names(&["work"])).frames,
                ..begins(&["main"])
            };
            let ends_with_work = StackSelector {
                leaf: names(&["work"]),
                ..StackSelector::default()
            };
            for stacks in &[
                begins(&["main"]),
                begins(&["work", "main"]),
                begins(&["nowhere"]),
                filtered(names(&["main", "work"]), names(&[])),
                filtered(names(&[]), names(&["work"])),
                site_without,
                ends_with_work,
            ] {
                let each = stored.iter().map(|p| one(p, selected(p, stacks)));
                let mut expect: Vec<Shown> = each.filter(|shown| shown.2 != 0).collect();
                expect.sort();
                let found = of_stacks(bucket, asked, stacks, StacksOf::Profiles, All::default());
                assert_eq!(shown(found), expect, "{when} {stacks:?}");
                check_windows(bucket, asked, stacks, &stored, &when);
            }
            check_ids(bucket, asked, &stored, &when);
        }
    }
}

/// Values of windows, of all series together and of each, add up to those of profiles.
fn check_windows(
    bucket: &Bucket,
    asked: Asked,
    stacks: &StackSelector,
    stored: &[Stored],
    when: &str,
) {
    for window in SumWindow::ALL {
        let when = format!("{when} {stacks:?} {window:?}");
        let index = |time: UnixNanos| window.index(time.max(asked.2.from));
        let (mut expect, mut by_series) = (BTreeMap::new(), BTreeMap::new());
        for profile in stored {
            let (at, value) = (index(profile.time), selected(profile, stacks));
            *expect.entry(at).or_insert(0i64) += value;
            *by_series
                .entry((profile.labels.clone(), at))
                .or_insert(0i64) += value;
        }
        expect.retain(|_, value| *value != 0);
        by_series.retain(|_, value| *value != 0);
        let mut found = BTreeMap::new();
        let together = of_stacks(
            bucket,
            asked,
            stacks,
            StacksOf::Windows(Some(window)),
            Together::default(),
        );
        for value in together.0 {
            assert!(asked.2.contains(value.time), "{when}");
            *found.entry(index(value.time)).or_insert(0) += value.value;
        }
        found.retain(|_, value| *value != 0);
        assert_eq!(found, expect, "{when}");
        let each = of_stacks(
            bucket,
            asked,
            stacks,
            StacksOf::Windows(Some(window)),
            All::default(),
        );
        let mut found = BTreeMap::new();
        for (series, value) in each.values {
            let labels = each.series[series as usize].clone();
            *found.entry((labels, index(value.time))).or_insert(0) += value.value;
        }
        found.retain(|_, value| *value != 0);
        assert_eq!(found, by_series, "{when}");
    }
}

/// Stacks from the root with their values, and how many profiles.
type Said = (BTreeMap<Vec<String>, i64>, u64);

fn of_ids(
    bucket: &Bucket,
    (selector, of_type, range): Asked,
    samples: impl Into<SampleSelector>,
) -> Said {
    let selector = Selector::parse(selector).unwrap();
    let plan = SampleQueryPlan::new(&selector, of_type, range, samples, &bucket.catalog);
    let answer = drive(bucket, plan.unwrap()).finish().unwrap();
    if answer.profile.sample_types().is_empty() {
        return (BTreeMap::new(), answer.profiles);
    }
    (said(&answer.profile), answer.profiles)
}

fn check_ids(bucket: &Bucket, asked: Asked, stored: &[Stored], when: &str) {
    let id = |p: &Stored| ProfileId::new(SeriesHash::new(asked.1, &p.labels), p.time);
    let expect = |chosen: &[&Stored]| -> Said {
        let mut map = BTreeMap::<Vec<String>, i64>::new();
        for (stack, value) in chosen.iter().flat_map(|p| p.rows) {
            let stack = stack.iter().map(|s| (*s).to_owned()).collect();
            *map.entry(stack).or_default() += value;
        }
        map.retain(|_, value| *value != 0);
        (map, chosen.len() as u64)
    };
    // Some one by one, each with all that share its id; then all of them.
    for profile in stored.iter().take(6) {
        let chosen: Vec<&Stored> = stored.iter().filter(|p| id(p) == id(profile)).collect();
        let ids = ProfileIds::from_iter([id(profile)]);
        assert_eq!(
            of_ids(bucket, asked, ids.clone()),
            expect(&chosen),
            "{when}"
        );
        let samples = SampleSelector {
            spans: Some(SpanSelector::Spans([span(1).unwrap()].into())),
            profiles: Some(ids),
        };
        let mut map = BTreeMap::<Vec<String>, i64>::new();
        for p in &chosen {
            for ((stack, value), &(_, s)) in p.rows.iter().zip(p.contexts) {
                if s == 1 {
                    let stack = stack.iter().map(|s| (*s).to_owned()).collect();
                    *map.entry(stack).or_default() += value;
                }
            }
        }
        map.retain(|_, value| *value != 0);
        assert_eq!(of_ids(bucket, asked, samples).0, map, "{when}");
    }
    let all: Vec<&Stored> = stored.iter().collect();
    let ids = ProfileIds::from_iter(stored.iter().map(id));
    assert_eq!(of_ids(bucket, asked, ids), expect(&all), "{when}");
    let nobody = ProfileId::new(
        SeriesHash::new(asked.1, &labels(&[("service_name", "nobody")])),
        UnixNanos(0),
    );
    for none in [ProfileIds::from_iter([nobody]), ProfileIds::default()] {
        assert_eq!(of_ids(bucket, asked, none), expect(&[]), "{when}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn single_profiles_are_the_same_at_every_level(
        pushes in prop::collection::vec(linked_push(), 1..24),
        compacted: u64,
        partition_bytes in prop_oneof![Just(1u64), Just(1 << 20)],
    ) {
        let mut bucket = filled(&pushes, true);
        bucket.partition_bytes = partition_bytes;
        check(&bucket, &pushes, "segments");
        bucket.compact(|at| compacted >> at & 1 == 1);
        check(&bucket, &pushes, "some segments");
        for level in 1..=3 {
            bucket.compact_all(level);
            check(&bucket, &pushes, &format!("level {level}"));
        }
    }
}

/// Where only sums are left there is no single profile, and the plan says so; call sites are
/// answered from the sums.
#[test]
fn of_sums_there_are_no_single_profiles() {
    let pushes: Vec<LinkedPush> = (0..6)
        .map(|n| crate::spans::simple(n, 70 * i64::from(n), &[(1, 1), (0, 0)]))
        .collect();
    let mut bucket = filled(&pushes, true);
    let of_type = profile_type("process_cpu", "cpu");
    let asked = ("", &of_type, TimeRange::ALL);
    let hours = StacksOf::Windows(Some(SumWindow::Hour));
    let before = of_stacks(&bucket, asked, &begins(&["main"]), hours, All::default());
    for level in 1..=3 {
        bucket.compact_all(level);
    }
    let profiles = |object: &&CatalogObject| object.level.has_profiles();
    let keys: Vec<String> = bucket
        .catalog
        .iter()
        .filter(profiles)
        .map(|o| o.key.clone())
        .collect();
    bucket.delete(&keys);
    for object in &mut bucket.catalog {
        assert_eq!(object.level, Level::Day);
        if let Contents::Block(block) = &mut object.directory.contents {
            block.summarizes.clear();
        }
    }
    let of = |of| {
        let plan = ValuesPlan::new(
            &Selector::default(),
            &of_type,
            TimeRange::ALL,
            of,
            &bucket.catalog,
            All::default(),
        );
        let plan = plan.unwrap();
        (
            plan.sums_only(),
            plan.wants().len(),
            plan.finish().unwrap().values.len(),
        )
    };
    assert_eq!(of(ValuesOf::Profiles), (true, 0, 0));
    assert_eq!(of(ValuesOf::Spans), (true, 0, 0));
    let series = SeriesHash::new(&of_type, &labels(&[("service_name", "a")]));
    let ids = ProfileIds::from_iter([ProfileId::new(series, UnixNanos(0))]);
    assert_eq!(of_ids(&bucket, asked, ids), (BTreeMap::new(), 0));
    let after = of_stacks(&bucket, asked, &begins(&["main"]), hours, All::default());
    let by_hour = |all: All| {
        let mut hours = BTreeMap::new();
        for (_, value) in all.values {
            *hours.entry(SumWindow::Hour.index(value.time)).or_insert(0) += value.value;
        }
        hours
    };
    assert_eq!(by_hour(after), by_hour(before));
    let plan = StacksPlan::new(
        &Selector::default(),
        &of_type,
        TimeRange::ALL,
        begins(&["main"]),
        StacksOf::Profiles,
        &bucket.catalog,
        All::default(),
    );
    let plan = plan.unwrap();
    assert_eq!((plan.sums_only(), plan.wants().len()), (true, 0));
}
