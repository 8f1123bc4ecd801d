//! Bundles against a fold over the pushes, and that they are the same however they come.

use std::collections::HashMap;

use pilotlight_core::plans::{BundleFile, Plan, QueryPlan, bundle, static_catalog};
use pilotlight_core::{Selector, TimeRange};
use proptest::prelude::*;

use crate::levels::{SELECTORS, pushes, ranges};
use crate::support::{Push, expected, profile_type, said};

fn made(pushes: &[Push]) -> Vec<BundleFile> {
    bundle(pushes.iter().map(Push::chunk).collect()).unwrap()
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
        let catalog = files.last().unwrap();
        let objects: HashMap<&str, &[u8]> = files
            .iter()
            .map(|file| (file.key.as_str(), file.bytes.as_slice()))
            .collect();
        let of_type = profile_type(sample_type.0, sample_type.1);
        let selected = Selector::parse(selector).unwrap();
        for range in ranges {
            let day = (catalog.key.as_str(), catalog.bytes.as_slice());
            let listed = static_catalog([day], range).unwrap();
            let mut plan = QueryPlan::new(&selected, &of_type, range, &listed).unwrap();
            for get in plan.wants() {
                let (start, length) = (get.offset as usize, get.length as usize);
                plan.provide(&get, &objects[get.key.as_str()][start..start + length]).unwrap();
            }
            let answer = plan.finish().unwrap();
            let (sums, profiles) = expected(&pushes, selector, &of_type, range);
            prop_assert_eq!((said(&answer.profile), answer.profiles), (sums, profiles));
            prop_assert!(!answer.rounded);
        }
    }
}

#[test]
fn of_nothing_it_is_a_catalog() {
    let files = made(&[]);
    assert_eq!(files.len(), 1);
    let day = (files[0].key.as_str(), files[0].bytes.as_slice());
    assert_eq!(static_catalog([day], TimeRange::ALL).unwrap(), []);
}
