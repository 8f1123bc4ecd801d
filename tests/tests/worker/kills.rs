//! The built worker is killed under pushes, some times here and hundreds of times by `cargo xtask
//! kills`: what it acknowledged counts once, and nothing twice.

use std::path::Path;
use std::time::Duration;

use pilotlight_tests::kills::{Wanted, run};

#[test]
fn what_was_acknowledged_counts_once_whenever_the_worker_dies() {
    if !cfg!(target_os = "linux") {
        println!("skipped: the worker's process is found in /proc");
        return;
    }
    let wanted = Wanted {
        kills: 5,
        processes: 20,
        pause: Duration::from_millis(100),
        uptime: Duration::from_millis(1_000),
        seed: 5,
        state: Path::new(env!("CARGO_TARGET_TMPDIR")).join("kills"),
    };
    let report = run(&wanted).unwrap_or_else(|problem| panic!("{problem}"));
    println!("{report}");
    assert!(report.is_good(), "seed {}\n{report}", wanted.seed);
    assert_eq!(report.kills, wanted.kills);
    // A run in which nothing got through would prove nothing.
    assert!(
        report.outcomes.acknowledged > 50 && report.outcomes.retried > 0,
        "{report}"
    );
    assert_eq!(
        report.outcomes.present,
        report.outcomes.acknowledged + report.outcomes.unacknowledged_present,
        "{report}"
    );
}
