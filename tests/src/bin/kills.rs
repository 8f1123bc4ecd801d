//! Kills the worker again and again under pushes, and looks for each of them: `kills --count 200
//! --state FOLDER`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use pilotlight_tests::kills::{Wanted, run};
use pilotlight_tests::options::Options;

const USAGE: &str = "usage: kills --state FOLDER [--count 200] [--processes 20] [--pause-ms 200] [--uptime-ms 1200] [--seed N]";

fn main() -> ExitCode {
    let outcome = Options::of_program(&[
        "state",
        "count",
        "processes",
        "pause-ms",
        "uptime-ms",
        "seed",
    ])
    .and_then(|options| {
        let wanted = Wanted {
            kills: options.number("count", 200)?,
            processes: options.number("processes", 20)? as usize,
            pause: Duration::from_millis(options.number("pause-ms", 200)?),
            uptime: Duration::from_millis(options.number("uptime-ms", 1200)?),
            seed: options.seed()?,
            state: PathBuf::from(options.text("state").ok_or("--state is missing")?),
        };
        println!("seed {}", wanted.seed);
        run(&wanted).map(|report| (wanted.seed, report))
    });
    match outcome {
        Ok((seed, report)) => {
            println!("\n{report}");
            let mut json = report.json();
            json["seed"] = seed.into();
            println!("kills {json}");
            if report.is_good() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(problem) => {
            eprintln!("kills: {problem}\n{USAGE}");
            ExitCode::FAILURE
        }
    }
}
