//! Many processes push to the worker for minutes, and all of it must be there: `load --processes
//! 100 --state FOLDER`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use pilotlight_tests::load::{Wanted, run};
use pilotlight_tests::options::Options;

const USAGE: &str = "usage: load --state FOLDER [--processes 100] [--minutes 10] [--interval 15] [--flush-ms 6000] [--seed N]";

fn main() -> ExitCode {
    let outcome = Options::of_program(&[
        "state",
        "processes",
        "minutes",
        "interval",
        "flush-ms",
        "seed",
    ])
    .and_then(|options| {
        let wanted = Wanted {
            processes: options.number("processes", 100)? as usize,
            duration: Duration::from_secs(60 * options.number("minutes", 10)?),
            interval: Duration::from_secs(options.number("interval", 15)?),
            flush_ms: options.number("flush-ms", 6_000)? as u32,
            seed: options.seed()?,
            state: PathBuf::from(options.text("state").ok_or("--state is missing")?),
        };
        println!("seed {}", wanted.seed);
        run(&wanted)
    });
    match outcome {
        Ok(report) => {
            println!("\n{report}");
            println!("load {}", report.json());
            if report.is_good() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(problem) => {
            eprintln!("load: {problem}\n{USAGE}");
            ExitCode::FAILURE
        }
    }
}
