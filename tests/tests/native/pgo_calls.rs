//! A profile trimmed for Go's compiler tells it the same calls with the same weights.

use std::fs;
use std::path::Path;

use pilotlight_core::pprof::{encode, encode_gzip};
use pilotlight_core::verbs::{PgoOptions, is_pgo_type, pgo};
use pilotlight_core::{Profile, canonical, merge};
use pilotlight_tests::pgo::{calls, go_calls};
use pilotlight_tests::random::{positive_profiles, some_profiles};
use pilotlight_tests::{corpus, go};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// All that keep what the compiler looks at.
fn options() -> impl Iterator<Item = PgoOptions> {
    [0, 2, 3, 5, usize::MAX]
        .into_iter()
        .flat_map(|keep_locations| {
            [false, true].map(|aggregate_callees| PgoOptions {
                keep_locations,
                aggregate_callees,
            })
        })
}

/// The column that the compiler takes; the first when it takes none.
fn column(profile: &Profile) -> usize {
    let mut types = profile.sample_types().iter();
    let taken = types.position(|&t| {
        let (kind, unit) = profile.type_text(t);
        is_pgo_type(kind, unit)
    });
    taken.unwrap_or(0)
}

fn check(profile: &Profile, bytes: &[u8]) {
    let expect = calls(bytes, column(profile));
    for options in options() {
        let trimmed = pgo(profile, options);
        assert_eq!(calls(&encode(&trimmed), 0), expect, "{options:?}");
        assert_eq!(pgo(&trimmed, options), trimmed, "{options:?} again");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn calls_keep_their_weights(profile in positive_profiles()) {
        check(&profile, &encode(&profile));
    }

    #[test]
    fn trimming_commutes_with_merging(all in some_profiles(2..4)) {
        let merged = merge(&all).unwrap().profile;
        let options = options().chain([PgoOptions { keep_locations: 1, ..PgoOptions::default() }]);
        for options in options {
            let each: Vec<Profile> = all.iter().map(|profile| pgo(profile, options)).collect();
            let sum = merge(&each).unwrap().profile;
            prop_assert_eq!(encode(&pgo(&merged, options)), encode(&sum));
            prop_assert_eq!(canonical(&sum), sum);
        }
    }
}

/// Those that nobody wrote for this project.
#[test]
fn real_profiles_keep_their_calls() {
    for sample in corpus::profiles() {
        let Ok(decoded) = pilotlight_core::open(&sample.bytes, 64 << 20) else {
            continue;
        };
        check(&decoded.profile, &encode(&decoded.profile));
    }
}

/// The judge reads as Go does.
#[test]
fn go_finds_the_same_calls() {
    if !go::available() {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pgo-calls");
    fs::create_dir_all(&folder).expect("a folder");
    let mut runner = TestRunner::deterministic();
    let mut compared = 0;
    while compared < 12 {
        let made = positive_profiles()
            .new_tree(&mut runner)
            .expect("a profile");
        let profile = made.current();
        let trimmed = pgo(&profile, PgoOptions::default());
        let takes = profile.sample_types().len() == 3;
        let has_start_lines = trimmed.functions().iter().any(|f| f.start_line > 0);
        // Go refuses what has neither.
        if !takes || !has_start_lines || trimmed.len() < 3 {
            continue;
        }
        let expect = calls(&encode(&profile), 2);
        for (name, bytes) in [
            ("whole", encode_gzip(&profile)),
            ("trimmed", encode_gzip(&trimmed)),
        ] {
            let path = folder.join(name);
            fs::write(&path, bytes).expect("a file");
            assert_eq!(go_calls(&path), expect, "{name} {compared}");
        }
        compared += 1;
    }
}
