//! `cargo xtask fuzz`: runs libFuzzer on the readers of untrusted input, with a stable compiler,
//! for a bounded time.
//!
//! cargo-fuzz needs a nightly compiler only for the address sanitizer; the core has no unsafe code,
//! so coverage is what counts, and LLVM's coverage pass is there in stable.

use crate::folders::{own_dir, root};
use crate::proc::{Context, Failure, Result, Run};
use crate::setup;
use std::fs;
use std::path::Path;

/// A folder a target, of inputs from which the fuzzer starts.
const SEEDS: &str = "tests/fuzz/seeds";

const COVERAGE: [&str; 6] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
];

/// Inputs have at most 24 kB, which are read in a millisecond: what takes seconds is not linear.
/// The process needs 300 MB for its own bookkeeping; the program bounds each allocation
/// itself, since `-malloc_limit_mb` needs a sanitizer.
const LIMITS: [&str; 2] = ["-timeout=10", "-rss_limit_mb=2048"];

/// What to fuzz and for how long.
pub(crate) struct Options {
    /// For all targets together.
    seconds: u64,
    targets: Vec<String>,
}

impl Options {
    /// Reads `--seconds N` and `--target NAME`.
    pub(crate) fn parse(args: &[&str]) -> Result<Self> {
        let mut options = Self {
            seconds: 30,
            targets: targets()?,
        };
        for pair in args.chunks(2) {
            match pair {
                ["--seconds", number] => {
                    let wrong = |_| {
                        Failure::new(
                            format!("--seconds must be a whole number (got {number:?})"),
                            "give seconds, as in --seconds 30",
                        )
                    };
                    options.seconds = number.parse().map_err(wrong)?;
                }
                ["--target", name] => {
                    let all = targets()?;
                    if !all.iter().any(|target| target == name) {
                        return Err(Failure::new(
                            format!("--target: unknown target {name:?}"),
                            format!("choose from: {}", all.join(", ")),
                        ));
                    }
                    options.targets = vec![(*name).to_owned()];
                }
                _ => {
                    return Err(Failure::new(
                        format!("`fuzz` does not accept {:?}", pair.join(" ")),
                        "give --seconds N or --target NAME; `cargo xtask help` lists all options",
                    ));
                }
            }
        }
        Ok(options)
    }
}

/// Names of the targets: each has a folder of seeds.
fn targets() -> Result<Vec<String>> {
    let folder = root().join(SEEDS);
    let wrong = |error| Failure::new(format!("{}: {error}", folder.display()), "");
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(wrong)? {
        names.push(
            entry
                .map_err(wrong)?
                .file_name()
                .to_string_lossy()
                .into_owned(),
        );
    }
    names.sort();
    Ok(names)
}

/// Fuzzes for that long. The inputs that reach new code are kept for the next time, and for the tests to replay.
pub(crate) fn fuzz(options: &Options) -> Result<()> {
    setup::for_fuzzing()?;
    let own = own_dir().join("fuzz");
    let (target, host) = (own_dir().join("fuzz-target"), host()?);
    Run::new("cargo")
        .args(["build", "--quiet", "--package", "pilotlight-fuzz"])
        .args([
            "--features",
            "libfuzzer",
            "--bin",
            "fuzz",
            "--profile",
            "fuzz",
        ])
        // With --target, build scripts and macros are left alone.
        .args(["--target", &host])
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\x1f"))
        .limit(900)
        .show()?;
    let program = target.join(&host).join("fuzz/fuzz");
    write_seeds(&own.join("seeds"))?;
    let share = (options.seconds / options.targets.len() as u64).max(1);
    // What breaks one target keeps none of the others from its time.
    let mut outcome = Ok(());
    for name in &options.targets {
        println!("Fuzzing {name} for {share} s");
        match fuzz_target(&program, name, share, &own) {
            Ok(()) => println!("Nothing found"),
            Err(failure) => {
                println!("{failure}");
                outcome = Err(failure);
            }
        }
    }
    outcome
}

fn fuzz_target(program: &Path, name: &str, seconds: u64, own: &Path) -> Result<()> {
    let (corpus, crashes) = (
        own.join(name).join("corpus"),
        own.join(name).join("crashes"),
    );
    for dir in [&corpus, &crashes] {
        fs::create_dir_all(dir).context(dir.display())?;
    }
    // What it finds goes to the first folder.
    let folders = [
        corpus,
        root().join(SEEDS).join(name),
        own.join("seeds").join(name),
    ];
    Run::new(program)
        .env("FUZZ_TARGET", name)
        .args(folders.iter().filter(|folder| folder.is_dir()))
        .args(LIMITS)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", crashes.display()))
        .limit(seconds + 60)
        // It writes thousands of lines; the last ones matter, and only when it found something.
        .read()
        .map(drop)
        .map_err(|failure| {
            let crashes = crashes.display();
            failure.advise(format!(
                "if the fuzzer found a failing input, it is in {crashes}: copy it to {SEEDS}/{name}, which the tests replay, then fix the reader"
            ))
        })
}

/// Writes more seeds, made from the corpus if it is there.
fn write_seeds(folder: &Path) -> Result<()> {
    Run::new("cargo")
        .args(["run", "--quiet", "--package", "pilotlight-tests"])
        .args(["--bin", "seeds", "--"])
        .arg(folder)
        .arg("--corpus")
        .limit(900)
        .read()
        .map(drop)
}

fn host() -> Result<String> {
    let text = Run::new("rustc").args(["-vV"]).read()?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| Failure::new("`rustc -vV` printed no host", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options() {
        let parse =
            |args: &[&str]| Options::parse(args).map(|options| (options.seconds, options.targets));
        assert_eq!(parse(&[]).ok(), Some((30, targets().expect("the seeds"))));
        assert_eq!(
            parse(&["--target", "legacy", "--seconds", "5"]).ok(),
            Some((5, vec!["legacy".to_owned()]))
        );
        assert!(
            parse(&["--seconds"]).is_err()
                && parse(&["--seconds", "x"]).is_err()
                && parse(&["--target", "x"]).is_err()
        );
    }
}
