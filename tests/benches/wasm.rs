//! How much slower the core is as WASM: the same work natively, in wasmtime and in V8, one after
//! the other in one go.
//!
//! `cargo bench -p pilotlight-tests --features e2e --bench wasm`. The module is the one that
//! PILOTLIGHT_CORE_WASM names, or is built here with the release profile. Results are asserted to
//! be the same. The target is at most twice the native time; for a thousand agents' profiles,
//! decoding included, one second native and two in WASM.

mod guest;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use pilotlight_core::pprof::encode;
use pilotlight_fixtures::{fleet, synthetic};
use pilotlight_guest::list;
use pilotlight_guest::work::{WORK, Work, prepare};
use wasmtime::{Engine, Instance, Memory, Module, Store, TypedFunc};

/// Runs of each piece of work, of which the median counts.
const RUNS: usize = 7;
const AGENTS: usize = 1_000;

/// What one engine took, in milliseconds, and what it gave.
#[derive(Clone, Copy, Debug)]
struct Timed {
    median: f64,
    result: u64,
}

fn main() {
    let module = guest::module();
    let size = std::fs::metadata(&module).expect("the module").len();
    println!(
        "{} ({size} bytes), median of {RUNS} runs in ms\n",
        module.display()
    );
    println!(
        "{:28} {:>9} {:>9} {:>6} {:>9} {:>6}",
        "", "native", "wasmtime", "", "V8", ""
    );
    let single = &WORK[..WORK.len() - 1];
    for samples in [150_000, 420_000] {
        let input = list([&encode(&synthetic::profile(samples))[..]]);
        compare(&module, &format!("{}k", samples / 1_000), &input, single);
    }
    let agents = fleet::profiles(AGENTS);
    compare(
        &module,
        "agents1000",
        &list(agents.iter().map(Vec::as_slice)),
        &WORK[WORK.len() - 1..],
    );
}

/// Times the work on an input in every engine, and prints a line each.
fn compare(module: &Path, name: &str, input: &[u8], works: &[(&str, Work)]) {
    let native = native(input, works);
    let wasmtime = in_wasmtime(module, input, works);
    let v8 = in_v8(module, input, works);
    for (i, (work, _)) in works.iter().enumerate() {
        let native = native[i];
        for (engine, timed) in [("wasmtime", wasmtime[i]), ("V8", v8[i])] {
            assert_eq!(timed.result, native.result, "{work} of {name} in {engine}");
        }
        let ratio = |timed: Timed| timed.median / native.median;
        let (a, b) = (wasmtime[i], v8[i]);
        let work = work.trim_start_matches("work_");
        let [native, first, second] = [native.median, a.median, b.median];
        println!(
            "{:28} {native:9.1} {first:9.1} {:5.2}x {second:9.1} {:5.2}x",
            format!("{name} {work}"),
            ratio(a),
            ratio(b)
        );
    }
}

fn native(input: &[u8], works: &[(&str, Work)]) -> Vec<Timed> {
    prepare(input);
    works.iter().map(|(_, work)| timed(work)).collect()
}

fn in_wasmtime(module: &Path, input: &[u8], works: &[(&str, Work)]) -> Vec<Timed> {
    let engine = Engine::default();
    let module = Module::from_file(&engine, module).expect("a WASM module");
    let mut store = Store::new(&engine, ());
    let instance = Instance::new(&mut store, &module, &[]).expect("a module without imports");
    let memory: Memory = instance
        .get_memory(&mut store, "memory")
        .expect("its memory");
    let alloc: TypedFunc<u32, u32> = instance.get_typed_func(&mut store, "alloc").expect("alloc");
    let prepare: TypedFunc<(u32, u32), u32> = instance
        .get_typed_func(&mut store, "prepare")
        .expect("prepare");
    let length = u32::try_from(input.len()).expect("a list below 4 GB");
    let at = alloc.call(&mut store, length).expect("room");
    memory
        .write(&mut store, at as usize, input)
        .expect("the room is there");
    prepare.call(&mut store, (at, length)).expect("no trap");
    let each = works.iter().map(|(name, _)| {
        let work: TypedFunc<(), u64> = instance.get_typed_func(&mut store, name).expect("the work");
        timed(|| work.call(&mut store, ()).expect("no trap"))
    });
    each.collect()
}

fn in_v8(module: &Path, input: &[u8], works: &[(&str, Work)]) -> Vec<Timed> {
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wasm-bench.bin");
    std::fs::write(&list, input).expect("the target folder can be written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/wasm.mjs");
    let mut node = Command::new("node");
    node.arg(script)
        .arg(module)
        .arg(RUNS.to_string())
        .arg(list)
        .args(works.iter().map(|(name, _)| name));
    let output = node
        .output()
        .expect("node is installed, as for the other tests");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let lines = output
        .stdout
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty());
    let each = lines.map(|line| {
        let line: serde_json::Value = serde_json::from_slice(line).expect("a line of JSON");
        let result = line["result"]
            .as_str()
            .and_then(|number| number.parse().ok())
            .expect("a number");
        Timed {
            median: line["median"].as_f64().expect("a time"),
            result,
        }
    });
    each.collect()
}

/// The median of some runs, after one that warms up.
fn timed(mut work: impl FnMut() -> u64) -> Timed {
    let result = work();
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let started = Instant::now();
            assert_eq!(work(), result, "the same every time");
            started.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    Timed {
        median: times[RUNS / 2],
        result,
    }
}
