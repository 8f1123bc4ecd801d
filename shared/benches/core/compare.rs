//! The same work by google/pprof, on the same files, right after ours.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What both sides do, and how often faster ours must be and should be.
const WORK: [(&str, f64, f64); 5] = [
    ("inflate", 2.0, 2.0),
    ("decode", 3.0, 6.0),
    ("merge4", 10.0, 20.0),
    ("different4", 10.0, 20.0),
    ("encode", 3.0, 6.0),
];

/// A profile of ours in files.
pub(crate) struct Input {
    /// Name of the bench group.
    pub(crate) size: &'static str,
    /// The profile; beside it, with `.gz` added, the same gzipped.
    pub(crate) path: PathBuf,
    /// Four that differ.
    pub(crate) different: Vec<PathBuf>,
}

/// Prints our times, Go's and their ratio. Says so and does nothing where there is no Go.
pub(crate) fn with_go(criterion: &Path, inputs: &[Input]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/go");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-pprof-bench");
    let built = Command::new("go")
        .args(["build", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(source)
        .status();
    if !built.is_ok_and(|status| status.success()) {
        println!(
            "\nGo is not installed or its module did not build; no comparison with google/pprof"
        );
        return;
    }
    println!(
        "\n{:15} {:>10} {:>10} {:>7}  must  aim",
        "", "ours", "Go", "ratio"
    );
    for Input {
        size,
        path,
        different,
    } in inputs
    {
        let output = Command::new(&program)
            .arg(path)
            .args(different)
            .output()
            .expect("a program that was just built runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        for (work, must, aim) in WORK {
            let go = text
                .lines()
                .find_map(|line| line.strip_prefix(work)?.trim().parse::<f64>().ok());
            let ours = median(&criterion.join(size).join(work).join("new/estimates.json"));
            if let (Some(ours), Some(go)) = (ours, go) {
                let (ours, go) = (ours / 1e6, go / 1e6);
                println!(
                    "{size} {work:10} {ours:7.1} ms {go:7.1} ms {:6.1}x  {must:>3}x {aim:>3}x",
                    go / ours
                );
            }
        }
    }
}

/// Median in nanoseconds, of the file that criterion leaves.
fn median(estimates: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(estimates).ok()?;
    let json: serde_json::Value = serde_json::from_str(&text).ok()?;
    json["median"]["point_estimate"].as_f64()
}
