//! Bundles against a fold over the pushes, and that they are the same however they come.

use std::collections::HashMap;

use pilotlight_core::plans::{
    BundleFile, Plan, QueryAnswer, QueryPlan, SlicePlan, bundle, static_catalog,
};
use pilotlight_core::{ProfileType, Selector, TimeRange};
use proptest::prelude::*;

use crate::levels::{SELECTORS, compact, pushes, ranges, steps};
use crate::support::{Bucket, Push, expected, profile_type, said};

fn made(pushes: &[Push]) -> Vec<BundleFile> {
    bundle(pushes.iter().map(Push::chunk).collect()).unwrap()
}

/// What the files answer by themselves.
fn query(
    files: &[BundleFile],
    selector: &str,
    of_type: &ProfileType,
    range: TimeRange,
) -> QueryAnswer {
    let objects: HashMap<&str, &[u8]> = files
        .iter()
        .map(|file| (file.key.as_str(), file.bytes.as_slice()))
        .collect();
    let catalog = files.last().unwrap();
    let day = (catalog.key.as_str(), catalog.bytes.as_slice());
    let listed = static_catalog([day], range).unwrap();
    let selector = Selector::parse(selector).unwrap();
    let mut plan = QueryPlan::new(&selector, of_type, range, &listed).unwrap();
    for get in plan.wants() {
        let (start, length) = (get.offset as usize, get.length as usize);
        let part = &objects[get.key.as_str()][start..start + length];
        plan.provide(&get, part).unwrap();
    }
    plan.finish().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn a_bundle_answers_as_if_its_profiles_had_been_pushed(
        pushes in pushes(),
        ranges in prop::collection::vec(ranges(), 3),
        selector in prop::sample::select(SELECTORS),
        sample_type in prop::sample::select(vec![("process_cpu", "cpu"), ("memory", "inuse_space")]),
    ) {
        let files = made(&pushes);
        let backwards: Vec<Push> = pushes.iter().rev().cloned().collect();
        prop_assert_eq!(&made(&backwards), &files);
        let of_type = profile_type(sample_type.0, sample_type.1);
        for range in ranges {
            let answer = query(&files, selector, &of_type, range);
            let (sums, profiles) = expected(&pushes, selector, &of_type, range);
            prop_assert_eq!((said(&answer.profile), answer.profiles), (sums, profiles));
            prop_assert!(!answer.rounded);
        }
    }

    #[test]
    fn a_slice_has_what_was_selected_and_nothing_else(
        pushes in pushes(),
        steps in steps(),
        range in ranges(),
        selector in prop::sample::select(SELECTORS),
        sample_type in prop::sample::select(vec![("process_cpu", "cpu"), ("memory", "inuse_space")]),
    ) {
        let mut bucket = Bucket::filled(&pushes);
        compact(&mut bucket, &steps);
        let selected = Selector::parse(selector).unwrap();
        let mut plan = SlicePlan::new(selected, range, &bucket.catalog).unwrap();
        loop {
            let wants = plan.wants();
            if wants.is_empty() {
                break;
            }
            for get in wants {
                plan.provide(&get, bucket.read(&get)).unwrap();
            }
        }
        prop_assert_eq!(plan.sums_only(), 0);
        let files = plan.finish().unwrap();
        let of_type = profile_type(sample_type.0, sample_type.1);
        let answer = query(&files, "", &of_type, TimeRange::ALL);
        let (sums, profiles) = expected(&pushes, selector, &of_type, range);
        prop_assert_eq!((said(&answer.profile), answer.profiles), (sums, profiles));
    }
}

#[test]
fn of_nothing_it_is_a_catalog() {
    let files = made(&[]);
    assert_eq!(files.len(), 1);
    let answer = query(
        &files,
        "",
        &profile_type("process_cpu", "cpu"),
        TimeRange::ALL,
    );
    assert_eq!((answer.profiles, answer.objects), (0, 0));
}
