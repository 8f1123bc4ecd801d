//! Files that people reported as refused or read wrong, each with the sums that a count by hand gives.

use pilotlight_core::ingest::{Push, ingest};
use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::store::chunk_head;
use pilotlight_core::{UnixNanos, folded, imports};
use pilotlight_tests::corpus;

/// A file, its stacks (root first) with their values of the first type, and its warnings.
struct Report {
    file: &'static str,
    types: &'static [&'static str],
    stacks: &'static [(&'static str, i64)],
    warnings: &'static [&'static str],
}

const NO_SAMPLE: &str = "is neither a sample nor a frame and was skipped";

const REPORTS: &[Report] = &[
    Report {
        file: "perf-script-comm-ip-sym.txt",
        types: &["samples"],
        stacks: &[("main;func_a", 1)],
        warnings: &[],
    },
    Report {
        file: "perf-script-no-time-header.txt",
        types: &["cpu-clock"],
        stacks: &[("main", 1), ("main;func_a", 1)],
        warnings: &[],
    },
    Report {
        file: "perf-script-error-line-first.txt",
        types: &["instructions"],
        stacks: &[("main", 100_000), ("main;f", 100_000)],
        warnings: &[NO_SAMPLE, NO_SAMPLE],
    },
    Report {
        file: "perf-script-java-inlined.txt",
        types: &["cpu-clock"],
        stacks: &[(
            "Interpreter;Lcom/ex/Calc;::run;Lcom/ex/Vec;::add;Lcom/ex/Vec;::grow",
            10_101_010,
        )],
        warnings: &[],
    },
    Report {
        file: "perf-script-lost-switch.txt",
        types: &["cycles"],
        stacks: &[("main", 250_000), ("main;f", 250_000)],
        warnings: &["12 events were lost during recording"],
    },
    // In thousandths: 205.5 in all.
    Report {
        file: "fractional.folded.txt",
        types: &["samples"],
        stacks: &[
            ("main", 25_000),
            ("main;a", 100_000),
            ("main;b", 50_500),
            ("main;c", 30_000),
        ],
        warnings: &[],
    },
];

/// A file, and each type of it with its unit and total.
type Totals = (&'static str, &'static [(&'static str, &'static str, i64)]);

/// As the tool of each file adds them up.
const TOTALS: &[Totals] = &[
    // total_calls and total_tt of pstats.Stats.
    (
        "cprofile.pstats",
        &[
            ("wall", "nanoseconds", 718_329_633),
            ("calls", "count", 549),
        ],
    ),
    // The time of its root frame.
    ("pyinstrument.json", &[("wall", "nanoseconds", 725_380_000)]),
];

#[test]
fn reported_files_have_the_totals_of_their_tools() {
    for (name, expected) in TOTALS {
        let Some(file) = corpus::read(&format!("reports/{name}")) else {
            return;
        };
        let opened = imports::open(&file.bytes, MAX_PROFILE_BYTES)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let profile = &opened.decoded.profile;
        let types = profile.sample_types().iter().enumerate();
        let totals: Vec<_> = types
            .map(|(column, &of)| {
                let (kind, unit) = profile.type_text(of);
                (kind, unit, profile.total(column) as i64)
            })
            .collect();
        assert_eq!(totals, *expected, "{name}");
    }
}

#[test]
fn decimals_are_written_as_they_were_read() {
    let Some(file) = corpus::read("reports/fractional.folded.txt") else {
        return;
    };
    let opened = imports::open(&file.bytes, MAX_PROFILE_BYTES).expect("folded stacks");
    let profile = opened.decoded.profile;
    let (_, unit) = profile.type_text(profile.sample_types()[0]);
    assert_eq!((profile.total(0), unit), (205_500, "count/1000"));
    let written = folded::encode(&profile, 0, 1 << 10).expect("is small");
    assert_eq!(written, "main 25\nmain;a 100\nmain;b 50.5\nmain;c 30\n");
}

#[test]
fn labels_of_tracers_make_links_and_no_series() {
    let Some(file) = corpus::read("reports/pprof-ddtrace-labels.pb.gz") else {
        return;
    };
    let push = Push {
        query: "name=app&format=pprof",
        content_type: "",
        body: &file.bytes,
        tenant: "one",
        client: "192.0.2.1",
        now: UnixNanos(1_795_000_000_000_000_000),
        limits: Default::default(),
    };
    let ingested = ingest(&push).expect("a profile");
    assert_eq!(ingested.notes, []);
    let [chunk] = ingested.chunks.as_slice() else {
        panic!("one chunk")
    };
    let head = chunk_head(&chunk.bytes).expect("our own chunk");
    // Of both types, with the tracer's environment and without.
    let mut labels: Vec<String> = head
        .series
        .iter()
        .map(|series| {
            let labels = series.labels.iter();
            let labels: Vec<_> = labels.map(|(name, _)| name).collect();
            labels.join(" ")
        })
        .collect();
    labels.sort();
    assert_eq!(
        labels,
        [
            "env service_name",
            "env service_name",
            "service_name",
            "service_name"
        ]
    );
    assert_eq!(chunk.lost_links, 0);
}

#[test]
fn reported_files_have_the_sums_that_were_counted() {
    for report in REPORTS {
        let Some(file) = corpus::read(&format!("reports/{}", report.file)) else {
            return;
        };
        let decoded = imports::open(&file.bytes, MAX_PROFILE_BYTES)
            .unwrap_or_else(|error| panic!("{}: {error}", report.file))
            .decoded;
        let profile = &decoded.profile;
        let types = profile.sample_types().iter();
        let types: Vec<&str> = types.map(|of| profile.text(of.kind)).collect();
        assert_eq!(types, report.types, "{}", report.file);
        let samples = profile.samples();
        let mut stacks: Vec<(String, i64)> = (0..profile.len())
            .map(|row| {
                let mut names: Vec<&str> = profile
                    .frames(samples.stacks[row])
                    .flat_map(|location| profile.lines(location))
                    .filter_map(|line| line.function)
                    .map(|function| profile.text(profile.functions()[function.index()].name))
                    .collect();
                names.reverse();
                (names.join(";"), samples.values[0][row])
            })
            .collect();
        stacks.sort();
        let counted = report.stacks.iter();
        let counted: Vec<_> = counted
            .map(|&(stack, value)| (stack.to_owned(), value))
            .collect();
        assert_eq!(stacks, counted, "{}", report.file);
        assert_eq!(
            decoded.warnings.len(),
            report.warnings.len(),
            "{:?}",
            decoded.warnings
        );
        for (found, part) in decoded.warnings.iter().zip(report.warnings) {
            assert!(found.contains(part), "{}: {found}", report.file);
        }
    }
}
