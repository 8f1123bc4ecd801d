//! What one push costs in CPU: the request to a chunk in the stateless worker, and its share of
//! a segment in the shard; natively, in wasmtime and in V8, which is workerd's engine.
//!
//! `cargo bench -p pilotlight-tests --features e2e --bench push`. Warm: each request once to warm
//! up, and a hundred in all at least, then in rounds. Cold: the first push of a fresh instance, in V8 of a fresh process. The
//! target in WASM is 3 ms in the median and 10 ms in the 99th percentile for a profile of 30 kB;
//! 0.2 ms in the object. Chunks are asserted to be the same in every engine.

mod guest;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use pilotlight_fixtures::{fleet, otlp};
use pilotlight_guest::{list, push};
use pilotlight_tests::corpus;
use wasmtime::{Engine, Instance, Module, Store, TypedFunc};

/// Requests of the made-up service; a second of a thousand instances that push every 15 s is 67.
const FLEET: usize = 100;
const ROUNDS: usize = 20;
/// Pushes before the first that is timed: V8's optimising compiler takes some fifty.
const WARMING: usize = 100;
/// Fewest pushes that are timed.
const TIMED: usize = 200;
/// How many first pushes are timed.
const COLD: usize = 20;

/// What pushes took: request, milliseconds, and the number that it gave.
type Times = Vec<(usize, f64, u64)>;

fn main() {
    let module = guest::module();
    println!("{}: milliseconds\n", module.display());
    println!(
        "{:34} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "", "median", "p99", "most", "cold", "segment"
    );
    let fleet: Vec<Request> = fleet::profiles(FLEET)
        .into_iter()
        .map(Request::go)
        .collect();
    compare(&module, "service", &fleet);
    compare(&module, "corpus", &recorded());
    for (name, file) in RECORDINGS {
        let recording: Vec<Request> = corpus::read(file).map(Request::java).into_iter().collect();
        compare(&module, name, &recording);
    }
    compare(&module, "OTLP, 100 kB", &[Request::otlp()]);
}

/// JFR by size after inflation; the target in V8 is 60 ms for 1 MB.
const RECORDINGS: [(&str, &str); 3] = [
    ("JFR, 0.14 MB", "agents/java/out-wall.jfr"),
    ("JFR, 1.06 MB", "jfr/uint64-ref-id.jfr.gz"),
    ("JFR, 3.27 MB", "jfr/async-profiler.jfr.gz"),
];

/// What an agent sends.
struct Request {
    query: String,
    content_type: String,
    body: Vec<u8>,
}

impl Request {
    /// As pyroscope-go sends a profile.
    fn go(profile: Vec<u8>) -> Self {
        const BOUNDARY: &str = "1be2e76d8adda7f3374613e63836e9fe6c832e234782696bab551668ff3f";
        let name =
            "name=checkout%7B__session_id__%3D77e425ea48b3919f%2Cregion%3Deu%2Cversion%3D1.2.3%7D";
        let times =
            "from=1795236340000000000&until=1795236349818679315&sampleRate=100&spyName=gospy";
        let part = |name| {
            format!("Content-Disposition: form-data; name=\"{name}\"; filename=\"{name}\"\r\n\r\n")
        };
        let config = r#"{"samples":{"units":"samples","sampled":true},"cpu":{"units":"nanoseconds","sampled":true}}"#;
        let [profile_head, config_head] = ["profile", "sample_type_config"].map(part);
        let head = format!("--{BOUNDARY}\r\n{profile_head}");
        let rest = format!("\r\n--{BOUNDARY}\r\n{config_head}{config}\r\n--{BOUNDARY}--\r\n");
        Self {
            query: format!("{name}&{times}"),
            content_type: format!("multipart/form-data; boundary={BOUNDARY}"),
            body: [head.as_bytes(), &profile, rest.as_bytes()].concat(),
        }
    }

    /// A recording by itself, as it is.
    fn java(sample: corpus::Sample) -> Self {
        let query = "name=checkout%7Bregion%3Deu%7D&from=1795236340&until=1795236350&spyName=javaspy\
             &sampleRate=100&format=jfr";
        Self {
            query: query.to_owned(),
            content_type: "application/octet-stream".to_owned(),
            body: sample.bytes,
        }
    }

    /// A minute of a service as a profiler of hosts sends it, in 100 kB: 2,000 samples of 1,000
    /// stacks, 24 frames deep, of 600 functions. The target in V8 is 10 ms.
    fn otlp() -> Self {
        let functions = (0..600).map(|i| &*format!("shop.inventory.Warehouse{i}.reserve").leak());
        let sample = |i: u64| {
            let row = i % 1_000;
            let frame = |depth: u64| match depth {
                0..16 => (row / 40 * (depth + 7) + depth * 31) % 600 + 1,
                _ => (row * 37 + depth * 11) % 600 + 1,
            };
            otlp::Sample {
                stack: (0..24).rev().map(frame).collect(),
                attributes: vec![1 + i % 8],
                times: vec![1_795_236_290_000_000_000 + i * 30_000_000],
                ..otlp::Sample::default()
            }
        };
        let threads = (0..8).map(|i| ("thread.name", &*format!("worker-{i}").leak()));
        let profile = otlp::Profile {
            sample_type: ("samples", "count"),
            period_type: Some(("cpu", "nanoseconds")),
            period: 50_000_000,
            time: 1_795_236_290_000_000_000,
            duration: 60_000_000_000,
            samples: (0..2_000).map(sample).collect(),
            ..otlp::Profile::default()
        };
        let request = otlp::Request {
            functions: functions.collect(),
            attributes: threads.collect(),
            resources: vec![otlp::Resource {
                attributes: vec![("service.name", "checkout"), ("k8s.pod.name", "checkout-1")],
                profiles: vec![profile],
            }],
            ..otlp::Request::default()
        };
        Self {
            query: String::new(),
            content_type: "application/x-protobuf".to_owned(),
            body: request.encode(otlp::Style {
                version: otlp::Version::V1_11,
                packed: true,
                dictionary_first: false,
            }),
        }
    }

    fn item(&self) -> Vec<u8> {
        list([
            self.query.as_bytes(),
            self.content_type.as_bytes(),
            &self.body,
        ])
    }
}

/// Profiles of real programs between 10 and 100 kB.
fn recorded() -> Vec<Request> {
    let typical = |sample: &corpus::Sample| (9_000..100_000).contains(&sample.bytes.len());
    corpus::profiles()
        .into_iter()
        .filter(typical)
        .map(|sample| Request::go(sample.bytes))
        .collect()
}

fn compare(module: &Path, name: &str, requests: &[Request]) {
    if requests.is_empty() {
        return;
    }
    let items: Vec<Vec<u8>> = requests.iter().map(Request::item).collect();
    let input = list(items.iter().map(Vec::as_slice));
    let mean = requests
        .iter()
        .map(|request| request.body.len())
        .sum::<usize>()
        / requests.len();
    push::prepare_pushes(&input);
    let chunks = push::prepare_chunks() as usize / requests.len();
    println!(
        "{name}: {} requests of {mean} bytes, chunks of {chunks} bytes",
        requests.len()
    );
    let native = native(requests.len());
    for (engine, (warm, cold, segments)) in [
        ("wasmtime", in_wasmtime(module, &input, requests.len())),
        ("V8", in_v8(module, &input, requests.len())),
    ] {
        for &(index, _, result) in warm.iter().chain(&cold) {
            assert_eq!(
                result, native.0[index].2,
                "push {index} of {name} in {engine}"
            );
        }
        assert_eq!(
            segments[0].1, native.2[0].1,
            "the segment of {name} in {engine}"
        );
        print(
            &format!("  {engine}"),
            &warm,
            &cold,
            &segments,
            requests.len(),
        );
    }
    print("  native", &native.0, &native.1, &native.2, requests.len());
}

type Measured = (Times, Times, Vec<(f64, u64)>);

fn print(name: &str, warm: &Times, cold: &Times, segments: &[(f64, u64)], requests: usize) {
    let sorted = |times: &mut dyn Iterator<Item = f64>| {
        let mut times: Vec<f64> = times.collect();
        times.sort_by(f64::total_cmp);
        times
    };
    let warm = sorted(&mut warm.iter().map(|time| time.1));
    let cold = sorted(&mut cold.iter().map(|time| time.1));
    let segments = sorted(&mut segments.iter().map(|time| time.0));
    let (median, p99, most) = (
        warm[warm.len() / 2],
        warm[warm.len() * 99 / 100],
        warm[warm.len() - 1],
    );
    let cold = cold.get(cold.len() / 2).copied().unwrap_or(f64::NAN);
    let share = segments[segments.len() / 2] / requests as f64;
    println!("{name:34} {median:8.2} {p99:8.2} {most:8.2} {cold:8.2} {share:8.4}");
}

/// Rounds of so many requests: those before the first that is timed, and those that are.
fn rounds(count: usize) -> (usize, usize) {
    (WARMING.div_ceil(count), ROUNDS.max(TIMED.div_ceil(count)))
}

fn native(count: usize) -> Measured {
    let mut warm: Times = Vec::new();
    let (warming, rounds) = rounds(count);
    for round in 0..warming + rounds {
        let times = (0..count).map(|index| {
            let (time, result) = timed(|| push::push(index as u32));
            (index, time, result)
        });
        let times: Times = times.collect();
        if round >= warming {
            warm.extend(times);
        }
    }
    (
        warm,
        Vec::new(),
        (0..ROUNDS).map(|_| timed(push::gather)).collect(),
    )
}

fn in_wasmtime(module: &Path, input: &[u8], count: usize) -> Measured {
    let engine = Engine::default();
    let module = Module::from_file(&engine, module).expect("a WASM module");
    let instance = || {
        let mut store = Store::new(&engine, ());
        let instance = Instance::new(&mut store, &module, &[]).expect("a module without imports");
        let memory = instance
            .get_memory(&mut store, "memory")
            .expect("its memory");
        let alloc: TypedFunc<u32, u32> =
            instance.get_typed_func(&mut store, "alloc").expect("alloc");
        let prepare: TypedFunc<(u32, u32), u32> = instance
            .get_typed_func(&mut store, "prepare_pushes")
            .expect("prepare_pushes");
        let length = u32::try_from(input.len()).expect("a list below 4 GB");
        let at = alloc.call(&mut store, length).expect("room");
        memory
            .write(&mut store, at as usize, input)
            .expect("the room is there");
        prepare.call(&mut store, (at, length)).expect("no trap");
        let push: TypedFunc<u32, u64> = instance.get_typed_func(&mut store, "push").expect("push");
        (store, instance, push)
    };
    let cold = (0..COLD).map(|at| {
        let index = at % count;
        let (mut store, _, push) = instance();
        let (time, result) = timed(|| push.call(&mut store, index as u32).expect("no trap"));
        (index, time, result)
    });
    let cold = cold.collect();
    let (mut store, instance, push) = instance();
    let mut warm = Vec::new();
    let (warming, rounds) = rounds(count);
    for round in 0..warming + rounds {
        for index in 0..count {
            let (time, result) = timed(|| push.call(&mut store, index as u32).expect("no trap"));
            if round >= warming {
                warm.push((index, time, result));
            }
        }
    }
    let mut work =
        |name| -> TypedFunc<(), u64> { instance.get_typed_func(&mut store, name).expect(name) };
    let [prepare, gather] = [work("prepare_chunks"), work("gather")];
    prepare.call(&mut store, ()).expect("no trap");
    let segments = (0..ROUNDS).map(|_| timed(|| gather.call(&mut store, ()).expect("no trap")));
    (warm, cold, segments.collect())
}

fn in_v8(module: &Path, input: &[u8], count: usize) -> Measured {
    let cold = (0..COLD)
        .flat_map(|at| in_node(module, input, at % count, 0).0)
        .collect();
    let (warming, rounds) = rounds(count);
    let (warm, segments) = in_node(module, input, 0, warming + rounds);
    (warm[warming * count..].to_vec(), cold, segments)
}

/// Pushes in a process of its own, `first` first: that alone for no rounds, then rounds of all.
fn in_node(module: &Path, input: &[u8], first: usize, rounds: usize) -> (Times, Vec<(f64, u64)>) {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("push-bench.bin");
    std::fs::write(&file, input).expect("the target folder can be written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/push.mjs");
    let mut node = Command::new("node");
    node.arg(script)
        .arg(module)
        .arg(file)
        .args([first, rounds].map(|number| number.to_string()));
    let output = node
        .output()
        .expect("node is installed, as for the other tests");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let time = |value: &serde_json::Value| value.as_f64().expect("a time");
    let result = |value: &serde_json::Value| {
        value
            .as_str()
            .and_then(|number| number.parse().ok())
            .expect("a number")
    };
    let rows = |name: &str| answer[name].as_array().expect("a list").clone();
    let pushes = rows("pushes");
    let pushes = pushes.iter().map(|row| {
        (
            row[0].as_u64().expect("an index") as usize,
            time(&row[1]),
            result(&row[2]),
        )
    });
    let segments = rows("segments");
    (
        pushes.collect(),
        segments
            .iter()
            .map(|row| (time(&row[0]), result(&row[1])))
            .collect(),
    )
}

fn timed(work: impl FnOnce() -> u64) -> (f64, u64) {
    let started = Instant::now();
    let result = work();
    (started.elapsed().as_secs_f64() * 1e3, result)
}
