//! No input, however hostile, allocates more than 16 times its size (inflated, which is capped) and
//! a megabyte.
//!
//! Counted is what Rust allocates on the test's thread: the peak while the reader runs, both copies
//! included while a vector grows, the input itself not. A row of the table is one construction;
//! readers of other formats get rows of their own.

mod fuzz;
mod json_imports;
mod message;
mod profiles;
mod pushes;
mod record_imports;
mod recordings;
mod requests;
mod stacks;
mod text_imports;
mod texts;
mod tree_imports;
mod v8;

use std::time::{Duration, Instant};

use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::{By, CallTree, Pattern, Selector, canonical, function_table, gzip, pprof};
use pilotlight_fixtures::counting::{Counting, Used, measure};
use pilotlight_fixtures::synthetic;
use pilotlight_tests::clock::assert_cpu_time;
use pilotlight_tests::corpus;

use json_imports::JSON_IMPORTS;
use message::Message;
use profiles::{CASES, head, id};
use pushes::PUSHES;
use record_imports::RECORD_IMPORTS;
use requests::REQUESTS;
use stacks::STACKS;
use text_imports::IMPORTS;
use texts::TEXTS;
use tree_imports::TREE_IMPORTS;
use v8::V8;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes allocated for each byte of input, at most.
const BOUND: f64 = 16.0;
/// What any input may allocate besides: buffers, messages, a regular expression.
const FIXED: usize = 1 << 20;
/// About the size of each hostile input: large beside [`FIXED`], small enough to be read in
/// milliseconds.
const SIZE: usize = 4 << 20;

/// The peak beyond [`FIXED`], in bytes for each byte of input.
fn ratio(used: &Used, input: usize) -> f64 {
    used.peak.saturating_sub(FIXED) as f64 / input as f64
}

/// A construction, what becomes of it, and the most it may allocate for each of its bytes.
struct Case {
    name: &'static str,
    make: fn() -> Vec<u8>,
    read: fn(&[u8]) -> bool,
    accepted: bool,
    ceiling: f64,
}

const fn case(name: &'static str, accepted: bool, make: fn() -> Vec<u8>) -> Case {
    Case {
        name,
        make,
        read: |bytes| pprof::decode(bytes).is_ok(),
        accepted,
        ceiling: BOUND,
    }
}

#[test]
fn hostile_profiles_allocate_in_proportion_to_their_size() {
    let mut broken = Vec::new();
    let cases = [
        CASES,
        TEXTS,
        STACKS,
        REQUESTS,
        PUSHES,
        JSON_IMPORTS,
        IMPORTS,
        RECORD_IMPORTS,
        TREE_IMPORTS,
        V8,
    ];
    for Case {
        name,
        make,
        read,
        accepted,
        ceiling,
    } in cases.into_iter().flatten()
    {
        let input = make();
        let started = Instant::now();
        let (used, outcome) = measure(|| read(&input));
        let (ratio, took) = (ratio(&used, input.len()), started.elapsed());
        println!(
            "{ratio:7.2}x peak of {ceiling:3.0}x, {:8} bytes, {took:8.1?}: {name}",
            input.len()
        );
        if outcome != *accepted {
            broken.push(format!("{name}: read is {outcome}"));
        }
        if ratio > *ceiling {
            broken.push(format!(
                "{name}: {ratio:.1}x of {} bytes, {ceiling}x are allowed",
                input.len()
            ));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn real_profiles_allocate_in_proportion_to_their_size() {
    for sample in corpus::profiles() {
        let inflated = gzip::inflate(&sample.bytes, MAX_PROFILE_BYTES).expect("a good file");
        let raw = inflated.as_deref().unwrap_or(&sample.bytes).len();
        let (used, decoded) = measure(|| pprof::open(&sample.bytes, MAX_PROFILE_BYTES));
        decoded.unwrap_or_else(|e| panic!("{}: {e}", sample.name));
        assert!(
            ratio(&used, raw) <= BOUND,
            "{}: {} bytes for {raw}",
            sample.name,
            used.peak
        );
    }
}

#[test]
fn bombs_stay_within_their_cap() {
    const CAP: usize = 8 << 20;
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut encoder, bytes).expect("a Vec takes all");
        encoder.finish().expect("a Vec takes all")
    };
    let bomb = gzip(&vec![0; 20 * CAP]);
    let fits = gzip(&head(1).repeat(2, CAP - 100, |_| vec![0x10, 0]).0);
    let cases = [
        ("a bomb", bomb.clone(), false),
        ("a bomb in gzip", gzip(&bomb), false),
        (
            "a bomb after a member",
            [gzip(b"a"), bomb.clone()].concat(),
            false,
        ),
        ("a bomb cut short", bomb[..bomb.len() / 2].to_vec(), false),
        ("as much as is allowed", fits.clone(), true),
        (
            "as much as is allowed, and padding",
            [fits, vec![0; 1000]].concat(),
            true,
        ),
    ];
    for (name, input, accepted) in cases {
        let (used, outcome) = measure(|| pprof::open(&input, CAP));
        println!("{:6.2}x the cap: {name}", ratio(&used, CAP));
        assert_eq!(outcome.is_ok(), accepted, "{name}");
        assert!(ratio(&used, CAP) <= BOUND, "{name}: {} bytes", used.peak);
    }
}

#[test]
fn hostile_selectors_and_searches_allocate_little() {
    let expressions = |expression: &str, count: usize| {
        format!(
            "{{{}}}",
            vec![format!("a=~'{expression}'"); count].join(",")
        )
    };
    let mut inputs = vec![
        format!("{{a=\"{}\"}}", "x".repeat(8_000)),
        format!("{{{}}}", vec!["a=''"; 64].join(",")),
        "{".repeat(8_000),
        "a".repeat(8_000),
    ];
    for (expression, count) in [
        ("(((a{100}){100}){100})", 16),
        ("[0-9a-f]{64}", 16),
        (".{0,120}", 16),
        ("(?:é|a|b)*", 16),
        (&*"a".repeat(490), 16),
        (&*"a|".repeat(245), 16),
        (&*"[^a]".repeat(120), 16),
        (&*"(a)".repeat(160), 16),
        (&*"a".repeat(4_000), 2),
        (&*"(a|b)*".repeat(670), 2),
        (&*"\\w".repeat(2_000), 2),
        (&*"(".repeat(4_000), 2),
    ] {
        inputs.push(expressions(expression, count));
        let search = format!("/{expression}/");
        let (used, outcome) = measure(|| Pattern::parse(&search));
        let shown: String = search.chars().take(40).collect();
        println!(
            "{:8} bytes peak of {:5}, {}: search {shown}",
            used.peak,
            search.len(),
            outcome.is_ok()
        );
        assert!(
            ratio(&used, search.len()) <= BOUND,
            "search {shown}: {} bytes for {}",
            used.peak,
            search.len()
        );
    }
    for input in inputs {
        let (used, outcome) = measure(|| Selector::parse(&input));
        let shown: String = input.chars().take(40).collect();
        println!(
            "{:8} bytes peak, {:8} kept of {:5}, {}: {shown}",
            used.peak,
            used.kept,
            input.len(),
            outcome.is_ok()
        );
        assert!(
            ratio(&used, input.len()) <= BOUND,
            "{shown}: {} bytes for {}",
            used.peak,
            input.len()
        );
    }
}

/// Time in proportion too, where rows share one text that is most of the input.
#[test]
fn rows_with_one_long_text_take_little_time() {
    let text = vec![b'a'; SIZE];
    let long = || head(1).bytes(6, b"").bytes(6, &text);
    let rows = 100_000;
    let named = |i: u64| [id(i + 1), Message::default().number(2, 1).number(5, i).0].concat();
    let line = |i: u64| [id(i + 1), Message::default().bytes(4, &id(i + 1)).0].concat();
    let functions = long().each(rows, |m, i| m.bytes(5, &named(i)));
    let stacks = functions
        .each(rows, |m, i| m.bytes(4, &line(i)))
        .each(rows, |m, i| {
            let frames = Message::default().number(1, i + 1).0;
            m.bytes(2, &[frames, vec![0x10, 1]].concat())
        });
    check_time("functions of one long name", &stacks.0);
}

/// Samples with labels of one long name: comparing a name with itself should not look at its bytes.
#[test]
fn labels_with_one_long_name_take_little_time() {
    let label = Message::default()
        .bytes(3, &Message::default().number(1, 1).0)
        .0;
    let message = head(1).bytes(6, b"").bytes(6, &vec![b'a'; SIZE]);
    let sample = [vec![0x10, 1], label.repeat(250)].concat();
    check_time(
        "labels of one long name",
        &message.each(400, |m, _| m.bytes(2, &sample)).0,
    );
}

fn check_time(name: &str, input: &[u8]) {
    println!("{name}");
    assert_cpu_time(Duration::from_secs(5), || {
        let decoded = pprof::decode(input).unwrap_or_else(|e| panic!("{name}: {e}"));
        let canonical = canonical(&decoded.profile);
        for by in [By::Name, By::Function] {
            function_table(&CallTree::new(&canonical, 0, by));
        }
    });
}

/// What the largest profiles of the benches take; 1.5 times the raw bytes is the target. `--
/// --ignored --nocapture`
#[test]
#[ignore = "prints figures and takes seconds"]
fn memory_of_large_profiles() {
    for samples in [150_000, 420_000] {
        let raw = pprof::encode(&synthetic::profile(samples));
        let (used, decoded) = measure(|| pprof::decode(&raw).expect("our own"));
        let share = |bytes: usize| bytes as f64 / raw.len() as f64;
        println!(
            "{samples} samples, {} bytes raw: peak {} bytes ({:.2}x), kept {} ({:.2}x), {} stack rows",
            raw.len(),
            used.peak,
            share(used.peak),
            used.kept,
            share(used.kept),
            decoded.profile.stacks().len()
        );
        assert!(share(used.peak) < BOUND);
    }
}
