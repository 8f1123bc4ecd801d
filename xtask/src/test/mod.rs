//! `cargo xtask test`: all tests, the quickest first.

mod fixtures;
mod parts;
mod tally;

use crate::build;
use crate::proc::{Failure, interrupted};
use crate::serve::Pilotlight;
use crate::setup::agents::Missing;
use crate::setup::{Purpose, setup};
use fixtures::Fixtures;
use parts::{Needs, PARTS, Part, Runs};
use std::process::ExitCode;
use std::time::Instant;
use tally::{Count, last_lines, tally};

/// Runs the parts whose name contains `only`; fails when any of them failed. The last line it
/// prints is the count, for machines to read.
pub(crate) fn test(only: &str) -> ExitCode {
    let all = || PARTS.iter().filter(|part| part.runs != Runs::Quick);
    let parts: Vec<&Part> = all().filter(|part| part.name.contains(only)).collect();
    if parts.is_empty() {
        let names: Vec<_> = all().map(|part| part.name).collect();
        eprintln!(
            "no part of the tests is called {only:?}; choose among: {}",
            names.join(", ")
        );
        return ExitCode::from(2);
    }
    run_all(&parts, Purpose::Testing)
}

/// Runs the parts that need neither a server nor a browser.
pub(crate) fn quick() -> ExitCode {
    let parts: Vec<&Part> = PARTS
        .iter()
        .filter(|part| part.runs != Runs::Full)
        .collect();
    run_all(&parts, Purpose::Checking)
}

fn run_all(parts: &[&Part], purpose: Purpose) -> ExitCode {
    let started = Instant::now();
    let mut lines = Vec::new();
    let mut total = Count::default();
    let mut skipped = Vec::new();
    let mut ends = Vec::new();
    let mut note = |name: &str, count: Count, seconds: u64| {
        let verdict = if count.failed == 0 { "ok" } else { "FAILED" };
        lines.push(format!(
            "  {verdict:<8}{name:<14}{:>6} passed {:>4} failed {seconds:>5} s",
            count.passed, count.failed
        ));
        total = Count {
            passed: total.passed + count.passed,
            failed: total.failed + count.failed,
        };
    };
    match setup(purpose) {
        Err(failure) => {
            eprintln!("\n{failure}");
            note(
                "set-up",
                Count {
                    passed: 0,
                    failed: 1,
                },
                started.elapsed().as_secs(),
            );
        }
        Ok(tools) => {
            skipped = tools.missing.iter().map(skip).collect();
            let programs_are_built = parts.iter().any(|part| part.name == "rust");
            run_parts(
                parts,
                Fixtures {
                    tools,
                    server: None,
                    on_s3: None,
                    core_wasm: None,
                    selfhost: None,
                    programs_are_built,
                },
                &mut note,
                &mut ends,
            );
        }
    }
    lines.extend(skipped);
    ends.iter().for_each(|end| println!("\n{end}"));
    println!(
        "\nSummary, after {} s\n{}\n",
        started.elapsed().as_secs(),
        lines.join("\n")
    );
    println!("{} passed, {} failed", total.passed, total.failed);
    if total.failed == 0 && !interrupted() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The line about agents that no test ran.
fn skip(missing: &Missing) -> String {
    let Missing { language, cause } = missing;
    format!("  skipped agents of {language}: {cause}")
}

/// How much of a failed part's output is said again at the end, where it is found.
const LAST_LINES: usize = 40;

/// Tells `note` of each part, and keeps in `ends` how the output of those ends that failed.
fn run_parts(
    parts: &[&Part],
    mut fixtures: Fixtures,
    note: &mut impl FnMut(&str, Count, u64),
    ends: &mut Vec<String>,
) {
    let (mut serving, mut viewer) = (None, None);
    for (index, part) in parts.iter().enumerate() {
        if interrupted() {
            return;
        }
        if part.needs == Needs::Viewer && viewer.is_none() && serving != Some(true) {
            println!("\n=== build");
            let started = Instant::now();
            let outcome = build::viewer(&fixtures.tools);
            if let Err(failure) = &outcome {
                println!("{failure}");
            }
            note("build", tally(&outcome, ""), started.elapsed().as_secs());
            viewer = Some(outcome.is_ok());
        }
        if part.needs == Needs::Server && serving.is_none() {
            println!("\n=== build and start");
            let started = Instant::now();
            let outcome = fixtures.serve();
            if let Err(failure) = &outcome {
                println!("{failure}");
            }
            note("build", tally(&outcome, ""), started.elapsed().as_secs());
            serving = Some(outcome.is_ok());
        }
        println!("\n=== [{}/{}] {}", index + 1, parts.len(), part.name);
        let started = Instant::now();
        let ready = match part.needs {
            Needs::Nothing => true,
            Needs::Viewer => viewer.or(serving) == Some(true),
            Needs::Server => serving == Some(true),
        };
        let (outcome, text) = if !ready {
            (
                Err(Failure::new(
                    "could not run, since the build or the start failed",
                    "",
                )),
                String::new(),
            )
        } else {
            (part.run)(&fixtures)
        };
        if let Err(failure) = &outcome {
            println!("{failure}");
            let last = last_lines(&text, LAST_LINES);
            ends.push(format!("=== how {} ended\n{last}\n{failure}", part.name));
        }
        note(
            part.name,
            tally(&outcome, &text),
            started.elapsed().as_secs(),
        );
    }
    let on_s3 = fixtures.on_s3.as_mut().map(|(server, _)| server);
    for failure in [fixtures.server.as_mut(), on_s3]
        .into_iter()
        .flatten()
        .filter_map(Pilotlight::ended)
    {
        println!("{failure}");
        note(
            "server",
            Count {
                passed: 0,
                failed: 1,
            },
            0,
        );
    }
}
