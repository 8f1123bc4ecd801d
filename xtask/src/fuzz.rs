//! `cargo xtask fuzz`: libFuzzer against the decoder, on a stable compiler, for a bounded time.
//!
//! cargo-fuzz needs a nightly compiler only for the address sanitizer; the core has no unsafe code,
//! so coverage is what counts, and LLVM's coverage pass is there in stable.

use crate::proc::{Failure, Result, Run};
use crate::{own_dir, root};

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

/// Fuzzes for that long; the corpus it grows is kept for the next time.
pub(crate) fn fuzz(seconds: &str) -> Result<()> {
    let limit: u64 =
        seconds.parse().map_err(|_| Failure::new(format!("{seconds:?} is no number of seconds"), "like --seconds 30"))?;
    let (target, corpus, crashes) = (own_dir().join("fuzz-target"), own_dir().join("corpus"), own_dir().join("crashes"));
    for dir in [&corpus, &crashes] {
        std::fs::create_dir_all(dir).map_err(|error| Failure::new(format!("{}: {error}", dir.display()), ""))?;
    }
    let host = host()?;
    Run::new("cargo")
        // With --target, build scripts and macros are left alone.
        .args(["build", "--quiet", "--release", "--bin", "pprof", "--target", &host])
        .dir(root().join("tests/fuzz"))
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\x1f"))
        .limit(900)
        .show()?;
    println!("Fuzzing for {limit} s");
    Run::new(target.join(&host).join("release/pprof"))
        .arg(&corpus)
        .arg(root().join("tests/fuzz/seeds"))
        .args([&format!("-max_total_time={limit}"), "-timeout=10", "-rss_limit_mb=2048"])
        .arg(format!("-artifact_prefix={}/", crashes.display()))
        .limit(limit + 60)
        // It writes thousands of lines; the last ones matter, and only when it found something.
        .read()
        .map(|_| println!("Nothing found"))
        .map_err(|failure| {
            let remedy = format!(
                "if it found an input, that is in {}: make it a test of the decoder, then mend it",
                crashes.display()
            );
            failure.advise(remedy)
        })
}

fn host() -> Result<String> {
    let text = Run::new("rustc").args(["-vV"]).read()?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::new("rustc -vV names no host", ""))
}
