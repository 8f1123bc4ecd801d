//! Files that people reported as refused or read wrong, each with the sums that a count by hand gives.

use pilotlight_core::imports;
use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_tests::corpus;

/// A file, its stacks (root first) with their values of the first type, and its warnings.
struct Report {
    file: &'static str,
    types: &'static [&'static str],
    stacks: &'static [(&'static str, i64)],
    warnings: &'static [&'static str],
}

const NO_SAMPLE: &str = "is no sample and no frame and is left out";

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
        warnings: &["12 events were lost while this was recorded"],
    },
];

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
