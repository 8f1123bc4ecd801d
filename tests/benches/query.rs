//! What a query over stored objects costs in CPU, from rows of the catalog and bytes of the bucket
//! to the chunk of the answer: natively, in wasmtime and in V8, which is workerd's engine.
//!
//! `cargo bench -p pilotlight-tests --features e2e --bench query`. Of a process of its own in V8,
//! and of a fresh instance in wasmtime, the first query is told apart: its code is still being
//! compiled. Then come rounds to warm up and rounds that count. Answers are asserted to be the same
//! in every engine.

mod guest;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use pilotlight_core::gzip::inflate;
use pilotlight_core::ingest::{Push, ingest};
use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::plans::{
    CatalogObject, CompactPlan, CompactTask, Get, MAX_PARTITION_BYTES, Plan,
};
use pilotlight_core::store::{Level, ObjectKey, SegmentWriter, SumWindow, TenantId};
use pilotlight_core::{TimeRange, UnixNanos};
use pilotlight_fixtures::fleet;
use pilotlight_guest::{list, query};
use wasmtime::{Engine, Instance, Module, Store, TypedFunc};

/// Profiles of an hour that is over, which are one block of level 2.
const PAST: usize = 1_500;
/// Different profiles, which come again until the hour is full: a service that does much the same
/// all the time, and one of which no two profiles are alike.
const DISTINCT: [usize; 2] = [60, PAST];
/// Profiles of each block of level 1 of an hour that is not: of eight minutes, of two minutes, of
/// half a minute.
const BLOCKS: [usize; 12] = [200, 200, 200, 200, 200, 200, 50, 50, 50, 12, 12, 12];
/// Those of the segments that no job has taken yet: half a minute of a hundred processes, each of
/// which pushes CPU and memory in turn.
const LEFT: [usize; 5] = [20; 5];
/// Profiles of a segment: a flush of some seconds.
const SEGMENT: usize = 10;
/// Processes of the service, each a series.
const PROCESSES: usize = 100;

const SELECTOR: &str = r#"{service_name="checkout"}"#;
const TYPE: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
/// When the hour begins: some time in 2026.
const HOUR: i64 = 498_676 * SumWindow::Hour.nanos();

/// Number of a profile's field `time_nanos`.
const TIME_NANOS: u8 = 9;

/// So that the optimising compiler has seen everything.
const WARM_UP: usize = 10;
const ROUNDS: usize = 30;

/// Milliseconds of each query, and the number that it gave.
type Times = Vec<(f64, u64)>;

fn main() {
    let module = guest::module();
    println!("{}: {ROUNDS} rounds, milliseconds\n", module.display());
    println!(
        "{:34} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "", "median", "ratio", "least", "ratio", "first"
    );
    for distinct in DISTINCT {
        hours(&module, &fleet::profiles(distinct));
    }
}

/// Queries of hours over which these profiles come again and again.
fn hours(module: &Path, profiles: &[Vec<u8>]) {
    let started = Instant::now();
    let chunks: Vec<Vec<u8>> = profiles
        .iter()
        .cycle()
        .take(PAST)
        .enumerate()
        .map(|(at, p)| chunk(at, p))
        .collect();
    let (last, past) = (last_hour(&chunks), past_hour(&chunks));
    println!(
        "{} different profiles, prepared in {:.1?}",
        profiles.len(),
        started.elapsed()
    );
    let range = |from, until| TimeRange::of_nanos(HOUR + from, HOUR + until);
    let (minute, hour) = (SumWindow::Minute.nanos(), SumWindow::Hour.nanos());
    compare(
        module,
        "the last hour",
        &last,
        range(0, hour),
        BLOCKS.iter().chain(&LEFT).sum(),
    );
    compare(module, "a past hour", &past, range(0, hour), PAST);
    // Half a minute is twelve and a half profiles; what is cut off at the end begins with a
    // profile.
    compare(
        module,
        "a past hour, cut within minutes",
        &past,
        range(minute / 2, hour - minute / 2),
        PAST - 13 - 12,
    );
}

/// What a push of a profile becomes; the first is of the hour's beginning, and [`PAST`] fill the
/// hour.
fn chunk(at: usize, profile: &[u8]) -> Vec<u8> {
    let from = time(at);
    let until = from + 10_000_000_000;
    let process = at % PROCESSES;
    let name = format!("name=checkout%7Bregion%3Deu%2Cversion%3D1.2.3%2Cinstance%3D{process}%7D");
    let query = format!("{name}&from={from}&until={until}&spyName=gospy&format=pprof");
    let (tenant, client, now) = ("anonymous", "192.0.2.1", UnixNanos(until));
    // The generator's profiles are all of one moment. One that says no time has that of the
    // request, and of a field that comes twice the last one counts.
    let mut body = inflate(profile, MAX_PROFILE_BYTES)
        .expect("our own")
        .expect("gzip");
    body.extend([TIME_NANOS << 3, 0]);
    let push = Push {
        query: &query,
        content_type: "application/octet-stream",
        body: &body,
        tenant,
        client,
        now,
        limits: Default::default(),
    };
    ingest(&push)
        .expect("a good request")
        .chunks
        .pop()
        .expect("a profile with samples")
        .bytes
}

fn time(at: usize) -> i64 {
    HOUR + at as i64 * (SumWindow::Hour.nanos() / PAST as i64)
}

/// A bucket with its catalog, object by object.
#[derive(Default)]
struct Bucket {
    catalog: Vec<CatalogObject>,
    objects: Vec<Vec<u8>>,
    /// Profiles in it; they come in the order of their times.
    profiles: usize,
}

/// As compaction leaves an hour that is not over.
fn last_hour(chunks: &[Vec<u8>]) -> Bucket {
    let mut bucket = Bucket::default();
    BLOCKS.iter().for_each(|&count| bucket.block(chunks, count));
    LEFT.iter().for_each(|&count| bucket.segment(chunks, count));
    bucket
}

/// As compaction leaves one that is.
fn past_hour(chunks: &[Vec<u8>]) -> Bucket {
    let mut bucket = Bucket::default();
    while bucket.profiles < chunks.len() {
        bucket.block(chunks, BLOCKS[0].min(chunks.len() - bucket.profiles));
    }
    bucket.compact(Level::Hour, 0);
    bucket
}

impl Bucket {
    /// The next profiles as a block of level 1.
    fn block(&mut self, chunks: &[Vec<u8>], count: usize) {
        let (first, until) = (self.catalog.len(), self.profiles + count);
        while self.profiles < until {
            self.segment(chunks, SEGMENT.min(until - self.profiles));
        }
        self.compact(Level::Minutes, first);
    }

    /// The next profiles as a segment.
    fn segment(&mut self, chunks: &[Vec<u8>], count: usize) {
        let (tenant, millis) = (TenantId::anonymous(), time(self.profiles) / 1_000_000);
        let key = ObjectKey {
            tenant,
            shard: 0,
            level: Level::Segment,
            millis,
            unique: 7,
        }
        .to_string();
        let mut writer = SegmentWriter::new();
        for chunk in &chunks[self.profiles..][..count] {
            writer.push(chunk).expect("our own");
        }
        let (bytes, directory) = writer.finish().expect("a small segment");
        self.catalog.push(CatalogObject {
            key,
            level: Level::Segment,
            size: bytes.len() as u64,
            directory,
        });
        self.objects.push(bytes);
        self.profiles += count;
    }

    /// Puts a block in the place of all objects from this one on.
    fn compact(&mut self, level: Level, first: usize) {
        let (sources, objects) = (self.catalog.split_off(first), self.objects.split_off(first));
        let task = CompactTask {
            level,
            token: 7,
            unique: 7,
            partition: 0,
            partition_bytes: MAX_PARTITION_BYTES,
        };
        let mut plan = CompactPlan::new(sources.clone(), task).expect("good sources");
        let output = loop {
            let wants = plan.wants();
            if wants.is_empty() {
                break plan.finish().expect("all was read");
            }
            for get in wants {
                let at = sources
                    .iter()
                    .position(|source| source.key == get.key)
                    .expect("one of the sources");
                plan.provide(&get, read(&objects[at], &get))
                    .expect("our own");
            }
        };
        assert_eq!(
            output.directory.block().expect("a block").partition.count,
            1,
            "the job is too large for one block"
        );
        let size = output.bytes.len() as u64;
        self.catalog.push(CatalogObject {
            key: output.key,
            level,
            size,
            directory: output.directory,
        });
        self.objects.push(output.bytes);
    }

    /// A query of it as the guest wants it.
    fn ask(&self, range: TimeRange) -> Vec<u8> {
        let [from, until] = [range.from, range.until].map(|time| time.0.to_le_bytes());
        let objects = self.catalog.iter().zip(&self.objects).map(|(row, bytes)| {
            let directory = row.directory.encode().expect("a small directory");
            list([row.key.as_bytes(), &[row.level.number()], &directory, bytes])
        });
        let objects: Vec<Vec<u8>> = objects.collect();
        let head: [&[u8]; 4] = [SELECTOR.as_bytes(), TYPE.as_bytes(), &from, &until];
        list(head.into_iter().chain(objects.iter().map(Vec::as_slice)))
    }
}

fn read<'a>(object: &'a [u8], get: &Get) -> &'a [u8] {
    &object[get.offset as usize..][..get.length as usize]
}

fn compare(module: &Path, name: &str, bucket: &Bucket, range: TimeRange, profiles: usize) {
    let input = bucket.ask(range);
    query::prepare_query(&input);
    let native = rounds(query::query);
    let answer = query::answer();
    assert_eq!(answer.profiles, profiles as u64, "the profiles of {name}");
    let (objects, kib, stacks) = (answer.objects, answer.bytes >> 10, answer.profile.len());
    println!(
        "{name}: {profiles} profiles in {objects} objects, {kib} KiB read, an answer of {stacks} stacks"
    );
    for (engine, times) in [
        ("native", &native),
        ("wasmtime", &in_wasmtime(module, &input)),
        ("V8", &in_v8(module, &input)),
    ] {
        assert!(
            times.iter().all(|time| time.1 == native[0].1),
            "the answer to {name} in {engine}"
        );
        let ([median, least], [native_median, native_least]) = (warm(times), warm(&native));
        let ratios = [median / native_median, least / native_least];
        let name = format!("  {engine}");
        println!(
            "{name:34} {median:8.2} {:8.2} {least:8.2} {:8.2} {:8.2}",
            ratios[0], ratios[1], times[0].0
        );
    }
}

/// Median and least of the rounds that count; the least is what a busy machine leaves as it is.
fn warm(times: &Times) -> [f64; 2] {
    let mut times: Vec<f64> = times[WARM_UP..].iter().map(|time| time.0).collect();
    times.sort_by(f64::total_cmp);
    [times[times.len() / 2], times[0]]
}

fn in_wasmtime(module: &Path, input: &[u8]) -> Times {
    let engine = Engine::default();
    let module = Module::from_file(&engine, module).expect("a WASM module");
    let mut store = Store::new(&engine, ());
    let instance = Instance::new(&mut store, &module, &[]).expect("a module without imports");
    let memory = instance
        .get_memory(&mut store, "memory")
        .expect("its memory");
    let alloc: TypedFunc<u32, u32> = instance.get_typed_func(&mut store, "alloc").expect("alloc");
    let prepare: TypedFunc<(u32, u32), u32> = instance
        .get_typed_func(&mut store, "prepare_query")
        .expect("prepare_query");
    let length = u32::try_from(input.len()).expect("a list below 4 GB");
    let at = alloc.call(&mut store, length).expect("room");
    memory
        .write(&mut store, at as usize, input)
        .expect("the room is there");
    prepare.call(&mut store, (at, length)).expect("no trap");
    let query: TypedFunc<(), u64> = instance.get_typed_func(&mut store, "query").expect("query");
    rounds(|| query.call(&mut store, ()).expect("no trap"))
}

fn in_v8(module: &Path, input: &[u8]) -> Times {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("query-bench.bin");
    std::fs::write(&file, input).expect("the target folder can be written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/query.mjs");
    let mut node = Command::new("node");
    node.arg(script)
        .arg(module)
        .arg(file)
        .arg((WARM_UP + ROUNDS).to_string());
    let output = node
        .output()
        .expect("node is installed, as for the other tests");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let rows: Vec<(f64, String)> =
        serde_json::from_slice(&output.stdout).expect("a list of times and numbers");
    rows.into_iter()
        .map(|(time, number)| (time, number.parse().expect("a number")))
        .collect()
}

fn rounds(mut work: impl FnMut() -> u64) -> Times {
    let timed = |_| {
        let started = Instant::now();
        let result = work();
        (started.elapsed().as_secs_f64() * 1e3, result)
    };
    (0..WARM_UP + ROUNDS).map(timed).collect()
}
