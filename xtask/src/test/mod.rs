//! `cargo xtask test`: all tests, the quickest first.

mod failures;
mod fixtures;
mod named;
mod part;
mod parts;
mod programs;
mod quick;
mod rust;
mod tally;
mod times;
mod wrangler;

use crate::build::Profile;
use crate::proc::{Failure, interrupted};
use crate::setup::agents::Missing;
use crate::setup::{Purpose, setup};
use failures::FailedTest;
use fixtures::Fixtures;
use named::Named;
use part::{Outcome, Part};
use parts::{PARTS, QUICK};
use std::process::ExitCode;
use std::time::Instant;
use tally::{Count, last_lines};
use times::Times;

/// Runs all parts.
pub(crate) fn all() -> ExitCode {
    run(&Vec::from_iter(&PARTS))
}

/// Runs the parts in a comma-separated list, and the parts they need.
pub(crate) fn only(list: &str) -> ExitCode {
    let named: Vec<&str> = list.split(',').map(str::trim).collect();
    let wanted = |part: &Part| named.contains(&part.name);
    let needed = |part: &Part| {
        let mut asking = PARTS.iter().filter(|asking| wanted(asking));
        asking.any(|asking| asking.after.contains(&part.name))
    };
    let names = PARTS.map(|part| part.name);
    if let Some(unknown) = named.iter().find(|name| !names.contains(name)) {
        eprintln!(
            "--only: unknown part {unknown:?}; choose from: {}",
            names.join(", ")
        );
        return ExitCode::from(2);
    }
    let parts: Vec<&Part> = PARTS
        .iter()
        .filter(|part| wanted(part) || needed(part))
        .collect();
    run(&parts)
}

/// Sets up and runs parts.
fn run(parts: &[&Part]) -> ExitCode {
    let mut run = TestRun::new();
    if let Some(mut fixtures) = run.set_up(Purpose::Testing) {
        run.parts(&mut fixtures, parts);
    }
    run.end()
}

/// Runs the parts that need neither a server nor a browser, with the unit tests of what has changed since a commit.
pub(crate) fn quick(since: &str) -> ExitCode {
    let mut run = TestRun::new();
    if let Some(mut fixtures) = run.set_up(Purpose::Checking) {
        since.clone_into(&mut fixtures.since);
        run.parts(&mut fixtures, &Vec::from_iter(&QUICK));
    }
    run.end()
}

/// Runs the files of tests that have this name.
pub(crate) fn named(name: &str) -> ExitCode {
    let files = match Named::find(name) {
        Ok(files) => files,
        Err(failure) => {
            eprintln!("{failure}");
            return ExitCode::from(2);
        }
    };
    let mut run = TestRun::new();
    if let Some(mut fixtures) = run.set_up(Purpose::Testing) {
        fixtures.profile = Profile::Local;
        if files.iter().any(Named::needs_wasm) {
            run.part("build", || Outcome::built(parts::site_build(&fixtures)));
        }
        for file in &files {
            if !file.binaries().is_empty() {
                run.part("binaries", || {
                    Outcome::built(programs::build_binaries(file.binaries()).map(|()| Vec::new()))
                });
            }
            if !file.targets().is_empty() {
                run.part("rust build", || {
                    parts::rust_build(&mut fixtures, &file.targets())
                });
            }
            // A file that fails keeps no other from running.
            if !["build", "binaries", "rust build"]
                .iter()
                .any(|part| run.failed.contains(part))
            {
                run.part(file.kind(), || file.run(&fixtures));
            }
        }
    }
    run.end()
}

/// Lines of a failed part's output to repeat at the end.
const LAST_LINES: usize = 40;

/// A run of the tests: what has ended so far.
struct TestRun {
    began: Instant,
    /// The lines of the summary.
    lines: Vec<String>,
    total: Count,
    /// How the parts that failed ended.
    ends: Vec<String>,
    failures: Vec<FailedTest>,
    failed: Vec<&'static str>,
    times: Times,
}

impl TestRun {
    fn new() -> Self {
        Self {
            began: Instant::now(),
            lines: Vec::new(),
            total: Count::default(),
            ends: Vec::new(),
            failures: Vec::new(),
            failed: Vec::new(),
            times: Times::default(),
        }
    }

    /// Returns what parts share, unless the set-up failed.
    fn set_up(&mut self, purpose: Purpose) -> Option<Fixtures> {
        let mut fixtures = None;
        self.part("set-up", || match setup(purpose) {
            Ok(tools) => {
                let steps = tools.steps.clone();
                fixtures = Some(Fixtures::new(tools));
                Outcome::built(Ok(steps))
            }
            Err(failure) => Outcome::one(Err(failure)),
        });
        let missing = fixtures.iter().flat_map(|fixtures| &fixtures.tools.missing);
        self.lines.extend(missing.map(skip));
        fixtures
    }

    /// Runs parts, each unless one that it needs has failed.
    fn parts(&mut self, fixtures: &mut Fixtures, parts: &[&Part]) {
        for part in parts {
            if interrupted() {
                break;
            }
            let missing = part.after.iter().find(|name| self.failed.contains(name));
            self.part(part.name, || match missing {
                None => (part.run)(fixtures),
                Some(name) => {
                    let cause = format!("skipped because {name:?} failed");
                    Outcome::one(Err(Failure::new(cause, "")))
                }
            });
        }
    }

    fn part(&mut self, name: &'static str, run: impl FnOnce() -> Outcome) {
        println!("\n=== {name}");
        let began = Instant::now();
        let outcome = run();
        let seconds = began.elapsed().as_secs_f64();
        if let Err(failure) = &outcome.result {
            println!("{failure}");
            let last = last_lines(&outcome.output, LAST_LINES);
            self.ends.push(format!(
                "=== end of the output of {name}\n{last}\n{failure}"
            ));
            self.failed.push(name);
            self.failures.extend_from_slice(&outcome.failures);
            if outcome.failures.is_empty() {
                self.failures.push(FailedTest {
                    test: name.to_owned(),
                    error: format!("{failure}"),
                });
            }
        }
        let Count { passed, failed } = outcome.count;
        let verdict = if outcome.result.is_ok() {
            "ok"
        } else {
            "FAILED"
        };
        self.lines.push(format!(
            "  {verdict:<8}{name:<14}{passed:>6} passed {failed:>4} failed {seconds:>7.1} s"
        ));
        self.total = self.total.plus(outcome.count);
        self.times.add_part(name, seconds, &outcome);
    }

    /// Prints the summary. It ends with what failed, since a log that is cut keeps its end, and
    /// with the count, for machines to read.
    fn end(self) -> ExitCode {
        let seconds = self.began.elapsed().as_secs_f64();
        self.ends.iter().for_each(|end| println!("\n{end}"));
        let slowest = self.times.slowest_lines();
        if !slowest.is_empty() {
            println!("\nSlowest tests\n{}", slowest.join("\n"));
        }
        println!("\nSummary, after {seconds:.0} s\n{}", self.lines.join("\n"));
        match self.times.write(seconds) {
            Ok(path) => println!("  times: {}\n", path.display()),
            Err(failure) => println!("{failure}\n"),
        }
        if !self.failures.is_empty() {
            let lines: Vec<String> = self.failures.iter().flat_map(FailedTest::lines).collect();
            println!("Failed\n{}\n", lines.join("\n"));
        }
        println!("{} passed, {} failed", self.total.passed, self.total.failed);
        if self.failed.is_empty() && !interrupted() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}

/// The line about agents that no test ran.
fn skip(missing: &Missing) -> String {
    let Missing { language, cause } = missing;
    format!("  skipped {language} agents: {cause}")
}
