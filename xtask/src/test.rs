//! `cargo xtask test`: all tests, the quickest first.

use crate::agents::Missing;
use crate::folders::{TARGET, own_dir, root, target_dir};
use crate::proc::{Failure, Result, Run, interrupted};
use crate::serve::{Pilotlight, free_port};
use crate::setup::{Purpose, Tools, setup};
use crate::{build, deploy, fuzz, selfhost};
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// One part of the tests. It returns its outcome, and its output if that counts tests.
struct Part {
    name: &'static str,
    run: fn(&Fixtures) -> (Result<()>, String),
    needs: Needs,
    runs: Runs,
}

/// When a part runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    Always,
    /// With `--quick`, which starts no server.
    Quick,
    /// Without it.
    Full,
}

/// What has to be there before a part runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// The viewer's WASM, whose types the site is checked against.
    Viewer,
    /// The worker, the viewer and the site built, and the worker running.
    Server,
}

/// What the parts share.
struct Fixtures {
    tools: Tools,
    server: Option<Pilotlight>,
    /// A second worker with a bucket behind S3, and the port where it expects that. A test plays
    /// the bucket.
    on_s3: Option<(Pilotlight, u16)>,
    core_wasm: Option<PathBuf>,
    /// The folder for machines without Cloudflare.
    selfhost: Option<PathBuf>,
    /// The part "rust" also builds the programs that tests start. Cargo builds them alone with
    /// other features, which takes a minute more.
    programs_are_built: bool,
}

const PARTS: [Part; 9] = [
    Part {
        name: "format",
        run: format,
        needs: Needs::Nothing,
        runs: Runs::Always,
    },
    Part {
        name: "clippy",
        run: clippy,
        needs: Needs::Nothing,
        runs: Runs::Always,
    },
    Part {
        name: "native",
        run: native,
        needs: Needs::Nothing,
        runs: Runs::Quick,
    },
    Part {
        name: "rust",
        run: rust,
        needs: Needs::Server,
        runs: Runs::Full,
    },
    Part {
        name: "site types",
        run: site_types,
        needs: Needs::Viewer,
        runs: Runs::Always,
    },
    Part {
        name: "site",
        run: site,
        needs: Needs::Viewer,
        runs: Runs::Always,
    },
    Part {
        name: "browser",
        run: browser,
        needs: Needs::Server,
        runs: Runs::Full,
    },
    Part {
        name: "deploy",
        run: deploy,
        needs: Needs::Server,
        runs: Runs::Full,
    },
    Part {
        name: "fuzz",
        run: fuzz_briefly,
        needs: Needs::Nothing,
        runs: Runs::Full,
    },
];

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Count {
    passed: u64,
    failed: u64,
}

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
            );
        }
    }
    lines.extend(skipped);
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

fn run_parts(parts: &[&Part], mut fixtures: Fixtures, note: &mut impl FnMut(&str, Count, u64)) {
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

impl Fixtures {
    /// Builds all and starts the worker on a free port with an empty bucket.
    fn serve(&mut self) -> Result<()> {
        build::build(&self.tools)?;
        self.core_wasm = Some(self.guest()?);
        let folder = own_dir().join("test-selfhost");
        let _ = fs::remove_dir_all(&folder);
        selfhost::folder(&folder)?;
        self.selfhost = Some(folder);
        self.server = Some(Self::start("test", &[])?);
        let port = free_port()?;
        let vars = [
            "BUCKET_BACKEND:s3".to_owned(),
            format!("S3_ENDPOINT:http://127.0.0.1:{port}"),
            "S3_BUCKET:profiles".to_owned(),
            "S3_ACCESS_KEY_ID:pilotlight-tests".to_owned(),
            "S3_SECRET_ACCESS_KEY:not-a-secret-on-loopback".to_owned(),
        ];
        self.on_s3 = Some((Self::start("test-s3", &vars)?, port));
        Ok(())
    }

    /// Starts a worker with nothing stored. Tests push for minutes, one profile after the other: as
    /// a fleet they would wait.
    fn start(name: &str, vars: &[String]) -> Result<Pilotlight> {
        let vars = [&["FLUSH_MS:100".to_owned()], vars].concat();
        let state = own_dir().join(format!("{name}-state"));
        let _ = fs::remove_dir_all(&state);
        Pilotlight::start(
            free_port()?,
            &state,
            &own_dir().join(format!("{name}-server.log")),
            &vars,
        )
    }

    /// The core alone as a WASM module, for wasmtime.
    fn guest(&self) -> Result<PathBuf> {
        let wasm = &self.tools.wasm;
        let manifest = root().join("tests/guest/Cargo.toml");
        wasm.cargo()
            .args([
                "rustc",
                "--release",
                "--quiet",
                "--target",
                TARGET,
                "--crate-type",
                "cdylib",
                "--manifest-path",
            ])
            .arg(manifest)
            .env("CARGO_TARGET_DIR", wasm.target_dir())
            .limit(1200)
            .show()?;
        Ok(wasm
            .target_dir()
            .join(TARGET)
            .join("release/pilotlight_guest.wasm"))
    }

    /// Tells tests where the server, the browser and the core's WASM are.
    fn with_server(&self, run: Run) -> Run {
        let port = self.server.as_ref().map_or(0, Pilotlight::port);
        let mut run = run.env("PILOTLIGHT_URL", format!("http://127.0.0.1:{port}"));
        if let Some((server, port)) = &self.on_s3 {
            run = run.env(
                "PILOTLIGHT_S3_URL",
                format!("http://127.0.0.1:{}", server.port()),
            );
            run = run.env("PILOTLIGHT_S3_PORT", port.to_string());
        }
        if let Some(path) = &self.core_wasm {
            run = run.env("PILOTLIGHT_CORE_WASM", path);
        }
        if let Some(path) = &self.selfhost {
            run = run.env("PILOTLIGHT_SELFHOST", path);
        }
        if let Some(path) = &self.tools.chromium {
            run = run.env("CHROMIUM", path);
        }
        if self.programs_are_built {
            run = run.env("PILOTLIGHT_BINARIES", target_dir().join("debug"));
        }
        run.limit(1200)
    }
}

fn format(_: &Fixtures) -> (Result<()>, String) {
    let rust = Run::new("cargo")
        .args(["fmt", "--all", "--check"])
        .limit(120)
        .show();
    (rust.and_then(|()| npm("format").show()), String::new())
}

/// `clippy` and `rust` select the same packages: with another selection cargo unites other features
/// and builds half of the dependencies again. The feature adds the tests that need a running worker
/// or the built WASM.
const EVERYTHING: [&str; 3] = ["--workspace", "--features", "pilotlight-tests/e2e"];

fn clippy(_: &Fixtures) -> (Result<()>, String) {
    let strict = ["--all-targets", "--", "-D", "warnings"];
    (
        Run::new("cargo")
            .args(["clippy", "--quiet"])
            .args(EVERYTHING)
            .args(strict)
            .limit(1800)
            .show(),
        String::new(),
    )
}

/// Unit tests, properties and golden files, the core in wasmtime, and requests to the running
/// worker.
fn rust(fixtures: &Fixtures) -> (Result<()>, String) {
    fixtures
        .with_server(
            Run::new("cargo")
                .args(["test", "--quiet", "--no-fail-fast"])
                .args(EVERYTHING),
        )
        .limit(1800)
        .tee()
}

/// Tests of the core and the worker without a server, except those that inject every fault at every
/// place.
fn native(_: &Fixtures) -> (Result<()>, String) {
    let tests = [
        "--package",
        "pilotlight-core",
        "--package",
        "pilotlight-worker",
    ];
    let less = [
        "--",
        "--skip",
        "whatever_fails",
        "--skip",
        "may_fail",
        "--skip",
        "after_any_fault",
    ];
    Run::new("cargo")
        .args(["test", "--quiet", "--no-fail-fast"])
        .args(tests)
        .args(less)
        .limit(1800)
        .tee()
}

/// What the compiler and the lints say of the site, and the lints of the tests that are JavaScript.
fn site_types(_: &Fixtures) -> (Result<()>, String) {
    (
        npm("lint").show().and_then(|()| npm("check").show()),
        String::new(),
    )
}

fn site(fixtures: &Fixtures) -> (Result<()>, String) {
    fixtures.with_server(npm("test")).tee()
}

fn npm(script: &str) -> Run {
    Run::new("npm")
        .args(["run", "--silent", script])
        .dir(root().join("site"))
        .limit(300)
}

fn browser(fixtures: &Fixtures) -> (Result<()>, String) {
    fixtures
        .with_server(Run::new("node").arg("tests/browser/run.mjs"))
        .tee()
}

/// wrangler checks and bundles each preset, as it would for a deployment.
fn deploy(_: &Fixtures) -> (Result<()>, String) {
    (deploy::check_presets(), String::new())
}

fn fuzz_briefly(fixtures: &Fixtures) -> (Result<()>, String) {
    let seeds = if fixtures.programs_are_built {
        fuzz::Seeds::Built
    } else {
        fuzz::Seeds::ToBeBuilt
    };
    (fuzz::fuzz(&fuzz::Options::default(), seeds), String::new())
}

/// Counts the tests in the output. A part that counts none is one test itself.
fn tally(outcome: &Result<()>, text: &str) -> Count {
    let counts: Vec<Count> = text.lines().filter_map(count).collect();
    let mut sum = Count {
        passed: counts.iter().map(|count| count.passed).sum(),
        failed: counts.iter().map(|count| count.failed).sum(),
    };
    match outcome {
        Ok(()) if counts.is_empty() => sum.passed = 1,
        // A crash may end the output before it counts; a part that failed has a failure.
        Err(_) if sum.failed == 0 => sum.failed = 1,
        _ => {}
    }
    sum
}

/// Reads one line of a test runner's summary: cargo's, node's, or the plain one that we print.
fn count(line: &str) -> Option<Count> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("test result: ") {
        let number = |word: &str| {
            let part = rest
                .split([';', '.'])
                .find(|part| part.trim_end().ends_with(word))?;
            part.trim().split(' ').next()?.parse().ok()
        };
        return Some(Count {
            passed: number("passed")?,
            failed: number("failed")?,
        });
    }
    for (word, passed) in [("pass ", true), ("fail ", false)] {
        let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "));
        if let Some(number) = rest.and_then(|rest| rest.strip_prefix(word)?.parse().ok()) {
            return Some(if passed {
                Count {
                    passed: number,
                    failed: 0,
                }
            } else {
                Count {
                    passed: 0,
                    failed: number,
                }
            });
        }
    }
    let (passed, failed) = line.strip_suffix(" failed")?.split_once(" passed, ")?;
    Some(Count {
        passed: passed.parse().ok()?,
        failed: failed.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, ok: bool, passed: u64, failed: u64) {
        let outcome = if ok {
            Ok(())
        } else {
            Err(Failure::new("it failed", ""))
        };
        assert_eq!(tally(&outcome, text), Count { passed, failed }, "{text:?}");
    }

    #[test]
    fn counts_what_test_runners_print() {
        let cargo = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        check(cargo, true, 12, 0);
        check(&format!("{cargo}\nnoise\n{cargo}"), true, 24, 0);
        check(
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out",
            false,
            3,
            2,
        );
        check("# tests 5\n# pass 4\n# fail 1", false, 4, 1);
        check("ℹ pass 7\nℹ fail 0", true, 7, 0);
        check("9 passed, 1 failed", false, 9, 1);
    }

    #[test]
    fn a_part_without_counts_is_one_test_and_a_failed_part_has_a_failure() {
        check("Finished", true, 1, 0);
        check("", false, 0, 1);
        check(
            "test result: ok. 12 passed; 0 failed; 0 ignored",
            false,
            12,
            1,
        );
    }
}
