//! What is refused of a request, and what is stored all the same; what is stored of profiles that
//! share an id.

use pilotlight_core::ingest::{OtlpFormat, OtlpIngested};
use pilotlight_core::store::chunk_head;
use pilotlight_fixtures::otlp::{Out, Profile, Resource, Sample};

use crate::meaning::{STYLE, profile, request, resource};
use crate::{NOW, START, ids, pushed, stored};

const EVENTS: (&str, &str) = ("events", "count");

fn of(resources: Vec<Resource>) -> OtlpIngested {
    pushed(&request(resources).encode(STYLE))
}

fn total(outcome: &OtlpIngested) -> i64 {
    stored(outcome)
        .into_values()
        .flat_map(|stacks| stacks.into_values())
        .sum()
}

/// A sample of a location that is not there.
fn dangling() -> Sample {
    Sample {
        stack: vec![99],
        values: vec![1],
        ..Sample::default()
    }
}

#[test]
fn a_profile_that_cannot_be_read_is_refused_alone() {
    let mut bad = profile(EVENTS);
    bad.samples = vec![dangling()];
    let outcome = of(vec![resource("a", vec![bad.clone(), profile(EVENTS)])]);
    assert_eq!(outcome.rejected_profiles, 1);
    assert!(!outcome.is_refused());
    assert_eq!(total(&outcome), 3);
    let says = "profile 0 (counted from 0): location 99 is not in the dictionary, which has 3";
    assert_eq!(outcome.reasons(), says);
    let json = String::from_utf8(outcome.response(OtlpFormat::Json)).unwrap();
    assert_eq!(
        json,
        format!(r#"{{"partialSuccess":{{"rejectedProfiles":"1","errorMessage":"{says}"}}}}"#)
    );
    let answer = Out::default().message(1, Out::default().int(1, 1).bytes(2, says.as_bytes()));
    assert_eq!(outcome.response(OtlpFormat::Protobuf), answer.0);
    assert!(of(vec![resource("a", vec![bad])]).is_refused());
    // A type that no query could name.
    let nameless = of(vec![resource("a", vec![profile(("a b", "c"))])]);
    assert!(nameless.is_refused(), "{}", nameless.reasons());
}

#[test]
fn a_sample_that_cannot_be_read_is_left_out_alone() {
    let good = profile(EVENTS).samples[0].clone();
    let attributes = |attributes| Sample {
        attributes,
        ..good.clone()
    };
    let mut one = profile(EVENTS);
    one.samples = vec![good.clone(), dangling(), attributes(vec![77]), good.clone()];
    let mut link = profile(EVENTS);
    let linked = Sample { link: 9, ..good };
    link.samples.push(linked);
    let outcome = of(vec![resource("a", vec![one, link, profile(EVENTS)])]);
    assert_eq!(outcome.rejected_profiles, 2);
    assert_eq!(total(&outcome), 4 * 3);
    let reasons = outcome.reasons();
    let (first, second) = reasons.split_once("; profile 1").expect("two reasons");
    assert_eq!(
        first,
        "profile 0 (counted from 0): 2 of 4 samples are left out; \
         the first: location 99 is not in the dictionary, which has 3"
    );
    assert!(second.contains("1 of 2 samples are left out; the first: link 9"));
    let counts: Vec<u64> = outcome.rejections().map(|(count, _)| count).collect();
    assert_eq!(counts, [1, 1]);
}

/// What only shows when the chunk is made: labels, and sums beyond 64 bits.
#[test]
fn a_profile_that_cannot_be_stored_is_refused_alone() {
    let mut sum = profile(EVENTS);
    sum.samples = vec![sum.samples[0].clone(); 2];
    sum.samples[0].values = vec![u64::MAX >> 1];
    let mut named = request(vec![resource(
        "a",
        vec![profile(EVENTS), sum, profile(EVENTS)],
    )]);
    let name: &'static str = "n".repeat(2_000).leak();
    named.attributes.push((name, "x"));
    let row = named.attributes.len() as u64;
    let mut label = profile(EVENTS);
    label.samples[0].attributes = vec![row];
    named.resources[0].profiles.push(label);
    let body = named.encode(STYLE);
    let outcome = pushed(&body);
    assert_eq!(outcome.rejected_profiles, 2);
    assert_eq!(total(&outcome), 2 * 3);
    let reasons = outcome.reasons();
    assert!(reasons.starts_with("profile 1 "), "{reasons}");
    assert!(reasons.contains("; profile 3 "), "{reasons}");
    // A retry is the same push.
    assert_eq!(ids(&pushed(&body)), ids(&outcome));
    assert_eq!(outcome.ingested.chunks.len(), 1);
}

/// A profile whose samples are of several services is refused once.
#[test]
fn a_profile_of_several_services_is_refused_once() {
    let mut sum = profile(EVENTS);
    let large = Sample {
        values: vec![u64::MAX >> 1],
        ..sum.samples[0].clone()
    };
    // Attribute 1 is a service.
    let other = Sample {
        attributes: vec![1],
        ..large.clone()
    };
    sum.samples = vec![large.clone(), large, other.clone(), other];
    let outcome = of(vec![resource("a", vec![sum])]);
    assert_eq!(outcome.rejected_profiles, 1);
    assert!(outcome.is_refused());
}

/// A producer may give one id to all that it measured at once.
#[test]
fn profiles_of_one_id_are_told_by_type_start_and_labels() {
    let with_id = |sample_type, time| Profile {
        id: vec![7; 16],
        time,
        ..profile(sample_type)
    };
    let in_zone = |zone, one| {
        let mut resource = resource("a", vec![one]);
        resource.attributes.push(("zone", zone));
        resource
    };
    let cpu = with_id(("cpu", "nanoseconds"), START);
    let each = [
        in_zone("x", cpu.clone()),
        in_zone("x", with_id(EVENTS, START)),
        in_zone("x", with_id(EVENTS, START + 1)),
        in_zone("y", cpu.clone()),
        in_zone("x", with_id(EVENTS, 0)),
    ];
    let mut alone = Vec::new();
    for one in &each {
        let id = ids(&of(vec![one.clone()]));
        assert_eq!(ids(&of(vec![one.clone()])), id, "a retry");
        alone.extend(id);
    }
    let mut distinct = alone.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), each.len());
    // Together they are the same chunks, and one that comes twice counts once.
    let all = [&each[..], &[in_zone("x", cpu)]].concat();
    let outcome = of(all);
    let mut together = ids(&outcome);
    together.sort_unstable();
    assert_eq!(together, distinct);
    assert_eq!(total(&outcome), 5 * 3);
    let starts = outcome.ingested.chunks.iter().map(|chunk| {
        let head = chunk_head(&chunk.bytes).unwrap();
        assert_eq!(head.series.len(), 1);
        head.series[0].time.0
    });
    assert!(starts.max() > Some(START as i64 + 1));
}

#[test]
fn a_start_in_1970_is_told_and_not_kept() {
    let mut early = profile(EVENTS);
    early.time = 300_000_000;
    let outcome = of(vec![resource("a", vec![early, profile(EVENTS)])]);
    let heads = outcome.ingested.chunks.iter();
    let heads = heads.map(|chunk| chunk_head(&chunk.bytes).expect("our own chunk"));
    let mut starts: Vec<_> = heads
        .flat_map(|head| head.series)
        .map(|series| series.time.0)
        .collect();
    starts.sort_unstable();
    assert_eq!(starts, [START as i64, NOW.0]);
    let says = "profile 0 (counted from 0): the profile starts at 300000000 nanoseconds since 1970, which is before 2000; the arrival time is used instead";
    let json = String::from_utf8(outcome.response(OtlpFormat::Json)).unwrap();
    assert_eq!(
        json,
        format!(r#"{{"partialSuccess":{{"rejectedProfiles":"0","errorMessage":"{says}"}}}}"#)
    );
}
