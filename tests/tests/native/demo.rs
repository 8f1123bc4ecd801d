//! The made-up hour: what it shows, and that it is the same everywhere.

use pilotlight_core::push_v1::{RawSeries, from_proto};
use pilotlight_tests::demo::{DEPLOY_SECONDS, Demo, Kind, Moment, SERVICES, history, push_request};
use pilotlight_tests::oracle::Oracle;
use sha2::{Digest, Sha256};

fn share(before_end: i64, function: &str) -> (f64, i128) {
    let moments = history();
    let found = moments.iter().find(|m| {
        m.service.name == "checkout" && m.kind == Kind::Cpu && m.before_end == before_end
    });
    let (_, body) = found
        .expect("a profile every quarter minute")
        .push(1_700_000_000);
    let oracle = Oracle::read(&body);
    let total = oracle.total(1);
    let own = oracle.functions(1).get(function).map_or(0, |f| f.1);
    (own as f64 / total as f64, total)
}

#[test]
fn the_deploy_shows() {
    let pricing = "github.com/acme/shop/orders.(*Service).priceWithDiscounts";
    let (before, total_before) = share(DEPLOY_SECONDS + 60, pricing);
    let (after, total_after) = share(DEPLOY_SECONDS - 60, pricing);
    assert!(before < 0.15 && after > 2.0 * before, "{before} → {after}");
    assert!(total_after > total_before, "{total_before} → {total_after}");
    assert_eq!(share(DEPLOY_SECONDS + 60, "regexp.compile").0, 0.0);
}

#[test]
fn equal_seeds_give_equal_bytes() {
    let moments = history();
    assert_eq!(moments.len(), 2 * (240 + 3 * 120 + 4 * 60));
    for moment in moments.iter().step_by(97) {
        assert_eq!(moment.push(1_700_000_000), moment.push(1_700_000_000));
    }
}

/// Requests hold the profiles that `/ingest` gets, and are known as made up.
#[test]
fn requests_have_every_profile_with_its_labels() {
    let (end, moments) = (1_790_000_000, history());
    let bytes = push_request(&moments[..3], end);
    let request = from_proto(&bytes).expect("a request");
    for (series, moment) in request.series.iter().zip(&moments) {
        assert_eq!(
            series.labels.last(),
            Some(&("demo".to_owned(), "true".to_owned()))
        );
        let texts = |series: &RawSeries<'_>| format!("{:?}", series.labels);
        for text in [moment.service.name, moment.region, moment.version()] {
            assert!(texts(series).contains(text), "{text}: {}", texts(series));
        }
        let [sample] = &series.samples[..] else {
            panic!("{} profiles", series.samples.len());
        };
        let pushed = Oracle::read(&moment.push(end).1);
        assert_eq!(Oracle::read(&sample.profile).samples, pushed.samples);
    }
    assert_eq!(request.series.len(), 3);
}

/// `site/test/demo.test.ts` computes the same of the WASM module.
#[test]
fn the_hour_is_the_same_natively_and_in_wasm() {
    let demo = Demo::new(1_790_000_000.0);
    let mut hash = Sha256::new();
    for index in 0..demo.requests() {
        hash.update(demo.request(index).expect("a request"));
    }
    assert!(demo.request(demo.requests()).is_none());
    let kept = include_str!("../../../wasm-viewer/demo/digest.txt").trim();
    assert_eq!(format!("{:x}", hash.finalize()), kept);
}

#[test]
fn stacks_are_deep() {
    for service in &SERVICES {
        let moment = Moment {
            service,
            region: "eu",
            kind: Kind::Cpu,
            before_end: 600,
        };
        let oracle = Oracle::read(&moment.push(1_700_000_000).1);
        let deepest = oracle.samples.iter().map(|s| s.stack.len()).max();
        assert!(
            (14..40).contains(&deepest.unwrap_or(0)),
            "{}: {deepest:?}",
            service.name
        );
        assert!(
            oracle.samples.len() > 25,
            "{}: {} stacks",
            service.name,
            oracle.samples.len()
        );
    }
}
