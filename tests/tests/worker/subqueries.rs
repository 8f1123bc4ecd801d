//! A query large enough to be split, under workerd: its parts run in invocations of their own,
//! through the worker's binding to itself, the second time they come from the cache, and the answer
//! is that of a fold over all profiles. And several of them at once beside pushes and a job, all of
//! which share the memory of one isolate.

mod memory;

use std::path::Path;
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use pilotlight_core::plans::{CatalogObject, CompactPlan, CompactTask, MAX_PARTITION_BYTES, Plan};
use pilotlight_core::store::{
    ChunkId, Directory, Level, ObjectKey, SegmentWriter, Series, SeriesRows, TenantId,
    encode_chunk, read_chunk,
};
use pilotlight_core::{Merger, Profile, ProfileBuilder, UnixNanos, canonical, parse_name};
use pilotlight_s3::Server;
use pilotlight_tests::client::{Answer, Client};
use pilotlight_tests::clock::now_millis;
use pilotlight_tests::local::Place;

use crate::shared::s3_variables;

const TYPE: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

/// Of what is pushed meanwhile, which says nothing of its period.
const OF_PUSHES: &str = "process_cpu:cpu:nanoseconds::";

/// The first day, at 10:00 UTC, milliseconds: four days of a month are still to come, and no retention has reached it.
static FIRST: LazyLock<i64> = LazyLock::new(|| now_millis() / DAY * DAY - 26 * DAY + 36_000_000);

const DAY: i64 = 86_400_000;

const DAYS: i64 = 5;

/// Stacks of each of these days: 350 kB.
const STACKS: usize = 2_500;

/// A profile with so many stacks of 140 bytes, whatever compresses it.
fn chunk(day: i64, stacks: usize) -> Vec<u8> {
    let mut state = day as u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state ^ state >> 29
    };
    let mut builder = ProfileBuilder::new();
    let shared = builder.named_stack(&["main", "work"]);
    let mut row = |_| {
        let name: String = (0..16).map(|_| format!("{:016x}", random())).collect();
        (builder.named_stack(&["main", &name]), random() as i64 >> 24)
    };
    let rows = (0..stacks)
        .map(&mut row)
        .chain([(shared, 1 + day)])
        .collect();
    let series = Series {
        labels: parse_name("large{region=eu}").expect("a name"),
        profile_type: TYPE.parse().expect("a type"),
        time: UnixNanos::from_millis(*FIRST + day * DAY),
        duration_nanos: 1_000,
        ..Series::default()
    };
    encode_chunk(
        ChunkId([day as u8; 16]),
        &builder.finish(),
        &[SeriesRows {
            series,
            rows,
            links: Vec::new(),
        }],
    )
    .expect("a chunk")
}

/// A block of level 2 with one profile: its name and its bytes.
fn block(day: i64, stacks: usize) -> (String, Vec<u8>) {
    let millis = *FIRST + day * DAY;
    let mut writer = SegmentWriter::new();
    writer.push(&chunk(day, stacks)).expect("a chunk");
    let (mut bytes, mut directory) = writer.finish().expect("a segment");
    let mut key = ObjectKey {
        tenant: TenantId::anonymous(),
        shard: 0,
        level: Level::Segment,
        millis,
        unique: 7,
    }
    .to_string();
    for (of, level) in [
        (Level::Segment, Level::Minutes),
        (Level::Minutes, Level::Hour),
    ] {
        let source = CatalogObject {
            key,
            level: of,
            size: bytes.len() as u64,
            directory,
        };
        let task = CompactTask {
            level,
            token: 1,
            unique: 7,
            partition: 0,
            partition_bytes: MAX_PARTITION_BYTES,
        };
        let mut plan = CompactPlan::new(vec![source], task).expect("a plan");
        for get in plan.wants() {
            plan.provide(
                &get,
                &bytes[get.offset as usize..(get.offset + get.length) as usize],
            )
            .expect("its bytes");
        }
        let output = plan.finish().expect("a block");
        (key, bytes) = (output.key, output.bytes);
        directory = Directory::of_object(&bytes).expect("its directory");
    }
    (key, bytes)
}

fn fold(days: i64, stacks: usize) -> Profile {
    let mut merger = Merger::new();
    for day in 0..days {
        merger
            .add(&read_chunk(&chunk(day, stacks), |_, _| true).expect("a chunk"))
            .expect("the same type");
    }
    merger.finish().profile
}

fn ask(client: &Client) -> Answer {
    let answer = try_ask(client, "service_name%3D%22large%22");
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer
}

fn try_ask(client: &Client, selector: &str) -> Answer {
    let (from, until) = (*FIRST - DAY, *FIRST + 40 * DAY);
    client
        .get(&format!(
            "/api/v1/profile?query={TYPE}%7B{selector}%7D&from={from}&until={until}"
        ))
        .expect("an answer")
}

/// Asks again when told to.
fn ask_again(client: &Client, selector: &str) -> Answer {
    for _ in 0..20 {
        let answer = try_ask(client, selector);
        if answer.status == 200 {
            return answer;
        }
        assert_eq!(
            (answer.status, answer.header("retry-after")),
            (503, Some("1")),
            "{}",
            answer.text()
        );
        println!("told to come again: {}", answer.text());
        thread::sleep(Duration::from_secs(1));
    }
    panic!("never answered");
}

/// A worker over a bucket with a block for each day.
fn place(
    name: &str,
    server: &Server,
    blocks: &[(String, Vec<u8>)],
    variables: &[(&'static str, String)],
) -> Place {
    blocks
        .iter()
        .for_each(|(key, bytes)| server.store().put(key, bytes.clone()));
    let bucket = s3_variables(server.endpoint());
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    Place {
        bound_to_itself: true,
        ..Place::fresh(&state, &[&bucket, variables].concat()).expect("a place")
    }
}

fn rebuild(client: &Client) {
    let rebuilt = client
        .post("/api/v1/admin/rebuild", "", b"")
        .expect("an answer");
    assert_eq!(rebuilt.status, 200, "{}", rebuilt.text());
}

/// A number that `/metrics` tells.
fn metric(client: &Client, name: &str) -> f64 {
    let metrics = client.get("/metrics").expect("an answer").text();
    let line = metrics
        .lines()
        .find(|line| line.starts_with(&format!("pilotlight_{name}")));
    line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
        .unwrap_or_else(|| panic!("{name}: {metrics}"))
}

fn count(answer: &Answer, name: &str) -> u64 {
    answer
        .header(name)
        .and_then(|value| value.parse().ok())
        .unwrap_or_else(|| panic!("{name}: {:?}", answer.headers))
}

#[test]
fn a_large_query_in_parts_and_from_the_cache() {
    let server = Server::start(0).expect("a bucket");
    let blocks: Vec<(String, Vec<u8>)> = (0..DAYS).map(|day| block(day, STACKS)).collect();
    let place = place(
        "parts",
        &server,
        &blocks,
        &[("SUBQUERY_BYTES", "400000".to_owned())],
    );
    let _running = place.start().unwrap_or_else(|problem| panic!("{problem}"));
    let client = Client::new(&place.url());
    rebuild(&client);

    let expect = fold(DAYS, STACKS);
    let check = |answer: &Answer| {
        let found = read_chunk(&answer.body, |_, _| true).expect("a chunk");
        assert_eq!(canonical(&found), expect, "{}", place.last_words());
        assert_eq!(count(answer, "x-pilotlight-profiles"), DAYS as u64);
        assert_eq!(count(answer, "x-pilotlight-objects"), DAYS as u64);
    };
    let first = ask(&client);
    check(&first);
    let told = |answer: &Answer| {
        ["subqueries", "cached", "calls"].map(|name| count(answer, &format!("x-pilotlight-{name}")))
    };
    assert_eq!(
        told(&first),
        [DAYS as u64, 0, DAYS as u64],
        "each day is a part"
    );
    let second = ask(&client);
    check(&second);
    assert_eq!(
        told(&second),
        [DAYS as u64, DAYS as u64, 0],
        "all from the cache"
    );
    assert_eq!(first.body, second.body);

    // What parts used is booked with the rest: the query itself, and its calls.
    let metric = |name: &str| metric(&client, &format!("{name}_total{{"));
    assert_eq!(metric("subqueries_cached"), DAYS as f64);
    let read: u64 = blocks.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    assert!(metric("bucket_bytes_out") > read as f64 / 2.0);
    assert!(metric("worker_requests") >= (2 + DAYS) as f64);
}
