//! Runs the programs of Rust tests, two at a time.

use super::failures;
use super::fixtures::Fixtures;
use super::part::Outcome;
use super::programs::Program;
use super::tally::{Count, FileTime, TestTime, rust_tests, tally};
use crate::folders::own_dir;
use crate::lanes::two_at_a_time;
use crate::proc::{Failure, Result, Run};
use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

/// How long one program of tests may run, seconds: four times what the slowest does on two busy
/// cores.
const LIMIT: u64 = 1800;

/// How a program of tests ended.
struct Ended {
    name: String,
    result: Result<()>,
    output: String,
    seconds: f64,
}

/// Runs the programs that are built, with these arguments. A program that waits for a worker leaves its core to the other.
pub(super) fn run(fixtures: &Fixtures, words: &[&str]) -> Outcome {
    let ended = two_at_a_time(in_order(&fixtures.programs), |program| {
        let one = program.run(words, fixtures);
        println!("{}", one.line());
        one
    });
    outcome(ended)
}

/// The programs that take longest start first. That of the bounds has one long test, which uses one core.
fn in_order(programs: &[Program]) -> Vec<&Program> {
    const FIRST: [&str; 3] = ["tests/worker", "worker", "tests/bounds"];
    let mut programs: Vec<&Program> = programs.iter().collect();
    programs.sort_by_key(|program| {
        FIRST
            .iter()
            .position(|&name| name == program.name)
            .unwrap_or(FIRST.len())
    });
    programs
}

impl Program {
    fn run(&self, words: &[&str], fixtures: &Fixtures) -> Ended {
        let log = own_dir()
            .join("logs")
            .join(format!("{}.log", self.name.replace('/', "-")));
        let began = Instant::now();
        let run = Run::new(&self.path)
            .args(words)
            // libtest reports times only with unstable options.
            .args(["-Zunstable-options", "--report-time"])
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_MANIFEST_DIR", &self.dir)
            .dir(&self.dir)
            .limit(LIMIT);
        let result = fixtures.provide(run).log(&log);
        Ended {
            name: self.name.clone(),
            result,
            output: fs::read_to_string(&log).unwrap_or_default(),
            seconds: began.elapsed().as_secs_f64(),
        }
    }
}

impl Ended {
    fn count(&self) -> Count {
        tally(&self.result, &self.output)
    }

    fn line(&self) -> String {
        let Count { passed, failed } = self.count();
        let (name, seconds) = (&self.name, self.seconds);
        let line = format!("{name}: {passed} passed, {failed} failed in {seconds:.1} s");
        match &self.result {
            Ok(()) => line,
            Err(failure) => format!("{}\n{failure}\n{line}", self.output),
        }
    }
}

fn outcome(ended: Vec<Ended>) -> Outcome {
    let mut all = Outcome::one(Ok(()));
    all.count = Count::default();
    let mut failed = Vec::new();
    for one in ended {
        all.count = all.count.plus(one.count());
        let tests = rust_tests(&one.name, &one.output);
        all.files.extend(file_times(&one, &tests));
        all.tests.extend(tests);
        if one.result.is_err() {
            all.output += &one.output;
            all.failures
                .extend(failures::of_rust(&one.name, &one.output));
            failed.push(one.name);
        }
    }
    if failed.is_empty() && all.count == Count::default() {
        all.result = Err(Failure::new("no test ran", "check the name"));
    }
    if !failed.is_empty() {
        let cause = format!("tests failed in {}", failed.join(", "));
        all.result = Err(Failure::new(cause, "see their output in target/xtask/logs"));
    }
    all
}

/// A program of integration tests has a file for each module at its top.
fn file_times(one: &Ended, tests: &[TestTime]) -> Vec<FileTime> {
    let mut files: BTreeMap<&str, f64> = BTreeMap::new();
    for test in tests {
        *files.entry(&test.file).or_default() += test.seconds;
    }
    if files.is_empty() {
        files.insert(&one.name, one.seconds);
    }
    let time = |(file, seconds): (&str, f64)| FileTime {
        file: file.to_owned(),
        seconds,
    };
    files.into_iter().map(time).collect()
}
