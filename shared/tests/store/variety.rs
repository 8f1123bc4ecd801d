//! Services whose pushes share few stacks: a query for the largest nodes is answered however many
//! there are, and is wrong by no more than it says.

use pilotlight_core::plans::{AnswerSum, Outgrown, Plan, QueryAnswer, QueryPlan};
use pilotlight_core::store::{ChunkId, Series, SeriesRows, encode_chunk};
use pilotlight_core::{By, CallTree, Merger, NodeId, ProfileType, Selector, TimeRange, UnixNanos};
use pilotlight_fixtures::counting::measure;

use crate::service::{Numbers, service};
use crate::support::{Bucket, labels, profile_type};

fn cpu() -> ProfileType {
    profile_type("process_cpu", "cpu")
}

/// Pushes of programs of these names, a segment and a second each, and their exact tree of names.
fn pushes(programs: impl Iterator<Item = String>) -> (Bucket, CallTree) {
    let (mut numbers, mut bucket, mut exact) = (Numbers(1), Bucket::default(), Merger::new());
    for (at, program) in (1..).zip(programs) {
        let (tables, rows) = service(&mut numbers, &program);
        let time = UnixNanos(at * 1_000_000_000);
        let series = Series {
            labels: labels(&[("service_name", "a")]),
            profile_type: cpu(),
            time,
            duration_nanos: 1,
            total: 0,
        };
        let mut id = [0; 16];
        id[..8].copy_from_slice(&at.to_le_bytes());
        let rows = SeriesRows {
            series,
            rows,
            links: Vec::new(),
        };
        bucket.put_segment(at, &[encode_chunk(ChunkId(id), &tables, &[rows]).unwrap()]);
        let range = TimeRange {
            from: time,
            until: UnixNanos(time.0 + 1),
        };
        let answer = bucket.query("", &cpu(), range).unwrap();
        exact.add(&answer.profile).unwrap();
    }
    let exact = exact.finish_as_met().profile;
    (bucket, CallTree::new(&exact, 0, By::Name))
}

/// The answer, and how many megabytes it took at once.
fn measured(what: &str, answer: impl FnOnce() -> QueryAnswer) -> (f64, QueryAnswer) {
    let (used, answer) = measure(answer);
    let peak = used.peak as f64 / 1e6;
    println!(
        "{what}: {peak:.1} MB, {} stacks, {:?}",
        answer.profile.stacks().len(),
        answer.error_bounds
    );
    (peak, answer)
}

/// Every node of the exact tree is in the answer with a total that is too low by the bound at most,
/// or has no more than that. Gives how many nodes the answer lacks.
fn check(answer: &QueryAnswer, exact: &CallTree) -> usize {
    let found = CallTree::new(&answer.profile, 0, By::Name);
    let bound = answer.error_bounds.node as i64;
    assert_eq!(found.total(), exact.total());
    let (mut pairs, mut lacking) = (vec![(NodeId::ROOT, NodeId::ROOT)], 0);
    while let Some((ours, theirs)) = pairs.pop() {
        let lost = exact.total_value(theirs) - found.total_value(ours);
        assert!((0..=bound).contains(&lost), "{lost} lost, bound {bound}");
        let mut known = found.shape().children(ours).peekable();
        for child in exact.shape().children(theirs) {
            match known.next_if(|&k| found.shape().name(k) == exact.shape().name(child)) {
                Some(ours) => pairs.push((ours, child)),
                None => {
                    assert!(exact.total_value(child) <= bound);
                    lacking += 1;
                }
            }
        }
        assert_eq!(known.next(), None, "no node is made up");
    }
    lacking
}

/// Asks for everything in every way.
fn check_all(what: &str, bucket: &Bucket, exact: &CallTree) {
    let refused = bucket.query("", &cpu(), TimeRange::ALL).unwrap_err();
    assert!(
        refused.to_string().contains("more than 32 MiB"),
        "{refused}"
    );
    let (peak, whole) = measured(what, || {
        let answer = bucket.query_when("", &cpu(), TimeRange::ALL, Outgrown::Fold);
        answer.unwrap()
    });
    assert!(peak < 96.0, "{what}: {peak} MB");
    assert!(!whole.error_bounds.is_exact());
    assert!(check(&whole, exact) > 0);

    let (peak, parts) = measured(&format!("{what}, in parts"), || {
        let mut sum = AnswerSum::new().when(Outgrown::Fold);
        for objects in bucket.catalog.chunks(bucket.catalog.len().div_ceil(3)) {
            let plan = QueryPlan::new(&Selector::default(), &cpu(), TimeRange::ALL, objects);
            let mut plan = plan.unwrap().when(Outgrown::Fold.of_part());
            for get in plan.wants() {
                plan.provide(&get, bucket.read(&get)).unwrap();
            }
            let answer = plan.finish().unwrap();
            let sent = answer.encode(&cpu()).unwrap();
            let bounds = answer.error_bounds;
            drop(answer);
            let answer = QueryAnswer::decode(&sent, &cpu()).unwrap();
            assert_eq!(answer.error_bounds, bounds);
            sum.add(&answer).unwrap();
        }
        sum.finish()
    });
    assert!(peak < 108.0, "{what}, in parts: {peak} MB");
    check(&parts, exact);
}

#[test]
fn a_service_whose_pushes_share_few_stacks() {
    let (mut bucket, exact) = pushes((0..64).map(|_| "checkout".to_owned()));
    println!("{} nodes", exact.shape().len());
    check_all("segments", &bucket, &exact);
    bucket.compact_all(1);
    check_all("a block", &bucket, &exact);
}

#[test]
fn processes_that_share_no_function() {
    let (mut bucket, exact) = pushes((0..44).map(|at| format!("program{at}")));
    println!("{} nodes", exact.shape().len());
    check_all("segments", &bucket, &exact);
    bucket.compact_all(1);
    check_all("a block", &bucket, &exact);
}
