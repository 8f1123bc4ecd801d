//! `cargo xtask fuzz`: runs libFuzzer on the readers of untrusted input, with a stable compiler,
//! for a bounded time.
//!
//! cargo-fuzz needs a nightly compiler only for the address sanitizer; the core has no unsafe code,
//! so coverage is what counts, and LLVM's coverage pass is there in stable.

use crate::folders::{own_dir, root, target_dir};
use crate::proc::{Failure, Result, Run};
use std::path::Path;

/// Programs of `tests/fuzz`, each with seeds of its own.
const TARGETS: [&str; 11] = [
    "pprof",
    "legacy",
    "jfr",
    "otlp",
    "push_v1",
    "multipart",
    "stacks",
    "imports",
    "symbols",
    "selector",
    "token",
];

const COVERAGE: [&str; 8] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
    "-Cdebug-assertions",
    "--cfg=fuzzing",
];

/// Inputs have at most 24 kB, which are read in a millisecond: what takes seconds is not linear.
/// The process needs 300 MB for its own bookkeeping; `tests/fuzz` bounds each allocation by itself,
/// the last of these works only where a sanitizer is linked.
const LIMITS: [&str; 3] = ["-timeout=10", "-rss_limit_mb=2048", "-malloc_limit_mb=64"];

/// What to fuzz and for how long.
pub(crate) struct Options {
    /// For all targets together.
    seconds: u64,
    targets: Vec<&'static str>,
}

/// Whether the program that writes seeds is built already. Cargo builds it with other features than
/// all tests together, which takes a minute more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seeds {
    Built,
    ToBeBuilt,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seconds: 30,
            targets: TARGETS.to_vec(),
        }
    }
}

impl Options {
    /// Reads `--seconds N` and `--target NAME`.
    pub(crate) fn parse(args: &[&str]) -> Result<Self> {
        let mut options = Self::default();
        for pair in args.chunks(2) {
            match pair {
                ["--seconds", number] => {
                    let wrong = |_| {
                        Failure::new(
                            format!("--seconds is {number:?}, which is not a number of seconds"),
                            "give a whole number, as in --seconds 30",
                        )
                    };
                    options.seconds = number.parse().map_err(wrong)?;
                }
                ["--target", name] => {
                    let found = TARGETS.into_iter().find(|target| target == name);
                    let wrong = || {
                        Failure::new(
                            format!("--target is {name:?}, which is not a target"),
                            format!("choose among: {}", TARGETS.join(", ")),
                        )
                    };
                    options.targets = vec![found.ok_or_else(wrong)?];
                }
                _ => {
                    return Err(Failure::new(
                        format!("`fuzz` does not take {:?}", pair.join(" ")),
                        "give --seconds N or --target NAME; `cargo xtask help` lists all options",
                    ));
                }
            }
        }
        Ok(options)
    }
}

/// Fuzzes for that long. The inputs that reach new code are kept for the next time.
pub(crate) fn fuzz(options: &Options, seeds: Seeds) -> Result<()> {
    let own = own_dir().join("fuzz");
    let (target, host) = (own_dir().join("fuzz-target"), host()?);
    Run::new("cargo")
        // With --target, build scripts and macros are left alone.
        .args(["build", "--quiet", "--release", "--bins", "--target", &host])
        .dir(root().join("tests/fuzz"))
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\x1f"))
        .limit(900)
        .show()?;
    let real = real_seeds(&own.join("seeds"), seeds)?;
    let share = (options.seconds / options.targets.len() as u64).max(1);
    for name in &options.targets {
        let (corpus, crashes) = (
            own.join(name).join("corpus"),
            own.join(name).join("crashes"),
        );
        for dir in [&corpus, &crashes] {
            std::fs::create_dir_all(dir)
                .map_err(|error| Failure::new(format!("{}: {error}", dir.display()), ""))?;
        }
        println!("Fuzzing {name} for {share} s");
        let mut run = Run::new(target.join(&host).join("release").join(name))
            .arg(&corpus)
            .arg(root().join("tests/fuzz/seeds").join(name));
        // Not all have real inputs.
        let found = own.join("seeds").join(name);
        if real && found.is_dir() {
            run = run.arg(found);
        }
        run.args(LIMITS)
            .arg(format!("-max_total_time={share}"))
            .arg(format!("-artifact_prefix={}/", crashes.display()))
            .limit(share + 60)
            // It writes thousands of lines; the last ones matter, and only when it found something.
            .read()
            .map(|_| println!("Nothing found"))
            .map_err(|failure| {
                let crashes = crashes.display();
                failure
                    .advise(format!("if it found an input, that is in {crashes}: make it a test, then mend what it breaks"))
            })?;
    }
    Ok(())
}

/// Writes real inputs if there are any, and returns whether there are.
fn real_seeds(folder: &Path, seeds: Seeds) -> Result<bool> {
    if !root().join("../shared/corpus").is_dir() {
        return Ok(false);
    }
    let built = target_dir().join("debug/seeds");
    let run = match seeds {
        Seeds::Built if built.is_file() => Run::new(built),
        _ => Run::new("cargo").args([
            "run",
            "--quiet",
            "--package",
            "pilotlight-tests",
            "--bin",
            "seeds",
            "--",
        ]),
    };
    run.arg(folder)
        .arg("--corpus")
        .limit(900)
        .read()
        .map(|_| true)
}

fn host() -> Result<String> {
    let text = Run::new("rustc").args(["-vV"]).read()?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| Failure::new("rustc -vV names no host", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options() {
        let parse =
            |args: &[&str]| Options::parse(args).map(|options| (options.seconds, options.targets));
        assert_eq!(parse(&[]).ok(), Some((30, TARGETS.to_vec())));
        assert_eq!(
            parse(&["--target", "legacy", "--seconds", "5"]).ok(),
            Some((5, vec!["legacy"]))
        );
        assert!(
            parse(&["--seconds"]).is_err()
                && parse(&["--seconds", "x"]).is_err()
                && parse(&["--target", "x"]).is_err()
        );
    }

    #[test]
    fn every_target_has_a_program_and_seeds() {
        let manifest =
            std::fs::read_to_string(root().join("tests/fuzz/Cargo.toml")).expect("the manifest");
        let programs: Vec<_> = manifest
            .lines()
            .filter_map(|line| line.strip_prefix("path = \"src/"))
            .collect();
        assert_eq!(programs, TARGETS.map(|name| format!("{name}.rs\"")));
        for name in TARGETS {
            assert!(
                root().join("tests/fuzz/seeds").join(name).is_dir(),
                "no seeds for {name}"
            );
        }
    }
}
