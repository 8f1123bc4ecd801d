//! Objects with links to traces, kept for ever as those of [`crate::fixtures`] are, and blessed
//! with them.

use std::fmt::Write;
use std::path::PathBuf;

use pilotlight_core::{SpanSelector, TimeRange};

use crate::spans::{LinkedPush, filled, query, simple, span};
use crate::support::{Bucket, profile_type, said};

const CURRENT: u8 = 1;

fn pushes() -> Vec<LinkedPush> {
    vec![
        simple(1, 28_333_334, &[(1, 1), (1, 2), (0, 0)]),
        simple(2, 28_333_334, &[(0, 2), (2, 0)]),
        simple(3, 28_333_335, &[(1, 4)]),
        simple(4, 28_333_335, &[(0, 0)]),
    ]
}

fn text(key: &str, bytes: &[u8]) -> String {
    let bucket = Bucket::of_object(key, bytes);
    let mut text = String::new();
    for sample_type in ["samples", "cpu"] {
        for n in 1..=5 {
            let spans = SpanSelector::Spans(span(n).into_iter().collect());
            let of_type = profile_type("process_cpu", sample_type);
            let answer = query(&bucket, "", &of_type, TimeRange::ALL, &spans);
            writeln!(
                text,
                "{sample_type} of span {}: {} profiles",
                span(n).unwrap(),
                answer.profiles
            )
            .unwrap();
            if answer.profiles > 0 {
                for (stack, value) in said(&answer.profile) {
                    writeln!(text, "  {} {value}", stack.join(";")).unwrap();
                }
            }
        }
    }
    text
}

#[test]
fn fixtures_with_links_say_what_they_always_said() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store");
    let mut bucket = filled(&pushes(), true);
    let mut objects = Vec::new();
    for (level, name) in [
        (0, "linked-segment"),
        (1, "linked-block"),
        (2, "linked-hour"),
    ] {
        if level > 0 {
            bucket.compact_all(level);
        }
        let key = bucket.catalog[0].key.clone();
        objects.push((name, key.clone(), bucket.objects[&key].clone()));
    }
    for (name, key, bytes) in objects {
        for version in 1..=CURRENT {
            let file = |ending| folder.join(format!("{name}-{version}.{ending}"));
            if version == CURRENT && std::env::var_os("BLESS").is_some() {
                std::fs::write(file("bin"), &bytes).unwrap();
                std::fs::write(file("txt"), text(&key, &bytes)).unwrap();
            }
            let expect = std::fs::read_to_string(file("txt")).unwrap();
            let kept = std::fs::read(file("bin")).unwrap();
            assert_eq!(text(&key, &kept), expect, "{}", file("bin").display());
            assert_eq!(text(&key, &bytes), expect, "written today: {name}");
        }
    }
}
